"""A best-worst study in `simulation/`."""

from annotation.kinds.contract.simulation import SimulationPart


class BestWorstSimulation(SimulationPart):
    """Answers what `simulation/` asks."""
