"""Measures side by side: people's scores x measures x subsets of the items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray
from scoring.json_values import JsonObject
from scoring.measures.comparison import Correlation, correlate
from scoring.measures.weighted_correlation import Coefficient

EVERYTHING = "all"


@dataclass(frozen=True, eq=False)
class LeaderboardRow:
    """How closely one measure follows people's scores in one subset.

    Parameters
    ----------
    measure, subset : str
    n, n_missing : int
        Items of the subset with both values, and those without.
    correlations : dict
        By coefficient.
    """

    measure: str
    subset: str
    n: int
    n_missing: int
    correlations: dict[Coefficient, Correlation]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "measure": self.measure,
            "subset": self.subset,
            "n": self.n,
            "n_missing": self.n_missing,
            "correlations": {name: r.as_dict() for name, r in self.correlations.items()},
        }


def leaderboard(
    human: npt.ArrayLike,
    measures: Mapping[str, npt.ArrayLike],
    *,
    subsets: Mapping[str, BoolArray] | None = None,
    coefficients: Sequence[Coefficient] = ("pearson", "spearman", "kendall"),
    level: float = 0.95,
    n_resamples: int = 0,
    pools: npt.ArrayLike | None = None,
    rng: np.random.Generator | None = None,
) -> list[LeaderboardRow]:
    """Correlate people's scores with every measure in every subset.

    Parameters
    ----------
    human : float array, shape (n,)
        Nan where missing.
    measures : dict of float arrays, shape (n,)
        By name; nan where missing.
    subsets : dict of bool arrays, shape (n,), optional
        By name, in the order wanted; they may overlap (see `subsets_by_label`). Without them,
        one subset of everything.
    coefficients, level, n_resamples, pools, rng
        As in `correlate`.

    Returns
    -------
    list of LeaderboardRow
        Subset by subset, and in each measure by measure, in the orders given. A measure that is
        constant in a subset has no value there, but a reason.

    Raises
    ------
    ValueError
        As `correlate`, with the measure and the subset; or if a subset is no mask of the items.
    """
    scores = np.asarray(human, dtype=np.float64)
    values = {name: np.asarray(column, dtype=np.float64) for name, column in measures.items()}
    labels = None if pools is None else np.asarray(pools)
    if subsets is None:
        subsets = {EVERYTHING: np.ones(scores.shape, dtype=np.bool_)}
    for name, column in (*values.items(), *([] if labels is None else [("pools", labels)])):
        if column.shape != scores.shape:
            raise ValueError(
                f"{name} has the shape {column.shape}, but people's scores {scores.shape}: each "
                "item needs one value of both"
            )

    rows = []
    for subset, mask in subsets.items():
        if np.shape(mask) != scores.shape or np.asarray(mask).dtype != np.bool_:
            raise ValueError(f"subset {subset!r} must say of each item whether it belongs to it")
        for measure, column in values.items():
            try:
                correlations = {
                    coefficient: correlate(
                        scores[mask],
                        column[mask],
                        coefficient=coefficient,
                        level=level,
                        n_resamples=n_resamples,
                        pools=None if labels is None else labels[mask],
                        rng=rng,
                    )
                    for coefficient in coefficients
                }
            except ValueError as error:
                raise ValueError(f"measure {measure!r}, subset {subset!r}: {error}") from error
            n_missing = int(np.isnan(scores[mask] + column[mask]).sum())
            n = int(mask.sum()) - n_missing
            rows.append(LeaderboardRow(measure, subset, n, n_missing, correlations))
    return rows


def subsets_by_label(labels: Sequence[str] | npt.NDArray[np.str_]) -> dict[str, BoolArray]:
    """Make a subset of each label's items, in the order of the labels, and one of all items.

    Parameters
    ----------
    labels : sequence of str, length n
        Label of each item, such as whether two answers share a word.

    Returns
    -------
    dict of bool arrays, shape (n,)
        By label; everything comes last, as "all".

    Raises
    ------
    ValueError
        If a label is "all", which names the whole.
    """
    of_item = np.asarray(labels, dtype=np.str_)
    distinct = np.unique(of_item).tolist()
    if EVERYTHING in distinct:
        raise ValueError(f"{EVERYTHING!r} names all items together: give that subset another name")
    masks: dict[str, BoolArray] = {label: of_item == label for label in distinct}
    return {**masks, EVERYTHING: np.ones(len(of_item), dtype=np.bool_)}
