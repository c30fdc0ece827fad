"""What people rated again, beside what they said of the same item before."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, FloatField, OuterRef, QuerySet, Sum
from django.db.models.functions import Cast

from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population, counted_judgments
from annotation.core.queries.researchers import owner_sees
from annotation.kinds.rating.queries.answers import MAIN, REPEAT, PhaseRatings, RatingAnswers
from annotation.models import Annotator, Block, Item, Judgment, Study
from annotation.models.kinds import QuestionKind
from scoring import Ratings
from scoring.arrays import BoolArray, FloatArray, IntArray

BOOKLET, EARLIER_ROUND = "booklet", "earlier_round"


@dataclass(frozen=True)
class Before:
    """A rating of an earlier round, and when it was stored (seconds since 1970, nan: unknown)."""

    value: float
    answered_at: float


# By condition, then by (annotator, unit) as they are numbered now.
EarlierRound = dict[str, dict[tuple[int, int], Before]]


@dataclass(frozen=True, eq=False)
class Repeats:
    """The ratings of a repeat block of one phase, each with the one before; shape (r,)."""

    # Rows of `PhaseRatings.all`.
    rows: IntArray
    # The rating before; nan if there is none.
    before: FloatArray
    # Annotations between the two if both are of this phase, else -1.
    distance: IntArray
    # Hours between the two; nan if unknown.
    hours: FloatArray
    # Whether the rating before is one of the same booklet, or of the earlier round.
    is_of_booklet: BoolArray
    is_of_earlier_round: BoolArray

    def origin(self, place: int) -> str:
        if self.is_of_booklet[place]:
            return BOOKLET
        return EARLIER_ROUND if self.is_of_earlier_round[place] else ""


def earlier_round(study: Study, answers: RatingAnswers, population: Population) -> EarlierRound:
    """What the people of this round said, in the round before, of the items that became ours."""
    before = _round_before(study)
    if before is None:
        return {}
    selves = _selves(study, before)
    annotator = {pk: number for number, pk in enumerate(answers.annotator_pks)}
    units: dict[int, list[int]] = {}
    derived = Item.objects.filter(study=study, derived_from__isnull=False).order_by("number")
    for pk, origin in derived.values_list("pk", "derived_from_id"):
        units.setdefault(origin, []).append(answers.items.number[pk])
    rows = (
        _of_round_before(before, population)
        .filter(Exists(Item.objects.filter(study=study, derived_from=OuterRef("question__item"))))
        .filter(assignment__annotator__in=selves_before(study, before))
        .values_list(
            "assignment__annotator_id",
            "question__item_id",
            "question__block__phase__condition",
            Cast("rating", FloatField()),
            "answered_at",
        )
    )
    ratings: EarlierRound = {}
    for earlier_self, item, condition, value, at in rows.iterator():
        number = annotator.get(selves[earlier_self])
        if number is None:
            continue
        rating = Before(value, float("nan") if at is None else at.timestamp())
        for unit in units[item]:
            ratings.setdefault(condition, {})[number, unit] = rating
    return ratings


def _round_before(study: Study) -> Study | None:
    """The earlier round, as long as the owner of this one may see it."""
    before = study.earlier_round
    return before if before is not None and owner_sees(study, before) else None


def selves_before(
    study: Study, earlier: Study, *, only: Annotator | None = None
) -> QuerySet[Annotator]:
    """Annotators of an earlier round who are people of this one, too; or one person's."""
    own = Annotator.objects.filter(study=study)
    if only is not None:
        own = own.filter(pk=only.pk)
    return Annotator.objects.filter(study=earlier).filter(
        Exists(own.filter(person=OuterRef("person")))
        | Exists(own.filter(earlier_self=OuterRef("pk")))
    )


def _selves(study: Study, earlier: Study) -> dict[int, int]:
    """By the key of an annotator of the earlier round: the same person's of this one."""
    own = Annotator.objects.filter(study=study)
    by_person = dict(own.filter(person__isnull=False).values_list("person_id", "pk"))
    before = selves_before(study, earlier).filter(person__in=by_person)
    selves = {pk: by_person[person] for pk, person in before.values_list("pk", "person_id")}
    without_names = own.filter(earlier_self__isnull=False).values_list("earlier_self_id", "pk")
    return selves | dict(without_names)


def sources_elsewhere(study: Study, population: Population) -> list[int | str]:
    """What statistics take from the earlier round, in numbers that change with it.

    Its answers that count, and what the pairs that became ours keep of them.
    """
    before = _round_before(study)
    if before is None:
        return []
    basis = counted_answers.basis(before, population)
    sums = study.items.aggregate(
        n=Count("earlier_rating"), total=Sum("earlier_rating"), expected=Sum("expected")
    )
    return [basis.n_judgments, basis.sum_of_keys, *map(str, sums.values())]


def rated_before(person: Annotator, population: Population) -> dict[str, dict[int, float]]:
    """What somebody said in the round before: by condition, then by the item it became here."""
    earlier = _round_before(person.study)
    if earlier is None:
        return {}
    items = Item.objects.filter(study=person.study, derived_from__isnull=False)
    became: dict[int, list[int]] = {}
    for item, origin in items.order_by("number").values_list("pk", "derived_from_id"):
        became.setdefault(origin, []).append(item)
    ratings = (
        _of_round_before(earlier, population)
        .filter(
            assignment__annotator__in=selves_before(person.study, earlier, only=person),
            question__item__in=became,
        )
        .values_list(
            "question__item_id",
            "question__block__phase__condition",
            Cast("rating", FloatField()),
        )
    )
    values: dict[str, dict[int, float]] = {}
    for origin, condition, value in ratings:
        values.setdefault(condition, {}).update(dict.fromkeys(became[origin], value))
    return values


def _of_round_before(earlier: Study, population: Population) -> QuerySet[Judgment]:
    return counted_judgments(earlier.design, population).filter(
        kind=QuestionKind.RATING, question__block__purpose=Block.Purpose.MAIN
    )


def repeats_of(phase: PhaseRatings, earlier: EarlierRound) -> Repeats:
    """Pair each repeat with the same person's rating before.

    That of the main block of this phase, if there is one before it; else that of the earlier
    round, under the same condition if it has it.
    """
    batch = phase.all
    assert batch.order is not None  # read_ratings always numbers them
    rows = np.flatnonzero(phase.purpose == REPEAT)
    main: dict[tuple[int, int], int] = {}
    for row in np.flatnonzero(phase.purpose == MAIN)[::-1].tolist():
        main[int(batch.annotator[row]), int(batch.unit[row])] = row
    before, hours = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    distance = np.full(len(rows), -1, dtype=np.int64)
    is_of_booklet = np.zeros(len(rows), dtype=np.bool_)
    is_of_earlier_round = np.zeros(len(rows), dtype=np.bool_)
    for place, row in enumerate(rows.tolist()):
        cell = int(batch.annotator[row]), int(batch.unit[row])
        first = main.get(cell)
        if first is not None and batch.order[first] < batch.order[row]:
            is_of_booklet[place] = True
            before[place] = batch.value[first]
            distance[place] = batch.order[row] - batch.order[first] - 1
            at = phase.answered_at[first]
        elif earlier_rating := _in_earlier_round(earlier, phase.phase.condition, cell):
            is_of_earlier_round[place] = True
            before[place], at = earlier_rating.value, earlier_rating.answered_at
        else:
            continue
        hours[place] = (phase.answered_at[row] - at) / 3600
    return Repeats(rows, before, distance, hours, is_of_booklet, is_of_earlier_round)


def _in_earlier_round(
    earlier: EarlierRound, condition: str, cell: tuple[int, int]
) -> Before | None:
    if rating := earlier.get(condition, {}).get(cell):
        return rating
    return next((ratings[cell] for ratings in earlier.values() if cell in ratings), None)


def batches_of(phase: PhaseRatings, repeats: Repeats) -> tuple[Ratings, Ratings]:
    """Ratings of the earlier round and the repeats of them, numbered alike, in the same order.

    Repeats of something that nobody knows what was said of before are in the second batch alone.
    """
    batch = phase.all
    again = repeats.rows[~repeats.is_of_booklet]
    known = repeats.rows[repeats.is_of_earlier_round]
    first = Ratings(
        batch.annotator[known],
        batch.unit[known],
        repeats.before[repeats.is_of_earlier_round],
        batch.n_annotators,
        batch.n_units,
    )
    return first.first_answers(), batch.of_rows(again).first_answers()
