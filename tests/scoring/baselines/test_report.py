import csv
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scoring import compare_dependent, correlate, pearson
from scoring.baselines.report import TypicalHuman, baseline_report
from scoring.baselines.subset_figures import MeasureDifference
from scoring.baselines.subsets import by_f1_zero, together
from scoring.measures.noise_ceiling import NoiseCeiling
from tests.scoring.baselines.reported import COEFFICIENTS, lopsided, rng

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def answers(shared_data: Path) -> dict[str, np.ndarray]:
    """The labelled rows of GermanQuAD, duplicates kept."""
    file = shared_data / "answer_similarity" / "germanquad.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["label"]]
    names = [name for name in rows[0] if name not in ("id", "answer1", "answer2", "duplicate")]
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


@pytest.mark.slow
def test_table_3_of_the_answer_similarity_study(
    answers: dict[str, np.ndarray], shared_data: Path
) -> None:
    file = shared_data / "answer_similarity" / "germanquad_expected.json"
    table_3 = json.loads(file.read_text())["correlations_with_label"]
    measures = {name: values for name, values in answers.items() if name != "label"}
    subsets = together(by_f1_zero(answers["f1"]), n_items=422)

    report = baseline_report(
        answers["label"], measures, subsets=subsets, n_resamples=50, rng=rng()
    ).as_dict()

    assert [subset["name"] for subset in report["subsets"]] == ["f1_eq_0", "f1_ne_0", "all"]
    cells = 0
    for subset in report["subsets"]:
        printed = table_3[subset["name"]]
        assert subset["n_items"] == printed["n"]
        for row in subset["rows"]:
            for coefficient, found in row["correlations"].items():
                expected = printed[row["measure"]][coefficient]
                cells += 1
                if expected is None:
                    assert found["value"] is None
                    assert found["reason"] == "all values of one of the two variables are equal"
                    assert found["intervals"]["bca"]["low"] is None
                else:
                    assert round(found["value"], 3) == expected
                    interval = found["intervals"]["percentile"]
                    assert interval["low"] < found["value"] < interval["high"]
    assert cells == 90


def test_figures_are_those_of_a_single_correlation() -> None:
    human, measures = lopsided()
    human[4] = np.nan

    report = baseline_report(human, measures, n_resamples=40, level=0.9, rng=rng())

    (subset,) = report.subsets
    assert (subset.name, subset.n_items, subset.n_unscored) == ("all", 60, 1)
    assert (subset.resampled, subset.n_units, subset.n_resamples) == ("items", 59, 40)
    for row in subset.rows:
        assert (row.n, row.n_missing) == (59, 1)
        for coefficient in COEFFICIENTS:
            alone = correlate(human, measures[row.measure], coefficient=coefficient, level=0.9)
            ours = row.correlations[coefficient]
            assert (ours.value, ours.p_value) == (alone.value, alone.p_value)
            assert ours.intervals["fisher"].low == alone.intervals["fisher"].low


def test_two_measures_are_compared_on_the_items_that_both_have() -> None:
    human, measures = lopsided()
    measures["close"][:5] = np.nan
    measures["far"][3:9] = np.nan
    both = np.arange(60) >= 9

    report = baseline_report(human, measures, n_resamples=200, test="williams", rng=rng())

    first = report.subsets[0].differences[0]
    assert (first.first, first.second, first.n, first.n_missing) == ("close", "far", 51, 9)
    x, a, b = human[both], measures["close"][both], measures["far"][both]
    expected = compare_dependent(
        float(pearson(x, a)), float(pearson(x, b)), float(pearson(a, b)), 51, test="williams"
    )
    assert first.test.statistic == expected.statistic
    assert first.test.p_two_sided < 0.05
    for coefficient, difference in first.differences.items():
        value = correlate(x, a, coefficient=coefficient).value
        other = correlate(x, b, coefficient=coefficient).value
        assert difference.difference == pytest.approx(value - other, abs=1e-12)
        assert difference.interval.low < value - other < difference.interval.high
        assert difference.p_value < 0.05
    assert [row.n for row in report.subsets[0].rows] == [55, 54, 60]


def test_the_sign_says_who_is_closer() -> None:
    human, measures = lopsided()

    def difference(given: dict[str, np.ndarray]) -> MeasureDifference:
        report = baseline_report(human, given, n_resamples=50, test="meng", rng=rng())
        return report.subsets[0].differences[0]

    one = difference(measures)
    turned = {name: measures[name] for name in ("far", "close")}
    other = difference(turned)

    assert one.test.statistic > 0
    assert one.differences["kendall"].difference > 0
    assert other.test.statistic == pytest.approx(-one.test.statistic)
    for coefficient in COEFFICIENTS:
        mine, theirs = one.differences[coefficient], other.differences[coefficient]
        assert theirs.difference == -mine.difference
        assert theirs.p_value == mine.p_value
        assert theirs.interval.low == pytest.approx(-mine.interval.high)


def test_the_same_measure_on_another_scale_is_no_closer() -> None:
    human, measures = lopsided()

    report = baseline_report(
        human,
        {"close": measures["close"], "moved": 1e6 * measures["close"] - 3e5},
        n_resamples=60,
        test="meng",
        rng=rng(),
    )

    (pair,) = report.subsets[0].differences
    assert pair.test.reason is not None
    for difference in pair.differences.values():
        assert difference.difference == 0
        assert difference.p_value == 1
        assert (difference.interval.low, difference.interval.high) == (0, 0)


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.just(3), st.integers(2, 12)),
        elements=st.sampled_from([-1.0, 0.1, 0.2, 1 / 3, 7.0, np.nan]),
    ),
    st.integers(0, 99),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_neither_order_nor_scale_matters(data: np.ndarray, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(data.shape[1])
    human, one, other = data

    plain = baseline_report(human, {"a": one, "b": other}, n_resamples=0)
    moved = baseline_report(
        4 * human[order], {"b": other[order] - 2, "a": 8 * one[order]}, n_resamples=0
    )

    of_plain = {row.measure: row for row in plain.subsets[0].rows}
    for row in moved.subsets[0].rows:
        expected = of_plain[row.measure]
        assert (row.n, row.n_missing) == (expected.n, expected.n_missing)
        for coefficient, found in row.correlations.items():
            there = expected.correlations[coefficient]
            assert found.value == pytest.approx(there.value, nan_ok=True, abs=1e-12)
            assert found.reason == there.reason
    (first,), (second,) = plain.subsets[0].differences, moved.subsets[0].differences
    for coefficient in COEFFICIENTS:
        assert second.differences[coefficient].difference == pytest.approx(
            -first.differences[coefficient].difference, nan_ok=True, abs=1e-12
        )


def test_ceilings_of_the_whole_and_of_subsets() -> None:
    human, measures = lopsided()
    whole, part = (
        NoiseCeiling(0.9, 0.81, "icc-1-k"),
        NoiseCeiling(math.nan, math.nan, "icc-1-k", "none"),
    )
    subsets = {"some": np.arange(60) < 20, "all": np.ones(60, dtype=bool)}

    def ceilings(given: Any) -> list[tuple[float | None, str | None]]:
        report = baseline_report(human, measures, subsets=subsets, ceilings=given, n_resamples=0)
        found = [subset["ceiling"] for subset in report.as_dict()["subsets"]]
        return [(one["value"], one["reason"]) for one in found]

    assert ceilings(None) == [(None, "the noise ceiling of these scores is unknown")] * 2
    assert ceilings(whole) == [
        (None, "the noise ceiling of all items does not apply to a subset"),
        (0.9, None),
    ]
    assert ceilings({"some": part, "all": whole}) == [(None, "none"), (0.9, None)]
    assert ceilings({"some": whole}) == [
        (0.9, None),
        (None, "the noise ceiling of this subset was not computed"),
    ]


def test_the_typical_human_stands_beside_the_ceiling() -> None:
    human, measures = lopsided()

    report = baseline_report(
        human, measures, typical_human=TypicalHuman(0.8, 0.1, 0.9, 0.6, 12), n_resamples=0
    ).as_dict()

    assert report["typical_human"] == {
        "mean": 0.8,
        "sd": 0.1,
        "best": 0.9,
        "worst": 0.6,
        "n": 12,
        "reason": None,
    }
    assert "[STSS131]" in report["definitions"]["typical_human"]


def test_measures_are_rounded_before_they_are_correlated() -> None:
    draw = np.random.default_rng(5)
    human = draw.normal(size=30)
    measures = {name: 0.002 * human + 0.001 * draw.normal(size=30) for name in ("a", "b")}

    report = baseline_report(human, measures, decimals=3, n_resamples=0)

    rounded = [np.round(column, 3) for column in measures.values()]
    [subset] = report.subsets
    for row, column in zip(subset.rows, rounded, strict=True):
        expected = np.corrcoef(human, column)[0, 1]
        assert row.correlations["pearson"].value == pytest.approx(expected, abs=1e-12)
    assert subset.differences[0].between == pytest.approx(np.corrcoef(*rounded)[0, 1], abs=1e-12)
    assert report.as_dict()["decimals"] == 3


def test_a_report_says_what_was_computed_once() -> None:
    human, measures = lopsided()

    report = baseline_report(human, measures, n_resamples=20, rng=rng()).as_dict()

    assert report["definitions"]["jackknife"].startswith("t-test of the difference")
    assert report["definitions"]["kendall"].startswith("Kendall's tau-b")
    assert "definition" not in json.dumps(report["subsets"])
    assert (report["n_resamples"], report["level"], report["test"]) == (20, 0.95, "jackknife")


def test_progress_is_told_subset_by_subset() -> None:
    human, measures = lopsided()
    everything = np.ones(60, dtype=bool)
    told: list[float] = []

    baseline_report(
        human,
        measures,
        subsets={"a": everything, "b": everything},
        n_resamples=0,
        progress=told.append,
    )

    assert told == [0.5, 1.0]


@pytest.mark.slow
def test_importing_the_report_loads_nothing_heavier_than_numpy() -> None:
    modules = ("report", "subsets", "expression", "tables", "latex")
    imports = ", ".join(f"scoring.baselines.{module}" for module in modules)
    program = f"import sys, {imports}; print([m for m in ('scipy', 'regex') if m in sys.modules])"

    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"
