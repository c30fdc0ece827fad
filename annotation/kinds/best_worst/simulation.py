"""A best-worst study in `simulation/`."""

from collections.abc import Mapping

from annotation.kinds.best_worst.taste import BestWorstTaste, draw_best_worst_taste
from annotation.kinds.contract.simulation import SimulationPart
from annotation.models import Study


class BestWorstSimulation(SimulationPart):
    """Answers what `simulation/` asks."""

    usual_noise = 0.3
    noise_in_words = "0.3 for best-worst"

    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> BestWorstTaste:
        return draw_best_worst_taste(study, noise=noise, seed=seed, given=given)
