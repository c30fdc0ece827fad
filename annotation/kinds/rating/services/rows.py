"""The rows of a rating design: phases, blocks, booklets, places and questions."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import F

from annotation import models
from annotation.core.services.bounded_writes import Rows
from annotation.kinds.design_parameters import RatingParameters
from annotation.kinds.rating.queries.layouts import Layout
from annotation.kinds.services.check_rows import Place, add_blocks, check_questions, spread
from annotation.kinds.services.design_rows import places_of
from annotation.models import Block, Booklet, Design, Item, Phase, Question


def store(
    design: Design,
    parameters: RatingParameters,
    layout: Layout,
    lists: list[list[int]],
    groups: list[int | None],
    *,
    rows: Rows,
) -> None:
    """Write phases, blocks, booklets, places and questions; `lists` has the booklets' items.

    Booklets are numbered in the order in which they are given away.
    """
    # If nothing else is known of them, what an earlier round said is what calibrates.
    Item.objects.filter(pk__in=layout.calibration, expected=None).update(
        expected=F("earlier_rating"), expected_of=F("score_of")
    )
    per_screen = parameters.questions_per_screen
    checks = layout.checks
    n_calibration = -(-len(layout.calibration) // per_screen)
    n_first = len(checks.tutorials) + n_calibration
    spreads = spread(checks, design.seed, [len(items) for items in lists], per_screen)
    booklets = rows.insert(
        Booklet,
        (
            Booklet(
                design=design,
                number=number,
                group=group,
                n_screens=n_first + places.n_screens,
            )
            for number, (places, group) in enumerate(zip(spreads, groups, strict=True), start=1)
        ),
    )
    rows.add(models.Place, places_of(booklets, 1))

    for number, of_phase in enumerate(parameters.phases, start=1):
        closes = of_phase.closes_after_days
        phase = Phase(
            design=design,
            number=number,
            condition=of_phase.condition,
            delay=timedelta(hours=of_phase.delay_hours),
            closes_after=None if closes is None else timedelta(days=closes),
        )
        rows.insert(Phase, [phase])
        purposes = [Block.Purpose.MAIN]
        if layout.calibration:
            purposes.insert(0, Block.Purpose.CALIBRATION)
        if parameters.n_repeats:
            purposes.append(Block.Purpose.REPEAT)
        blocks, of_checks = add_blocks(phase, purposes, checks, rows)
        questions = (
            question
            for booklet, items, places in zip(booklets, lists, spreads, strict=True)
            # Stored as they are asked: their keys, which pages hold, show no check.
            for question in sorted(
                (
                    *_questions(
                        blocks.get(Block.Purpose.CALIBRATION),
                        booklet,
                        layout.calibration,
                        [Place(*divmod(n, per_screen)) for n in range(len(layout.calibration))],
                        len(checks.tutorials),
                    ),
                    *_questions(
                        blocks[Block.Purpose.MAIN],
                        booklet,
                        items,
                        places.of_main,
                        n_first,
                    ),
                    *check_questions(
                        of_checks,
                        booklet,
                        checks,
                        places,
                        kind=design.study.kind,
                        n_first=n_calibration,
                    ),
                ),
                key=_place,
            )
        )
        rows.add(Question, questions)


def _questions(
    block: Block | None, booklet: Booklet, items: list[int], places: list[Place], n_before: int
) -> Iterator[Question]:
    """Ask for the items at these places, which come after so many screens."""
    if block is None:
        return
    kind = block.phase.design.study.kind
    for item, place in zip(items, places, strict=True):
        yield Question(
            block=block,
            booklet=booklet,
            screen=n_before + place.screen + 1,
            position=place.position + 1,
            kind=kind,
            item_id=item,
        )


def _place(question: Question) -> tuple[int, int]:
    return question.screen, question.position
