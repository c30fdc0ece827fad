"""A rating study in `monitoring/`."""

from annotation.kinds.contract.monitoring import MonitoringPart


class RatingMonitoring(MonitoringPart):
    """Answers what `monitoring/` asks."""
