"""The sliders of the planner: what each of their values means, in words."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from django.utils.translation import gettext as _

from annotation.basics.categories import Categories, CategoriesError
from annotation.basics.numbers import decimal, percent
from annotation.basics.scale import Scale, ScaleError
from annotation.models import Study
from scoring import expected_agreement
from scoring.forecasts.latents import UNIFORM, Latents
from scoring.forecasts.rating_noise import expected_distances

# The assumed spread of the items if none is given.
_SPREAD = 0.29


@dataclass(frozen=True)
class Slider:
    """Values in equal steps; a number beyond them can still be typed."""

    low: float
    high: float
    step: float
    # What each value means, from the lowest on; none if the study does not say enough.
    words: Sequence[str]
    # Only the figure in that meaning.
    short: Sequence[str]
    # Values that serve as examples.
    examples: Sequence[float]

    @classmethod
    def between(cls, low: float, high: float, step: float, examples: Sequence[float]) -> "Slider":
        return cls(low, high, step, (), (), [example for example in examples if example <= high])

    def saying(
        self, whole: str, short: str, figures: Sequence[str], **others: int | str
    ) -> "Slider":
        """With both sentences for each value, whose figure stands at %(n)s."""
        return replace(
            self,
            words=[whole % {**others, "n": figure} for figure in figures],
            short=[short % {"n": figure} for figure in figures],
        )

    @property
    def values(self) -> list[float]:
        n = round((self.high - self.low) / self.step)
        return [round(self.low + place * self.step, 6) for place in range(n + 1)]

    def meaning(self, value: float) -> str:
        """That of the nearest value; nothing of what lies beyond them."""
        return self.words[self._place(value)] if self._is_said(value) else ""

    @property
    def said_examples(self) -> list[tuple[float, str, str]]:
        """Value, value as it is read, figure."""
        return [
            (example, decimal(example, 2), self.short[self._place(example)])
            for example in self.examples
            if self._is_said(example)
        ]

    def _place(self, value: float) -> int:
        return round((value - self.low) / self.step)

    def _is_said(self, value: float) -> bool:
        return bool(self.words) and self.low <= value <= self.high

    @property
    def as_json(self) -> str:
        return json.dumps(list(self.words))


@lru_cache(maxsize=64)
def agreements(k: int, noises: tuple[float, ...], latents: Latents = UNIFORM) -> list[float]:
    """How often two people pick the same of k items as best, or as worst, at each noise."""
    # Items have independent latent scores, so that one tuple says what any number of them would.
    tuples = np.arange(k).reshape(1, k)
    shares = expected_agreement(
        tuples, sorted(noises), latents=latents, rng=np.random.default_rng(k)
    )
    by_noise = dict(zip(sorted(noises), shares.tolist(), strict=True))
    return [by_noise[noise] for noise in noises]


@lru_cache(maxsize=64)
def _distances(
    noises: tuple[float, ...], spread: float, mean: float, n_steps: float
) -> list[float]:
    distances: list[float] = expected_distances(
        noises, spread=spread, mean=mean, n_steps=n_steps
    ).tolist()
    return distances


def points_apart(
    scale: Scale, noises: Sequence[float], *, spread: float, mean: float = 0.5
) -> list[str]:
    """How many points of the scale two ratings of one item are apart, at each noise."""
    reach = float(scale.high - scale.low)
    distances = _distances(tuple(noises), spread, mean, reach / float(scale.step))
    return [decimal(distance * reach, 1) for distance in distances]


def same_label(error: float, n_categories: int) -> float:
    """How often two people who err so often choose the same category."""
    others = n_categories - 1
    return (1 - error) ** 2 + (error**2 / others if others else 0.0)


def of_tuples(k: int, examples: Sequence[float], latents: Latents = UNIFORM) -> Slider:
    slider = Slider.between(0.0, 1.5, 0.01, examples)
    # Simulated at every fifth value; a straight line between two is within a percent.
    simulated = slider.values[::5]
    agreed = np.interp(slider.values, simulated, agreements(k, tuple(simulated), latents))
    whole = _(
        "Two people pick the same item out of %(k)s as best, or as worst, in about %(n)s of"
        " cases; by chance, they would do so in %(chance)s."
    )
    return slider.saying(
        whole,
        "%(n)s",
        [percent(share, 0) for share in agreed.tolist()],
        k=k,
        chance=percent(1 / k, 0),
    )


def of_ratings(
    study: Study, examples: Sequence[float], *, typed_spread: float | None = None
) -> dict[str, Slider]:
    """Of the noise, and of how far the items differ."""
    noise = Slider.between(0.0, 0.5, 0.01, examples)
    spread = Slider.between(0.01, 0.49, 0.01, (0.1, 0.2, 0.29))
    try:
        scale = Scale.of(study.scale)
    except ScaleError:
        return {"noise": noise, "spread": spread}
    is_spread = typed_spread is not None and spread.low <= typed_spread <= spread.high
    differ = typed_spread if typed_spread and is_spread else _SPREAD
    reach = float(scale.high - scale.low)
    return {
        "noise": noise.saying(
            _("Two ratings of one item are about %(n)s points of the scale apart."),
            _("%(n)s points apart"),
            points_apart(scale, noise.values, spread=differ),
        ),
        "spread": spread.saying(
            _("The items' true values have a standard deviation of %(n)s points of the scale."),
            _("%(n)s points"),
            [decimal(distance * reach, 1) for distance in spread.values],
        ),
    }


def of_labels(study: Study, examples: Sequence[float]) -> Slider:
    """As far as clicking at random goes."""
    try:
        categories = Categories.of(study.categories)
    except CategoriesError:
        return Slider.between(0.0, 0.9, 0.01, examples)
    c = len(categories.names)
    slider = Slider.between(0.0, int(100 * (c - 1) / c) / 100, 0.01, examples)
    if categories.is_several:
        return slider  # of what is shared in part nothing is forecast
    whole = _(
        "Two people choose the same category in %(n)s of cases; by chance, they would do so "
        "in %(chance)s."
    )
    return slider.saying(
        whole,
        "%(n)s",
        [percent(same_label(noise, c), 0) for noise in slider.values],
        chance=percent(1 / c, 0),
    )
