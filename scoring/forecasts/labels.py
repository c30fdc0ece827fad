"""What a study of labels can be expected to find, simulated before it begins.

Every unit belongs to one category. An annotator names that category, or errs and names one
of the others, each as likely. Whole studies are simulated, so a range holds what differs from
study to study.

Symbols: n units; c categories; k labels of each unit; p numbers of labels; s simulated studies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray, whole_numbers
from scoring.forecasts.best_worst import COVERAGE, Expected
from scoring.forecasts.other_people import drawn_errors, unseen_careless_shares
from scoring.forecasts.pilots import MIN_PEOPLE, Drawn
from scoring.json_values import JsonObject, json_number
from scoring.labels.labels import Labels, count_labels
from scoring.unit_interval import check_pool
from shell.messages import Message
from shell.messages import message as _

N_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class LabelErrorEstimate(Drawn):
    """How often people err, by the labels of a pilot or an earlier study.

    Parameters
    ----------
    value : float
        Share of labels that are not the unit's category; nan if it cannot be told.
    draws : float array, shape (d,)
        Shares that another study may have: the pilot's people and units (or pools) are a sample,
        and that study's people are other ones, some of whom may be careless.
    shares : float array, shape (c,)
        Share of the units that belong to each category, of those with at least two labels: its
        share of their labels less what errors add to it. Without a value, the share of labels.
    n_units : int
        These units.
    drawn_shares : float array, shape (d, c), optional
        These shares of each draw; None without a value.
    note : Message or None
        What the draws leave out.
    reason : Message or None
        Why there is no value.
    """

    value: float
    draws: FloatArray
    shares: FloatArray
    n_units: int
    drawn_shares: FloatArray | None = None
    note: Message | None = None
    reason: Message | None = None

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return (
            "The share of errors e at which two labels of one unit agree as often as these did: "
            "(1 - e)^2 + e^2 / (c - 1) of the pairs, of c categories. low and high: 95 % of what "
            "another study with other people may have, by a jackknife of the agreement and of the "
            "categories' shares over people, and pools (fewer than 6: units) [Miller1974] "
            "[CameronGelbachMiller2011]. In half of the draws, a further share of these people "
            "answers at random. It is drawn from Beta(1, n + 1) for n people in the pilot "
            "[MitchellBeauchamp1988]. Shares of the categories: those among the labels, less what "
            "such errors add to each."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "error": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "n_units": self.n_units,
            "note": self.note,
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
        Share of labels that are wrong: that of the pilot; without one, the median of several.
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
    error: float | FloatArray,
    estimated: float | None = None,
    n_units: int,
    n_labels: Sequence[int] | IntArray,
    n_studies: int = 200,
    rng: np.random.Generator,
) -> LabelForecast:
    """Simulate whole studies of labels, and compute of each what a real one reports.

    Parameters
    ----------
    shares : float array, shape (c,) or (d, c), c >= 2
        How frequent the categories are, perhaps in each draw; at least 0, of sum 1.
    error : float or float array, shape (d,)
        Share of labels that are wrong, in [0, (c - 1) / c]; at the upper end, labels are random.
        Of several, which are draws of what it may be, each study has another one, from all
        parts of the draws.
    estimated : float, optional
        Share of the pilot that the draws are of. Their median is a bit higher, because some of
        them include careless people.
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
        If there are fewer than two categories or no units, the shares are none or do not fit the
        errors, an error is beyond chance, or a number of labels is below 1 or not above the one
        before.

    References
    ----------
    [Krippendorff2011] in docs/references.md
    """
    shares = np.asarray(shares, dtype=np.float64)
    numbers = whole_numbers(n_labels, "n_labels")
    c = shares.shape[-1]
    if c < 2 or n_units < 1:
        raise ValueError(f"{c} categories and {n_units} units leave nothing to agree about")
    if (shares < 0).any() or not np.isclose(shares.sum(axis=-1), 1).all():
        raise ValueError("shares must be at least 0 and have the sum 1")
    draws = np.atleast_1d(np.asarray(error, dtype=np.float64))
    if shares.ndim == 2 and len(shares) != len(draws):
        raise ValueError(f"{len(shares)} shares of the categories do not fit {len(draws)} errors")
    if not ((draws >= 0) & (draws <= (c - 1) / c)).all():
        raise ValueError(f"error must be between 0 and {(c - 1) / c:.3g}, not {error}")
    if not len(numbers) or numbers[0] < 1 or (np.diff(numbers) < 1).any():
        raise ValueError("n_labels must be numbers of at least 1 in ascending order")
    if n_studies < 1:
        raise ValueError(f"n_studies must be at least 1, not {n_studies}")
    values = np.full((2, len(numbers), n_studies), np.nan)
    most = int(numbers[-1])
    for study, at in enumerate(_of_studies(draws, shares, n_studies).tolist()):
        true = rng.choice(c, size=n_units, p=shares[at] if shares.ndim == 2 else shares)
        is_wrong = rng.random((n_units, most)) < draws[at]
        # Any of the c - 1 others.
        aside = rng.integers(1, c, size=(n_units, most))
        labels = (true[:, None] + is_wrong * aside) % c
        for place, k in enumerate(numbers.tolist()):
            values[:, place, study] = _figures(labels[:, :k], true, c)
    of_alpha, of_right = map(Expected, values)
    typical_error = float(np.median(draws)) if estimated is None else estimated
    return LabelForecast(numbers, typical_error, of_alpha, of_right, n_studies)


def estimate_label_error(
    labels: Labels, *, pool: IntArray | None = None, rng: np.random.Generator
) -> LabelErrorEstimate:
    """Estimate what `label_forecast` supposes from labels that are there.

    Parameters
    ----------
    labels : Labels
        m answers that name one category each; units with a single one say nothing.
    pool : int array, shape (n_units,), optional
        Pool of each unit. Units of a pool may resemble one another, so from 6 pools on these are
        left out in place of units.
    rng : numpy Generator
        Source of the draws.

    Returns
    -------
    LabelErrorEstimate
        Its value is nan, with the reason, where no unit has two labels, where people agree no
        more often than by chance, or where several categories may be named.

    Raises
    ------
    ValueError
        If `pool` does not name a pool for each unit.
    """
    check_pool(pool, n_units=labels.n_units)
    n = labels.answers_per_unit()
    has_two = n >= 2
    n_units = int(has_two.sum())
    c = labels.n_categories
    counts = count_labels(labels).counts[has_two]
    total = counts.sum()
    shares = counts.sum(axis=0) / total if total else np.full(c, 1 / c)

    def nothing(why: Message) -> LabelErrorEstimate:
        return LabelErrorEstimate(np.nan, np.array([np.nan]), shares, n_units, reason=why)

    if labels.is_several:
        return nothing(
            _("answers may contain several categories, so there is no single error rate")
        )
    if not n_units:
        return nothing(_("no item has two labels, so the error rate cannot be estimated"))
    if c < 2:
        return nothing(_("there is only one category, so there are no errors"))
    rows = has_two[labels.unit]
    unit, person = labels.unit[rows], labels.annotator[rows]
    category = labels.chosen[rows].argmax(axis=1)

    # The more units of one category a pilot happens to have, the more often people agree by
    # chance, so agreement and shares are drawn together.
    def figures_of(is_included: BoolArray) -> FloatArray | None:
        cell = (unit * c + category)[is_included]
        table = np.bincount(cell, minlength=labels.n_units * c).reshape(labels.n_units, c)
        table = table[table.sum(axis=1) >= 2]
        return (
            np.array([_agreement(table), *table.sum(axis=0) / table.sum()]) if len(table) else None
        )

    agreement = _agreement(counts)

    def errors_of(agreements: FloatArray) -> FloatArray:
        # (1 - e)^2 + e^2 / (c - 1) = agreement, solved for the smaller e.
        a = c / (c - 1)
        root = np.sqrt(np.maximum(1 - a * (1 - agreements), 0.0))
        errors: FloatArray = np.clip((1 - root) / a, 0.0, (c - 1) / c)
        return errors

    if agreement <= 1 / c:
        return nothing(_("people agree no more often than by chance"))
    if agreement == 1:
        return nothing(_("all labels agree, so errors are too rare to be estimated"))
    value = float(errors_of(np.array([agreement]))[0])
    of_units = _without_errors(shares, value)
    moved, has_people = drawn_errors(
        figures_of,
        unit,
        person,
        pool=None if pool is None else np.asarray(pool)[unit],
        n_draws=N_DRAWS,
        rng=rng,
    )
    draws = errors_of(agreement + moved[:, 0])
    drawn_shares = np.maximum(shares + moved[:, 1:], 0)
    drawn_shares /= drawn_shares.sum(axis=1, keepdims=True)
    of_draws = np.array(
        [_without_errors(*draw) for draw in zip(drawn_shares, draws.tolist(), strict=True)]
    )
    note = None
    if has_people:
        careless = unseen_careless_shares(person, n_draws=N_DRAWS, rng=rng)
        draws += careless * ((c - 1) / c - draws)
    else:
        note = _(
            "The range leaves out how people differ: that needs at least %(n)s people.",
            n=MIN_PEOPLE,
        )
    return LabelErrorEstimate(value, draws, of_units, n_units, of_draws, note)


def _of_studies(errors: FloatArray, shares: FloatArray, n_studies: int) -> IntArray:
    """Which draw each study has: of few studies, draws from all parts of them, shape (n_studies,).

    They are in the order of the alpha that they lead to.
    """
    c = shares.shape[-1]
    alike = (1 - errors * c / (c - 1)) ** 2
    disagreement = (1 - alike) * (1 - 1 / c)
    by_chance = 1 - 1 / c - alike * ((shares**2).sum(axis=-1) - 1 / c)
    in_order = np.argsort(disagreement / np.maximum(by_chance, 1e-12), kind="stable")
    middles = (np.arange(n_studies) + 0.5) / n_studies * len(errors)
    places: IntArray = in_order[middles.astype(np.int64)]
    return places


def _without_errors(shares: FloatArray, error: float) -> FloatArray:
    """Shares of the categories among units whose labels, so often wrong, have these shares.

    Errors even out: of a rare category most labels may be errors of others.
    """
    c = len(shares)
    # Of a category's labels 1 - error are right, and each other's give it error / (c - 1).
    left = 1 - error * c / (c - 1)
    if left < 1e-9:
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
    within, among = _agreement(counts), _agreement(counts.sum(axis=0, keepdims=True))
    return (float(1 - (1 - within) / (1 - among)) if among < 1 else np.nan), right


def _agreement(counts: IntArray) -> float:
    """Share of the pairs of labels of one unit that are equal, of counts (n, c) of at least 2."""
    n = counts.sum(axis=1)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)).sum())
