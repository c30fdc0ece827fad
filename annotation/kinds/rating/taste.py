"""How a simulated annotator rates an item."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from annotation.basics.scale import Scale
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.taste import AskedQuestion, Taste, latent_values
from annotation.models import Study


@dataclass(frozen=True)
class RatingTaste(Taste):
    """Latent ratings that all share, and how far each given one strays from them.

    A rating is the latent one plus a normal deviate, brought to the nearest point of the scale.
    Infinite noise is a rating at random.
    """

    # By item, in units of the scale.
    latent: Mapping[int, float]
    # Standard deviation of the ratings of an item.
    noise: Mapping[int, float]
    scale: Scale
    seed: int
    # Standard deviation over people of how much they rate higher or lower than others.
    leniency: float = 0.0
    categories = None

    def rate(self, item: int, *, person: int, occasion: int) -> Decimal:
        """The rating of one person on one occasion, the same whenever it is asked again."""
        rng = np.random.default_rng([self.seed, person, item, occasion])
        points = self.scale.points
        noise = self.noise[item]
        if np.isinf(noise):
            return points[int(rng.integers(len(points)))]
        own = np.random.default_rng([self.seed, person]).normal() * self.leniency
        value = self.latent[item] + own + noise * rng.normal()
        place = round((value - float(self.scale.low)) / float(self.scale.step))
        return points[min(max(place, 0), len(points) - 1)]

    def answer(self, asked: AskedQuestion, *, person: int) -> RatingAnswer:
        assert asked.item is not None  # constraint question_rating_or_label_has_item
        # A pair that is rated again is rated anew.
        return RatingAnswer(self.rate(asked.item, person=person, occasion=asked.pk))


def draw_rating_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> RatingTaste:
    """Latent ratings given by item id; else what is known of an item, or drawn over the scale.

    `noise`: standard deviation of a rating as a share of the scale's length.
    """
    scale = Scale.of(study.scale)
    low, high = float(scale.low), float(scale.high)
    latent = latent_values(study, noise, given, seed, (low, high))
    latent |= _known_answers(study, checks_only=given is not None)
    sd = noise * (high - low)
    return RatingTaste(latent, dict.fromkeys(latent, sd), scale, seed, leniency=sd / 3)


def _known_answers(study: Study, *, checks_only: bool = False) -> dict[int, float]:
    """What calibrates or checks is rated as it should be, other pairs as in an earlier round."""
    known: dict[int, float] = {}
    items = study.items.filter(known_answer__isnull=False) if checks_only else study.items
    rows = items.order_by("number").values_list("pk", "expected", "earlier_rating")
    for pk, expected, earlier in rows:
        answer = earlier if expected is None else expected
        if answer is not None:
            known[pk] = float(answer)
    return known
