"""A best-worst study in `monitoring/`."""

from annotation.kinds.contract.monitoring import MonitoringPart


class BestWorstMonitoring(MonitoringPart):
    """Answers what `monitoring/` asks."""
