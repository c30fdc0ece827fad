"""Ranking measures within pools, against every order written out, and against scipy."""

import math
from itertools import pairwise, permutations
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from scoring.measures.pool_ranking import rank_within_pools

# Few different values, so that there are ties; with some missing.
NUMBERS = st.one_of(st.integers(-2, 3).map(float), st.just(math.nan))
POOLS = st.lists(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=5), min_size=1, max_size=5
)


def _by_orders(pool: list[tuple[float, float]], least: float) -> tuple[float, float] | None:
    """Precision at 1 and NDCG of a pool as means over every order that the measure allows."""
    both = [(score, value) for score, value in pool if not math.isnan(score + value)]
    scores = [score for score, _value in both]
    if len(both) < 2 or len(set(scores)) == 1:
        return None

    def dcg(ordered: list[float]) -> float:
        return sum((s - least) / math.log2(rank + 1) for rank, s in enumerate(ordered, start=1))

    orders = [
        [score for score, _value in order]
        for order in permutations(both)
        if all(a[1] >= b[1] for a, b in pairwise(order))
    ]
    ideal = dcg(sorted(scores, reverse=True))
    return (
        mean(float(order[0] == max(scores)) for order in orders),
        mean(dcg(order) / ideal for order in orders),
    )


@given(POOLS)
def test_it_is_the_mean_over_every_order_that_the_measure_allows(
    pools: list[list[tuple[float, float]]],
) -> None:
    items = [(n, *item) for n, pool in enumerate(pools) for item in pool]
    known = [score for _pool, score, _value in items if not math.isnan(score)]
    assume(known)

    found = rank_within_pools(
        [score for _pool, score, _value in items],
        [value for _pool, _score, value in items],
        [pool for pool, _score, _value in items],
    )

    expected = [_by_orders(pool, min(known)) for pool in pools]
    counting = [one for one in expected if one is not None]
    assert found.n_left_out == len(pools) - len(counting)
    for place, figure in enumerate((found.precision_at_1, found.ndcg)):
        values = [one[place] for one in counting]
        assert figure.n == len(values)
        if values:
            assert figure.value == pytest.approx(mean(values), abs=1e-12)
        if len(values) > 1:
            assert figure.standard_error == pytest.approx(
                stdev(values) / math.sqrt(len(values)), abs=1e-12
            )
    figures = (found.precision_at_1, found.ndcg, found.spearman)
    is_whole = all(math.isfinite(one.value + one.standard_error) for one in figures)
    assert (found.reason is None) is is_whole


@given(POOLS)
def test_spearman_is_scipys_within_each_pool(pools: list[list[tuple[float, float]]]) -> None:
    items = [(n, *item) for n, pool in enumerate(pools) for item in pool]
    columns = [list(column) for column in zip(*items, strict=True)]

    found = rank_within_pools(columns[1], columns[2], columns[0]).spearman

    expected = []
    for pool in pools:
        both = [one for one in pool if not math.isnan(sum(one))]
        x, y = [a for a, _b in both], [b for _a, b in both]
        if len(set(x)) > 1 and len(set(y)) > 1:
            expected.append(stats.spearmanr(x, y).statistic)
    assert found.n == len(expected)
    if expected:
        assert found.value == pytest.approx(mean(expected), abs=1e-12)


@given(POOLS, st.randoms())
def test_the_order_of_the_items_does_not_matter(pools, random) -> None:
    items = [(n, *item) for n, pool in enumerate(pools) for item in pool]
    shuffled = list(items)
    random.shuffle(shuffled)

    one, other = (
        rank_within_pools([i[1] for i in given], [i[2] for i in given], [i[0] for i in given])
        for given in (items, shuffled)
    )

    for name in ("precision_at_1", "ndcg", "spearman"):
        assert getattr(one, name).n == getattr(other, name).n
        assert getattr(one, name).value == pytest.approx(
            getattr(other, name).value, abs=1e-12, nan_ok=True
        )


def test_a_dialogue_by_hand() -> None:
    # Gains 3, 2, 0; the measure puts the second first, then the first, then the third.
    found = rank_within_pools([4.0, 3.0, 1.0], [0.5, 0.9, 0.1], ["d"] * 3)

    ideal = 3 / math.log2(2) + 2 / math.log2(3)
    assert found.ndcg.value == pytest.approx((2 / math.log2(2) + 3 / math.log2(3)) / ideal)
    assert found.precision_at_1.value == 0
    assert found.spearman.value == pytest.approx(0.5)
    assert math.isnan(found.ndcg.standard_error)
    # The gain of the lowest score of a scale from 0 is not 0.
    of_scale = rank_within_pools([4.0, 3.0, 1.0], [0.5, 0.9, 0.1], ["d"] * 3, lowest=0.0)
    assert of_scale.ndcg.value > found.ndcg.value


def test_a_measure_of_one_value_chooses_by_chance() -> None:
    found = rank_within_pools([0.0, 1.0, 0.0, 1.0], [7.0] * 4, [1, 1, 2, 2])

    assert found.precision_at_1.value == 0.5
    assert found.spearman.n == 0
    assert found.as_dict()["spearman"] == {"n": 0, "value": None, "standard_error": None}


@pytest.mark.parametrize(
    ("human", "measure", "pools", "lowest", "said"),
    [
        ([1.0, 2.0], [1.0], ["d", "d"], None, "one of each"),
        ([1.0, 2.0], [1.0, 2.0], ["d"], None, "one of each"),
        ([1.0, math.inf], [1.0, 2.0], ["d", "d"], None, "infinite"),
        ([1.0, 2.0], [1.0, 2.0], ["d", "d"], 1.5, "below the lowest"),
    ],
)
def test_what_does_not_fit_is_refused(human, measure, pools, lowest, said) -> None:
    with pytest.raises(ValueError, match=said):
        rank_within_pools(np.array(human), np.array(measure), pools, lowest=lowest)


def test_without_items_there_is_a_reason() -> None:
    assert rank_within_pools([], [], []).reason
