"""What `simulation/` asks of a kind: how simulated annotators answer."""

from abc import ABC


class SimulationPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""
