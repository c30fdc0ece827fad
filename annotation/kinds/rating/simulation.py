"""A rating study in `simulation/`."""

from collections.abc import Mapping

from annotation.kinds.contract.simulation import SimulationPart
from annotation.kinds.rating.taste import RatingTaste, draw_rating_taste
from annotation.models import Study


class RatingSimulation(SimulationPart):
    """Answers what `simulation/` asks."""

    usual_noise = 0.15
    noise_in_words = "0.15 for ratings, as a share of the scale"

    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> RatingTaste:
        return draw_rating_taste(study, noise=noise, seed=seed, given=given)
