"""What a study of labels can be expected to find, simulated before it begins.

Every unit belongs to one category. An annotator names that category, or errs and names one
of the others, each as likely. Whole studies are simulated, so a range holds what differs from
study to study.

Symbols: n units; c categories; k labels of each unit; p numbers of labels; s simulated studies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray, IntArray, whole_numbers
from scoring.forecasts.best_worst import COVERAGE, Expected
from scoring.json_values import JsonObject, json_number
from scoring.labels.labels import Labels, count_labels
from shell.messages import Message
from shell.messages import message as _

_N_RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class LabelErrorEstimate:
    """How often people err, by the labels of a pilot or an earlier study.

    Parameters
    ----------
    value : float
        Share of labels that are not the unit's category; nan if it cannot be told.
    low, high : float
        95 % bootstrap interval over units.
    shares : float array, shape (c,)
        Share of the units that belong to each category, of those with at least two labels: its
        share of their labels less what errors add to it. Without a value, the share of labels.
    n_units : int
        These units.
    reason : Message or None
        Why there is no value.
    """

    value: float
    low: float
    high: float
    shares: FloatArray
    n_units: int
    reason: Message | None = None

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            "The share of errors e at which two labels of one unit agree as often as these did: "
            "(1 - e)^2 + e^2 / (c - 1) of the pairs, of c categories. low and high: percentile "
            "bootstrap over units (95 %). Shares of the categories: those among the labels, less "
            "what such errors add to each."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "error": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n_units": self.n_units,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class LabelForecast:
    """What may be expected of a study of labels, for several numbers of labels a unit.

    Parameters
    ----------
    n_labels : int array, shape (p,)
        Labels of each unit.
    error : float
        Share of labels that are wrong.
    alpha : Expected
        Krippendorff's alpha, nominal, at most 1: the agreement that a study would report.
    right : Expected
        Share of units whose most frequent label is their category: what no study can know of
        itself. A unit with a tie is not right.
    n_studies : int
        Simulated studies, s.
    """

    n_labels: IntArray
    error: float
    alpha: Expected
    right: Expected
    n_studies: int

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            f"{self.n_studies} studies simulated: each label is the unit's category, but in "
            f"{self.error:.3g} of the cases any other. The range holds {COVERAGE} % of these "
            "studies. Right: units whose most frequent label is their category."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "n_labels": self.n_labels.tolist(),
            "n_studies": self.n_studies,
            "alpha": self.alpha.as_dict(),
            "right": self.right.as_dict(),
        }

    def enough(self, share: float) -> int | None:
        """Fewest labels a unit of which so many units are expected to be right; else None."""
        reached = np.flatnonzero(self.right.mean >= share)
        return int(self.n_labels[reached[0]]) if len(reached) else None


def label_forecast(
    shares: FloatArray,
    *,
    error: float,
    n_units: int,
    n_labels: Sequence[int] | IntArray,
    n_studies: int = 200,
    rng: np.random.Generator,
) -> LabelForecast:
    """Simulate whole studies of labels, and compute of each what a real one reports.

    Parameters
    ----------
    shares : float array, shape (c,), c >= 2
        How frequent the categories are; at least 0, of sum 1.
    error : float
        Share of labels that are wrong, in [0, (c - 1) / c]; at the upper end, labels are random.
    n_units : int
        Units, at least 1.
    n_labels : int array, shape (p,)
        Labels of each unit, each at least 1, ascending.
    n_studies : int
        Studies to simulate, at least 1.
    rng : numpy Generator
        Source of the categories and of the labels.

    Raises
    ------
    ValueError
        If there are fewer than two categories or no units, the shares are none, the error is
        beyond chance, or a number of labels is below 1 or not above the one before.

    References
    ----------
    [Krippendorff2011] in docs/references.md
    """
    shares = np.asarray(shares, dtype=np.float64)
    numbers = whole_numbers(n_labels, "n_labels")
    c = len(shares)
    if c < 2 or n_units < 1:
        raise ValueError(f"{c} categories and {n_units} units leave nothing to agree about")
    if (shares < 0).any() or not np.isclose(shares.sum(), 1):
        raise ValueError("shares must be at least 0 and have the sum 1")
    if not 0 <= error <= (c - 1) / c:
        raise ValueError(f"error must be between 0 and {(c - 1) / c:.3g}, not {error}")
    if not len(numbers) or numbers[0] < 1 or (np.diff(numbers) < 1).any():
        raise ValueError("n_labels must be numbers of at least 1 in ascending order")
    if n_studies < 1:
        raise ValueError(f"n_studies must be at least 1, not {n_studies}")
    values = np.full((2, len(numbers), n_studies), np.nan)
    most = int(numbers[-1])
    for study in range(n_studies):
        true = rng.choice(c, size=n_units, p=shares)
        is_wrong = rng.random((n_units, most)) < error
        # Any of the c - 1 others.
        aside = rng.integers(1, c, size=(n_units, most))
        labels = (true[:, None] + is_wrong * aside) % c
        for place, k in enumerate(numbers.tolist()):
            values[:, place, study] = _figures(labels[:, :k], true, c)
    of_alpha, of_right = map(Expected, values)
    return LabelForecast(numbers, error, of_alpha, of_right, n_studies)


def estimate_label_error(labels: Labels, *, rng: np.random.Generator) -> LabelErrorEstimate:
    """Estimate what `label_forecast` supposes from labels that are there.

    Parameters
    ----------
    labels : Labels
        m answers that name one category each; units with a single one say nothing.
    rng : numpy Generator
        Source of the resamples.

    Returns
    -------
    LabelErrorEstimate
        Its value is nan, with the reason, where no unit has two labels, where people agree no
        more often than by chance, or where several categories may be named.
    """
    n = labels.answers_per_unit()
    has_two = n >= 2
    n_units = int(has_two.sum())
    c = labels.n_categories
    counts = count_labels(labels).counts[has_two]
    total = counts.sum()
    shares = counts.sum(axis=0) / total if total else np.full(c, 1 / c)

    def nothing(why: Message) -> LabelErrorEstimate:
        return LabelErrorEstimate(np.nan, np.nan, np.nan, shares, n_units, why)

    if labels.is_several:
        return nothing(
            _("answers may contain several categories, so there is no single error rate")
        )
    if not n_units:
        return nothing(_("no item has two labels, so the error rate cannot be estimated"))
    if c < 2:
        return nothing(_("there is only one category, so there are no errors"))
    size = n[has_two]
    agreeing = (counts * (counts - 1)).sum(axis=1)
    # Each unit counts by its labels, as in alpha.
    pairs = size * (size - 1)

    def error_of(agreement: FloatArray) -> FloatArray:
        # (1 - e)^2 + e^2 / (c - 1) = agreement, solved for the smaller e.
        a = c / (c - 1)
        root = np.sqrt(np.maximum(1 - a * (1 - agreement), 0.0))
        return (1 - root) / a

    agreement = agreeing.sum() / pairs.sum()
    if agreement <= 1 / c:
        return nothing(_("people agree no more often than by chance"))
    drawn = rng.integers(n_units, size=(_N_RESAMPLES, n_units))
    resampled = error_of(agreeing[drawn].sum(axis=1) / pairs[drawn].sum(axis=1))
    low, high = np.percentile(resampled, [2.5, 97.5])
    value = float(error_of(np.asarray(agreement)))
    of_units = _without_errors(shares, value)
    return LabelErrorEstimate(value, float(low), float(high), of_units, n_units)


def _without_errors(shares: FloatArray, error: float) -> FloatArray:
    """Shares of the categories among units whose labels, so often wrong, have these shares.

    Errors even out: of a rare category most labels may be errors of others.
    """
    c = len(shares)
    # Of a category's labels 1 - error are right, and each other's give it error / (c - 1).
    left = 1 - error * c / (c - 1)
    if left <= 0:
        return shares
    corrected = np.maximum(shares - error / (c - 1), 0.0)
    of_units: FloatArray = corrected / corrected.sum()
    return of_units


def _figures(labels: IntArray, true: IntArray, c: int) -> tuple[float, float]:
    """Nominal alpha and the share of units that are right, of a complete table (n, k)."""
    n, k = labels.shape
    counts = np.stack([(labels == category).sum(axis=1) for category in range(c)], axis=1)
    most = counts.max(axis=1)
    is_tied = (counts == most[:, None]).sum(axis=1) > 1
    right = float(((counts[np.arange(n), true] == most) & ~is_tied).mean())
    if k < 2:
        return np.nan, right
    within = (counts * (counts - 1)).sum() / (n * k * (k - 1))
    totals = counts.sum(axis=0)
    among = (totals * (totals - 1)).sum() / (n * k * (n * k - 1))
    return (float(1 - (1 - within) / (1 - among)) if among < 1 else np.nan), right
