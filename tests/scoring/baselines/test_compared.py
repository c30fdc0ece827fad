"""Comparisons that follow from a stored report: which test, of what, with what sign."""

import json
import math
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
import scipy.stats

from scoring.baselines.compared import compare
from scoring.baselines.questions import Question, StatedCorrelation
from scoring.baselines.report import TypicalHuman, baseline_report
from scoring.measures.correlation_tests import DependentTest, compare_dependent
from scoring.measures.difference_intervals import interval_of_dependent

RATERS = np.array([0.71, 0.83, 0.64, 0.9, 0.77])
OTHERS = np.array([0.62, 0.55, 0.8, 0.49])


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray[Any, Any], dict[str, np.ndarray[Any, Any]]]:
    draw = np.random.default_rng(3)
    human = draw.normal(size=64)
    measures = {
        "stasis": human + 0.9 * draw.normal(size=64),
        "lsa": human + 1.2 * draw.normal(size=64),
        "flat": np.ones(64),
    }
    measures["lsa"][:3] = np.nan
    return human, measures


@pytest.fixture
def report(data: Any) -> dict[str, Any]:
    human, measures = data
    raters = TypicalHuman(float(RATERS.mean()), float(RATERS.std(ddof=1)), 0.9, 0.64, len(RATERS))
    figures = baseline_report(
        human,
        measures,
        subsets={"all": np.ones(64, dtype=bool), "few": np.arange(64) < 3},
        n_resamples=0,
        typical_human=raters,
    ).as_dict()
    stored: dict[str, Any] = json.loads(json.dumps(figures))
    return stored


def test_ends_from_the_jackknife_have_the_level_of_the_report(data: Any) -> None:
    human, measures = data
    figures = baseline_report(human, measures, level=0.8, n_resamples=0).as_dict()

    found = compare(figures, Question("stasis", "lsa", test="jackknife"))

    assert found.interval.level == 0.8
    assert found.interval.low < found.difference < found.interval.high
    back = compare(figures, Question("lsa", "stasis", test="jackknife"))
    assert (back.interval.low, back.interval.high) == (-found.interval.high, -found.interval.low)
    assert (back.statistic, back.df) == (-found.statistic, found.df) != (0, None)


@pytest.mark.parametrize("test", get_args(DependentTest))
def test_two_measures_are_compared_on_the_items_that_both_have(
    report: dict[str, Any], data: Any, test: DependentTest
) -> None:
    human, measures = data
    x, a, b = human[3:], measures["stasis"][3:], measures["lsa"][3:]
    r12, r13, r23 = (float(np.corrcoef(*two)[0, 1]) for two in ((x, a), (x, b), (a, b)))

    found = compare(report, Question("stasis", "lsa", test=test))
    back = compare(report, Question("lsa", "stasis", test=test))

    expected, interval = (
        compare_dependent(r12, r13, r23, 61, test=test),
        (interval_of_dependent(r12, r13, r23, 61)),
    )
    assert (found.test, found.sizes) == (test, (61, 61))
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_two_sided == pytest.approx(expected.p_two_sided)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (interval.low, interval.high)
    )
    assert found.difference == pytest.approx(r12 - r13)
    assert back.statistic == pytest.approx(-found.statistic)


def test_a_measure_is_compared_with_the_typical_human(report: dict[str, Any], data: Any) -> None:
    human, measures = data
    r = float(np.corrcoef(human, measures["stasis"])[0, 1])

    found = compare(report, Question("stasis", None))
    back = compare(report, Question(None, "stasis"))

    expected = scipy.stats.ttest_1samp(RATERS, r)
    ends = expected.confidence_interval()
    assert found.names == ("stasis", "typical human")
    assert (found.test, found.df, found.sizes) == ("t", 4, (64, 5))
    assert found.statistic == pytest.approx(-expected.statistic)
    assert found.p_two_sided == pytest.approx(expected.pvalue)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (r - ends.high, r - ends.low)
    )
    assert back.names == ("typical human", "stasis")
    assert back.statistic == pytest.approx(expected.statistic)
    assert back.interval.low == pytest.approx(-found.interval.high)


def test_a_measure_is_compared_with_a_stated_correlation(
    report: dict[str, Any], data: Any
) -> None:
    human, measures = data
    z = math.atanh(float(np.corrcoef(human, measures["stasis"])[0, 1])) - math.atanh(0.636)

    exact = compare(report, Question("stasis", StatedCorrelation("STASIS", 0.636)))
    sampled = compare(report, Question("stasis", StatedCorrelation("STASIS", 0.636, 30)))

    assert (exact.test, sampled.test) == ("one-sample", "fisher")
    assert exact.statistic == pytest.approx(z * math.sqrt(61))
    assert sampled.statistic == pytest.approx(z / math.sqrt(1 / 61 + 1 / 27))
    assert sampled.interval.low < exact.interval.low < exact.interval.high
    assert sampled.sizes == (64, 30)


def test_raters_are_compared_with_a_stated_mean_and_with_other_raters(
    report: dict[str, Any],
) -> None:
    other = StatedCorrelation(
        "pilot", float(OTHERS.mean()), len(OTHERS), float(OTHERS.std(ddof=1))
    )

    with_value = compare(report, Question(None, StatedCorrelation("paper", 0.6)))
    with_group = compare(report, Question(None, other))

    of_value, of_group = (
        scipy.stats.ttest_1samp(RATERS, 0.6),
        scipy.stats.ttest_ind(RATERS, OTHERS),
    )
    assert with_value.statistic == pytest.approx(of_value.statistic)
    assert (with_group.test, with_group.df) == ("t-two-samples", 7)
    assert with_group.statistic == pytest.approx(of_group.statistic)
    assert with_group.p_two_sided == pytest.approx(of_group.pvalue)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (Question("stasis", "flat"), "flat has no correlation with people's scores"),
        (Question("flat", None), "all values of one of the two variables are equal"),
        (
            Question("flat", StatedCorrelation("x", 0.5)),
            "all values of one of the two variables are equal",
        ),
        (Question("stasis", None, subset="few"), "the typical human is only known for all items"),
        (
            Question("stasis", StatedCorrelation("x", 0.5), subset="few"),
            "there are only 3 items, but the test needs 4",
        ),
        (Question("stasis", StatedCorrelation("x", 1.0)), "Fisher's z of a correlation of 1"),
    ],
)
def test_what_cannot_be_tested_says_why(
    report: dict[str, Any], question: Question, reason: str
) -> None:
    found = compare(report, question)

    assert math.isnan(found.statistic)
    assert found.reason is not None
    assert found.reason.startswith(reason)
    assert found.as_dict()["p_two_sided"] is None


def test_without_raters_there_is_no_typical_human(report: dict[str, Any]) -> None:
    unknown = {**report, "typical_human": None}
    alone = {**report, "typical_human": {**report["typical_human"], "sd": None, "n": 1}}

    assert compare(unknown, Question("stasis", None)).reason == (
        "nothing is known about the raters behind these scores"
    )
    assert compare(alone, Question("stasis", None)).reason == (
        "a sample has fewer than two correlations"
    )


def test_a_report_of_an_earlier_version_says_what_to_do(report: dict[str, Any]) -> None:
    for pair in report["subsets"][0]["differences"]:
        del pair["between"]

    reason = compare(report, Question("stasis", "lsa", test="meng")).reason

    assert reason is not None
    assert reason.endswith("compute it again")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Question("stasis", "stasis"), "two different correlations"),
        (Question(None, None), "two different correlations"),
        (Question("stasis", "bleu"), "no measure 'bleu'"),
        (Question("stasis", "lsa", subset="x"), "no subset 'x'"),
        (Question("stasis", StatedCorrelation("x", 1.5)), "the stated correlation is 1.5"),
        (Question("stasis", StatedCorrelation("x", 0.5, 3)), "n2 is 3"),
        (Question("stasis", StatedCorrelation("x", 0.5, 9, 0.1)), "deviation refers to raters"),
        (Question(None, StatedCorrelation("x", 0.5, None, 0.1)), "number of raters"),
        (Question(None, StatedCorrelation("x", 0.5, 9, -0.1)), "sd is -0.1"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    report: dict[str, Any], question: Question, message: str
) -> None:
    with pytest.raises(ValueError, match=message.replace(".", "[.]")):
        compare(report, question)


def test_a_question_is_read_as_it_was_written() -> None:
    for question in (
        Question("a", "b", subset="few", test="williams"),
        Question(None, StatedCorrelation("x", 0.5, 9, 0.1)),
        replace(Question("a", None), test="steiger"),
    ):
        assert Question.of_dict(json.loads(json.dumps(question.as_dict()))) == question
