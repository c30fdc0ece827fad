"""Shapes of the latent scores of simulated items.

All have the mean and the standard deviation of a uniform distribution on [0, 1], so that a noise
means the same beside each of them.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import FloatArray

Shape: TypeAlias = Literal["uniform", "normal", "bimodal"]

# Concentration of the symmetric beta distribution. Of .2, two thirds of the items lie within a
# tenth of the range from its ends.
CONCENTRATIONS: dict[Shape, float] = {"uniform": 1.0, "normal": np.inf, "bimodal": 0.2}
_DEVIATION = 12**-0.5


@dataclass(frozen=True)
class Latents:
    """A symmetric beta distribution, of the same standard deviation whatever its shape.

    Parameters
    ----------
    concentration : float
        Above 0. Below 1 most items are near the two ends, at 1 the scores are uniform on [0, 1],
        and with an infinite one they are normal.

    Raises
    ------
    ValueError
        If the concentration is not above 0.
    """

    concentration: float = 1.0

    def __post_init__(self) -> None:
        if not self.concentration > 0:
            raise ValueError(f"concentration must be above 0, not {self.concentration}")

    @classmethod
    def of(cls, shape: Shape) -> "Latents":
        """The distribution of a shape that has a name."""
        return cls(CONCENTRATIONS[shape])

    @property
    def definition(self) -> str:
        """What is drawn, in words."""
        a = self.concentration
        if a == 1:
            return "uniform on [0, 1]"
        family = "normal" if np.isinf(a) else f"of the shape of a beta({a:.3g}, {a:.3g})"
        return f"{family} with the standard deviation of a uniform distribution on [0, 1]"

    def draw(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Independent latent scores."""
        a = self.concentration
        if a == 1:
            return rng.random(size)
        if np.isinf(a):
            return 0.5 + _DEVIATION * rng.normal(size=size)
        # The variance of a beta distribution of a and a is 1 / (4 (2 a + 1)).
        scale = _DEVIATION * 2 * np.sqrt(2 * a + 1)
        drawn: FloatArray = 0.5 + scale * (rng.beta(a, a, size=size) - 0.5)
        return drawn


UNIFORM = Latents()
