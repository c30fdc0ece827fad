"""A selection study in `people/`."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.kinds.answer import Answer
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.people_answers import AnswerPart, Others, OthersChoice, Own, QuestionText
from annotation.kinds.selection.answer import ROLES, SelectionAnswer
from annotation.models import Item


@dataclass(frozen=True)
class OthersSelections(OthersChoice):
    @property
    def said(self) -> str:
        same = self.same_picks or {}
        template = _("same out of %(n)s: %(what)s")
        counts = "; ".join(f"{_role(role)} {same[role]}" for role in ROLES if role in same)
        return template % {"n": self.n, "what": counts}


class SelectionPeople(PeoplePart):
    """The sentences that somebody selected; nobody rates what another one rates."""

    compares_people = False

    def said(
        self, own_answer: Own, items: Mapping[int, Item], turns: Mapping[int, QuestionText]
    ) -> list[AnswerPart]:
        answer = _selection(own_answer.answer)
        return [
            AnswerPart(
                _role(role),
                turns.get(turn),
                "" if (rating := answer.ratings[role]) is None else f"{float(rating):g}",
            )
            for role, turn in answer.turns.items()
            if turn is not None
        ]

    def others_choice(self, own_answer: Own, others: Others) -> OthersChoice | None:
        selections = [
            _selection(answer).turns for answer in others.answers.get(own_answer.question_key, [])
        ]
        if not selections:
            return None
        same_picks = {
            role: sum(picked.get(role) == turn for picked in selections)
            for role, turn in _selection(own_answer.answer).turns.items()
            if turn is not None
        }
        n_same = sum(same_picks.values())
        return OthersSelections(
            len(selections),
            same_picks=same_picks,
            disagreement=1 - n_same / (len(selections) * len(same_picks)) if same_picks else 0.0,
        )


def _selection(answer: Answer) -> SelectionAnswer:
    assert isinstance(answer, SelectionAnswer)
    return answer


def _role(role: str) -> str:
    return {
        "similar": pgettext("role", "similar"),
        "middle": pgettext("role", "middle"),
        "dissimilar": pgettext("role", "dissimilar"),
    }[role]
