"""A rating study with and without some people."""

from collections.abc import Sequence

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.contract.comparison import ComparisonPart
from annotation.kinds.rating.services import comparing
from annotation.kinds.services.comparing import Figures


class RatingComparison(ComparisonPart):
    """Mean ratings and their ranks."""

    score_name = _("mean rating")
    no_halves = _("For ratings, ICC(1,k) of the means takes the place of split-half reliability.")

    def compare(self, run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
        return comparing.compare(run, population, without)
