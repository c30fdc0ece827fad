"""A label study in `simulation/`."""

from annotation.kinds.contract.simulation import SimulationPart


class LabelSimulation(SimulationPart):
    """Answers what `simulation/` asks."""
