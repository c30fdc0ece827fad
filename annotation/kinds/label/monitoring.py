"""A label study in `monitoring/`."""

from annotation.kinds.contract.monitoring import MonitoringPart


class LabelMonitoring(MonitoringPart):
    """Answers what `monitoring/` asks."""
