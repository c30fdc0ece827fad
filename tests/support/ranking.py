"""Ranking studies, and people who answer them."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from annotation.answering.services import judgments
from annotation.kinds.ranking.answer import RankingAnswer
from annotation.models import Assignment, Judgment, Question, Study
from tests.support import factories
from tests.support.answering import read_instructions, shown


def make_ranking_study(**arguments: Any) -> Study:
    """An open study of two dialogues with five candidates each, four to be put in order."""
    parameters = {"factor": 1.0, "annotations_per_tuple": 3, **arguments.pop("parameters", {})}
    return factories.make_open_study(preset="ranking", parameters=parameters, **arguments)


def ordered(items: Sequence[int]) -> RankingAnswer:
    """An answer with these items from the first place to the last."""
    return RankingAnswer(tuple((item, place) for place, item in enumerate(items, start=1)))


def rank(assignment: Assignment, question: Question, items: Sequence[int] = ()) -> Judgment:
    """Put the items of a question in this order, or in that of their keys."""
    read_instructions(assignment.annotator)
    return judgments.record(
        assignment=assignment,
        question=question,
        answer=ordered(items or sorted(judgments.members(question))),
        shown=shown(question),
        idempotency_key=uuid4(),
    )


def in_order(judgment: Judgment) -> list[int]:
    """The items of a stored answer, from the first place."""
    return list(judgment.placements.order_by("place").values_list("item_id", flat=True))
