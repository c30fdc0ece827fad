"""Pairs picked out of a study: by their distance from what was intended, or by a test.

A selection changes correlations by itself: whatever picks pairs at the ends of the scale raises
them, and a small subset varies by chance. So the correlation of a selected subset is compared with
those of random subsets of the same size, as in Table 3 of the Czech study [CzechSTS]. The paper
does not say how many it drew; here their whole distribution is given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray
from scoring.correlation import pearson, spearman, why_undefined
from scoring.json_values import JsonObject, json_number
from scoring.measures.covariates import partial_pearson
from shell.messages import Message
from shell.messages import message as _

Method: TypeAlias = Literal["pearson", "spearman", "partial"]

METHODS: dict[Method, Message] = {
    "pearson": _("Pearson's correlation"),
    "spearman": _("Spearman's correlation"),
    "partial": _("Pearson's partial correlation, controlling for the covariates"),
}

# What the Czech study expects of its three classes, on its scale from 0 to 6.
EXPECTED_RATINGS: Mapping[str, float] = MappingProxyType(
    {"similar": 6.0, "middle": 3.0, "dissimilar": 0.0}
)
# Numbers of all subsets held at once: a few arrays of 16 MB.
CELLS_AT_ONCE = 2**21
# Within this, distances on the scale are equal, and correlations: .4 - .3 exceeds .1 in binary.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class DiagonalFilter:
    """Pairs near enough to what their class leads to expect.

    Parameters
    ----------
    is_kept : bool array, shape (n,)
        Whether the rating lies within `limit` of the expectation.
    limit : float
        Largest distance kept, in units of the scale.
    kept_of_class : dict
        Pairs kept and all pairs, by class.
    """

    is_kept: BoolArray
    limit: float
    kept_of_class: dict[str, tuple[int, int]]

    @property
    def definition(self) -> Message:
        """What was kept, in words."""
        return _(
            "Filter N%(limit)s: pairs rated at most %(limit)s from the expected value of their "
            "intended class [CzechSTS].",
            limit=self.limit,
        )

    def as_dict(self) -> JsonObject:
        """Numbers of pairs in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "limit": self.limit,
            "n_kept": int(self.is_kept.sum()),
            "n_dropped": int((~self.is_kept).sum()),
            "classes": {
                name: {"n_kept": n_kept, "n": n}
                for name, (n_kept, n) in self.kept_of_class.items()
            },
        }


def diagonal_filter(
    ratings: npt.ArrayLike,
    classes: Sequence[str],
    *,
    limit: float,
    expected: Mapping[str, float] = EXPECTED_RATINGS,
) -> DiagonalFilter:
    """Drop pairs whose rating is far from what their intended class leads to expect.

    Parameters
    ----------
    ratings : float array, shape (n,)
        Rating of each pair in the round that intended the classes.
    classes : sequence of str, length n
        Intended class of each pair.
    limit : float
        Largest distance that is kept: 1 for N1, 2 for N2 of the paper.
    expected : mapping of str to float
        Rating to be expected of each class; by default those of the Czech study.

    Raises
    ------
    ValueError
        If a class is unknown, a rating is missing, or the limit is below 0.

    References
    ----------
    [CzechSTS] in docs/references.md
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    if ratings.shape != (len(classes),):
        raise ValueError(f"ratings have shape {ratings.shape}, but there are {len(classes)} pairs")
    if not limit >= 0:
        raise ValueError(f"the limit must be at least 0, not {limit}")
    for j, name in enumerate(classes):
        if name not in expected:
            raise ValueError(
                f"pair {j} has class {name!r}, of which no rating is expected; classes are "
                f"{', '.join(expected)}"
            )
    if not np.isfinite(ratings).all():
        j = int((~np.isfinite(ratings)).argmax())
        raise ValueError(f"pair {j} has no rating: leave out what is not rated")

    expectations = np.array([expected[name] for name in classes], dtype=np.float64)
    is_kept = np.abs(ratings - expectations) <= limit + ROUNDING
    of_class = np.array([list(expected).index(name) for name in classes], dtype=np.int64)
    kept_of_class = {
        name: (int(is_kept[of_class == number].sum()), int((of_class == number).sum()))
        for number, name in enumerate(expected)
    }
    return DiagonalFilter(is_kept, limit, kept_of_class)


@dataclass(frozen=True, eq=False)
class RandomSubsetControl:
    """Correlation of a selected subset beside those of random subsets of its size.

    Parameters
    ----------
    method : str
        How correlations are computed, a key of `METHODS`.
    value : float
        Correlation in the selected subset; nan where undefined.
    of_all : float
        Correlation over all pairs.
    of_subsets : float array, shape (r,)
        Correlation in each random subset; nan where undefined.
    n_selected, n : int
        Size of the subsets, and number of all pairs.
    reason : Message or None
        Why the comparison cannot be made.
    """

    method: Method
    value: float
    of_all: float
    of_subsets: FloatArray
    n_selected: int
    n: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "%(method)s in the selected pairs, and in random subsets of as many "
            "pairs, drawn without replacement from all, the selected ones among them [CzechSTS]. "
            "low and high: 2.5 and 97.5 percentiles over subsets. p: twice the smaller share of "
            "subsets, the selected one counted among them, whose correlation is at most, or at "
            "least, as high [PhipsonSmyth2010].",
            method=METHODS[self.method],
        )

    @property
    def p(self) -> float:
        """Two-sided p-value of the selection being a random one; nan where undefined."""
        defined = self._defined()
        if len(defined) == 0 or np.isnan(self.value):
            return float("nan")
        # The same pairs in another order correlate equally, but for the last bits.
        is_equal = np.isclose(defined, self.value, rtol=0.0, atol=ROUNDING)
        tails = [
            int((is_equal | (defined < self.value)).sum()),
            int((is_equal | (defined > self.value)).sum()),
        ]
        return min(1.0, 2 * (1 + min(tails)) / (1 + len(defined)))

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        defined = self._defined()
        low, high = np.percentile(defined, [2.5, 97.5]) if len(defined) else (np.nan, np.nan)
        return {
            "definition": self.definition,
            "method": self.method,
            "value": json_number(self.value),
            "of_all": json_number(self.of_all),
            "mean": json_number(defined.mean()) if len(defined) else None,
            "sd": json_number(defined.std(ddof=1)) if len(defined) > 1 else None,
            "low": json_number(low),
            "high": json_number(high),
            "p": json_number(self.p),
            "n_subsets": len(self.of_subsets),
            "n_undefined": len(self.of_subsets) - len(defined),
            "n_selected": self.n_selected,
            "n": self.n,
            "reason": self.reason,
        }

    def _defined(self) -> FloatArray:
        return self.of_subsets[~np.isnan(self.of_subsets)]


def random_subset_control(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    is_selected: BoolArray,
    *,
    method: Method = "pearson",
    covariates: npt.ArrayLike | None = None,
    n_subsets: int = 1000,
    rng: np.random.Generator,
) -> RandomSubsetControl:
    """Compare the correlation in selected pairs with that in random subsets of as many.

    Parameters
    ----------
    x, y : float array, shape (n,)
        Two scores of each pair; nan where missing. Pairs in which something is missing are left
        out first.
    is_selected : bool array, shape (n,)
        The selection: the pairs whose context effect is significant, say, or a diagonal filter.
    method : {"pearson", "spearman", "partial"}
        How the two are correlated.
    covariates : float array, shape (n,) or (n, c), optional
        What a partial correlation controls for.
    n_subsets : int
        Number of random subsets, r, at least 1.
    rng : numpy Generator
        Source of the subsets.

    Returns
    -------
    RandomSubsetControl
        Its value is nan, with the reason, where the selected pairs have no correlation.

    Raises
    ------
    ValueError
        If the shapes do not fit together, the method is unknown or `n_subsets` is below 1.

    References
    ----------
    [CzechSTS], [PhipsonSmyth2010] in docs/references.md
    """
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}, not {method!r}")
    if n_subsets < 1:
        raise ValueError(f"n_subsets must be at least 1, not {n_subsets}")
    if (covariates is None) == (method == "partial"):
        raise ValueError("covariates belong to the method 'partial', and to no other")
    x, y, z, is_selected = _complete(x, y, covariates, is_selected)

    n, size = len(x), int(is_selected.sum())
    nothing = np.full(n_subsets, np.nan)
    if size < 2:
        reason = _("fewer than two pairs are selected")
        return RandomSubsetControl(method, np.nan, np.nan, nothing, size, n, reason)
    chosen = np.flatnonzero(is_selected)[None]
    value = float(_correlations(x, y, z, chosen, method)[0])
    of_all = float(_correlations(x, y, z, np.arange(n)[None], method)[0])
    if np.isnan(value):
        why = why_undefined(x[is_selected], y[is_selected]) or _(
            "there are too few pairs for the covariates, or the covariates explain one side "
            "completely"
        )
        reason = _("the selected pairs cannot be correlated: %(reason)s", reason=why)
        return RandomSubsetControl(method, value, of_all, nothing, size, n, reason)

    chunks = []
    at_once = max(1, CELLS_AT_ONCE // n)
    for done in range(0, n_subsets, at_once):
        r = min(at_once, n_subsets - done)
        # The places of the `size` smallest of n random numbers are a random subset.
        drawn = np.argpartition(rng.random((r, n)), size - 1, axis=1)[:, :size]
        chunks.append(_correlations(x, y, z, drawn, method))
    return RandomSubsetControl(method, value, of_all, np.concatenate(chunks), size, n)


def _complete(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    covariates: npt.ArrayLike | None,
    is_selected: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """The pairs in which nothing is missing; covariates as (n, c)."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    selected = np.asarray(is_selected)
    z = np.empty((len(x), 0)) if covariates is None else np.asarray(covariates, dtype=np.float64)
    z = z[:, None] if z.ndim == 1 else z
    if x.ndim != 1 or not x.shape == y.shape == selected.shape == z.shape[:1]:
        raise ValueError(
            f"there are {len(x)} values of x, {len(y)} of y, {len(selected)} of is_selected and "
            f"{len(z)} of the covariates: there has to be one of each per pair"
        )
    if selected.dtype != np.bool_:
        raise ValueError(f"is_selected must hold truth values, not {selected.dtype}")
    is_complete = ~(np.isnan(x) | np.isnan(y) | np.isnan(z).any(axis=1))
    return x[is_complete], y[is_complete], z[is_complete], selected[is_complete]


def _correlations(
    x: FloatArray, y: FloatArray, z: FloatArray, chosen: npt.NDArray[np.intp], method: Method
) -> FloatArray:
    """Correlation in each subset, given as row numbers (r, size); shape (r,)."""
    if method == "pearson":
        return pearson(x[chosen], y[chosen])
    if method == "spearman":
        return spearman(x[chosen], y[chosen])
    coefficients, rank = partial_pearson(x[chosen], y[chosen], z[chosen])
    # As many residuals as there is nothing else to fit correlate by +1 or -1 only.
    coefficients[chosen.shape[1] - 2 - rank < 1] = np.nan
    return coefficients
