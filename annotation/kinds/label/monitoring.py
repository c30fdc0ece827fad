"""A label study in `monitoring/`."""

from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.monitoring import Alpha, MonitoringPart, alphas_of_phases
from annotation.kinds.label.queries import live
from annotation.kinds.live_measures import Measured
from annotation.models import Design


class LabelMonitoring(MonitoringPart):
    """Alpha of the categories, of each phase."""

    course_caption = _(
        "Krippendorff's alpha of the categories (nominal). Each point is computed from the "
        "answers that counted at that moment."
    )

    def measure(self, design: Design, population: Population) -> Measured | None:
        return live.measure(design, population)

    def alphas(self, statistics: Mapping[str, Any]) -> dict[str, Alpha]:
        return alphas_of_phases(statistics, "nominal")
