"""What one person rates again, and what they do not: drawn and looked up at the claim."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

import tuples
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.services import recognition
from annotation.models import (
    Annotator,
    Assignment,
    Block,
    Booklet,
    Design,
    Item,
    Judgment,
    PhaseRun,
    Question,
)
from annotation.models.items import ONE_POOL

if TYPE_CHECKING:
    from numpy.random import Generator


def booklets_alike(design: Design, annotator: Annotator) -> QuerySet[Booklet]:
    """Booklets that ask for an item whose rating this annotator has been asked for already.

    Where items are in groups: for one of a group of which they have been asked for another.
    """
    none: QuerySet[Booklet] = Booklet.objects.none()
    if not design.study.is_item_based:
        return none
    # Nearly everybody is new here: this check avoids reading all the questions.
    theirs = annotator.assignments.filter(is_disputed=False)
    booklets = list(theirs.values_list("booklet_id", flat=True))
    if not booklets:
        return none
    questions = Question.objects.filter(
        block__purpose=Block.Purpose.MAIN, block__phase__number=1, item__isnull=False
    )
    # Earlier repeats were drawn for the person, and are in no booklet.
    own = Q(assignment__in=theirs, block__phase__number=1, item__isnull=False)
    mine = list(
        Question.objects.filter(
            own | Q(pk__in=questions.filter(booklet__in=booklets))
        ).values_list("item", "item__pool", "item__pool__key")
    )
    alike = Q(item__in=[item for item, _pool, _key in mine])
    if (design.certificate or {}).get("pairs_per_tuple", 1) > 1:
        alike |= Q(item__pool__in={pool for _item, pool, key in mine if key != ONE_POOL})
    again = questions.filter(alike, booklet__design=design)
    return Booklet.objects.filter(pk__in=again.values("booklet"))


def refuse_without_people(design: Design) -> None:
    """Raise StateError if nobody who can come would repeat what the design says they repeat."""
    parameters = RatingParameters.of(design)
    if parameters.n_repeats and parameters.repeat_from == "earlier_round":
        recognition.refuse_without_repeats(design.study, but=parameters.calibration)


def draw(assignment: Assignment) -> int:
    """Choose what this person rates again, and return how many that is.

    The seed, the booklet and the pseudonym decide; from then on the rows are what is asked. The
    caller holds the study's lock.
    """
    if not assignment.annotator.study.is_item_based:
        return 0
    booklet = assignment.booklet
    design = booklet.design
    parameters = RatingParameters.of(design)
    if not parameters.n_repeats:
        return 0
    person = int.from_bytes(hashlib.sha256(assignment.annotator.pseudonym.encode()).digest()[:8])
    rng = tuples.generator(design.seed, booklet.number, person)
    items = _chosen(assignment, parameters, rng)
    per_screen = parameters.questions_per_screen
    blocks = Block.objects.filter(phase__design=design, purpose=Block.Purpose.REPEAT)
    Question.objects.bulk_create(
        Question(
            block=block,
            assignment=assignment,
            screen=booklet.n_screens + n // per_screen + 1,
            position=n % per_screen + 1,
            kind=design.study.kind,
            item_id=item,
        )
        for block in blocks.order_by("phase__number")
        for n, item in enumerate(items)
    )
    assignment.n_own_screens = -(-len(items) // per_screen)
    assignment.save(update_fields=["n_own_screens"])
    return len(items)


def _chosen(assignment: Assignment, parameters: RatingParameters, rng: "Generator") -> list[int]:
    """The items to rate again, in their order: those of the earlier round, then the booklet's."""
    n, distance = parameters.n_repeats, parameters.repeat_distance
    main = list(
        assignment.booklet.questions.filter(
            block__purpose=Block.Purpose.MAIN, block__phase__number=1
        )
        .order_by("screen", "position")
        .values_list("item_id", flat=True)
    )
    if parameters.repeat_from != "earlier_round":
        return _of_booklet(main, [], n, distance, rng)
    items_asked = set(
        Question.objects.filter(
            Q(booklet__assignments__annotator=assignment.annotator_id)
            | Q(assignment__annotator=assignment.annotator_id)
        )
        .exclude(booklet=assignment.booklet_id)
        .values_list("item_id", flat=True)
    )
    # A second booklet does not ask for what the first one asked for, nor for what it repeated.
    rated = [item for item in _rated_earlier(assignment, parameters) if item not in items_asked]
    in_booklet = {*main}
    chosen = _sample([item for item in rated if item not in in_booklet], n, rng)
    # Items of the booklet itself are the second choice, other versions of them the last.
    again = [item for item in main if item in {*rated}]
    chosen = _of_booklet(main, chosen, n, distance, rng, among=again)
    return _of_booklet(main, chosen, n, distance, rng)


def _of_booklet(
    main: Sequence[int],
    chosen: list[int],
    n: int,
    distance: int,
    rng: "Generator",
    *,
    among: Sequence[int] | None = None,
) -> list[int]:
    """Add items of the booklet until there are n: each so many questions after its first time."""
    chosen = list(chosen)
    allowed = {*(main if among is None else among)}
    while len(chosen) < n:
        # The next repeat stands at len(main) + len(chosen), counted from 0.
        far = max(0, len(main) + len(chosen) - distance + 1)
        left = [item for item in main[:far] if item in allowed and item not in chosen]
        if not left:
            break
        chosen += _sample(left, 1, rng)
    return chosen


def _sample(items: Sequence[int], n: int, rng: "Generator") -> list[int]:
    places = rng.permutation(len(items))[:n]
    return [items[place] for place in places.tolist()]


def _rated_earlier(assignment: Assignment, parameters: RatingParameters) -> list[int]:
    """Items of this study that stem from what the same person rated in the earlier round."""
    annotator, study = assignment.annotator, assignment.booklet.design.study
    if annotator.person_id is None or study.earlier_round_id is None:
        return []
    completed = PhaseRun.objects.filter(
        assignment__annotator__person=annotator.person_id,
        assignment__annotator__study=study.earlier_round_id,
        completed_at__isnull=False,
    ).exclude(assignment__state=Assignment.State.WITHDRAWN)
    level = {
        item
        for run in completed
        for item in Judgment.objects.current()
        .filter(
            assignment=run.assignment_id,
            question__block__phase=run.phase_id,
            question__block__purpose=Block.Purpose.MAIN,
            rating__isnull=False,
        )
        .values_list("question__item_id", flat=True)
    }
    seen: set[int] = set()
    numbered: list[tuple[int, int]] = []
    # Down from what was rated to what was made of it, perhaps over several copies.
    while level:
        seen |= level
        of_level = list(
            Item.objects.filter(derived_from__in=level).values_list(
                "pk", "number", "study_id", "key"
            )
        )
        numbered += [
            (number, pk)
            for pk, number, study_id, key in of_level
            if study_id == study.pk and key not in parameters.calibration
        ]
        level = {pk for pk, *_rest in of_level} - seen
    return [pk for _number, pk in sorted(numbered)]
