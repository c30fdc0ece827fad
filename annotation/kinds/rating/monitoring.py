"""A rating study in `monitoring/`."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.monitoring import Alpha, MonitoringPart, alphas_of_phases
from annotation.kinds.live_measures import Measured
from annotation.kinds.rating.queries import live
from annotation.models import Design


class RatingMonitoring(MonitoringPart):
    """Reliability of the mean ratings, and alpha, of each phase."""

    reliability_heading = _("Reliability of the means, %(name)s") % {"name": _("ICC(1,k)")}
    reliability_name = _("ICC(1,k)")
    course_caption = _(
        "Reliability of the items' mean ratings, ICC(1,k), and Krippendorff's alpha for interval "
        "data. Each point is computed from the answers that counted at that moment."
    )

    def measure(self, design: Design, population: Population) -> Measured | None:
        return live.measure(design, population)

    def alphas(self, statistics: Mapping[str, Any]) -> dict[str, Alpha]:
        return alphas_of_phases(statistics, "interval")
