"""Two correlations of a stored report: which is higher, by the test that fits what they are.

A measure is compared with another one (dependent correlations of the same items), with the typical
human (a t test of the raters' correlations), or with a stated correlation, such as a published one
(of other items where their number is known, else taken as exact). The typical human is compared
with a stated correlation, or with another group of raters of whom mean, deviation and number are
known. Nothing is computed anew from items: all of it follows from what the report has.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.baselines.questions import Question, StatedCorrelation
from scoring.baselines.subset_report import MIN_ITEMS_OF_TEST, too_few_to_test
from scoring.baselines.tables import Report
from scoring.bootstrap import Interval
from scoring.json_values import JsonObject, json_number
from scoring.measures.correlation_samples import (
    one_sample_t_test_of_moments,
    two_sample_t_test_of_moments,
)
from scoring.measures.correlation_tests import (
    TESTS,
    CorrelationTest,
    check_correlation,
    compare_dependent,
    compare_independent,
    compare_with_value,
)
from scoring.measures.difference_intervals import (
    interval_against_value,
    interval_of_dependent,
    interval_of_independent,
)
from scoring.measures.leaderboard import EVERYTHING
from scoring.measures.sample_tests import LEVEL, Moments, SampleTest
from shell.messages import Message
from shell.messages import message as _

TYPICAL_HUMAN = "typical human"
# Correlations that a leaderboard computes no test for have these tests.
RATERS_AGAINST_VALUE, RATERS_AGAINST_RATERS = "t", "t-two-samples"

NOT_KEPT = _(
    "the leaderboard comes from an earlier version and lacks the correlations between measures; "
    "compute it again"
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two correlations, their difference and the test of it.

    Parameters
    ----------
    question : Question
    names : pair of str
    values : pair of float
        The correlations; nan where undefined.
    sizes : pair of int or None
        Items of each, or raters of the typical human; None: taken as exact.
    interval : Interval
        Of the first less the second, with a coverage of 95 %.
    test : str
        A key of `scoring.measures.correlation_tests.TESTS`, "t" or "t-two-samples".
    statistic : float
        z, or Student's t where `df` is given; positive if the first is higher.
    df : float or None
    p_two_sided : float
    reason : Message or None
        Why there is no statistic.
    definition : Message or None
        What was computed, in words; None if nothing was.
    """

    question: Question
    names: tuple[str, str]
    values: tuple[float, float]
    sizes: tuple[int | None, int | None]
    interval: Interval
    test: str
    statistic: float
    df: float | None
    p_two_sided: float
    reason: Message | None
    definition: Message | None

    @property
    def counted(self) -> tuple[str, str]:
        """What each size counts: "items" or "raters"; empty if there is none."""
        second = self.question.second
        is_of_raters = [
            self.names[0] == TYPICAL_HUMAN,
            self.names[1] == TYPICAL_HUMAN
            or (isinstance(second, StatedCorrelation) and second.sd is not None),
        ]
        first, other = (
            "" if n is None else "raters" if of_raters else "items"
            for n, of_raters in zip(self.sizes, is_of_raters, strict=True)
        )
        return first, other

    @property
    def difference(self) -> float:
        """First less second."""
        return self.values[0] - self.values[1]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        return {
            "subset": self.question.subset,
            "first": self.names[0],
            "second": self.names[1],
            "first_r": json_number(self.values[0]),
            "second_r": json_number(self.values[1]),
            "first_n": self.sizes[0],
            "second_n": self.sizes[1],
            "difference": json_number(self.difference),
            "interval": self.interval.as_dict(),
            "test": self.test,
            "statistic": json_number(self.statistic),
            "df": int(self.df) if self.df is not None and self.df == int(self.df) else self.df,
            "p_two_sided": json_number(self.p_two_sided),
            "reason": self.reason,
            "definition": self.definition or "",
        }


def compare(report: Report, question: Question) -> Comparison:
    """Answer a question from a report.

    Parameters
    ----------
    report : dict
        Of `BaselineReport.as_dict`.
    question : Question

    Raises
    ------
    ValueError
        If the report has no such part or measure, both sides are the same, or a stated
        correlation is out of range.
    """
    names = [subset["name"] for subset in report["subsets"]]
    if question.subset not in names:
        raise ValueError(_("there is no subset %(name)s of the items", name=repr(question.subset)))
    subset = report["subsets"][names.index(question.subset)]
    first, second = question.first, question.second
    if first == second:
        raise ValueError(_("choose two different correlations to compare"))
    for name in (first, second):
        if isinstance(name, str) and name not in report["measures"]:
            raise ValueError(_("the leaderboard has no measure %(name)s", name=repr(name)))
    if first is None:
        assert second is not None  # both are not the same
        if isinstance(second, str):
            return _with_raters(report, subset, question, second)
        return _raters_with_stated(report, question, second)
    if second is None:
        return _with_raters(report, subset, question, first)
    if isinstance(second, StatedCorrelation):
        return _with_stated(subset, question, first, second)
    return _two_measures(subset, question, first, second, level=report["level"])


def _two_measures(
    subset: Mapping[str, Any], question: Question, first: str, second: str, *, level: float
) -> Comparison:
    pair = next(
        row for row in subset["differences"] if {row["first"], row["second"]} == {first, second}
    )
    of_pair, n, between = pair["differences"]["pearson"], pair["n"], pair.get("between")
    ends = ("first", "second") if pair["first"] == first else ("second", "first")
    r12, r13 = (_float(of_pair[end]) for end in ends)
    sides = _Sides(question, (first, second), (r12, r13), (n, n))
    reason = of_pair["reason"] or (too_few_to_test(n) if n < MIN_ITEMS_OF_TEST else None)
    if reason:
        # One of them may have a correlation of its own.
        (r1, n1, _why), (r2, n2, _why2) = (_of_measure(subset, name) for name in (first, second))
        sides = _Sides(question, (first, second), (r1, r2), (n1, n2))
        return sides.untested(question.test, reason)
    if question.test == "jackknife":
        sign = 1 if pair["first"] == first else -1
        return sides.left_out(of_pair, sign, level=level)
    if between is None:
        return sides.untested(question.test, NOT_KEPT)
    return sides.tested(
        compare_dependent(r12, r13, between, n, test=question.test),
        interval_of_dependent(r12, r13, between, n),
    )


def _with_stated(
    subset: Mapping[str, Any], question: Question, first: str, stated: StatedCorrelation
) -> Comparison:
    if stated.sd is not None:
        raise ValueError(
            _("a standard deviation refers to raters; compare it with the typical human")
        )
    check_correlation("the stated correlation", stated.r)
    r, n, reason = _of_measure(subset, first)
    sides = _Sides(question, (first, stated.name), (r, stated.r), (n, stated.n))
    if not reason and n < MIN_ITEMS_OF_TEST:
        reason = too_few_to_test(n)
    if reason:
        return sides.untested("one-sample" if stated.n is None else "fisher", reason)
    if stated.n is None:
        return sides.tested(
            compare_with_value(r, n, stated.r), interval_against_value(r, n, stated.r)
        )
    return sides.tested(
        compare_independent(r, n, stated.r, stated.n),
        interval_of_independent(r, n, stated.r, stated.n),
    )


def _with_raters(
    report: Report, subset: Mapping[str, Any], question: Question, measure: str
) -> Comparison:
    r, n, reason = _of_measure(subset, measure)
    raters, why = _raters(report, question.subset)
    names, values, sizes = (measure, TYPICAL_HUMAN), (r, raters.mean), (n, raters.n)
    # The test is of the raters less the measure; the question may be the other way round.
    sign = -1
    if question.first is None:
        sign, names, values, sizes = 1, names[::-1], values[::-1], sizes[::-1]
    sides = _Sides(question, names, values, sizes)
    if reason := reason or why:
        return sides.untested(RATERS_AGAINST_VALUE, reason)
    result = one_sample_t_test_of_moments(raters, r)
    return sides.of_raters(result, RATERS_AGAINST_VALUE, sign=sign)


def _raters_with_stated(
    report: Report, question: Question, stated: StatedCorrelation
) -> Comparison:
    check_correlation("the stated correlation", stated.r)
    others = None
    if stated.sd is not None:
        if stated.n is None or stated.n < 2:
            raise ValueError(
                _("enter the number of raters behind the standard deviation, 2 or more")
            )
        others = Moments(stated.r, stated.sd, stated.n)
    test = RATERS_AGAINST_RATERS if others else RATERS_AGAINST_VALUE
    raters, reason = _raters(report, question.subset)
    sizes = raters.n, others.n if others else None
    sides = _Sides(question, (TYPICAL_HUMAN, stated.name), (raters.mean, stated.r), sizes)
    if reason:
        return sides.untested(test, reason)
    result = (
        two_sample_t_test_of_moments(raters, others)
        if others
        else one_sample_t_test_of_moments(raters, stated.r)
    )
    return sides.of_raters(result, test)


def _of_measure(subset: Mapping[str, Any], name: str) -> tuple[float, int, Message | None]:
    row = next(row for row in subset["rows"] if row["measure"] == name)
    pearson = row["correlations"]["pearson"]
    return _float(pearson["value"]), row["n"], pearson["reason"]


def _raters(report: Report, subset: str) -> tuple[Moments, Message | None]:
    """The raters' correlations, and why they are not known."""
    none = Moments(math.nan, math.nan, 0)
    if subset != EVERYTHING:
        return none, _("the typical human is only known for all items")
    human = report.get("typical_human")
    if human is None:
        return none, _("nothing is known about the raters behind these scores")
    if human["mean"] is None:
        return none, human["reason"]
    return Moments(human["mean"], _float(human["sd"]), human["n"]), None


@dataclass(frozen=True)
class _Sides:
    """What is compared, before it is tested."""

    question: Question
    names: tuple[str, str]
    values: tuple[float, float]
    sizes: tuple[int | None, int | None]

    def tested(self, result: CorrelationTest, interval: Interval) -> Comparison:
        return Comparison(
            **vars(self),
            interval=interval,
            test=result.test,
            statistic=result.statistic,
            df=result.df,
            p_two_sided=result.p_two_sided,
            reason=result.reason,
            definition=result.definition,
        )

    def untested(
        self, test: str, reason: Message, definition: Message | None = None
    ) -> Comparison:
        return Comparison(
            **vars(self),
            interval=Interval(math.nan, math.nan, "", LEVEL, reason),
            test=test,
            statistic=math.nan,
            df=None,
            p_two_sided=math.nan,
            reason=reason,
            definition=definition,
        )

    def left_out(self, difference: Mapping[str, Any], sign: int, *, level: float) -> Comparison:
        """`sign`: -1 where the stored difference is of the second less the first, at `level`."""
        interval = difference["interval"]
        if interval["reason"]:
            return self.untested("jackknife", interval["reason"])
        low, high = sorted(sign * _float(interval[end]) for end in ("low", "high"))
        return Comparison(
            **vars(self),
            interval=Interval(low, high, "jackknife", level),
            test="jackknife",
            statistic=sign * _float(difference["statistic"]),
            df=difference["df"],
            p_two_sided=_float(difference["p_value"]),
            reason=None,
            definition=TESTS["jackknife"],
        )

    def of_raters(self, result: SampleTest, test: str, *, sign: int = 1) -> Comparison:
        """`sign`: -1 where the test is of the second less the first."""
        if result.reason:
            return self.untested(test, result.reason, result.definition)
        low, high = sorted((sign * result.low, sign * result.high))
        return Comparison(
            **vars(self),
            interval=Interval(low, high, "t", LEVEL),
            test=test,
            statistic=sign * result.statistic,
            df=result.df,
            p_two_sided=result.p_two_sided,
            reason=None,
            definition=result.definition,
        )


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)
