"""A label study with and without some people."""

from collections.abc import Sequence

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.contract.comparison import ComparisonPart
from annotation.kinds.label.services import comparing
from annotation.kinds.services.comparing import Figures


class LabelComparison(ComparisonPart):
    """Labels, and how many chose the most frequent category."""

    score_name = _("share of the most frequent category")
    no_halves = _(
        "Labels are not numbers, so there is no split-half correlation. Alpha measures the "
        "agreement."
    )
    further_columns = (_("label with"), _("label without"))

    def compare(self, run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
        return comparing.compare(run, population, without)
