"""A rating study in `simulation/`."""

from annotation.kinds.contract.simulation import SimulationPart


class RatingSimulation(SimulationPart):
    """Answers what `simulation/` asks."""
