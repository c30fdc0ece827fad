"""A selection study in `monitoring/`."""

from annotation.kinds.contract.monitoring import MonitoringPart


class SelectionMonitoring(MonitoringPart):
    """Answers what `monitoring/` asks."""
