"""In which order a simulated annotator puts items."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.kinds.best_worst.taste import BestWorstTaste, draw_best_worst_taste
from annotation.kinds.ranking.answer import RankingAnswer
from annotation.kinds.taste import AskedQuestion
from annotation.models import Study


@dataclass(frozen=True)
class RankingTaste(BestWorstTaste):
    """As somebody who picks the best and the worst, but all are put in order."""

    def answer(self, asked: AskedQuestion, *, person: int) -> RankingAnswer:
        items = sorted(asked.options)
        seen = self.seen(items, person=person, question=asked.number)
        order = [items[place] for place in np.argsort(-seen, kind="stable").tolist()]
        return RankingAnswer(tuple((item, place) for place, item in enumerate(order, start=1)))


def draw_ranking_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> RankingTaste:
    """Latent scores given by item id, or drawn from a uniform distribution on [0, 1]."""
    drawn = draw_best_worst_taste(study, noise=noise, seed=seed, given=given)
    return RankingTaste(drawn.latent, drawn.noise, drawn.seed)
