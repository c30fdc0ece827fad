"""What of a report is not defined, and why."""

import csv
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoring.baselines import tables
from scoring.baselines.report import baseline_report
from scoring.measures.noise_ceiling import NoiseCeiling
from tests.scoring.baselines.reported import COEFFICIENTS, lopsided, rng

DEGENERATE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "constant": lambda human: np.full(len(human), 0.1),
    "missing": lambda human: np.full(len(human), np.nan),
    "two": lambda human: np.where(np.arange(len(human)) < 2, human, np.nan),
    "one": lambda human: np.where(np.arange(len(human)) < 1, human, np.nan),
}
FEW = "there are fewer than three pairs of values"
REASONS = {
    "constant": "all values of one of the two variables are equal",
    "missing": FEW,
    "two": FEW,
    "one": FEW,
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("n_resamples", [0, 30])
def test_what_is_not_defined_has_a_reason(name: str, n_resamples: int) -> None:
    human, measures = lopsided()
    human[:2] = 1, 2

    report = baseline_report(
        human,
        {"odd": DEGENERATE[name](human), "close": measures["close"]},
        n_resamples=n_resamples,
        rng=rng(),
    )

    odd, close = report.subsets[0].rows
    pair = report.subsets[0].differences[0].as_dict()
    for coefficient in COEFFICIENTS:
        assert close.correlations[coefficient].reason is None
        found = odd.correlations[coefficient]
        assert found.reason == REASONS[name]
        assert math.isnan(found.value) == (found.reason is not None)
        difference = pair["differences"][coefficient]
        if found.reason:
            assert difference["difference"] is None
            assert difference["reason"] == (
                f"odd has no correlation with people's scores: {found.reason}"
            )
        for interval in (
            *found.as_dict()["intervals"].values(),
            difference["interval"],
        ):
            assert (interval["low"] is None) == (interval["reason"] is not None)
    assert pair["test"]["statistic"] is None
    assert pair["test"]["reason"] is not None
    assert json.dumps(report.as_dict(), allow_nan=False)


def test_three_items_are_too_few_for_the_test() -> None:
    human, measures = lopsided(3)

    report = baseline_report(human, measures, n_resamples=0, test="meng")

    said = "there are only 3 items, but the test needs 4"
    assert [pair.test.reason for pair in report.subsets[0].differences] == [said] * 3


def test_a_subset_of_nobody() -> None:
    human, measures = lopsided()
    human[:10] = np.nan
    subsets = {"nobody": np.zeros(60, dtype=bool), "unscored": np.arange(60) < 10}

    report = baseline_report(human, measures, subsets=subsets, n_resamples=20, rng=rng())

    assert [(s.n_items, s.n_unscored, s.resampled) for s in report.subsets] == [
        (0, 0, None),
        (10, 10, None),
    ]
    for subset in report.subsets:
        for row in subset.rows:
            assert row.correlations["pearson"].reason == FEW
            assert set(row.correlations["pearson"].intervals) == {"fisher", "percentile", "bca"}
    assert json.dumps(report.as_dict(), allow_nan=False)


@pytest.mark.parametrize("n", [5, 6])
def test_a_measure_of_fewer_than_six_items_has_neither_bootstrap_nor_jackknife(n: int) -> None:
    human, measures = lopsided()
    few = np.where(np.arange(60) < n, measures["close"], np.nan)

    report = baseline_report(
        human, {"few": few, "far": measures["far"]}, n_resamples=100, rng=rng()
    )

    (subset,) = report.subsets
    said = "there are only 5 items, but the bootstrap needs 6" if n == 5 else None
    correlation = subset.rows[0].correlations["pearson"]
    difference = subset.differences[0].differences["pearson"]
    assert math.isfinite(correlation.value)
    assert math.isfinite(correlation.intervals["fisher"].low)
    assert correlation.intervals["percentile"].reason == said
    assert difference.interval.reason == (said and said.replace("bootstrap", "comparison"))
    assert math.isnan(difference.p_value) == (n == 5)
    assert subset.rows[1].correlations["pearson"].intervals["bca"].reason is None
    lines = tables.differences_tsv(report.as_dict()).splitlines()
    row = next(csv.DictReader(lines, delimiter="\t"))
    assert (row["pearson_p"] == "") == (n == 5)
    assert ("pearson: there are only 5 items" in row["reason"]) == (n == 5)


def test_a_difference_without_an_interval_has_no_p() -> None:
    human, measures = lopsided()
    rare = (np.arange(60) == 59).astype(float)

    report = baseline_report(human, {"rare": rare, "close": measures["close"]}, n_resamples=0)

    pair = report.subsets[0].differences[0]
    for difference in pair.differences.values():
        assert math.isfinite(difference.difference)
        assert math.isnan(difference.p_value)
        assert difference.interval.reason == (
            "without some of the pools or items, one of the measures has no correlation"
        )
    assert pair.test.reason == pair.differences["pearson"].interval.reason


@pytest.mark.parametrize("is_of_people", [False, True])
def test_values_that_differ_by_rounding_are_equal(*, is_of_people: bool) -> None:
    human, _ = lopsided(12)
    rounded = np.where(np.arange(12) % 3 > 0, 0.3, 0.1 + 0.2)
    assert len(set(rounded.tolist())) == 2
    people, measure = (rounded, human) if is_of_people else (human, rounded)

    report = baseline_report(people, {"odd": measure}, n_resamples=20, rng=rng())

    for found in report.subsets[0].rows[0].correlations.values():
        assert math.isnan(found.value)
        assert math.isnan(found.p_value)
        assert (
            found.reason == "all values of one of the two variables are equal apart from rounding"
        )
    apart = np.where(rounded > 0.3, 0.3 + 1e-11, 0.3)
    report = baseline_report(human, {"odd": apart}, n_resamples=0)
    assert math.isfinite(report.subsets[0].rows[0].correlations["pearson"].value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measures": {}}, "there is no measure to report on"),
        ({"measures": {"m": [1.0]}}, r"measure 'm': each item needs one value in each column"),
        ({"measures": {"m": [1, 2, np.inf]}}, r"measure 'm': measure\[2\] is inf"),
        ({"subsets": {"s": [True, False]}}, "subset 's' must say of each item"),
        ({"subsets": {"s": np.array([0, 1, 2])}}, "subset 's' must say of each item"),
        ({"pools": ["a"]}, r"pools has the shape \(1,\), but there are 3 items"),
        (
            {"ceilings": {"s": NoiseCeiling(1, 1, "icc-1-k")}},
            "a ceiling of 's', but no such subset",
        ),
        ({"level": 1.5}, "the level must lie between 0 and 1"),
        ({"n_resamples": 9}, "resamples are drawn at random: give a generator as rng"),
        (
            {"test": "t"},
            "test must be one of jackknife, meng, steiger, dunn-clark, williams, not 't'",
        ),
    ],
)
def test_what_makes_no_report(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"measures": {"m": [1, 2, 3]}, "n_resamples": 0, **change}

    with pytest.raises(ValueError, match=message):
        baseline_report([1, 2, 3], **arguments)
