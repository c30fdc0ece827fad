"""A ranking study in `people/`."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from annotation.basics.numbers import number
from annotation.basics.sentences import sentence
from annotation.kinds.contract.people import PeoplePart
from annotation.kinds.people_answers import AskedText, Others, OthersChoice, Own, SaidText
from annotation.models import AnnotatorStatistics, Item


@dataclass(frozen=True)
class OthersOrders(OthersChoice):
    # Mean of Spearman's correlations with the orders of the others.
    correlation: float = 0.0

    @property
    def said(self) -> str:
        said = _("%(n)s others; mean correlation with their orders %(correlation)s")
        return said % {"n": self.n, "correlation": number(self.correlation, 2)}


class RankingPeople(PeoplePart):
    """The orders that somebody gave."""

    agreement_explained = sentence(
        "Agrees with the others: of all pairs of items that somebody put in order, the share whose"
        " order is that of everybody else's scores, when the study was last scored. Random"
        " clicking agrees in about half of the cases."
    )

    def n_compared(self, statistics: AnnotatorStatistics) -> int | None:
        # Orders are compared pair by pair, so the pairs are no count of questions.
        return statistics.n_judgments

    def said(
        self, one: Own, items: Mapping[int, Item], turns: Mapping[int, AskedText]
    ) -> list[SaidText]:
        return [
            SaidText(f"{place}.", AskedText(items[pk].key, items[pk].candidate))
            for place, pk in enumerate(one.answer.items, start=1)
        ]

    def others_choice(self, one: Own, others: Others) -> OthersChoice | None:
        orders = [answer.items for answer in others.answers.get(one.asked, [])]
        if not orders:
            return None
        own = one.answer.items
        mean = float(np.mean([_spearman(own, order) for order in orders]))
        return OthersOrders(len(orders), correlation=mean, disagreement=(1 - mean) / 2)


def _spearman(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Of two orders of the same items."""
    k = len(one)
    squares = sum((one.index(item) - other.index(item)) ** 2 for item in one)
    return 1 - 6 * squares / (k * (k**2 - 1))
