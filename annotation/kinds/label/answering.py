"""A label study in `answering/`."""

from collections.abc import Mapping, Sequence

from django import forms

from annotation.kinds.answer_fields import CategoriesField
from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.label.shown import shown_label
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Item, Judgment, Study


class LabelAnswering(AnsweringPart):
    """One of some categories, or several."""

    answer = LabelAnswer
    own_data_relations = ("choices",)

    def fields(self) -> dict[str, forms.Field]:
        return {"categories": CategoriesField(required=False)}

    def shown(self, rows: QuestionRows, number: int, viewer: Viewer) -> ShownQuestion:
        return shown_label(rows, number, viewer.study)

    def scripts(self, study: Study) -> Sequence[str]:
        return ("answering/buttons.js", "answering/label.js")

    def stylesheets(self, study: Study) -> Sequence[str]:
        return ("answering/rating.css", "answering/label.css")

    def said(
        self, judgment: Judgment, study: Study, items: Mapping[int, Item]
    ) -> list[tuple[str, str]]:
        chosen = sorted(choice.category for choice in judgment.choices.all())
        return [(study.rating_question, " | ".join(chosen))]
