"""A selection study in `monitoring/`."""

from collections.abc import Mapping
from typing import Any

from annotation.core.queries.counted_answers import Population
from annotation.kinds.contract.monitoring import Alpha, MonitoringPart
from annotation.kinds.live_measures import Measured
from annotation.models import Design


class SelectionMonitoring(MonitoringPart):
    """Nobody rates what another one rates, except by chance: there is no alpha."""

    is_measured = False

    def measure(self, design: Design, population: Population) -> Measured | None:
        return None

    def alphas(self, statistics: Mapping[str, Any]) -> dict[str, Alpha]:
        return {}
