"""A label study in `simulation/`."""

from collections.abc import Mapping

from annotation.kinds.contract.simulation import SimulationPart
from annotation.kinds.label.taste import LabelTaste, draw_label_taste
from annotation.models import Study


class LabelSimulation(SimulationPart):
    """Answers what `simulation/` asks."""

    usual_noise = 0.15
    noise_in_words = "0.15 for labels, as the probability of another category"
    why_none_are_read = (
        "The categories of the items are drawn with the seed and cannot be read from a file."
        " --write-latent writes them to a file."
    )

    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> LabelTaste:
        return draw_label_taste(study, noise=noise, seed=seed)
