"""What `people/` asks of a kind: what is said of one annotator."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from annotation.basics.numbers import percent
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.kinds.people_answers import AskedText, Others, OthersChoice, Own, SaidText
from annotation.kinds.people_figures import Figure
from annotation.models import Annotator, AnnotatorStatistics, Item


class PeoplePart(ABC):
    """See the module."""

    # Whether people are compared with one another: how far they agree, by tests that may flag
    # somebody, and by what the scores are without them.
    compares_people: bool = True
    # How far somebody agrees with the others: the heading of a column, and what it is.
    agreement_name: Said = _("Agrees with the others")
    agreement_explained: Said = ""

    def agreement_text(self, value: float | None) -> str:
        """How far somebody agrees with the others, as it is written."""
        return percent(value)

    def n_compared(self, statistics: AnnotatorStatistics) -> int | None:
        """Of how many questions the agreement is."""
        return statistics.n_pairs

    def figures(self, person: Annotator, own: Sequence[Own], others: Others) -> list[Figure]:
        """What can be said of somebody's answers beside time, agreement and checks."""
        return []

    @abstractmethod
    def said(
        self, one: Own, items: Mapping[int, Item], turns: Mapping[int, AskedText]
    ) -> list[SaidText]:
        """An answer in words; `items` and `turns` have what answers name."""

    @abstractmethod
    def others_choice(self, one: Own, others: Others) -> OthersChoice | None:
        """What the others answered to the same; None where nobody did who counts."""
