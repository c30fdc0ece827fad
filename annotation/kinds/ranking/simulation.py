"""A ranking study in `simulation/`."""

from collections.abc import Mapping

from annotation.kinds.best_worst.simulation import BestWorstSimulation
from annotation.kinds.ranking.taste import RankingTaste, draw_ranking_taste
from annotation.models import Study


class RankingSimulation(BestWorstSimulation):
    """The same as of best-worst answers."""

    noise_in_words = "0.3 for rankings"

    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> RankingTaste:
        return draw_ranking_taste(study, noise=noise, seed=seed, given=given)
