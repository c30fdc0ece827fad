"""Split-half reliability: would as many other answers have given the same scores?

The judgments *of each tuple* are split at random into halves A and B; both halves are scored by
counting; the scores are correlated over the items that both halves showed; and all this is
repeated [KM2017]. Two rules for odd numbers of judgments are in use and differ systematically,
so a figure without the name of its rule cannot be compared with another.

Symbols: r repeats (splits), t tuples, m judgments, as in scoring.judgments.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.correlation import pearson, spearman, why_undefined
from scoring.counting import count, share
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.judgments import BestWorst

Rule: TypeAlias = Literal["random", "fixed"]

RULES: dict[Rule, str] = {
    "random": (
        "The answers to each tuple are split at random into halves; an odd one goes to either "
        "half by a coin [KM2017]. Correlation of the halves' counting scores over items."
    ),
    "fixed": (
        "The answers to each tuple are split at random into halves; half A always takes the "
        "smaller part, 2 of 5 [GiCCS]. Correlation of the halves' counting scores over items."
    ),
}

FIGURES: dict[str, str] = {
    "n_items": (
        "Items over which the halves were correlated, those that both showed: in the split with "
        "the fewest of them."
    ),
    "mean": "Mean over the splits.",
    "sd": (
        "Standard deviation over the splits, n - 1 in the denominator: how much one split "
        "differs from another. Not a standard error, and no smaller with more splits."
    ),
    "low": "2.5th percentile over the splits. A range of splits, not a confidence interval.",
    "high": "97.5th percentile over the splits. A range of splits, not a confidence interval.",
    "values": "The correlation in each split, in the order in which they were drawn.",
}

# Judgments or items times repeats held at once: some 50 MB, however large the study.
CELLS_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class OverSplits:
    """One statistic in each of the splits.

    Parameters
    ----------
    values : float array, shape (r,)
        The statistic of each split; nan where it is undefined, which the figures leave out.
    """

    values: FloatArray

    @property
    def mean(self) -> float:
        """Mean over the splits; nan if no split has a value."""
        return float(defined.mean()) if (defined := self._defined()).size else float("nan")

    @property
    def sd(self) -> float:
        """Standard deviation of one split, n - 1 in the denominator; nan below two splits."""
        return (
            float(defined.std(ddof=1)) if (defined := self._defined()).size > 1 else float("nan")
        )

    @property
    def low(self) -> float:
        """2.5th percentile over splits. A range of splits, *not* a confidence interval."""
        return self._percentile(2.5)

    @property
    def high(self) -> float:
        """97.5th percentile over splits. A range of splits, *not* a confidence interval."""
        return self._percentile(97.5)

    @property
    def n_undefined(self) -> int:
        """Number of splits without a value."""
        return int(np.isnan(self.values).sum())

    def as_dict(self) -> JsonObject:
        """Mean, sd, low, high and all values, None in place of nan."""
        return {
            "mean": json_number(self.mean),
            "sd": json_number(self.sd),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "values": json_numbers(self.values),
        }

    def _defined(self) -> FloatArray:
        return self.values[~np.isnan(self.values)]

    def _percentile(self, q: float) -> float:
        return float(np.percentile(defined, q)) if (defined := self._defined()).size else np.nan


@dataclass(frozen=True, eq=False)
class SpearmanBrown:
    """Reliability of all answers together, stepped up from that of half of them.

    Parameters
    ----------
    value : float
        2r / (1 + r) of the mean Pearson correlation r over splits, in [0, 1]; nan where
        undefined.
    reason : str or None
        Why there is no value.
    """

    value: float
    reason: str | None = None

    def as_dict(self) -> JsonObject:
        """Value and reason, with the definition."""
        return {
            "value": json_number(self.value),
            "reason": self.reason,
            "definition": (
                "2r / (1 + r) of the mean Pearson correlation r of the halves [Spearman1910] "
                "[Brown1910]; undefined for a negative r."
            ),
        }


@dataclass(frozen=True, eq=False)
class SplitHalf:
    """Split-half reliability of a batch of answers.

    Parameters
    ----------
    rule : str
        The rule that drew the halves, a key of `RULES`.
    n_splits : int
        Number of repeats.
    spearman, pearson : OverSplits
        Correlation of the halves' scores in each split, in [-1, 1]; nan where undefined.
    spearman_brown : SpearmanBrown
        The stepped-up reliability, for rules that make halves.
    n_items : int
        Items with a score in both halves, in the split that has the fewest of them.
    reason : str or None
        Why no split has a correlation.
    note : str or None
        What a reader of the figures has to know about these data.
    """

    rule: Rule
    n_splits: int
    spearman: OverSplits
    pearson: OverSplits
    spearman_brown: SpearmanBrown
    n_items: int
    reason: str | None = None
    note: str | None = None

    @property
    def definition(self) -> str:
        """What was computed, in words."""
        return RULES[self.rule]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "definitions": dict(FIGURES),
            "rule": self.rule,
            "n_splits": self.n_splits,
            "n_items": self.n_items,
            "spearman": self.spearman.as_dict(),
            "pearson": self.pearson.as_dict(),
            "spearman_brown": self.spearman_brown.as_dict(),
            "reason": self.reason,
            "note": self.note,
        }


def split_half(
    answers: BestWorst, *, rule: Rule, n_splits: int = 100, rng: np.random.Generator
) -> SplitHalf:
    """Correlate the scores from two random halves of the answers to each tuple, repeatedly.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.
    rule : {"random", "fixed"}
        Where the extra answer of an odd tuple goes: "random", to either half by a coin
        [KM2017]; "fixed", always to half B, so that half A takes 2 of 5 [GiCCS].
    n_splits : int
        Number of repeats, at least 1.
    rng : numpy Generator
        Source of the splits.

    Returns
    -------
    SplitHalf
        Its correlations are nan, with the reason, where a half has no score or only equal ones.

    Raises
    ------
    ValueError
        If the rule is unknown or `n_splits` is below 1.

    References
    ----------
    [KM2017], [GiCCS], [Spearman1910], [Brown1910] in docs/references.md
    """
    if rule not in get_args(Rule):
        raise ValueError(f"rule must be one of {', '.join(get_args(Rule))}, not {rule!r}")
    if n_splits < 1:
        raise ValueError(f"n_splits must be at least 1, not {n_splits}")

    n_answers = answers.answers_per_tuple()
    if reason := _why_no_halves(n_answers, rule):
        nothing = OverSplits(np.full(n_splits, np.nan))
        return SplitHalf(
            rule, n_splits, nothing, nothing, _spearman_brown(nothing, rule), 0, reason
        )

    chunks = []
    fewest_items = answers.n_items
    reason = None
    for a, b in _scores_of_halves(answers, rule=rule, n_splits=n_splits, rng=rng):
        r_spearman, r_pearson = spearman(a, b), pearson(a, b)
        chunks.append((r_spearman, r_pearson))
        fewest_items = min(fewest_items, int((~np.isnan(a + b)).sum(axis=1).min()))
        if np.isnan(r_pearson).any():
            first = int(np.isnan(r_pearson).argmax())
            why = why_undefined(a[first], b[first])
            reason = f"the scores of the halves have no correlation: {why}"
    of_spearman, of_pearson = (OverSplits(np.concatenate(r)) for r in zip(*chunks, strict=True))

    n_undefined = of_pearson.n_undefined
    notes = [_note_on_single_answers(n_answers, rule), _note_on_odd_numbers(n_answers, rule)]
    if 0 < n_undefined < n_splits:
        notes.append(f"{n_undefined} of {n_splits} splits are left out: {reason}.")
    return SplitHalf(
        rule,
        n_splits,
        of_spearman,
        of_pearson,
        _spearman_brown(of_pearson, rule),
        fewest_items,
        reason=reason if n_undefined == n_splits else None,
        note=" ".join(filter(None, notes)) or None,
    )


def _why_no_halves(n_answers: IntArray, rule: Rule) -> str | None:
    if n_answers.sum() == 0:
        return "there are no judgments"
    if rule == "fixed" and n_answers.max() < 2:
        return "no tuple has two judgments, so half A of every tuple is empty"
    return None


def _note_on_single_answers(n_answers: IntArray, rule: Rule) -> str | None:
    n_answered, n_single = int((n_answers > 0).sum()), int((n_answers == 1).sum())
    if n_single == 0:
        return None
    where = "half B" if rule == "fixed" else "either half by a coin"
    if n_single == n_answered:
        return (
            "No tuple has two judgments, so nothing is split: each tuple goes whole to "
            f"{where}, and the halves are scored from different tuples."
        )
    return f"{n_single} of {n_answered} tuples have one judgment, which goes to {where}."


def _note_on_odd_numbers(n_answers: IntArray, rule: Rule) -> str | None:
    """Say what the coin does; of single answers, `_note_on_single_answers` says it."""
    n_answered, n_odd = int((n_answers > 0).sum()), int((n_answers % 2).sum())
    if rule != "random" or n_odd == 0 or n_answers.max() < 2:
        return None
    if n_odd == n_answered:
        which = "Every tuple has an odd number of answers"
    else:
        have = "has" if n_odd == 1 else "have"
        which = f"{n_odd} of {n_answered} tuples {have} an odd number of answers"
    return (
        f"{which}: the coin gives such a tuple more weight in one half than in the other, so "
        "complete agreement need not reach 1. In 60 pools of five items, each with all ten "
        "tuples of three and 3, 5 or 7 answers that all agree, Spearman is .956; with 4 or 6 it "
        "is 1.000."
    )


def _spearman_brown(of_pearson: OverSplits, rule: Rule) -> SpearmanBrown:
    if rule == "fixed":
        return SpearmanBrown(
            np.nan,
            "the rule 'fixed' makes parts of unequal size from an odd number of answers, and the "
            "formula needs halves; see the rule 'random'",
        )
    r = of_pearson.mean
    if np.isnan(r):
        return SpearmanBrown(np.nan, "there is no correlation to step up")
    # A reliability is a share of variance. Below 0 the formula exaggerates; at -1 it has a pole.
    if r < 0:
        return SpearmanBrown(
            np.nan, f"the halves correlate negatively ({r:.3f}), which no reliability does"
        )
    return SpearmanBrown(2 * r / (1 + r))


def _scores_of_halves(
    answers: BestWorst, *, rule: Rule, n_splits: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the scores of halves A and B, each of shape (repeats, n_items), chunk by chunk."""
    # Tuples with most answers first, and the answers in rounds: the first answer of every tuple,
    # then the second of those that have two ... A round's tuples are then the first ones, and
    # its judgments lie side by side.
    n_answers = answers.answers_per_tuple()
    tuple_order = np.argsort(-n_answers, kind="stable")
    n_answers = n_answers[tuple_order]
    tuples = answers.tuples[tuple_order]
    place = np.empty_like(tuple_order)
    place[tuple_order] = np.arange(len(tuple_order))
    by_tuple = np.argsort(place[answers.tuple_number], kind="stable")
    starts = np.repeat(np.cumsum(n_answers) - n_answers, n_answers)
    by_round = by_tuple[np.argsort(np.arange(answers.n_judgments) - starts, kind="stable")]
    best, worst = answers.best[by_round], answers.worst[by_round]

    n_items = answers.n_items
    total = count(answers)
    net = total.best - total.worst
    smaller_part = n_answers // 2
    surely_in_a = np.bincount(
        tuples.ravel(), np.repeat(smaller_part, tuples.shape[1]), minlength=n_items
    ).astype(np.int64)
    odd = np.flatnonzero(n_answers % 2) if rule == "random" else np.arange(0)

    at_once = max(1, CELLS_AT_ONCE // max(answers.n_judgments, n_items))
    for done in range(0, n_splits, at_once):
        r = min(at_once, n_splits - done)
        coins = rng.random((r, len(odd))) < 0.5
        wanted = np.tile(smaller_part, (r, 1))
        wanted[:, odd] += coins

        net_a = _net_picks(_choose(n_answers, wanted, rng), best, worst, n_items=n_items)
        appearances_a = surely_in_a + _appearances_of(coins, tuples[odd], n_items=n_items)
        yield (
            share(net_a, appearances_a),
            share(net - net_a, total.appearances - appearances_a),
        )


def _choose(n_answers: IntArray, wanted: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose `wanted` of each tuple's answers, every subset of that size alike likely.

    Selection sampling [Fan1962]: each answer in turn is taken with probability (still
    wanted) / (still to come), which needs no sorting and hits the number exactly.

    Parameters
    ----------
    n_answers : int array, shape (t,)
        Answers of each tuple, in descending order.
    wanted : int array, shape (r, t)
        Answers to choose, 0..n_answers; used up.

    Returns
    -------
    bool array, shape (r, m)
        Whether each judgment is chosen, in rounds: first answers of all tuples, second ...
    """
    r = len(wanted)
    chosen = np.empty((r, int(n_answers.sum())), dtype=np.bool_)
    end = 0
    for done in range(int(n_answers.max())):
        n_going_on = int((n_answers > done).sum())
        start, end = end, end + n_going_on
        still_wanted = wanted[:, :n_going_on]
        still_to_come = n_answers[:n_going_on] - done
        # A draw is below 1, also after rounding, so the last ones wanted are always taken.
        taken = rng.random((r, n_going_on)) * still_to_come < still_wanted
        still_wanted -= taken
        chosen[:, start:end] = taken
    return chosen


def _net_picks(
    is_counted: BoolArray, best: IntArray, worst: IntArray, *, n_items: int
) -> IntArray:
    """Best picks minus worst picks of the judgments counted (r, m), shape (r, n_items)."""
    r = len(is_counted)
    repeat, judgment = np.nonzero(is_counted)
    first_cell = repeat * n_items
    picks = [
        np.bincount(first_cell + pick[judgment], minlength=r * n_items) for pick in (best, worst)
    ]
    return (picks[0] - picks[1]).reshape(r, n_items)


def _appearances_of(is_counted: BoolArray, tuples: IntArray, *, n_items: int) -> IntArray:
    """How often the tuples counted (r, t) show each item, shape (r, n_items)."""
    r = len(is_counted)
    repeat, number = np.nonzero(is_counted)
    cells = (repeat * n_items)[:, None] + tuples[number]
    return np.bincount(cells.ravel(), minlength=r * n_items).reshape(r, n_items)
