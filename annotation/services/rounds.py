"""Linked rounds: a rating study whose items were rated, or selected, in an earlier study."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from django.db import transaction
from django.db.models import Avg

from annotation.answer_kinds import ROLES
from annotation.errors import StateError
from annotation.models import (
    Block,
    Item,
    Judgment,
    Pool,
    Study,
)
from annotation.models.kinds import QuestionKind
from annotation.queries import answers
from annotation.sentences import sentence as _
from annotation.services import copied_material, drawn_groups
from annotation.services.design_rows import insert
from annotation.services.imports import drop_items
from annotation.services.locks import lock_study
from annotation.services.rating_designs import RatingParameters
from annotation.services.selection_designs import SelectionParameters

_THOUSANDTH = Decimal("0.001")
# What is stored of such a study does not grow any more.
OVER = (Study.State.CLOSED, Study.State.FINISHED)
# Of an incident's name in that of its pairs: as long as the column is, with room for the rest.
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Continued:
    """What was copied, and how many of the items have a rating from the earlier round."""

    n_items: int
    n_rated: int


def begin(*, study: Study, earlier: Study, n_groups: int | None = None) -> Continued:
    """Give a draft the items that an earlier study has for it, or some groups of them, drawn."""
    if earlier.kind == QuestionKind.SELECTION:
        return items_from_picks(study=study, earlier=earlier, n_groups=n_groups)
    keys = None
    if n_groups is not None:
        keys = drawn_groups.keys_of_drawn(earlier, n_groups, study=study)
    return continue_from(study=study, earlier=earlier, keys=keys)


@transaction.atomic
def continue_from(*, study: Study, earlier: Study, keys: Iterable[str] | None = None) -> Continued:
    """Copy the items of an earlier rating study into a draft, in the place of those it had.

    Contexts, groups, known answers and checks come along. What people rated there is the earlier
    rating here: the mean of the counted ratings. `keys` chooses some of the items. What calibrated
    there calibrates here, too, unless the draft names other items.

    Raises StateError unless the study is a draft and the earlier one is closed or finished.
    """
    study = lock_study(study.pk)
    earlier = Study.objects.get(pk=earlier.pk)
    _check(study, earlier)
    if earlier.kind != QuestionKind.RATING:
        raise StateError(_("%(study)s has no ratings to go on with.") % {"study": earlier.title})
    wanted = None if keys is None else {*keys}
    items = [
        item
        for item in earlier.items.select_related("pool").order_by("number")
        if wanted is None or item.key in wanted
    ]
    if wanted is not None and (unknown := wanted - {item.key for item in items}):
        raise StateError(
            _("%(study)s has no item %(key)s. Choose from its items.")
            % {"study": earlier.title, "key": sorted(unknown)[0]}
        )
    if not items:
        raise StateError(_("%(study)s has no items to go on with.") % {"study": earlier.title})
    _make_room(study, earlier)
    contexts = copied_material.contexts(study, earlier)
    turns = copied_material.turns(earlier, contexts)
    pools = copied_material.pools(study, items, contexts)
    means = _mean_ratings(earlier)
    copies = copied_material.items(
        study,
        items,
        turns=turns,
        pools=pools,
        columns=lambda item: {
            "earlier_rating": means.get(item.pk, item.earlier_rating),
            "derived_from": item,
        },
    )
    copied_material.checks(study, items=copies)
    _name_calibration(study, earlier, {item.key for item in items})
    return Continued(len(items), sum(item.pk in means for item in items))


@transaction.atomic
def items_from_picks(*, study: Study, earlier: Study, n_groups: int | None = None) -> Continued:
    """Make pairs of what was chosen in a selection study, in the place of a draft's items.

    Each counted answer gives a group of three pairs: the summary's sentence with the sentence of
    a report that was chosen for each role. The role is the intended class and the rating given
    with it the earlier one; the groups stand as they were made, person after person. Contexts are
    copied, so that the new study needs nothing of the earlier one. `n_groups` draws some of them.

    Raises StateError unless the study is a draft and the earlier one is closed or finished.
    """
    study = lock_study(study.pk)
    _check(study, earlier)
    if earlier.kind != QuestionKind.SELECTION:
        raise StateError(_("In %(study)s no sentences are selected.") % {"study": earlier.title})
    chosen = _counted_selections(earlier)
    if not chosen:
        raise StateError(
            _("%(study)s has no completed booklets, so no pairs.") % {"study": earlier.title}
        )
    chosen = drawn_groups.draw(chosen, n_groups, study=study)
    _make_room(study, earlier)
    turns = copied_material.turns(earlier, copied_material.contexts(study, earlier))
    names = _names_of_selections(earlier, chosen)
    pools = insert(
        Pool,
        (Pool(study=study, key=name, number=n) for n, name in enumerate(names, start=1)),
    )
    pairs = [
        (pool, judgment, picks[role])
        for pool, judgment in zip(pools, chosen, strict=True)
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
                metadata={"annotator": judgment.assignment.annotator.pseudonym},
            )
            for number, (pool, judgment, pick) in enumerate(pairs, start=1)
            if judgment.question.turn_id is not None
        ),
    )
    return Continued(len(pairs), len(pairs))


def _counted_selections(earlier: Study) -> list[Judgment]:
    """The answers that count, person after person in the order in which they came."""
    if not earlier.designs.filter(made_at__isnull=False).exists():
        return []
    return list(
        answers.counted_judgments(earlier, "people")
        .filter(kind=QuestionKind.SELECTION)
        .select_related("question__turn__context__group", "assignment__annotator")
        .prefetch_related("picks")
        .order_by("assignment__annotator", "assignment", "question__screen", "question__position")
    )


def _names_of_selections(earlier: Study, chosen: list[Judgment]) -> list[str]:
    """A name for each answer: its incident and sentence, and of several people also whose."""
    has_several = SelectionParameters.of(earlier.design).people_per_incident > 1
    names = []
    for judgment in chosen:
        turn = judgment.question.turn
        assert turn is not None  # constraint question_selection_has_turn
        assert turn.context.group is not None  # an incident is a group
        incident = turn.context.group.key
        if len(incident) > _LONGEST_NAME:
            incident = f"{incident[:_LONGEST_NAME]}…{turn.context.group_id}"
        whose = f"/{judgment.assignment.annotator.pseudonym}" if has_several else ""
        names.append(f"{incident}/{turn.position}{whose}")
    return names


def _make_room(study: Study, earlier: Study) -> None:
    drop_items(study)
    study.context_groups.all().delete()
    study.earlier_round = earlier
    study.save(update_fields=["earlier_round"])


def _check(study: Study, earlier: Study) -> None:
    if not study.is_draft:
        raise StateError(
            _("The items are frozen since the study was opened. Make a new study to continue.")
        )
    if study.pk == earlier.pk:
        raise StateError(_("A study cannot continue itself."))
    if study.kind != QuestionKind.RATING or not earlier.is_continued:
        raise StateError(
            _("Only a rating study continues an earlier study, one with ratings or a selection.")
        )
    if earlier.state not in OVER:
        raise StateError(
            _("%(study)s still takes people. Close it first; then its answers are complete.")
            % {"study": earlier.title}
        )


def _name_calibration(study: Study, earlier: Study, copied: set[str]) -> None:
    design = study.design
    named = [key for key in RatingParameters.of(earlier.design).calibration if key in copied]
    if named and not RatingParameters.of(design).calibration:
        design.parameters = {**design.parameters, "calibration": named}
        design.save(update_fields=["parameters"])


def _mean_ratings(earlier: Study) -> dict[int, Decimal]:
    """The mean of the counted ratings of each item, in the earlier round's first phase."""
    if not earlier.designs.filter(made_at__isnull=False).exists():
        return {}
    ratings = (
        answers.counted_judgments(earlier, "people")
        .filter(
            kind=QuestionKind.RATING,
            question__block__purpose=Block.Purpose.MAIN,
            question__block__phase__number=1,
        )
        .order_by()
        .values_list("question__item")
        .annotate(mean=Avg("rating"))
    )
    return {
        item: Decimal(str(mean)).quantize(_THOUSANDTH, ROUND_HALF_EVEN) for item, mean in ratings
    }
