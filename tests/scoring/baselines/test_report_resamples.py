"""What is drawn for the intervals of a report."""

import csv
import json
import math

import numpy as np
import pytest

from scoring import compare_by_jackknife, correlate
from scoring.baselines import report as reports
from scoring.baselines import resampled, subset_report, tables
from scoring.baselines.report import baseline_report
from tests.scoring.baselines.reported import COEFFICIENTS, bounds_of, lopsided, rng


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
            ours = drawn.bootstraps[0, number, coefficient]
            assert ours.n_undefined == alone.n_undefined
            for method in ("percentile", "bca"):
                one, other = ours.interval(method), alone.intervals[method]
                assert (one.low, one.high) == pytest.approx(
                    (other.low, other.high), abs=1e-10, nan_ok=True
                )
                assert one.reason == other.reason


@pytest.mark.parametrize("has_pools", [False, True])
def test_a_difference_is_that_of_two_measures_alone(*, has_pools: bool) -> None:
    human, measures = lopsided()
    measures["close"][:5] = np.nan
    pools = np.arange(60) // 4 if has_pools else None

    report = baseline_report(human, measures, pools=pools, n_resamples=0)

    for pair in report.subsets[0].differences:
        for coefficient, together in pair.differences.items():
            alone = compare_by_jackknife(
                human,
                measures[pair.first],
                measures[pair.second],
                coefficient=coefficient,
                pools=pools,
            )
            assert together.left_out == alone.left_out == ("pools" if has_pools else "items")
            assert together.interval.low == pytest.approx(alone.interval.low, abs=1e-12)
            assert together.p_value == pytest.approx(alone.p_value, abs=1e-12)


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
    assert all(s.has_errors_over_pools for s in report.subsets)
    for row in report.subsets[0].rows:
        few = subsets["nine pools"]
        ours = row.correlations["pearson"]
        alone = correlate(human[few], measures[row.measure][few], pools=pools[few])
        assert ours.intervals["fisher"].low == alone.intervals["fisher"].low
        assert ours.p_value == alone.p_value
        assert math.isnan(ours.intervals["bca"].low)
        assert ours.intervals["bca"].reason is not None


def test_a_measure_on_items_of_few_pools_has_its_interval_over_pools() -> None:
    human, measures = lopsided()
    pools = np.arange(60) // 4
    some = np.where(np.arange(60) < 36, measures["close"], np.nan)

    def drawn(pools: np.ndarray | None) -> reports.BaselineReport:
        given = {"some": some, **measures}
        return baseline_report(human, given, pools=pools, n_resamples=30, rng=rng())

    of_pools, of_items = drawn(pools), drawn(None)

    subset = of_pools.as_dict()["subsets"][0]
    assert subset["resampled"] == "pools"
    assert [row["resampled"] for row in subset["rows"]] == [None, "pools", "pools", "pools"]
    differences = tables.differences_tsv(of_pools.as_dict()).splitlines()
    assert {row["left_out"] for row in csv.DictReader(differences, delimiter="\t")} == {"pools"}
    ours, theirs = bounds_of(of_pools), bounds_of(of_items)
    key = ("pearson", "percentile")
    assert math.isnan(ours["all", "some", *key])
    assert ours["all", "close", *key] != theirs["all", "close", *key]
    first, *_others = csv.DictReader(
        tables.correlations_tsv(of_pools.as_dict()).splitlines(), delimiter="\t"
    )
    assert first["pearson_percentile_low"] == ""
    assert float(first["pearson_fisher_low"]) < float(first["pearson"])


def test_very_many_items_are_resampled_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    human, measures = lopsided()
    subsets = {"some": np.arange(60) < 20, "all": np.ones(60, dtype=bool)}
    monkeypatch.setattr(reports, "MAX_DRAWN", 1200)
    monkeypatch.setattr(reports, "MIN_RESAMPLES", 30)

    report = baseline_report(human, measures, subsets=subsets, n_resamples=50, rng=rng())

    # 1200 / 20 = 60, more than were asked for; 1200 / 60 = 20, fewer than the fewest
    assert [subset.n_resamples for subset in report.subsets] == [50, 30]
    assert report.n_resamples == 50


def test_kendalls_coefficient_of_very_many_items_has_fishers_interval_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, measures = lopsided()
    monkeypatch.setattr(subset_report, "MAX_ITEMS_OF_KENDALL", 59)

    (subset,) = baseline_report(human, measures, n_resamples=30, rng=rng()).subsets

    found = subset.rows[0].correlations
    assert math.isfinite(found["spearman"].intervals["bca"].low)
    assert math.isfinite(found["kendall"].intervals["fisher"].low)
    difference = subset.differences[0].differences["kendall"]
    for interval in (found["kendall"].intervals["bca"], difference.interval):
        assert math.isnan(interval.low)
        assert interval.reason == subset_report.TOO_SLOW
    assert math.isnan(difference.p_value)
    assert difference.difference > 0


@pytest.mark.slow
def test_leaving_out_groups_gives_almost_the_same_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, measures = lopsided(400)
    one_by_one = baseline_report(human, measures, n_resamples=400, rng=rng())
    monkeypatch.setattr(resampled, "MAX_UNITS_LEFT_OUT", 399)

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
