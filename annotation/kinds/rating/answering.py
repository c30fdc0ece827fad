"""A rating study in `answering/`."""

from collections.abc import Mapping, Sequence

from django import forms

from annotation.basics.scale import plain
from annotation.kinds.answer_fields import RatingField
from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.rating.shown import shown_rating
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Item, Judgment, Study


class RatingAnswering(AnsweringPart):
    """A value of a scale: with a slider, or with buttons where each value has words."""

    answer = RatingAnswer

    def fields(self) -> dict[str, forms.Field]:
        return {"rating": RatingField(required=False)}

    def shown(self, rows: QuestionRows, number: int, viewer: Viewer) -> ShownQuestion:
        return shown_rating(rows, number, viewer.study)

    def scripts(self, study: Study) -> Sequence[str]:
        if study.has_worded_scale:
            return ("answering/buttons.js", "answering/worded.js")
        return ("answering/slider.js", "answering/rating.js")

    def stylesheets(self, study: Study) -> Sequence[str]:
        buttons = ("answering/label.css",) if study.has_worded_scale else ()
        return ("answering/rating.css", *buttons)

    def said(
        self, judgment: Judgment, study: Study, items: Mapping[int, Item]
    ) -> list[tuple[str, str]]:
        rating = plain(judgment.rating) if judgment.rating is not None else ""
        return [(study.rating_question, rating)]
