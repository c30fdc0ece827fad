"""What `results/` asks of a kind whose scores can be computed without some people."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.services.comparing import Figures


class ComparisonPart(ABC):
    """Scores with and without some people, and the words for them."""

    # The meaning of an item's number.
    score_name: ClassVar[Said]
    # Why there is no split-half reliability; empty: there is.
    no_halves: ClassVar[Said] = ""
    # Columns beside the two numbers and their difference.
    further_columns: ClassVar[tuple[Said, ...]] = (
        _("rank in its pool, with"),
        _("rank in its pool, without"),
        _("ranks gained"),
    )

    @abstractmethod
    def compare(self, run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
        """Items and agreement, part by part, with everybody and without these people.

        In JSON types: "parts", and how many answers and people there are with and without.
        """
