"""A best-worst study in `answering/`."""

from collections.abc import Mapping, Sequence

from django import forms

from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.best_worst.shown import shown_best_worst
from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Item, Judgment, Study


class BestWorstAnswering(AnsweringPart):
    """Of some items the one that is most something, and the one that is least so."""

    answer = BestWorstAnswer
    has_phases = False

    def fields(self) -> dict[str, forms.Field]:
        return {name: forms.IntegerField(required=False) for name in self.answer.PARTS}

    def shown(self, rows: QuestionRows, number: int, viewer: Viewer) -> ShownQuestion:
        return shown_best_worst(rows, number, viewer)

    def scripts(self, study: Study) -> Sequence[str]:
        return ("answering/best-worst.js",)

    def said(
        self, judgment: Judgment, study: Study, items: Mapping[int, Item]
    ) -> list[tuple[str, str]]:
        picked = (
            (study.most_question, judgment.best_id),
            (study.least_question, judgment.worst_id),
        )
        return [
            (asked, items[pk].candidate) for asked, pk in picked if pk is not None and pk in items
        ]
