"""A selection study in `answering/`."""

from collections.abc import Mapping, Sequence

from django import forms

from annotation.basics.scale import plain
from annotation.kinds.answer_fields import RatingField
from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.selection.answer import ROLES, SelectionAnswer
from annotation.kinds.selection.shown import shown_selection
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Item, Judgment, Pick, Study


class SelectionAnswering(AnsweringPart):
    """Three sentences of some reports, each rated."""

    answer = SelectionAnswer
    own_data_relations = ("picks__turn",)

    def fields(self) -> dict[str, forms.Field]:
        return {
            **{role: forms.IntegerField(required=False) for role in ROLES},
            **{f"{role}_rating": RatingField(required=False) for role in ROLES},
        }

    def shown(self, rows: QuestionRows, number: int, viewer: Viewer) -> ShownQuestion:
        return shown_selection(rows, number, viewer.study)

    def scripts(self, study: Study) -> Sequence[str]:
        return ("answering/slider.js", "answering/selection.js")

    def stylesheets(self, study: Study) -> Sequence[str]:
        return ("answering/rating.css", "answering/selection.css")

    def said(
        self, judgment: Judgment, study: Study, items: Mapping[int, Item]
    ) -> list[tuple[str, str]]:
        picks = {pick.role: pick for pick in judgment.picks.all()}
        return [(role, _chosen(picks[role])) for role in ROLES if role in picks]


def _chosen(pick: Pick) -> str:
    text = pick.turn.text
    return text if pick.rating is None else f"{text} ({plain(pick.rating)})"
