"""A ranking study in `answering/`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.kinds.contract.answering import AnsweringPart
from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.ranking.answer import Placed, RankingAnswer, placed
from annotation.kinds.ranking.shown import shown_ranking
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Item, Judgment, Study


class OrderField(forms.Field):
    """Each item with its place, sent as often as there are items; the answer knows the rules."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> tuple[Placed, ...] | None:
        try:
            return tuple(placed(str(one)) for one in value or () if one) or None
        except ValueError as error:
            raise forms.ValidationError(_("Choose a place for each option.")) from error


class RankingAnswering(AnsweringPart):
    """All items of a tuple, put in order."""

    answer = RankingAnswer
    has_phases = False
    own_data_relations = ("placements",)

    def fields(self) -> dict[str, forms.Field]:
        return {"order": OrderField(required=False)}

    def shown(self, rows: QuestionRows, number: int, viewer: Viewer) -> ShownQuestion:
        return shown_ranking(rows, number, viewer)

    def scripts(self, study: Study) -> Sequence[str]:
        return ("answering/ranking.js",)

    def stylesheets(self, study: Study) -> Sequence[str]:
        return ("answering/ranking.css",)

    def said(
        self, judgment: Judgment, study: Study, items: Mapping[int, Item]
    ) -> list[tuple[str, str]]:
        in_order = sorted(judgment.placements.all(), key=lambda placement: placement.place)
        texts = [
            f"{placement.place}. {items[placement.item_id].candidate}"
            for placement in in_order
            if placement.item_id in items
        ]
        return [(study.rating_question, "\n".join(texts))]
