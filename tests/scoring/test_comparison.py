import csv
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scoring.arrays import FloatArray, IntArray
from scoring.correlation import pearson
from scoring.measures.comparison import correlate, fisher_interval
from scoring.measures.leaderboard import leaderboard, subsets_by_label
from scoring.measures.spearman_test import BETA_UP_TO
from scoring.measures.weighted_correlation import Coefficient

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}
columns = hnp.arrays(
    np.float64,
    st.tuples(st.just(2), st.integers(0, 10)),
    elements=st.sampled_from([-1.0, 0.1, 0.2, 1 / 3, 7.0, np.nan]),
)


@pytest.fixture(scope="module")
def answers(shared_data: Path) -> dict[str, np.ndarray]:
    """The labelled rows of GermanQuAD, duplicates kept."""
    file = shared_data / "answer_similarity" / "germanquad.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["label"]]
    names = [name for name in rows[0] if name not in ("id", "answer1", "answer2", "duplicate")]
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


@pytest.fixture(scope="module")
def table_3(shared_data: Path) -> dict[str, Any]:
    file = shared_data / "answer_similarity" / "germanquad_expected.json"
    return json.loads(file.read_text())["correlations_with_label"]


def test_table_3_of_the_answer_similarity_study(
    answers: dict[str, np.ndarray], table_3: dict[str, Any]
) -> None:
    measures = {name: values for name, values in answers.items() if name != "label"}
    labels = np.where(answers["f1"] == 0, "f1_eq_0", "f1_ne_0")

    rows = leaderboard(answers["label"], measures, subsets=subsets_by_label(labels))

    assert [row.subset for row in rows] == [s for s in table_3 for _ in measures]
    for row in rows:
        printed = table_3[row.subset]
        assert (row.n, row.n_missing) == (printed["n"], 0)
        for coefficient, result in row.correlations.items():
            expected = printed[row.measure][coefficient]
            if expected is None:
                # The paper prints 0 here.
                assert math.isnan(result.value)
                assert result.reason == "all values of one of the two variables are equal"
                assert result.as_dict()["value"] is None
            else:
                assert round(result.value, 3) == expected


def test_the_example_with_ties(shared_data: Path) -> None:
    example = json.loads((shared_data / "statistics_examples.json").read_text())[
        "correlations_with_ties"
    ]

    results = {c: correlate(example["x"], example["y"], coefficient=c) for c in COEFFICIENTS}

    figures = {
        "pearson": results["pearson"].value,
        "pearson_p": results["pearson"].p_value,
        "spearman": results["spearman"].value,
        "kendall_tau_b": results["kendall"].value,
        "kendall_tau_b_p_auto": results["kendall"].p_value,
    }
    assert figures == pytest.approx({name: example[name] for name in figures}, rel=1e-12)
    # Of so few items Student's t is too low.
    assert 0 < results["spearman"].p_value - example["spearman_p_t"] < 0.01


def test_the_sentence_pairs_of_stss131(shared_data: Path) -> None:
    with (shared_data / "stss131.tsv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    mean = np.array([float(row["mean"]) for row in rows])
    lengths = np.array([abs(len(row["sentence1"]) - len(row["sentence2"])) for row in rows])
    is_main = np.array([row["calibration"] == "0" for row in rows])

    row = leaderboard(mean, {"length": lengths}, subsets={"main": is_main})[0]

    assert row.n == 64
    assert mean[is_main].mean() == pytest.approx(2.023125, abs=1e-12)
    theirs = scipy.stats.pearsonr(mean[is_main], lengths[is_main])
    assert row.correlations["pearson"].value == pytest.approx(theirs.statistic)
    assert row.correlations["pearson"].p_value == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@given(columns)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_values_and_p_are_scipys(coefficient: Coefficient, data: np.ndarray) -> None:
    x, y = data
    both = ~np.isnan(x + y)

    ours = correlate(x, y, coefficient=coefficient)

    assert (ours.n, ours.n_missing) == (both.sum(), (~both).sum())
    if len(set(x[both])) < 2 or len(set(y[both])) < 2:
        assert math.isnan(ours.value)
        assert ours.reason is not None
        return
    theirs = SCIPY[coefficient](x[both], y[both])
    assert ours.value == pytest.approx(theirs.statistic, abs=1e-12)
    if ours.n == 2:
        assert math.isnan(ours.p_value)
    elif coefficient != "spearman" or ours.n > BETA_UP_TO:
        # p of a perfect correlation: 0 here, a rounding error above it there
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@given(columns, st.integers(0, 99))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_neither_order_nor_scale_matters(
    coefficient: Coefficient, data: np.ndarray, seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(data.shape[1])

    plain = correlate(*data, coefficient=coefficient)
    moved = correlate(3 * data[0, order] - 5, data[1, order], coefficient=coefficient)
    swapped = correlate(data[1], data[0], coefficient=coefficient)
    turned = correlate(-data[0], data[1], coefficient=coefficient)

    assert moved.value == pytest.approx(plain.value, nan_ok=True, abs=1e-12)
    assert swapped.value == pytest.approx(plain.value, nan_ok=True, abs=1e-12)
    assert turned.value == pytest.approx(-plain.value, nan_ok=True, abs=1e-12)


def test_fishers_interval_of_pearson_is_scipys() -> None:
    rng = np.random.default_rng(1)
    x = rng.exponential(size=30)
    y = x + rng.normal(size=30)
    theirs = scipy.stats.pearsonr(x, y).confidence_interval(0.9)

    ours = correlate(x, y, level=0.9).intervals["fisher"]

    assert (ours.low, ours.high, ours.method) == (
        pytest.approx(theirs.low),
        pytest.approx(theirs.high),
        "fisher",
    )


def test_fishers_interval_by_hand() -> None:
    # artanh .5 = ln 3 / 2; 1.959964 / sqrt(25), and for rho 1.125 / 25, for tau .437 / 24
    z = math.log(3) / 2
    for coefficient, variance in (
        ("pearson", 1 / 25),
        ("spearman", 1.125 / 25),
        ("kendall", 0.437 / 24),
    ):
        interval = fisher_interval(0.5, 28, coefficient=coefficient)  # type: ignore[arg-type]
        reach = 1.959963984540054 * math.sqrt(variance)
        assert (interval.low, interval.high) == pytest.approx(
            (math.tanh(z - reach), math.tanh(z + reach))
        )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_fishers_interval_covers_about_as_often_as_it_says(coefficient: Coefficient) -> None:
    rng = np.random.default_rng(4)
    truth = {
        "pearson": 0.6,
        "spearman": 6 / math.pi * math.asin(0.3),
        "kendall": 2 / math.pi * math.asin(0.6),
    }[coefficient]
    covered = 0
    for _ in range(600):
        x, noise = rng.normal(size=(2, 40))
        interval = correlate(x, 0.6 * x + 0.8 * noise, coefficient=coefficient).intervals["fisher"]
        covered += interval.low < truth < interval.high

    # four standard errors of a share of .95 over 600 are .036
    assert 0.914 < covered / 600 < 0.986


@pytest.mark.parametrize(("r", "n", "coefficient"), [(0.5, 3, "pearson"), (0.5, 4, "kendall")])
def test_too_few_items_for_fishers_interval(r: float, n: int, coefficient: Coefficient) -> None:
    interval = fisher_interval(r, n, coefficient=coefficient)

    assert math.isnan(interval.low)
    assert interval.reason is not None
    assert interval.reason.startswith(f"there are only {n} items")


def test_a_perfect_correlation_has_no_fisher_interval_but_a_reason() -> None:
    result = correlate([1, 2, 3, 4, 9], [2, 4, 6, 8, 18])

    assert (result.value, result.p_value) == (1, 0)
    for interval in (result.intervals["fisher"], fisher_interval(-1.0, 50)):
        assert math.isnan(interval.high)
        assert interval.reason == "Fisher's z of a correlation of 1 or -1 is infinite"


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_the_interval_of_a_perfect_correlation_holds_it(coefficient: Coefficient) -> None:
    x = np.arange(1.0, 9.0)

    rng = np.random.default_rng(1)
    result = correlate(x, x + 0.1, coefficient=coefficient, n_resamples=200, rng=rng)

    for method in ("percentile", "bca"):
        assert (result.intervals[method].low, result.intervals[method].high) == (1, 1)


def test_a_measure_of_likelihoods_has_a_correlation_and_intervals() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=40)
    y = np.exp(x + rng.normal(size=40))

    tiny, usual = (
        correlate(x, y * unit, n_resamples=200, rng=np.random.default_rng(1))
        for unit in (1e-200, 1.0)
    )

    assert tiny.value == pytest.approx(usual.value, abs=1e-12)
    for method, interval in tiny.intervals.items():
        assert interval.low == pytest.approx(usual.intervals[method].low, abs=1e-12)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_bootstrap_intervals_say_what_was_resampled(coefficient: Coefficient) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    pools = [f"dialogue {i // 5}" for i in range(60)]

    of_items = correlate(x, y, coefficient=coefficient, n_resamples=300, rng=rng)
    of_pools = correlate(x, y, coefficient=coefficient, n_resamples=300, pools=pools, rng=rng)

    assert (of_items.resampled, of_pools.resampled) == ("items", "pools")
    assert list(of_pools.intervals) == ["fisher", "percentile", "bca"]
    for result in (of_items, of_pools):
        for interval in result.intervals.values():
            assert interval.reason is None
            assert -1 <= interval.low < result.value < interval.high <= 1
        figures = result.as_dict()
        assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_pools_shared_by_items_make_the_interval_wider() -> None:
    rng = np.random.default_rng(9)
    x, y = np.repeat(rng.normal(size=(2, 20)), 8, axis=1) + 0.1 * rng.normal(size=(2, 160))
    pools = np.arange(160) // 8

    def width(labels: np.ndarray | None) -> float:
        interval = correlate(
            x, y, n_resamples=500, pools=labels, rng=np.random.default_rng(1)
        ).intervals["percentile"]
        return interval.high - interval.low

    assert width(pools) > 1.8 * width(None)


def test_items_without_a_value_take_their_pool_label_with_them() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 24))
    with_gaps = np.insert(x, [0, 7], np.nan), np.insert(y, [0, 7], 0.0)
    pools = np.arange(24) // 4

    plain = correlate(x, y, n_resamples=100, pools=pools, rng=np.random.default_rng(5))
    gaps = correlate(
        *with_gaps,
        n_resamples=100,
        pools=np.insert(pools, [0, 7], 99),
        rng=np.random.default_rng(5),
    )

    assert gaps.n_missing == 2
    assert -1 < plain.intervals["bca"].low < 1
    assert gaps.intervals["bca"].low == plain.intervals["bca"].low


def test_a_rare_value_leaves_too_many_resamples_without_a_correlation() -> None:
    result = correlate(
        [0.0] * 11 + [1.0], np.arange(12.0), n_resamples=200, rng=np.random.default_rng(1)
    )

    assert result.value > 0
    # (11/12)^12 of the resamples, about a third, miss the only 1.
    assert 40 < result.n_undefined < 100
    assert result.intervals["bca"].reason == (
        f"{result.n_undefined} of 200 resamples have no value"
    )


@pytest.mark.parametrize(
    ("human", "measure", "reason"),
    [
        ([], [], "there are fewer than two pairs of values"),
        ([1], [2], "there are fewer than two pairs of values"),
        ([1, math.nan], [2, 3], "there are fewer than two pairs of values"),
        ([1, 2, 3], [0.1, 0.1, 0.1], "all values of one of the two variables are equal"),
    ],
)
def test_what_has_no_correlation_says_why(
    human: list[float], measure: list[float], reason: str
) -> None:
    result = correlate(human, measure, n_resamples=10, rng=np.random.default_rng(1))

    assert math.isnan(result.value)
    assert math.isnan(result.p_value)
    assert result.reason == reason
    assert {i.reason for i in result.intervals.values()} == {reason}
    assert list(result.intervals) == ["fisher", "percentile", "bca"]


@pytest.mark.parametrize(
    ("human", "options", "message"),
    [
        ([1, 2], {}, r"the shapes are human \(2,\), measure \(3,\)"),
        ([1, math.inf, 2], {}, r"human\[1\] is inf; a missing value is nan"),
        ([1, 2, 3], {"coefficient": "tau"}, "one of pearson, spearman, kendall, not 'tau'"),
        ([1, 2, 3], {"level": 95}, "the level must lie between 0 and 1"),
        ([1, 2, 3], {"n_resamples": -1}, "n_resamples must not be negative, but is -1"),
        ([1, 2, 3], {"n_resamples": 9}, "resamples are drawn at random: give a generator as rng"),
        (
            [1, 2, 3],
            {"n_resamples": 9, "pools": [1], "rng": np.random.default_rng(1)},
            r"pools has the shape \(1,\), but there are 3 items",
        ),
    ],
)
def test_bad_requests_are_refused(
    human: list[float], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        correlate(human, [3, 1, 2], **options)


def test_a_leaderboard_goes_subset_by_subset() -> None:
    rng = np.random.default_rng(1)
    human, one, two = rng.normal(size=(3, 12))
    one[2] = np.nan
    subsets = subsets_by_label(["b", "a"] * 6)

    rows = leaderboard(human, {"one": one, "two": two}, subsets=subsets, coefficients=["kendall"])

    assert [(row.subset, row.measure, row.n, row.n_missing) for row in rows] == [
        ("a", "one", 6, 0),
        ("a", "two", 6, 0),
        ("b", "one", 5, 1),
        ("b", "two", 6, 0),
        ("all", "one", 11, 1),
        ("all", "two", 12, 0),
    ]
    expected = correlate(human[1::2], two[1::2], coefficient="kendall")
    assert rows[1].correlations["kendall"].value == expected.value
    assert list(rows[1].correlations) == ["kendall"]
    figures = rows[1].as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_an_empty_subset_has_rows_with_reasons() -> None:
    (row,) = leaderboard([1, 2, 3], {"m": [1, 2, 4]}, subsets={"none": np.zeros(3, dtype=bool)})

    assert row.n == 0
    assert row.correlations["pearson"].reason == "there are fewer than two pairs of values"


def test_a_leaderboard_names_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"m has the shape \(2,\), but people's scores \(3,\)"):
        leaderboard([1, 2, 3], {"m": [1, 2]})
    with pytest.raises(ValueError, match="subset 's' must say of each item whether it belongs"):
        leaderboard([1, 2, 3], {"m": [1, 2, 3]}, subsets={"s": np.array([0, 1])})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match=r"measure 'm', subset 'all': measure\[2\] is inf"):
        leaderboard([1, 2, 3], {"m": [1, 2, math.inf]})
    with pytest.raises(ValueError, match="'all' names all items together"):
        subsets_by_label(["a", "all"])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", [3, 5, pytest.param(7, marks=pytest.mark.slow)])
def test_spearmans_p_of_few_items_is_the_share_of_all_orders(n: int, ties: bool) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.permutation(n).astype(float), rng.permutation(n).astype(float)
    if ties:
        x[0] = x[1]

    result = correlate(x, y, coefficient="spearman")

    of_scipy = scipy.stats.permutation_test(
        (y,),
        lambda other: scipy.stats.spearmanr(x, other).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert result.p_value == pytest.approx(of_scipy.pvalue, abs=1e-12)


def test_three_items_in_the_same_order_are_no_proof() -> None:
    result = correlate([1, 2, 3], [4, 5, 9], coefficient="spearman")

    # Two of the six orders correlate by 1 or -1.
    assert (result.value, result.p_value) == (1.0, pytest.approx(1 / 3))


def test_pools_of_one_item_each_are_no_pools() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 40))

    each_its_own = correlate(x, y, pools=np.arange(40))

    assert each_its_own.intervals["fisher"].low == correlate(x, y).intervals["fisher"].low
    assert each_its_own.p_value == correlate(x, y).p_value


# -- pools --------------------------------------------------------------------------------------


def in_pools(n_pools: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, IntArray]:
    """Scores whose pools have levels, and a measure that differs between pools alone."""
    pools = np.arange(n_pools).repeat(5)
    human = rng.normal(size=n_pools)[pools] + rng.normal(size=len(pools))
    return human, rng.normal(size=n_pools)[pools], pools


@pytest.mark.parametrize("n_pools", [6, 12, 60])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_p_over_pools_rejects_as_often_as_it_says(n_pools: int, coefficient: Coefficient) -> None:
    rng = np.random.default_rng(n_pools)
    p = [
        correlate(x, y, pools=pools, coefficient=coefficient).p_value
        for x, y, pools in (in_pools(n_pools, rng) for _study in range(300))
    ]

    assert 0.01 < np.mean(np.array(p) < 0.05) < 0.09


def test_p_and_fishers_interval_leave_out_each_pool() -> None:
    human, measure, pools = in_pools(7, np.random.default_rng(2))
    measure = measure + human / 2
    r = float(pearson(human, measure))
    z = np.arctanh([pearson(human[pools != n], measure[pools != n]) for n in range(7)])
    error = math.sqrt(6 / 7 * ((z - z.mean()) ** 2).sum())
    t = math.atanh(r) / error

    result = correlate(human, measure, pools=pools)

    reach = scipy.stats.t.ppf(0.975, 6) * error
    interval = result.intervals["fisher"]
    assert result.p_value == pytest.approx(2 * scipy.stats.t.sf(abs(t), 6))
    assert (interval.low, interval.high) == pytest.approx(
        (math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))
    )


def test_of_three_pools_there_is_no_p() -> None:
    human, measure, pools = in_pools(3, np.random.default_rng(2))

    result = correlate(human, measure, pools=pools)

    assert math.isnan(result.p_value)
    assert result.p_reason is not None
    assert result.intervals["fisher"].reason == result.p_reason
    assert result.as_dict()["p_value"] is None


# -- few items ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [9, 12, 18])
@pytest.mark.parametrize("decimals", [6, 0])
def test_spearmans_p_of_few_items_is_near_that_of_all_orders(n: int, decimals: int) -> None:
    """In 200,000 random orders; Student's t is off by .01 at nine items."""
    rng = np.random.default_rng(n)
    x = np.arange(n, dtype=np.float64)
    y = np.round(rng.normal(size=n) + x / 4, decimals)
    ranks = scipy.stats.rankdata(y) - (n + 1) / 2
    orders = rng.permuted(np.tile(x - x.mean(), (200_000, 1)), axis=1)
    share = (np.abs(orders @ ranks) >= abs((x - x.mean()) @ ranks) - 1e-9).mean()

    assert correlate(x, y, coefficient="spearman").p_value == pytest.approx(share, abs=0.006)


@pytest.mark.parametrize("n_ones", [1, 2, 4, 6])
def test_p_of_spearman_with_ties_is_the_share_of_all_orders(n_ones: int) -> None:
    rng = np.random.default_rng(n_ones)
    x = rng.normal(size=12)
    y = np.zeros(12)
    y[:n_ones] = 1

    ours = correlate(x, y, coefficient="spearman")

    sums = [sum(scipy.stats.rankdata(x)[list(ones)]) for ones in combinations(range(12), n_ones)]
    middle = n_ones * 6.5
    reached = abs(sum(scipy.stats.rankdata(x)[:n_ones]) - middle)
    expected = np.mean([abs(one - middle) >= reached for one in sums])
    assert ours.p_value == pytest.approx(expected, abs=1e-12)


def test_p_is_1_where_ties_leave_every_order_as_strong() -> None:
    for n_ones, n in ((6, 12), (9, 18), (15, 30)):
        x = np.r_[np.ones(n_ones), np.zeros(n - n_ones)]
        y = np.r_[np.zeros(n - 1), 1]

        assert correlate(x, y, coefficient="spearman").p_value == 1.0


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_pools_that_are_all_alike_say_nothing_of_other_pools(coefficient: Coefficient) -> None:
    x, y = np.tile([0.1, 0.3, 0.7, 0.2], 6), np.tile([1, 2.3, 1.7, 4.1], 6)

    ours = correlate(x, y, coefficient=coefficient, pools=np.repeat(np.arange(6), 4))

    assert math.isnan(ours.p_value)
    assert ours.p_reason is not None
    assert math.isnan(ours.intervals["fisher"].low)
