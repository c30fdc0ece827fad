"""The two-way jackknife: its variances, its degrees of freedom, and what it says of itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.jackknife import (
    MIN_ITEMS,
    MIN_PEOPLE,
    MIN_POOLS,
    Sampled,
    Variance,
    block_variance,
    numbered,
    one_way_variance,
    sampled,
    two_way_variance,
)


def means_without(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of a table (people x units) without each unit, each person, each cell."""
    total, size = table.sum(), table.size
    return (
        (total - table.sum(axis=0)) / (size - len(table)),
        (total - table.sum(axis=1)) / (size - table.shape[1]),
        (total - table) / (size - 1),
    )


def test_one_way_is_the_textbooks_error_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(size=9)
    without = (values.sum() - values) / 8

    variance = one_way_variance(without)

    assert variance.value == pytest.approx(values.var(ddof=1) / 9)


def test_degrees_of_freedom_tell_how_certain_the_variance_is() -> None:
    rng = np.random.default_rng(4)
    # A kurtosis of 6: the variance of 200 such values is as uncertain as that of 80 normal ones.
    variances = [one_way_variance(values) for values in rng.laplace(size=(2_000, 200))]

    values = np.array([variance.value for variance in variances])
    assert np.mean([v.df for v in variances]) == pytest.approx(
        2 * values.mean() ** 2 / values.var(), rel=0.15
    )


def test_one_who_moves_the_statistic_alone_leaves_few_degrees_of_freedom() -> None:
    assert one_way_variance(np.array([1.0] + [0.0] * 59)).df == pytest.approx(2, abs=0.2)
    assert one_way_variance(np.array([0.0, 1.0])).df == 1
    assert one_way_variance(np.arange(9.0)).df == one_way_variance(np.zeros(9)).df == 8


def test_the_variance_of_a_mean_over_people_and_units_is_unbiased() -> None:
    rng = np.random.default_rng(2)
    p, g = 12, 9
    totals = []
    for _study in range(400):
        table = rng.normal(size=(p, 1)) + 0.7 * rng.normal(size=(1, g)) + rng.normal(size=(p, g))
        units, people, cells = means_without(table)
        of_units, of_people = one_way_variance(units), one_way_variance(people)
        totals.append(of_units.value + of_people.value - block_variance(cells).value)

    assert np.mean(totals) == pytest.approx(1 / p + 0.49 / g + 1 / (p * g), rel=0.05)


def test_what_single_answers_contribute_is_that_of_a_two_way_table() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(8, 1)) + rng.normal(size=(1, 6)) + rng.normal(size=(8, 6))
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    variance = block_variance(means_without(table)[2])

    # A cell is left out of 48, which makes its contribution 48/47 of what it is.
    expected = (rest**2).sum() / (7 * 5) / 48 * (48 / 47) ** 2
    assert variance.value == pytest.approx(expected)
    assert variance.df == 35


@given(st.floats(0.01, 9), st.floats(0.01, 9), st.floats(0, 9))
def test_neither_variance_is_undercut_and_df_lie_between_the_least_and_all(
    units: float, people: float, both: float
) -> None:
    total = two_way_variance(Variance(units, 5), Variance(people, 29), Variance(both, 45))

    assert max(units, people) <= total.value <= units + people
    assert 5 * (1 - 1e-9) <= total.df <= 5 + 29 + 45


def test_what_both_contain_is_taken_off_once() -> None:
    total = two_way_variance(Variance(4.0, 5), Variance(5.0, 29), Variance(3.0, 81))

    assert total.value == 6
    # Of the whole only units explain 1, only people 2, and both 3.
    assert total.df == pytest.approx(36 / (1 / 5 + 4 / 29 + 9 / 81))


def test_of_units_alone_the_variance_and_df_are_theirs() -> None:
    total = two_way_variance(Variance(4.0, 7), Variance(1e-12, 30), Variance(0.0, 9))

    assert (total.value, total.df) == pytest.approx((4, 7))


def test_what_is_left_out_depends_on_how_much_there_is() -> None:
    people = np.arange(MIN_PEOPLE)

    def of(n_items: int, n_pools: int, annotator: np.ndarray | None) -> Sampled:
        return sampled(
            unit="items", n_units=n_items, n_items=n_items, n_pools=n_pools, annotator=annotator
        )

    pools = of(9, MIN_POOLS, people)
    items = of(MIN_ITEMS, MIN_POOLS - 1, people[1:])
    neither = of(MIN_ITEMS - 1, MIN_POOLS - 1, None)

    assert (pools.left_out, pools.n_units, pools.is_over_people) == ("pools", MIN_POOLS, True)
    assert (items.left_out, items.n_units, items.is_over_people) == ("items", MIN_ITEMS, False)
    assert items.reason is None
    assert neither.reason == ("it needs at least 6 pools or 20 items (here: 5 and 19)")
    assert neither.n_people is None


def test_people_who_gave_few_answers_count_for_less() -> None:
    answers = [40, *[4] * 30]
    person = np.repeat(np.arange(31), answers)

    sample = sampled(unit="items", n_units=40, n_items=40, n_pools=9, annotator=person)
    nobody = sampled(unit="items", n_units=40, n_items=40, n_pools=9, annotator=person[:0])

    assert sample.n_people == 31
    assert sample.n_effective == pytest.approx(160**2 / (40**2 + 30 * 4**2))
    assert not sample.is_over_people
    assert (nobody.n_people, nobody.n_effective) == (0, 0.0)


def test_the_interval_says_what_it_is_over() -> None:
    over_people = Sampled("pools", 12, 30, 28.0).interval(
        0.5, Variance(0.01, 11), Variance(0.02, 29), Variance(0.001, 81)
    )
    of_few = Sampled("items", 40, 8, 8.0).interval(0.5, Variance(0.01, 39))
    of_busy = Sampled("items", 40, 50, 6.5).interval(0.5, Variance(0.01, 39))
    of_nobody = Sampled("tuples", 40, None).interval(0.5, Variance(0.01, 39))

    assert (over_people.over, over_people.note) == ("people and pools", None)
    assert (of_few.over, of_nobody.over) == ("items", "tuples")
    assert "because the answers used come from 8 people, fewer than 30" in (of_few.note or "")
    assert "only worth those of 6.5 people" in (of_busy.note or "")
    assert "not recorded who gave the answers" in (of_nobody.note or "")
    assert over_people.as_dict()["is_over_people"] is True
    assert over_people.high - over_people.low > of_few.high - of_few.low


def test_it_is_that_of_student_on_the_scale_of_the_logarithm() -> None:
    interval = Sampled("pools", 11, None).interval(0.75, Variance(0.0001, 10))

    # Student's quantile of 10 degrees of freedom: 2.228.
    assert np.log(1 - np.array([interval.high, interval.low])) == pytest.approx(
        np.log(0.25) + np.array([-1, 1]) * 2.22813885 * 0.01 / 0.25
    )


@given(st.floats(-1, 0.999999), st.floats(1e-6, 1))
def test_it_lies_around_the_value_and_never_above_1(value: float, variance: float) -> None:
    interval = Sampled("pools", 11, None).interval(value, Variance(variance, 10), lowest=-1.0)

    assert -1 <= interval.low <= value <= interval.high <= 1


def test_nothing_that_varies_and_nothing_defined_have_reasons() -> None:
    sample = Sampled("pools", 12, 30, 30.0)

    # What differs is the rounding of sums.
    same = sample.interval(0.5, Variance(1e-31, 11))
    perfect = sample.interval(1.0, Variance(0.01, 11))
    undefined = sample.interval(0.5, Variance(np.nan, 11))

    assert same.reason == "the value is the same, whichever people and pools are left out"
    assert perfect.reason == "the value is 1, the highest possible"
    assert undefined.reason == "without some of the people and pools the value is undefined"
    assert np.isnan([same.low, perfect.high, undefined.low]).all()
    assert same.as_dict()["low"] is None


def test_labels_are_numbered_and_many_share_numbers_evenly() -> None:
    labels = np.array([30, 10, 30, 20])

    assert numbered(labels).tolist() == [2, 0, 2, 1]
    grouped = numbered(np.arange(250), max_groups=100)
    assert sorted(set(np.bincount(grouped))) == [2, 3]
    assert (grouped == numbered(np.arange(250), max_groups=100)).all()
