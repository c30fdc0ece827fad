"""What a simulated annotator thinks and picks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from annotation.scale import Scale


@dataclass(frozen=True)
class Taste:
    """Latent scores that all share, and how far each answer strays from them.

    An annotator sees each option at its latent score plus `noise` times a Gumbel deviate, and
    picks the highest as best and the lowest as worst. Noise 0 follows the scores exactly;
    infinite noise is random clicking.
    """

    latent: Mapping[int, float]
    noise: float
    seed: int

    def pick(self, options: Sequence[int], *, person: int, question: int) -> tuple[int, int]:
        """Best and worst of these items (primary keys), the same whenever it is asked again."""
        rng = np.random.default_rng([self.seed, person, question])
        # In an order of its own: what is picked must not depend on where the screen showed it.
        items = sorted(options)
        deviates = rng.gumbel(size=len(items))
        if np.isinf(self.noise):
            seen = deviates
        else:
            seen = np.array([self.latent[item] for item in items]) + self.noise * deviates
        return items[int(seen.argmax())], items[int(seen.argmin())]


@dataclass(frozen=True)
class RatingTaste:
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


AnyTaste = Taste | RatingTaste


def draw_taste_of(
    study: Study, *, noise: float | None, seed: int, given: Mapping[str, float] | None = None
) -> AnyTaste:
    """Whatever the study asks for; `noise` None is a usual one."""
    if study.kind == QuestionKind.RATING:
        return draw_rating_taste(
            study, noise=0.15 if noise is None else noise, seed=seed, given=given
        )
    return draw_taste(study, noise=0.3 if noise is None else noise, seed=seed, given=given)


def draw_rating_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> RatingTaste:
    """Latent ratings given by item id, or drawn evenly over the scale.

    `noise`: standard deviation of a rating as a share of the scale's length.
    """
    scale = Scale.of(study.scale)
    low, high = float(scale.low), float(scale.high)
    latent = _latent(study, noise, given, seed, (low, high))
    sd = noise * (high - low)
    return RatingTaste(latent, dict.fromkeys(latent, sd), scale, seed, leniency=sd / 3)


def draw_taste(
    study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None = None
) -> Taste:
    """Latent scores given by item id, or drawn from a uniform distribution on [0, 1]."""
    return Taste(_latent(study, noise, given, seed, (0.0, 1.0)), noise, seed)


def _latent(
    study: Study,
    noise: float,
    given: Mapping[str, float] | None,
    seed: int,
    ends: tuple[float, float],
) -> dict[int, float]:
    if not noise >= 0:
        raise AnnotationError(f"noise is {noise}: choose 0 or more (inf for random clicking).")
    items = list(study.items.order_by("number").values_list("pk", "key"))
    if given is None:
        drawn = np.random.default_rng([seed, 0]).uniform(*ends, size=len(items))
        return {pk: float(score) for (pk, _), score in zip(items, drawn, strict=True)}
    if missing := [key for _, key in items if key not in given]:
        raise AnnotationError(
            f"item {missing[0]} and {len(missing) - 1} more have no latent score."
            if len(missing) > 1
            else f"item {missing[0]} has no latent score."
        )
    return {pk: given[key] for pk, key in items}
