"""What context adds to the scores of pairs: mean, standard deviation, histogram and quantiles."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import ROUNDING
from scoring.json_values import JsonObject, json_number, json_numbers


@dataclass(frozen=True, eq=False)
class Gains:
    """Distribution of what context adds.

    Parameters
    ----------
    values : float array, shape (g,)
        The gain of each pair that has one.
    """

    values: FloatArray

    @property
    def mean(self) -> float:
        """Mean over pairs; nan without any."""
        return float(self.values.mean()) if len(self.values) else float("nan")

    @property
    def sd(self) -> float:
        """Standard deviation over pairs, n - 1 in the denominator; nan below two."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else float("nan")

    def histogram(self, width: float = 0.25) -> tuple[FloatArray, IntArray]:
        """Number of gains in bins of equal width, one of which is centred at 0.

        Returns
        -------
        edges : float array, shape (b + 1,)
            Ends of the bins; a gain at an end belongs to the bin above it.
        counts : int array, shape (b,)

        Raises
        ------
        ValueError
            If the width is not above 0.
        """
        if not width > 0:
            raise ValueError(f"the width of a bin must be above 0, not {width}")
        if len(self.values) == 0:
            return np.empty(0), np.arange(0)
        # A tenth of a scale's step has no exact binary form, so an end is met within rounding.
        bins = np.floor(self.values / width + 0.5 + ROUNDING).astype(np.int64)
        counts = np.bincount(bins - bins.min())
        return (np.arange(len(counts) + 1) + bins.min() - 0.5) * width, counts

    def quantile_curve(self, n_points: int = 101) -> tuple[FloatArray, FloatArray]:
        """Quantiles of the gains at evenly spaced probabilities from 0 to 1.

        Returns
        -------
        probabilities, quantiles : float array, shape (n_points,)
            Quantiles interpolate linearly between neighbours; nan without gains.
        """
        probabilities = np.linspace(0.0, 1.0, n_points)
        if len(self.values) == 0:
            return probabilities, np.full(n_points, np.nan)
        return probabilities, np.quantile(self.values, probabilities)

    def as_dict(self) -> JsonObject:
        """Mean, sd, histogram and quantile curve in plain JSON types."""
        edges, counts = self.histogram()
        probabilities, quantiles = self.quantile_curve()
        return {
            "n": len(self.values),
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "histogram": {"edges": json_numbers(edges), "counts": [int(n) for n in counts]},
            "quantile_curve": {
                "probabilities": json_numbers(probabilities),
                "quantiles": json_numbers(quantiles),
            },
        }
