"""A best-worst study in `monitoring/`."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.kinds.best_worst.queries import live
from annotation.kinds.contract.monitoring import Alpha, MonitoringPart
from annotation.kinds.live_measures import Measured, lower_end
from annotation.models import Design


class BestWorstMonitoring(MonitoringPart):
    """Split-half reliability, and alpha of both picks together."""

    reliability_heading = _("Split-half reliability (Spearman)")
    reliability_name = _("split-half")
    course_caption = _(
        "Split-half reliability (mean Spearman correlation of random halves), and Krippendorff's "
        "alpha; two answers agree if both picks are the same. Each point is computed from the "
        "answers that counted at that moment."
    )
    score_name = _("score (best share minus worst share)")

    def measure(self, design: Design, population: Population) -> Measured | None:
        return live.measure(design, population)

    def alphas(self, statistics: Mapping[str, Any]) -> dict[str, Alpha]:
        alpha = statistics["overall"]["alpha"]["joint"]["slot"]
        return {"": (alpha["alpha"], lower_end(alpha.get("interval")))}
