import csv
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scoring import compare_dependent, correlate, pearson
from scoring.baselines import report as reports
from scoring.baselines import resampled, subset_report, tables
from scoring.baselines.latex import latex_of_subset
from scoring.baselines.report import Reference, baseline_report, largest_disagreements
from scoring.baselines.subsets import by_f1_zero, together
from scoring.noise_ceiling import NoiseCeiling

REPOSITORY = Path(__file__).resolve().parents[3]
COEFFICIENTS = ("pearson", "spearman", "kendall")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def lopsided(n: int = 60, *, seed: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """People's scores, and measures that follow them more and less closely, with ties."""
    draw = np.random.default_rng(seed)
    human = draw.exponential(size=n).round(1)
    return human, {
        "close": human + 0.5 * draw.normal(size=n),
        "far": human + 2 * draw.normal(size=n),
        "tied": (human + draw.normal(size=n)).round(),
    }


@pytest.fixture(scope="module")
def answers(shared_data: Path) -> dict[str, np.ndarray]:
    """The labelled rows of GermanQuAD, duplicates kept."""
    file = shared_data / "answer_similarity" / "germanquad.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["label"]]
    names = [name for name in rows[0] if name not in ("id", "answer1", "answer2", "duplicate")]
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


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
                    assert found["reason"] == "the values of one side are all equal"
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


@pytest.mark.parametrize("has_pools", [False, True])
def test_intervals_are_those_of_the_same_resamples(*, has_pools: bool) -> None:
    human, measures = lopsided()
    # Without its largest values a resample has next to no spread left.
    measures["heavy"] = np.exp(9 * rng(5).normal(size=60))
    # So rare that some resamples have no correlation.
    measures["rare"] = (np.arange(60) > 56).astype(float)
    pools = np.arange(60) // 4 if has_pools else None
    values = np.array(list(measures.values()))
    everything = resampled.Together(np.ones(60, dtype=bool), range(len(values)))

    drawn = resampled.resample(
        human,
        values,
        [everything],
        coefficients=COEFFICIENTS,
        n_resamples=150,
        pools=pools,
        rng=rng(7),
    )

    assert drawn.resampled == ("pools" if has_pools else "items")
    for number, measure in enumerate(values):
        for coefficient in COEFFICIENTS:
            alone = correlate(
                human, measure, coefficient=coefficient, n_resamples=150, pools=pools, rng=rng(7)
            )
            ours = drawn.of[0, number, coefficient]
            assert ours.n_undefined == alone.n_undefined
            for method in ("percentile", "bca"):
                one, other = ours.interval(method), alone.intervals[method]
                assert (one.low, one.high) == pytest.approx(
                    (other.low, other.high), abs=1e-10, nan_ok=True
                )
                assert one.reason == other.reason


def test_a_difference_is_that_of_the_same_resamples() -> None:
    human, measures = lopsided()
    everything = resampled.Together(np.ones(60, dtype=bool), [0, 1, 2])
    drawn = resampled.resample(
        human,
        np.array(list(measures.values())),
        [everything],
        coefficients=["spearman"],
        n_resamples=100,
        pools=None,
        rng=rng(2),
    )

    difference = resampled.difference(drawn.of[0, 0, "spearman"], drawn.of[0, 1, "spearman"])

    # Each copied out
    numbers = rng(2).integers(60, size=(100, 60))
    expected = [
        correlate(human[n], measures["close"][n], coefficient="spearman").value
        - correlate(human[n], measures["far"][n], coefficient="spearman").value
        for n in numbers
    ]
    np.testing.assert_allclose(difference.values, expected, atol=1e-12)


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
        assert difference.intervals["percentile"].low < value - other
        assert difference.intervals["percentile"].high > value - other
        assert difference.p_value < 0.05
    assert [row.n for row in report.subsets[0].rows] == [55, 54, 60]


def test_the_sign_says_who_is_closer() -> None:
    human, measures = lopsided()

    one = baseline_report(human, measures, n_resamples=50, rng=rng()).subsets[0].differences[0]
    turned = {name: measures[name] for name in ("far", "close")}
    other = baseline_report(human, turned, n_resamples=50, rng=rng()).subsets[0].differences[0]

    assert one.test.statistic > 0
    assert one.differences["kendall"].difference > 0
    assert other.test.statistic == pytest.approx(-one.test.statistic)
    for coefficient in COEFFICIENTS:
        mine, theirs = one.differences[coefficient], other.differences[coefficient]
        assert theirs.difference == -mine.difference
        assert theirs.p_value == mine.p_value
        assert theirs.intervals["percentile"].low == pytest.approx(
            -mine.intervals["percentile"].high
        )


def test_the_same_measure_on_another_scale_is_no_closer() -> None:
    human, measures = lopsided()

    report = baseline_report(
        human,
        {"close": measures["close"], "moved": 1e6 * measures["close"] - 3e5},
        n_resamples=60,
        rng=rng(),
    )

    (pair,) = report.subsets[0].differences
    assert pair.test.reason is not None
    for difference in pair.differences.values():
        assert difference.difference == 0
        assert difference.p_value == 1
        assert (difference.intervals["bca"].low, difference.intervals["bca"].high) == (0, 0)


def test_a_perfect_measure_has_the_interval_1() -> None:
    human, measures = lopsided()

    report = baseline_report(human, {"same": 7 * human + 1, **measures}, n_resamples=50, rng=rng())

    for found in report.subsets[0].rows[0].correlations.values():
        assert found.value == 1
        assert (found.intervals["bca"].low, found.intervals["percentile"].high) == (1, 1)


@pytest.mark.parametrize("change", ["measure", "subset", "order"])
def test_nothing_else_in_a_report_changes_what_is_drawn(change: str) -> None:
    human, measures = lopsided()
    subsets = {"some": np.arange(60) % 3 > 0, "all": np.ones(60, dtype=bool)}
    before = baseline_report(human, measures, subsets=subsets, n_resamples=50, rng=rng(4))
    if change == "measure":
        more = np.where(human > 1, np.nan, rng(8).normal(size=60))
        measures = {"more": more, **measures}
    elif change == "subset":
        subsets = {"few": np.arange(60) < 20, **subsets}
    else:
        subsets = dict(reversed(subsets.items()))
        measures = dict(reversed(measures.items()))

    after = baseline_report(human, measures, subsets=subsets, n_resamples=50, rng=rng(4))

    assert bounds_of(before).items() <= bounds_of(after).items()


def bounds_of(report: reports.BaselineReport) -> dict[tuple[str, ...], float]:
    return {
        (subset.name, row.measure, coefficient, method): interval.low
        for subset in report.subsets
        for row in subset.rows
        for coefficient, found in row.correlations.items()
        for method, interval in found.intervals.items()
    }


def test_subsets_do_not_share_their_resamples() -> None:
    human, measures = lopsided()
    everything = np.ones(60, dtype=bool)

    report = baseline_report(
        human, measures, subsets={"a": everything, "b": everything}, n_resamples=30, rng=rng()
    )

    lows = bounds_of(report)
    assert lows["a", "far", "pearson", "bca"] != lows["b", "far", "pearson", "bca"]


def test_a_seed_gives_one_report_and_another_seed_another() -> None:
    human, measures = lopsided()

    texts = [
        json.dumps(baseline_report(human, measures, n_resamples=30, rng=rng(seed)).as_dict())
        for seed in (1, 1, 2)
    ]

    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


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


DEGENERATE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "constant": lambda human: np.full(len(human), 0.1),
    "missing": lambda human: np.full(len(human), np.nan),
    "two": lambda human: np.where(np.arange(len(human)) < 2, human, np.nan),
    "one": lambda human: np.where(np.arange(len(human)) < 1, human, np.nan),
}
FEW = "there are fewer than three pairs of values"
REASONS = {
    "constant": "the values of one side are all equal",
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
            *difference["intervals"].values(),
        ):
            assert (interval["low"] is None) == (interval["reason"] is not None)
    assert pair["test"]["statistic"] is None
    assert pair["test"]["reason"] is not None
    assert json.dumps(report.as_dict(), allow_nan=False)


def test_three_items_are_too_few_for_the_test() -> None:
    human, measures = lopsided(3)

    report = baseline_report(human, measures, n_resamples=0)

    said = "there are only 3 items, and the test takes 4"
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


def test_pools_are_resampled_where_a_subset_has_several() -> None:
    human, measures = lopsided()
    pools = np.array([f"dialogue {i // 4}" for i in range(60)])
    subsets = {
        "nine pools": np.arange(60) < 36,
        "ten pools": np.arange(60) < 40,
        "all": np.ones(60, dtype=bool),
    }

    report = baseline_report(
        human, measures, subsets=subsets, pools=pools, n_resamples=30, rng=rng()
    )

    assert [(s.resampled, s.n_units) for s in report.subsets] == [
        ("items", 36),
        ("pools", 10),
        ("pools", 15),
    ]
    without = baseline_report(human, measures, subsets=subsets, n_resamples=30, rng=rng())
    drawn, of_items = bounds_of(report), bounds_of(without)
    is_equal = {key: np.isclose(drawn[key], of_items[key], rtol=0, atol=0) for key in drawn}
    assert {key[0] for key in drawn if key[3] == "bca" and is_equal[key]} == {"nine pools"}
    assert "of at least 10 pools, otherwise items" in report.as_dict()["definitions"]["resampled"]


def test_a_measure_on_items_of_few_pools_draws_items() -> None:
    human, measures = lopsided()
    pools = np.arange(60) // 4
    some = np.where(np.arange(60) < 36, measures["close"], np.nan)

    def drawn(pools: np.ndarray | None) -> reports.BaselineReport:
        given = {"some": some, **measures}
        return baseline_report(human, given, pools=pools, n_resamples=30, rng=rng())

    of_pools, of_items = drawn(pools), drawn(None)

    subset = of_pools.as_dict()["subsets"][0]
    assert subset["resampled"] == "pools"
    assert [row["resampled"] for row in subset["rows"]] == ["items", "pools", "pools", "pools"]
    assert [pair["resampled"] for pair in subset["differences"]] == ["items"] * 3 + ["pools"] * 3
    ours, theirs = bounds_of(of_pools), bounds_of(of_items)
    key = ("pearson", "percentile")
    assert ours["all", "some", *key] == theirs["all", "some", *key]
    assert ours["all", "close", *key] != theirs["all", "close", *key]
    rows = csv.DictReader(tables.correlations_tsv(of_pools.as_dict()).splitlines(), delimiter="\t")
    assert [row["resampled"] for row in rows] == ["items", "pools", "pools", "pools"]
    latex = latex_of_subset(of_pools.as_dict(), interval="bca")
    assert "(BCa) over items or pools." in latex


@pytest.mark.parametrize("n", [5, 6])
def test_a_measure_of_fewer_than_six_items_has_no_bootstrap(n: int) -> None:
    human, measures = lopsided()
    few = np.where(np.arange(60) < n, measures["close"], np.nan)

    report = baseline_report(
        human, {"few": few, "far": measures["far"]}, n_resamples=100, rng=rng()
    )

    (subset,) = report.subsets
    said = "there are only 5 items, and the bootstrap takes 6" if n == 5 else None
    correlation = subset.rows[0].correlations["pearson"]
    difference = subset.differences[0].differences["pearson"]
    assert math.isfinite(correlation.value)
    assert math.isfinite(correlation.intervals["fisher"].low)
    assert correlation.intervals["percentile"].reason == said
    assert difference.intervals["percentile"].reason == said
    assert difference.p_reason == said
    assert math.isnan(difference.p_value) == (n == 5)
    assert subset.rows[1].correlations["pearson"].intervals["bca"].reason is None
    lines = tables.differences_tsv(report.as_dict()).splitlines()
    row = next(csv.DictReader(lines, delimiter="\t"))
    assert (row["pearson_p"] == "") == (n == 5)
    assert ("pearson, p: there are only 5 items" in row["reason"]) == (n == 5)


def test_a_difference_whose_intervals_are_refused_has_no_p() -> None:
    human, measures = lopsided()
    rare = (np.arange(60) == 59).astype(float)

    report = baseline_report(
        human, {"rare": rare, "close": measures["close"]}, n_resamples=100, rng=rng()
    )

    for difference in report.subsets[0].differences[0].differences.values():
        assert difference.n_undefined > 5
        assert math.isnan(difference.p_value)
        assert difference.p_reason == f"{difference.n_undefined} of 100 resamples have no value"
        assert difference.intervals["bca"].reason == difference.p_reason


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
        assert found.reason == "the values of one side are all equal but for rounding"
    assert largest_disagreements(people, measure, 5) == []
    apart = np.where(rounded > 0.3, 0.3 + 1e-11, 0.3)
    report = baseline_report(human, {"odd": apart}, n_resamples=0)
    assert math.isfinite(report.subsets[0].rows[0].correlations["pearson"].value)


def test_ceilings_of_the_whole_and_of_subsets() -> None:
    human, measures = lopsided()
    whole, part = NoiseCeiling(0.9, 0.81, "icc"), NoiseCeiling(math.nan, math.nan, "icc", "none")
    subsets = {"some": np.arange(60) < 20, "all": np.ones(60, dtype=bool)}

    def ceilings(given: Any) -> list[tuple[float | None, str | None]]:
        report = baseline_report(human, measures, subsets=subsets, ceilings=given, n_resamples=0)
        found = [subset["ceiling"] for subset in report.as_dict()["subsets"]]
        return [(one["value"], one["reason"]) for one in found]

    assert ceilings(None) == [(None, "no noise ceiling is known of these scores")] * 2
    assert ceilings(whole) == [
        (None, "the noise ceiling of all items does not hold for a part of them"),
        (0.9, None),
    ]
    assert ceilings({"some": part, "all": whole}) == [(None, "none"), (0.9, None)]
    assert ceilings({"some": whole}) == [
        (0.9, None),
        (None, "no noise ceiling was computed of this subset"),
    ]


def test_the_typical_human_stands_beside_the_ceiling() -> None:
    human, measures = lopsided()

    report = baseline_report(
        human, measures, reference=Reference("typical human", 0.8), n_resamples=0
    ).as_dict()

    assert report["reference"] == {"name": "typical human", "value": 0.8, "reason": None}


def test_a_report_says_what_was_computed_once() -> None:
    human, measures = lopsided()

    report = baseline_report(human, measures, n_resamples=20, rng=rng()).as_dict()

    assert report["definitions"]["meng"].startswith("Z test of r12 against r13")
    assert report["definitions"]["kendall"].startswith("Kendall's tau-b")
    assert "definition" not in json.dumps(report["subsets"])
    assert (report["n_resamples"], report["level"], report["test"]) == (20, 0.95, "meng")


def test_very_many_items_are_resampled_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    human, measures = lopsided()
    subsets = {"some": np.arange(60) < 20, "all": np.ones(60, dtype=bool)}
    monkeypatch.setattr(reports, "MOST_DRAWN", 1200)
    monkeypatch.setattr(reports, "FEWEST_RESAMPLES", 30)

    report = baseline_report(human, measures, subsets=subsets, n_resamples=50, rng=rng())

    # 1200 / 20 = 60, more than were asked for; 1200 / 60 = 20, fewer than the fewest
    assert [subset.n_resamples for subset in report.subsets] == [50, 30]
    assert report.n_resamples == 50


def test_kendalls_coefficient_of_very_many_items_has_fishers_interval_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, measures = lopsided()
    monkeypatch.setattr(subset_report, "MOST_ITEMS_OF_KENDALL", 59)

    (subset,) = baseline_report(human, measures, n_resamples=30, rng=rng()).subsets

    found = subset.rows[0].correlations
    assert math.isfinite(found["spearman"].intervals["bca"].low)
    assert math.isfinite(found["kendall"].intervals["fisher"].low)
    for figure in (found["kendall"], subset.differences[0].differences["kendall"]):
        assert math.isnan(figure.intervals["bca"].low)
        assert figure.intervals["bca"].reason == (
            "with more than 59 items Kendall's tau-b is not resampled: it would take too long"
        )
    assert math.isnan(subset.differences[0].differences["kendall"].p_value)
    assert subset.differences[0].differences["kendall"].difference > 0


def test_leaving_out_groups_gives_almost_the_same_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, measures = lopsided(400)
    one_by_one = baseline_report(human, measures, n_resamples=400, rng=rng())
    monkeypatch.setattr(resampled, "MOST_LEFT_OUT", 399)

    in_groups = baseline_report(human, measures, n_resamples=400, rng=rng())

    exact, near = bounds_of(one_by_one), bounds_of(in_groups)
    assert {key: near[key] for key in near if key[3] != "bca"} == {
        key: exact[key] for key in exact if key[3] != "bca"
    }
    assert exact != near
    for key, low in exact.items():
        assert near[key] == pytest.approx(low, abs=0.01)


def test_measures_that_miss_different_items_meet_the_same_resamples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, measures = lopsided()
    for number, values in enumerate(measures.values()):
        values[number] = np.nan
    at_once = baseline_report(human, measures, n_resamples=30, rng=rng())
    monkeypatch.setattr(resampled, "CELLS_OF_COLUMNS", 60)

    one_by_one = baseline_report(human, measures, n_resamples=30, rng=rng())

    assert json.dumps(one_by_one.as_dict()) == json.dumps(at_once.as_dict())


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measures": {}}, "there is no measure to report on"),
        ({"measures": {"m": [1.0]}}, r"measure 'm': each item needs one value in each column"),
        ({"measures": {"m": [1, 2, np.inf]}}, r"measure 'm': measure\[2\] is inf"),
        ({"subsets": {"s": [True, False]}}, "subset 's' must say of each item"),
        ({"subsets": {"s": np.array([0, 1, 2])}}, "subset 's' must say of each item"),
        ({"pools": ["a"]}, r"pools has the shape \(1,\), but there are 3 items"),
        ({"ceilings": {"s": NoiseCeiling(1, 1, "icc")}}, "a ceiling of 's', but no such subset"),
        ({"level": 1.5}, "the level must lie between 0 and 1"),
        ({"n_resamples": 9}, "resamples are drawn at random: give a generator as rng"),
        ({"test": "t"}, "test must be one of meng, steiger, dunn-clark, williams, not 't'"),
    ],
)
def test_what_makes_no_report(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"measures": {"m": [1, 2, 3]}, "n_resamples": 0, **change}

    with pytest.raises(ValueError, match=message):
        baseline_report([1, 2, 3], **arguments)


def test_the_largest_disagreements_by_rank() -> None:
    # Ranks of people 0 1 2 3, of the measure 3 0 1 2, divided by 3; one item has no value.
    found = largest_disagreements([1, 2, 3, 4, 9], [50, 2, 3, 4, np.nan], 2)

    assert found == [(0, pytest.approx(-1)), (1, pytest.approx(1 / 3))]
    assert largest_disagreements([1, 2], [3, 3], 5) == []


def test_importing_the_report_loads_nothing_heavier_than_numpy() -> None:
    modules = ("report", "subsets", "expression", "tables", "latex")
    imports = ", ".join(f"scoring.baselines.{module}" for module in modules)
    program = f"import sys, {imports}; print([m for m in ('scipy', 'regex') if m in sys.modules])"

    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"
