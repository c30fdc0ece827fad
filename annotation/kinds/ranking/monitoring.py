"""A ranking study in `monitoring/`."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.monitoring import Alpha, MonitoringPart
from annotation.kinds.live_measures import Measured, lower_end
from annotation.kinds.ranking.queries import live
from annotation.models import Design


class RankingMonitoring(MonitoringPart):
    """Split-half reliability, and how far the orders of two people correlate."""

    reliability_heading = _("Split-half reliability (Spearman)")
    reliability_name = _("split-half")
    agreement_heading = _("Mean Spearman correlation of two people's orders")
    agreement_name = _("two people (Spearman)")
    course_caption = _(
        "Split-half reliability (mean Spearman correlation of random halves), and the mean "
        "Spearman correlation between the orders of two people. Each point is computed from the "
        "answers that counted at that moment."
    )
    score_name = _("score (mean rank, from −1: last, to 1: first)")

    def measure(self, design: Design, population: Population) -> Measured | None:
        return live.measure(design, population)

    def alphas(self, statistics: Mapping[str, Any]) -> dict[str, Alpha]:
        concordance = statistics["overall"]["concordance"]
        return {"": (concordance["mean_spearman"], lower_end(concordance["spearman_interval"]))}
