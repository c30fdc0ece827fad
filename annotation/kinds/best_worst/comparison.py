"""A best-worst study with and without some people."""

from collections.abc import Sequence

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.best_worst.services import comparing
from annotation.kinds.contract.comparison import ComparisonPart
from annotation.kinds.services.comparing import Figures


class BestWorstComparison(ComparisonPart):
    """Scores and their ranks."""

    score_name = _("score")

    def compare(self, run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
        return comparing.compare(run, population, without)
