"""What `monitoring/` asks of a kind: what is shown while answers come in."""

from abc import ABC


class MonitoringPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
