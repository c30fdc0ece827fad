"""A selection study in `simulation/`."""

from annotation.kinds.contract.simulation import SimulationPart


class SelectionSimulation(SimulationPart):
    """Answers what `simulation/` asks."""
