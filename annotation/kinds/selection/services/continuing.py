"""What the next round takes of a selection study: pairs of what was chosen."""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.dispatch import receiver

from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.services import redaction
from annotation.core.services.bounded_writes import Insert
from annotation.core.services.many_rows import update_rows
from annotation.core.signals import answers_withdrawn
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.answer import ROLES
from annotation.kinds.services import copied_material
from annotation.kinds.services.drawn_groups import Part, draw, first_of_each
from annotation.kinds.services.earlier_rounds import (
    Continued,
    EarlierRound,
    hold_with_studies,
    n_context_rows,
    tell_later_rounds,
)
from annotation.models import Assignment, Item, Judgment, Pool, Relabelling, Study
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind

# A longer name of an incident is cut in the name of its pairs, which has to fit the column.
_MAX_NAME_LENGTH = 120
_CHUNK = 2000
# In an item's metadata: the pseudonym of whoever chose the pair.
ANNOTATOR = "annotator"


class SelectedRound(EarlierRound):
    """Each counted answer gives a group of three pairs.

    They are the summary's sentence with the sentence of a report that was chosen for each role.
    The role is the intended class and the rating given with it the earlier one; the groups stand
    as they were made, person after person. Contexts are copied, so that the new study needs
    nothing of the earlier one.
    """

    def count_groups(self, earlier: Study) -> int:
        if not earlier.designs.filter(made_at__isnull=False).exists():
            return 0
        return _counted_answers(earlier).count()

    def read(self, study: Study, earlier: Study, part: Part) -> "_Picks":
        counted = _counted_selections(earlier)
        if not counted:
            raise self.nothing_in(earlier)
        if part.n_first is not None:
            keys = first_of_each(counted, part.n_first)
        else:
            keys = draw([key for _person, key in counted], part.n_groups, study=study)
        chosen = _selections(keys)
        n_rows = n_context_rows(earlier) + (1 + len(ROLES)) * len(chosen)
        return _Picks(earlier, chosen, _names_of_selections(earlier, chosen), n_rows)

    def nothing_in(self, earlier: Study) -> StateError:
        return StateError(
            _("%(study)s has no completed booklets and therefore no pairs.")
            % {"study": earlier.title}
        )


@dataclass(frozen=True)
class _Picks:
    """Answers of a selection study, each three pairs, and a name for each."""

    earlier: Study
    chosen: list[Judgment]
    names: list[str]
    n_rows: int

    @property
    def continued(self) -> Continued:
        n_pairs = len(ROLES) * len(self.chosen)
        return Continued(n_pairs, n_pairs)

    def copy(self, study: Study, insert: Insert) -> None:
        # Incidents without any chosen sentence are not shown.
        incidents = {
            judgment.question.turn.context.group_id
            for judgment in self.chosen
            if judgment.question.turn is not None
        }
        of_incident = self.earlier.contexts.order_by("pk").values_list("pk", "group")
        shown = {pk for pk, incident in of_incident if incident in incidents}
        contexts = copied_material.contexts(study, self.earlier, only=shown, insert=insert)
        turns = copied_material.turns(self.earlier, contexts, insert=insert)
        pools = insert(
            Pool,
            (Pool(study=study, key=name, number=n) for n, name in enumerate(self.names, start=1)),
        )
        pairs = [
            (pool, judgment, picks[role])
            for pool, judgment in zip(pools, self.chosen, strict=True)
            for picks in [{pick.role: pick for pick in judgment.picks.all()}]
            for role in ROLES
        ]
        insert(
            Item,
            (
                Item(
                    study=study,
                    pool=pool,
                    number=number,
                    key=f"{pool.key}/{pick.role}",
                    target_turn=turns[judgment.question.turn_id],
                    candidate_turn=turns[pick.turn_id],
                    earlier_rating=pick.rating,
                    intended_class=pick.role,
                    chosen_in=judgment,
                    metadata={ANNOTATOR: judgment.assignment.annotator.pseudonym},
                )
                for number, (pool, judgment, pick) in enumerate(pairs, start=1)
                if judgment.question.turn_id is not None
            ),
        )

    def finish(self, study: Study) -> None:
        # The earlier ratings are on the earlier scale.
        study.scale = self.earlier.scale
        study.save(update_fields=["scale"])


def _counted_answers(earlier: Study) -> QuerySet[Judgment]:
    """The answers that count, each a group of three pairs."""
    return counted_answers.counted_judgments(earlier, "people").filter(kind=QuestionKind.SELECTION)


def _counted_selections(earlier: Study) -> list[tuple[int, int]]:
    """Whose each answer is that counts, and its key, person after person in their order."""
    if not earlier.designs.filter(made_at__isnull=False).exists():
        return []
    return list(
        _counted_answers(earlier)
        .order_by("assignment__annotator", "assignment", "question__screen", "question__position")
        .values_list("assignment__annotator", "pk")
    )


def _selections(keys: Sequence[int]) -> list[Judgment]:
    """The answers with these keys, in this order, with what their pairs are made of."""
    rows = Judgment.objects.select_related(
        "question__turn__context__group", "assignment__annotator"
    ).prefetch_related("picks")
    judgments: dict[int, Judgment] = {}
    for start in range(0, len(keys), _CHUNK):
        judgments |= rows.in_bulk(keys[start : start + _CHUNK])
    return [judgments[key] for key in keys]


def _names_of_selections(earlier: Study, chosen: list[Judgment]) -> list[str]:
    """A name for each answer: its incident and sentence, and of several people a number of each.

    Not their pseudonyms: a release may leave out who chose a pair, but never its name.
    """
    has_several = SelectionParameters.of(earlier.design).people_per_incident > 1
    people = sorted({judgment.assignment.annotator_id for judgment in chosen})
    numbers = {pk: number for number, pk in enumerate(people, start=1)}
    names = []
    for judgment in chosen:
        turn = judgment.question.turn
        assert turn is not None  # constraint question_selection_has_turn
        assert turn.context.group is not None  # an incident is a group
        incident = turn.context.group.key
        if len(incident) > _MAX_NAME_LENGTH:
            incident = f"{incident[:_MAX_NAME_LENGTH]}…{turn.context.group_id}"
        whose = f"/{numbers[judgment.assignment.annotator_id]}" if has_several else ""
        names.append(f"{incident}/{turn.position}{whose}")
    return names


@receiver(answers_withdrawn)
def forget_choices(held: Sequence[Assignment], **_kwargs: object) -> None:
    """In later rounds nothing says any more who chose a pair, as what, and how it was rated.

    The pairs stay, because people may have rated them.
    """
    if not held or held[0].annotator.study.kind != QuestionKind.SELECTION:
        return
    annotator = held[0].annotator
    of_theirs = Item.objects.filter(chosen_in__assignment__in=held)
    chosen = hold_with_studies(of_theirs)
    of_answers: dict[tuple[int, int | None], list[Item]] = {}
    for item in chosen:
        of_answers.setdefault((item.study_id, item.chosen_in_id), []).append(item)
    names = {pk: name for items in of_answers.values() for pk, name in _new_names(items)}
    renamed: dict[int, dict[str, str]] = {}
    for item in chosen:
        renamed.setdefault(item.study_id, {})[item.key] = names[item.pk]
        _forget(item, names[item.pk], annotator.pseudonym)
    update_rows(chosen, _FORGOTTEN)
    Relabelling.objects.filter(item__in=of_theirs.values("pk")).update(
        before=redaction.ERASED, after=redaction.ERASED
    )
    _rename_pools({item.pool for item in chosen}, chosen)
    for study in Study.objects.filter(pk__in=renamed):
        _rename_in_designs(study, renamed[study.pk])
    tell_later_rounds(annotator, Counter(study_id for study_id, _answer in of_answers))


_FORGOTTEN = ("key", "metadata", "intended_class", "earlier_rating", "expected")


def _new_names(items: Sequence[Item]) -> list[tuple[int, str]]:
    """Names for the pairs of one answer: the old ones say whose they are, and as what chosen.

    They are numbered by the sentence that was chosen: in their own order the most similar one
    comes first. Nobody can have guessed a name, and taken it.
    """
    incident = items[0].key.partition("/")[0]
    answer = secrets.token_hex(4)
    by_sentence = sorted(items, key=lambda item: item.candidate_turn_id or 0)
    return [
        (item.pk, f"{incident}/withdrawn-{answer}/{number}")
        for number, item in enumerate(by_sentence, start=1)
    ]


def _forget(item: Item, name: str, pseudonym: str) -> None:
    item.key, item.intended_class = name, ""
    if item.metadata.get(ANNOTATOR) == pseudonym:
        item.metadata[ANNOTATOR] = redaction.ERASED
    # In a round after the next they may be what people said in the one between.
    if item.score_of_id is None:
        item.earlier_rating = None
    if item.expected_of_id is None:
        item.expected = None


def _rename_pools(pools: Iterable[Pool], chosen: Sequence[Item]) -> None:
    """Groups of one answer are named as its pairs were; one of all items has a name of its own."""
    names = {item.pool_id: item.key.rpartition("/")[0] for item in chosen}
    changed = [pool for pool in pools if pool.key != ONE_POOL]
    for pool in changed:
        pool.key = names[pool.pk]
    update_rows(changed, ["key"])


def _rename_in_designs(study: Study, renamed: dict[str, str]) -> None:
    """Designs name the items that calibrate by their keys."""
    for design in study.designs.all():
        if names := design.parameters.get("calibration"):
            design.parameters["calibration"] = [renamed.get(name, name) for name in names]
            design.save(update_fields=["parameters"])
