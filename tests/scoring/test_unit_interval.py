"""Intervals of alpha of ratings and labels, and of ICC: what is left out, and what they hold."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

from benchmarks.coverage.engine import Cell, coverage
from benchmarks.coverage.ratings import MODELS, STATISTICS
from scoring import (
    JackknifeInterval,
    Labels,
    Ratings,
    icc_interval,
    intraclass_correlation,
    label_alpha,
    rating_alpha,
)
from scoring.disagreement import Level
from scoring.jackknife import (
    MAX_BLOCK_GROUPS,
    MIN_PEOPLE,
    Sampled,
    block_variance,
    numbered,
    one_way_variance,
)
from scoring.labels.agreement import Distance

N_PEOPLE, N_UNITS = 36, 24


def ratings(*, n_people: int = N_PEOPLE, n_units: int = N_UNITS, seed: int = 1) -> Ratings:
    """Stacks of one to six ratings of 1 to 7, by people whose levels differ."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, size=n_units)
    unit = np.repeat(np.arange(n_units), sizes)
    person = np.concatenate([rng.choice(n_people, size, replace=False) for size in sizes])
    seen = rng.uniform(1, 7, n_units)[unit] + rng.normal(size=n_people)[person]
    value = np.clip(np.round(seen + 0.5 * rng.normal(size=len(unit))), 1, 7)
    return Ratings(person, unit, value, n_people, n_units)


def test_simulated_studies_have_as_many_ratings_as_they_are_asked_for() -> None:
    rng, model, cell = np.random.default_rng(1), MODELS["people alike"], Cell(6, 8)
    many = model.people(Cell(6, 50), rng)

    study = model.study(model.true_values(cell, rng), many, cell, rng, n_ratings=40)

    assert (study.ratings.answers_per_unit() == 40).all()
    assert study.ratings.n_annotators == 50


def labels(*, n_people: int = N_PEOPLE) -> Labels:
    """The same answers as sets of categories."""
    batch = ratings(n_people=n_people)
    chosen = np.stack([batch.value <= 3, batch.value >= 3, batch.value % 2 == 0], axis=1)
    people, units = batch.n_annotators, batch.n_units
    return Labels(batch.annotator, batch.unit, chosen, people, units, is_several=True)


def in_plain_loops(
    batch: Ratings | Labels, statistic: Callable[[np.ndarray], float], group: np.ndarray
) -> JackknifeInterval:
    """The interval from the statistic of the rows that are left, each time computed anew.

    `group`: what is left out together, for each row; -1: rows of units with one answer.
    """
    row = numbered(batch.annotator, max_groups=MAX_BLOCK_GROUPS)
    is_paired = group >= 0
    column = np.where(is_paired, numbered(group, max_groups=None), -1)
    labels_of = np.unique(group[is_paired], return_inverse=True)[1]
    column[is_paired] = numbered(labels_of, max_groups=MAX_BLOCK_GROUPS)
    people = np.unique(batch.annotator[is_paired])
    row[is_paired] = numbered(batch.annotator[is_paired], max_groups=MAX_BLOCK_GROUPS)
    without_unit = [statistic(is_paired & (group != g)) for g in np.unique(group[is_paired])]
    without_person = [statistic(is_paired & (batch.annotator != p)) for p in people]
    without_block = [
        [
            statistic(is_paired & ~((row == a) & (column == b)))
            for b in range(int(column.max()) + 1)
        ]
        for a in range(int(row[is_paired].max()) + 1)
    ]
    sample = Sampled("items", len(np.unique(group[is_paired])), len(people), float(len(people)))
    return sample.interval(
        statistic(is_paired),
        one_way_variance(np.array(without_unit)),
        one_way_variance(np.array(without_person)),
        block_variance(np.array(without_block)),
    )


def paired_units(batch: Ratings | Labels) -> np.ndarray:
    per_unit = np.bincount(batch.unit, minlength=batch.n_units)
    return np.where(per_unit[batch.unit] >= 2, batch.unit, -1)


def assert_alike(found: JackknifeInterval | None, expected: JackknifeInterval) -> None:
    assert found is not None
    assert found.over == "people and items"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert (found.standard_error, found.df) == pytest.approx(
        (expected.standard_error, expected.df)
    )


@pytest.mark.parametrize("level", get_args(Level))
def test_alpha_of_ratings_is_computed_anew_of_what_is_left(level: Level) -> None:
    batch = ratings()

    found = rating_alpha(batch, level=level, with_interval=True)

    expected = in_plain_loops(
        batch,
        lambda is_left: rating_alpha(batch.of_rows(is_left), level=level).value,
        paired_units(batch),
    )
    assert_alike(found.interval, expected)


@pytest.mark.parametrize("distance", get_args(Distance))
def test_alpha_of_labels_is_computed_anew_of_what_is_left(distance: Distance) -> None:
    batch = labels()

    found = label_alpha(batch, distance=distance, with_interval=True)

    def statistic(is_left: np.ndarray) -> float:
        return label_alpha(batch.of_rows(is_left), distance=distance).value

    assert_alike(found.interval, in_plain_loops(batch, statistic, paired_units(batch)))


@pytest.mark.parametrize("kind", ["1,1", "1,k"])
def test_icc_is_computed_anew_of_what_is_left(kind) -> None:
    batch = ratings()

    found = icc_interval(batch, intraclass_correlation(batch, kind=kind))

    def statistic(is_left: np.ndarray) -> float:
        return intraclass_correlation(batch.of_rows(is_left), kind=kind).value

    assert_alike(found, in_plain_loops(batch, statistic, paired_units(batch)))


def test_pools_are_left_out_whole_and_few_people_are_kept() -> None:
    batch = ratings(n_people=8, n_units=40)
    pool = np.arange(40) % 8

    found = rating_alpha(batch, level="ordinal", with_interval=True, pool=pool).interval
    by_unit = rating_alpha(batch, level="ordinal", with_interval=True, pool=pool % 5).interval

    assert found is not None
    assert by_unit is not None
    assert (found.over, found.n_units, found.n_people) == ("pools", 8, 8)
    assert "come from 8 people, fewer than 30" in str(found.note)
    group = np.where(paired_units(batch) >= 0, pool[batch.unit], -1)
    without = [
        rating_alpha(batch.of_rows((group >= 0) & (group != g)), level="ordinal").value
        for g in range(8)
    ]
    assert found.standard_error == pytest.approx(
        np.sqrt(one_way_variance(np.array(without)).value)
    )
    assert by_unit.over == "items"


def test_too_little_has_a_reason() -> None:
    few = rating_alpha(ratings(n_units=9), level="nominal", with_interval=True)
    equal = rating_alpha(
        Ratings(np.tile([0, 1], 30), np.arange(60) // 2, np.ones(60), 2, 30),
        level="nominal",
        with_interval=True,
    )

    assert few.interval is not None
    assert "at least 6 pools or 20 items" in str(few.interval.reason)
    assert equal.interval is not None
    assert equal.interval.reason == equal.reason
    assert rating_alpha(ratings(), level="nominal").interval is None
    incomplete = intraclass_correlation(ratings(), kind="3,k")
    assert icc_interval(ratings(), incomplete).reason == incomplete.reason


def everybody_rates_all(rng: np.random.Generator, *, n_pools: int = 12) -> tuple[Ratings, Any]:
    """Eight people rate five items of each pool; those of a pool are alike."""
    pool = np.repeat(np.arange(n_pools), 5)
    true = rng.normal(size=n_pools)[pool] + 0.5 * rng.normal(size=len(pool))
    table = true[:, None] + np.linspace(-1, 1, 8) + rng.normal(size=(len(pool), 8))
    unit, person = (number.ravel() for number in np.indices(table.shape))
    return Ratings(person, unit, table.ravel(), 8, len(pool)), pool


@pytest.mark.parametrize("kind", ["2,1", "2,k", "3,1", "3,k"])
def test_where_everybody_rated_all_pools_are_left_out(kind: Any) -> None:
    rated, pool = everybody_rates_all(np.random.default_rng(4))
    icc = intraclass_correlation(rated, kind=kind)

    found = icc_interval(rated, icc, pool=pool)

    without = [
        intraclass_correlation(rated.of_rows(pool[rated.unit] != at), kind=kind).value
        for at in range(12)
    ]
    assert found.standard_error == pytest.approx(np.sqrt(11 * np.var(without)))
    assert (found.over, found.df, found.is_over_people) == ("pools", 11, False)
    assert found.low < icc.value < found.high


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["2,k", "3,k"])
def test_it_holds_where_items_of_a_pool_are_alike(kind: Any) -> None:
    rng = np.random.default_rng(5)
    truth = np.mean(
        [intraclass_correlation(everybody_rates_all(rng)[0], kind=kind).value for _ in range(400)]
    )
    n_held = 0
    for _study in range(100):
        rated, pool = everybody_rates_all(rng)
        found = icc_interval(rated, intraclass_correlation(rated, kind=kind), pool=pool)
        n_held += found.low <= truth <= found.high

    # By the F distribution some 85 and 74 did.
    assert n_held >= 88


@pytest.mark.slow
@pytest.mark.parametrize("name", list(STATISTICS))
@pytest.mark.parametrize(
    ("model", "cell"),
    [
        ("people differ (lognormal .6, levels .8)", Cell(12, 30)),
        ("15 % random clickers", Cell(1, 60, 60)),
        ("skewed items", Cell(12, 8)),
    ],
)
def test_it_holds_the_mean_of_other_studies(name: str, model: str, cell: Cell) -> None:
    row = coverage(STATISTICS[name], MODELS[model], cell, n_studies=100)

    if name == "Phi of ratings" and cell.n_people < MIN_PEOPLE:
        # Few people say too little of how much people differ in level.
        assert row.n_without == 100
        return
    # Of 100 intervals that hold in .95 of all cases, 99.9 % of the time so many do.
    assert row.share >= 0.87
    assert row.n_without == 0


def test_no_end_lies_below_what_the_statistic_can_be() -> None:
    rng = np.random.default_rng(2)
    lows = []
    for _study in range(40):
        batch = Ratings(np.tile([0, 1], 18), np.arange(36) // 2, rng.integers(7, size=36), 2, 18)
        pool = np.arange(18) // 3
        alpha = rating_alpha(batch, level="interval", with_interval=True, pool=pool)
        assert alpha.interval is not None
        lows.append(alpha.interval.low)

    assert min(lows) == -1


def test_distances_within_a_unit_by_hand() -> None:
    chosen = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    batch = Labels([0, 1, 2, 3], [0, 0, 0, 0], chosen, 4, 1, is_several=True)

    alpha = label_alpha(batch, distance="jaccard")

    # {a} to {a, b} twice: 1/2; {a} to {c}: 1; {a, b} to {a, b}: 0; {a, b} to {c} twice: 1.
    assert alpha.observed == pytest.approx(2 * (2 * 0.5 + 1 + 0 + 2 * 1) / (4 * 3))


def test_few_pools_that_happen_to_be_alike_vary_as_their_items_do() -> None:
    batch = ratings(n_people=8, n_units=48)
    # Items in the order of what leaving each out changes, dealt out evenly to six pools.
    alone = np.array(
        [
            rating_alpha(batch.of_rows(batch.unit != unit), level="interval").value
            for unit in range(48)
        ]
    )
    pool = np.empty(48, dtype=np.int64)
    there_and_back = np.concatenate([np.arange(6), np.arange(6)[::-1]])
    pool[np.argsort(alone)] = np.tile(there_and_back, 4)

    by_pool = rating_alpha(batch, level="interval", with_interval=True, pool=pool).interval
    by_item = rating_alpha(batch, level="interval", with_interval=True).interval

    assert by_pool is not None
    assert by_item is not None
    assert (by_pool.over, by_item.over) == ("pools", "items")
    assert by_pool.standard_error == pytest.approx(by_item.standard_error)
