"""A ranking study in `people/`."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotation.basics.numbers import number
from annotation.basics.sentences import sentence
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.people_answers import AnswerPart, Others, OthersChoice, Own, QuestionText
from annotation.models import AnnotatorStatistics, Item


@dataclass(frozen=True)
class OthersOrders(OthersChoice):
    # The mean of Spearman's correlations with the orders of the others.
    correlation: float = 0.0

    @property
    def said(self) -> str:
        template = _("%(n)s other people; mean correlation with their orders %(correlation)s")
        return template % {"n": self.n, "correlation": number(self.correlation, 2)}


class RankingPeople(PeoplePart):
    """The orders that somebody gave."""

    agreement_explained = sentence(
        "Agrees with the others: how often the person's order of two items matches the scores "
        "from everybody else's answers. The figure is from the latest scoring. "
        "Random clicking gives about 50 %."
    )

    def n_compared(self, statistics: AnnotatorStatistics) -> int | None:
        # Orders are compared pair by pair, so the pairs are no count of questions.
        return statistics.n_judgments

    def said(
        self, own_answer: Own, items: Mapping[int, Item], turns: Mapping[int, QuestionText]
    ) -> list[AnswerPart]:
        return [
            AnswerPart(f"{place}.", QuestionText(items[pk].key, items[pk].candidate))
            for place, pk in enumerate(own_answer.answer.items, start=1)
        ]

    def others_choice(self, own_answer: Own, others: Others) -> OthersChoice | None:
        orders = [answer.items for answer in others.answers.get(own_answer.question_key, [])]
        if not orders:
            return None
        own = own_answer.answer.items
        mean = float(np.mean([_spearman(own, order) for order in orders]))
        return OthersOrders(len(orders), correlation=mean, disagreement=(1 - mean) / 2)


def _spearman(order: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Spearman's correlation of two orders of the same items."""
    k = len(order)
    squares = sum((order.index(item) - other.index(item)) ** 2 for item in order)
    return 1 - 6 * squares / (k * (k**2 - 1))
