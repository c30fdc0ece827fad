"""The items that an expert may adjudicate, and how annotators saw them."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.answering.queries import screen_contents
from annotation.basics.errors import StateError
from annotation.kinds.contract.adjudication import AdjudicationPart
from annotation.kinds.registry import kind_of
from annotation.kinds.shown_pairs import ShownText
from annotation.kinds.shown_questions import shown_turns
from annotation.models import Block, Item, Phase, Question, Study


def rules_of(study: Study) -> AdjudicationPart:
    """The rules for adjudicating items of a study. Raises StateError if there are none."""
    results = kind_of(study).results
    if results.adjudication is None:
        raise StateError(results.not_adjudicated)
    return results.adjudication


@dataclass(frozen=True)
class ShownPair:
    """The texts of an item as a phase shows them to people."""

    above: str
    texts: Sequence[ShownText]


def shown_pair(phase: Phase, item: Item) -> ShownPair | None:
    """The texts of an item on its screen; None if the phase does not contain the item."""
    question = (
        Question.objects.filter(
            block__phase=phase,
            block__purpose=Block.Purpose.MAIN,
            item=item,
            booklet__isnull=False,
        )
        .order_by("pk")
        .first()
    )
    if question is None or question.booklet_id is None:
        return None
    on_screen = screen_contents.of_booklet(question.booklet_id, phase.pk, question.screen)
    rows = next(rows for rows in on_screen if rows.question.pk == question.pk)
    return ShownPair(
        rows.above,
        [
            # A context of one turn is the text itself.
            ShownText(
                n, text.text, shown_turns(text.turns, text.turn) if len(text.turns) > 1 else []
            )
            for n, text in enumerate(rows.texts, start=1)
        ],
    )


def phases_of(study: Study) -> list[Phase]:
    """The phases of a study, whose items can be adjudicated."""
    return list(study.design.phases.order_by("number"))
