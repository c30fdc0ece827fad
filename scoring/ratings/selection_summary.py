"""What a selection study says by itself: ratings by class, and how filters change them.

In such a study one person chooses a pair for a class (similar, middle, dissimilar) and rates it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.groups import bin_counts, group_moments
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.measures.selected_pairs import diagonal_filter
from shell.messages import Message
from shell.messages import message as _

# A scale of at most so many values has a bar for each; a finer one has bars of equal width.
MAX_VALUES, N_BINS = 25, 20
RAW = "raw"


@dataclass(frozen=True)
class RatingMoments:
    """Number, mean and variance of some ratings.

    Parameters
    ----------
    n : int
        Ratings.
    mean : float
        Arithmetic mean; nan without ratings.
    variance : float
        n - 1 in the denominator; nan below two ratings.
    """

    n: int
    mean: float
    variance: float

    @property
    def reason(self) -> Message | None:
        """Why there is no mean, or no variance."""
        if self.n == 0:
            return _("the class has no pairs")
        return _("a single value has no variance") if self.n == 1 else None

    def as_dict(self) -> dict[str, Any]:
        """All figures in plain JSON types."""
        return {
            "n": self.n,
            "mean": json_number(self.mean),
            "variance": json_number(self.variance),
            "reason": self.reason,
        }


def rating_moments(values: npt.ArrayLike) -> RatingMoments:
    """Compute number, mean and variance (n - 1) of ratings, shape (n,); nan is left out."""
    given = np.asarray(values, dtype=np.float64)
    known = given[~np.isnan(given)]
    moments = group_moments(known, np.zeros(len(known), dtype=np.int64), n_groups=1)
    return RatingMoments(len(known), float(moments.mean[0]), float(moments.variance[0]))


@dataclass(frozen=True, eq=False)
class SelectionSummary:
    """Ratings of a selection study by class and by set of pairs.

    Parameters
    ----------
    edges : float array, shape (b + 1,)
        Ends of the bars of the histograms; a rating at an end belongs to the bar above it.
    counts : int array, shape (b,)
        Ratings in each bar, of all classes.
    classes : dict
        By class: its moments and its counts.
    sets : dict
        Moments by set of pairs: `raw`, and each filter or selection of them.
    """

    edges: FloatArray
    counts: IntArray
    classes: dict[str, tuple[RatingMoments, IntArray]]
    sets: dict[str, RatingMoments]

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Number, mean and variance (n - 1 in the denominator) of the ratings. The person "
            "who chose a pair also rated it [CzechSTS]."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition; sets and classes in order."""
        return {
            "definition": self.definition,
            "edges": json_numbers(self.edges),
            "counts": [int(n) for n in self.counts],
            "classes": [
                {"name": name, **moments.as_dict(), "counts": [int(n) for n in counts]}
                for name, (moments, counts) in self.classes.items()
            ],
            "sets": [{"name": name, **moments.as_dict()} for name, moments in self.sets.items()],
        }


def summarise_selection(
    ratings: npt.ArrayLike,
    classes: Sequence[str],
    *,
    expected: Mapping[str, float],
    low: float,
    high: float,
    step: float,
    limits: Sequence[float] = (2.0, 1.0),
    selections: Mapping[str, BoolArray] | None = None,
) -> SelectionSummary:
    """Summarise the ratings that people gave to the pairs they chose.

    Parameters
    ----------
    ratings : float array, shape (n,)
        Rating of each chosen pair; n may be 0.
    classes : sequence of str, length n
        Class that each pair was chosen for.
    expected : mapping of str to float
        Rating that each class leads to expect, in the order in which classes are listed.
    low, high, step : float
        The scale.
    limits : sequence of float
        Limits of the diagonal filters: 2 for N2, 1 for N1.
    selections : mapping of str to bool array of shape (n,), optional
        Further sets of pairs, by name.

    Raises
    ------
    ValueError
        If a class is unknown or a rating is missing, as of `diagonal_filter`.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    values = np.asarray(ratings, dtype=np.float64)
    edges = _edges(low, high, step)
    sets = {RAW: rating_moments(values)}
    for limit in limits:
        filtered = diagonal_filter(values, classes, limit=limit, expected=expected)
        sets[f"N{limit:g}"] = rating_moments(values[filtered.is_kept])
    for name, is_selected in (selections or {}).items():
        sets[name] = rating_moments(values[is_selected])
    names = np.array(classes, dtype=object)
    return SelectionSummary(
        edges,
        bin_counts(values, edges),
        {
            name: (rating_moments(values[names == name]), bin_counts(values[names == name], edges))
            for name in expected
        },
        sets,
    )


def _edges(low: float, high: float, step: float) -> FloatArray:
    """Ends of the bars: a bar around each value of the scale, while these are few."""
    n_values = round((high - low) / step) + 1
    if n_values <= MAX_VALUES:
        return np.asarray(low + (np.arange(n_values + 1) - 0.5) * step, dtype=np.float64)
    return np.linspace(low, high, N_BINS + 1)
