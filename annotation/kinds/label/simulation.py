"""A label study in `simulation/`."""

from collections.abc import Mapping

from annotation.kinds.contract.simulation import SimulationPart
from annotation.kinds.label.taste import LabelTaste, draw_label_taste
from annotation.models import Study


class LabelSimulation(SimulationPart):
    """Answers what `simulation/` asks."""

    usual_noise = 0.15
    noise_in_words = "of labels, where it is the probability of another category: 0.15"
    why_none_are_read = (
        "The categories of the items are drawn from the seed, not read from a file of"
        " scores; --write-latent writes what was drawn."
    )

    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> LabelTaste:
        return draw_label_taste(study, noise=noise, seed=seed)
