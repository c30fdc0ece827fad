"""A selection study in `simulation/`."""

from collections.abc import Mapping

from annotation.kinds.contract.simulation import SimulationPart
from annotation.kinds.selection.taste import SelectionTaste, draw_selection_taste
from annotation.models import Study


class SelectionSimulation(SimulationPart):
    """Answers what `simulation/` asks."""

    usual_noise = 0.1
    noise_in_words = "0.1 for selections, as a share of the words"
    why_none_are_read = why_none_are_written = (
        "Simulated people select sentences by their words, so there are no latent scores."
    )

    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> SelectionTaste:
        return draw_selection_taste(study, noise=noise, seed=seed)
