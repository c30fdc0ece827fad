"""Split-half reliability: would as many other answers have given the same scores?

The answers are split at random into halves A and B (`halves`); both halves are scored by
counting; the scores are correlated over the items that both halves showed; and all this is
repeated [KM2017]. The rules that draw the halves differ systematically, so a figure without the
name of its rule cannot be compared with another.

Symbols: r repeats (splits), t tuples, m judgments, as in scoring.best_worst.judgments.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arrays import FloatArray
from scoring.best_worst.half_draws import Rule
from scoring.best_worst.halves import (
    RULES,
    check_rule,
    notes_on_halves,
    scores_of_halves,
    why_no_halves,
    why_not_equal,
)
from scoring.best_worst.judgments import BestWorst
from scoring.correlation import pearson, spearman, why_undefined
from scoring.jackknife import JackknifeInterval
from scoring.json_values import JsonObject, json_number, json_numbers
from scoring.rounding import rounded
from shell.messages import Message, joined
from shell.messages import message as _

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


@dataclass(frozen=True, eq=False)
class OverSplits:
    """One statistic in each of the splits.

    Parameters
    ----------
    values : float array, shape (r,)
        The statistic of each split; nan if it is undefined, which the figures leave out.
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
    reason : Message or None
        Why there is no value.
    over_splits : OverSplits or None
        The same of each split's own correlation, for its spread; its mean is a little below
        `value`, the formula being concave. nan throughout if a split correlates negatively.
    """

    value: float
    reason: Message | None = None
    over_splits: OverSplits | None = None

    def as_dict(self) -> JsonObject:
        """Value and reason, with the definition."""
        return {
            "value": json_number(self.value),
            "reason": self.reason,
            "definition": _(
                "2r / (1 + r) of the mean Pearson correlation r of the halves [Spearman1910]"
                " [Brown1910]; undefined for a negative r."
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
    reason : Message or None
        Why no split has a correlation.
    note : Message or None
        What a reader of the figures has to know about these data.
    interval : JackknifeInterval or None
        Of the mean of `spearman`, from `half_interval`; None if it was not asked for.
    """

    rule: Rule
    n_splits: int
    spearman: OverSplits
    pearson: OverSplits
    spearman_brown: SpearmanBrown
    n_items: int
    reason: Message | None = None
    note: Message | None = None
    interval: JackknifeInterval | None = None

    @property
    def definition(self) -> Message:
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
            **({"interval": self.interval.as_dict()} if self.interval else {}),
        }


def split_half(
    answers: BestWorst, *, rule: Rule, n_splits: int = 100, rng: np.random.Generator
) -> SplitHalf:
    """Correlate the scores from two random halves of the answers, repeatedly.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.
    rule : {"random", "fixed", "balanced", "annotator", "tuple"}
        What is split, see halves: the answers of each tuple, the extra one of an odd
        tuple going to either half by a coin ("random" [KM2017]) or always to half B, so that half
        A takes 2 of 5 ("fixed" [GiCCS]); the people; or the tuples.
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
        If the rule is unknown, if it splits people and the batch does not name them, or if
        `n_splits` is below 1.

    References
    ----------
    [KM2017], [GiCCS], [Spearman1910], [Brown1910] in docs/references.md
    """
    check_rule(answers, rule)
    if n_splits < 1:
        raise ValueError(f"n_splits must be at least 1, not {n_splits}")

    not_equal = why_not_equal(answers, rule)
    if reason := why_no_halves(answers, rule):
        nothing = OverSplits(np.full(n_splits, np.nan))
        stepped = _spearman_brown(nothing, not_equal)
        return SplitHalf(rule, n_splits, nothing, nothing, stepped, 0, reason)

    chunks = []
    fewest_items = answers.n_items
    reason = None
    for a, b in scores_of_halves(answers, rule=rule, n_splits=n_splits, rng=rng):
        r_spearman, r_pearson = spearman(a, b), pearson(a, b)
        chunks.append((r_spearman, r_pearson))
        fewest_items = min(fewest_items, int((~np.isnan(a + b)).sum(axis=1).min()))
        if np.isnan(r_pearson).any():
            first = int(np.isnan(r_pearson).argmax())
            why = why_undefined(a[first], b[first])
            assert why is not None  # it has no correlation
            reason = _("the scores of the halves cannot be correlated: %(reason)s", reason=why)
    of_spearman, of_pearson = (OverSplits(np.concatenate(r)) for r in zip(*chunks, strict=True))

    n_undefined = of_pearson.n_undefined
    notes = notes_on_halves(answers, rule)
    if reason is not None and n_undefined < n_splits:
        notes.append(
            _(
                "Left out: %(n)s of %(splits)s splits, because %(reason)s.",
                n=n_undefined,
                splits=n_splits,
                reason=reason,
            )
        )
    return SplitHalf(
        rule,
        n_splits,
        of_spearman,
        of_pearson,
        _spearman_brown(of_pearson, not_equal),
        fewest_items,
        reason=reason if n_undefined == n_splits else None,
        note=joined(*notes),
    )


@dataclass(frozen=True, eq=False)
class Projection:
    """Reliability of the scores, had each tuple more or fewer answers than it has.

    Parameters
    ----------
    n_now : float
        Answers that a tuple has now, the mean over answered tuples.
    n_answers : float array, shape (p,)
        Answers per tuple that were asked about.
    values : float array, shape (p,)
        Reliability expected with them, in [0, 1]; nan where undefined.
    reason : Message or None
        Why there are no values.
    """

    n_now: float
    n_answers: FloatArray
    values: FloatArray
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return _(
            "Spearman-Brown prophecy formula: l r / (1 + (l - 1) r) [Spearman1910] [Brown1910]. "
            "r is the mean Pearson correlation of the halves; l is the number of answers in "
            "question divided by that of a half. It assumes more answers of the same kind, from "
            "the same kind of people, to the same tuples. It says how well the scores would "
            "repeat, not that they are right. Far from the current number of answers, it is "
            "only a rough guess."
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "n_now": json_number(self.n_now),
            "n_answers": json_numbers(self.n_answers),
            "values": json_numbers(self.values),
            "reason": self.reason,
        }


def project(
    answers: BestWorst, halves: SplitHalf, *, n_answers: Sequence[float] | FloatArray
) -> Projection:
    """Project the split-half reliability to other numbers of answers per tuple.

    Parameters
    ----------
    answers : BestWorst
        The m judgments that were split.
    halves : SplitHalf
        Their reliability. The answers of each tuple must have been split, into halves: by the
        rule "random", or "annotator" where everybody answers the same tuples.
    n_answers : float array, shape (p,)
        Answers per tuple to project to, above 0.

    Returns
    -------
    Projection
        Its values are nan, with the reason, where there is no correlation or a negative one, and
        for the rules that do not halve the answers of a tuple.

    Raises
    ------
    ValueError
        If a number of answers is not above 0.

    References
    ----------
    [Spearman1910], [Brown1910] in docs/references.md
    """
    numbers = np.asarray(n_answers, dtype=np.float64)
    if not (numbers > 0).all() or not np.isfinite(numbers).all():
        raise ValueError("n_answers must be numbers above 0")
    per_tuple = answers.answers_per_tuple()
    answered = per_tuple[per_tuple > 0]
    n_now = float(answered.mean()) if len(answered) else 0.0
    reason = halves.spearman_brown.reason
    if halves.rule == "tuple":
        reason = _(
            "the rule 'tuple' splits the tuples, not the answers to each tuple; see 'random'"
        )
    if reason:
        return Projection(n_now, numbers, np.full(numbers.shape, np.nan), reason)
    r = halves.pearson.mean
    lengthening = numbers / (n_now / 2)
    return Projection(n_now, numbers, lengthening * r / (1 + (lengthening - 1) * r))


def _spearman_brown(of_pearson: OverSplits, not_equal: Message | None) -> SpearmanBrown:
    nothing = OverSplits(np.full(len(of_pearson.values), np.nan))
    if not_equal:
        return SpearmanBrown(np.nan, not_equal, nothing)
    r = of_pearson.mean
    if np.isnan(r):
        return SpearmanBrown(
            np.nan, _("there is no correlation for the Spearman-Brown formula"), nothing
        )
    # A reliability is a share of variance. Below 0 the formula exaggerates; at -1 it has a pole.
    if r < 0:
        reason = _(
            "the halves correlate negatively (%(correlation)s), so there is no reliability",
            correlation=rounded(r, 3),
        )
        return SpearmanBrown(np.nan, reason, nothing)
    # Leaving out the splits below 0 would flatter the rest, so one of them leaves all undefined.
    each = nothing
    if not (of_pearson.values < 0).any():
        each = OverSplits(2 * of_pearson.values / (1 + of_pearson.values))
    return SpearmanBrown(2 * r / (1 + r), over_splits=each)
