import math

import numpy as np
import pytest

from scoring import intraclass_correlation, pearson
from scoring.measures.noise_ceiling import (
    CeilingIcc,
    noise_ceiling_of_deviations,
    noise_ceiling_of_icc,
)
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import ratings_of_table


def test_a_perfect_measure_reaches_the_ceiling_of_noisy_ratings() -> None:
    # Truth of variance 1, nine ratings with noise of variance 4: ICC(1,9) = 1 / (1 + 4/9)
    rng = np.random.default_rng(5)
    truth = rng.normal(size=20_000)
    scores = truth + 2 * rng.normal(size=(9, 20_000)).mean(axis=0)

    ceiling = noise_ceiling_of_icc(1 / (1 + 4 / 9))

    assert float(pearson(truth, scores)) == pytest.approx(ceiling.value, abs=0.01)


@pytest.mark.parametrize(("icc", "value"), [(0.0, 0.0), (0.25, 0.5), (1.0, 1.0)])
def test_the_ceiling_of_an_icc(icc: float, value: float) -> None:
    assert noise_ceiling_of_icc(icc).value == value


@pytest.mark.parametrize(
    ("icc", "reason"),
    [
        (math.nan, "there is no ICC"),
        (
            -0.2,
            "ICC(1,k) is negative (-0.200): raters differ more on one item than the items do",
        ),
    ],
)
def test_no_reliability_no_ceiling(icc: float, reason: str) -> None:
    ceiling = noise_ceiling_of_icc(icc)

    assert math.isnan(ceiling.value)
    assert ceiling.reason == reason


def test_the_ceiling_names_the_coefficient_that_it_is_taken_from() -> None:
    of_stacks, of_everybody = (noise_ceiling_of_icc(0.81, kind=kind) for kind in ("1,k", "3,k"))

    assert (of_stacks.source, of_everybody.source) == ("icc-1-k", "icc-3-k")
    assert "ICC(1,k)" in str(of_stacks.definition)
    assert "ICC(3,k)" in str(of_everybody.definition)
    assert "ICC(3,k)" in str(noise_ceiling_of_icc(-0.2, kind="3,k").reason)
    with pytest.raises(ValueError, match="kind must be one of 1,k or 3,k"):
        noise_ceiling_of_icc(0.5, kind="2,k")  # type: ignore[arg-type]


def test_the_interval_of_an_icc_becomes_that_of_the_ceiling() -> None:
    ceiling = noise_ceiling_of_icc(0.81, low=-0.1, high=0.9025)

    assert (ceiling.low, ceiling.high) == (0.0, 0.95)
    assert ceiling.interval_reason is None
    alone, nothing = noise_ceiling_of_icc(0.81), noise_ceiling_of_icc(math.nan)
    assert math.isnan(alone.low)
    assert alone.as_dict()["interval_reason"]
    # Without a value its reason stands alone.
    assert nothing.interval_reason is None


@pytest.mark.parametrize("everybody", [True, False])
def test_a_perfect_measure_reaches_the_interval_of_the_ceiling(everybody: bool) -> None:
    # Raters differ in their level: of everybody's ratings that is no noise, of stacks it is.
    rng = np.random.default_rng(8)
    n, k, n_people = 60, 5, 5 if everybody else 200
    kind: CeilingIcc = "3,k" if everybody else "1,k"
    n_reached = 0
    for _study in range(100):
        truth, level = rng.normal(size=n), rng.normal(size=n_people)
        people = np.array([rng.choice(n_people, k, replace=False) for _item in range(n)])
        values = truth[:, None] + level[people] + rng.normal(size=(n, k))
        unit = np.repeat(np.arange(n), k)
        ratings = Ratings(people.ravel(), unit, values.ravel(), n_people, n)
        icc = intraclass_correlation(ratings, kind=kind)
        ceiling = noise_ceiling_of_icc(icc.value, kind=kind, low=icc.low, high=icc.high)
        n_reached += ceiling.low <= float(pearson(truth, values.mean(axis=1))) <= ceiling.high

    assert n_reached >= 93


@pytest.mark.parametrize(
    ("kind", "n_people", "has_interval"),
    [("1,k", 29, False), ("1,k", 30, True), ("1,k", None, True), ("3,k", 5, True)],
)
def test_few_people_who_share_the_items_leave_the_ceiling_without_an_interval(
    kind: CeilingIcc, n_people: int | None, *, has_interval: bool
) -> None:
    ceiling = noise_ceiling_of_icc(0.81, kind=kind, low=0.64, high=0.9025, n_people=n_people)

    assert ceiling.value == pytest.approx(0.9)
    assert (ceiling.high == pytest.approx(0.95)) == has_interval
    assert (ceiling.interval_reason is None) == has_interval


def test_the_end_of_an_interval_above_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"an ICC is at most 1, but this one is 1.2"):
        noise_ceiling_of_icc(0.9, low=0.8, high=1.2)


def test_an_icc_above_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"an ICC is at most 1, but this one is 1.2"):
        noise_ceiling_of_icc(1.2)


def test_the_ceiling_of_deviations_by_hand() -> None:
    # Means 1, 2, 6: variance (4 + 1 + 9) / 2 = 7. Errors 4/4, 1/4, 0: mean 5/12. 1 - 5/84 = 79/84
    ceiling = noise_ceiling_of_deviations([1, 2, 6], [2, 1, 0], 4)

    assert ceiling.reliability == pytest.approx(79 / 84)
    assert ceiling.value == pytest.approx(math.sqrt(79 / 84))
    assert ceiling.source == "deviations"
    assert "[LordNovick1968]" in ceiling.definition


def test_each_item_may_have_its_own_number_of_ratings() -> None:
    # Errors 4/2, 1/4, 0: mean 3/4, of the variance 7. The item without a deviation is left out.
    ceiling = noise_ceiling_of_deviations([1, 2, 6, 9], [2, 1, 0, np.nan], [2, 4, 8, 0])

    assert ceiling.reliability == pytest.approx(1 - 3 / 28)


def test_the_ceiling_of_deviations_is_that_of_the_icc() -> None:
    rng = np.random.default_rng(3)
    table = rng.exponential(size=40) + rng.normal(size=(7, 40))

    ceiling = noise_ceiling_of_deviations(table.mean(axis=0), table.std(axis=0, ddof=1), 7)

    icc = intraclass_correlation(ratings_of_table(table), kind="1,k")
    assert ceiling.reliability == pytest.approx(icc.value, rel=1e-12)


def test_a_perfect_measure_reaches_the_ceiling_of_deviations() -> None:
    # Noise grows with the truth, and few people rate: as in STSS-131 the deviations differ.
    rng = np.random.default_rng(6)
    truth = rng.uniform(0, 4, size=30_000)
    ratings = truth + (0.5 + truth / 2) * rng.normal(size=(5, 30_000))
    scores = ratings.mean(axis=0)

    ceiling = noise_ceiling_of_deviations(scores, ratings.std(axis=0, ddof=1), 5)

    assert float(pearson(truth, scores)) == pytest.approx(ceiling.value, abs=0.01)


@pytest.mark.parametrize(
    ("means", "deviations", "n", "reason"),
    [
        ([1, 2, 6], [1, 1, 1], None, "how many ratings each item has is not known"),
        (
            [1, 2, np.nan],
            [1, 1, 1],
            5,
            "there are only 2 items with a mean and a standard deviation, and it needs 3",
        ),
        ([0.1, 0.1, 0.1], [1, 1, 1], 5, "the means of all items are equal"),
        (
            [1, 2, 3],
            [2, 2, 2],
            2,
            "the reliability is negative (-1.000): ratings differ more on one item than the items"
            " do",
        ),
    ],
)
def test_deviations_that_give_no_ceiling(
    means: list[float], deviations: list[float], n: int | None, reason: str
) -> None:
    ceiling = noise_ceiling_of_deviations(means, deviations, n)

    assert math.isnan(ceiling.value)
    assert math.isnan(ceiling.reliability)
    assert ceiling.reason == reason


@pytest.mark.parametrize(
    ("means", "deviations", "n", "message"),
    [
        ([1, 2, 3], [1, 2], 3, r"means have the shape \(3,\) and deviations \(2,\)"),
        ([1, 2, 3], [1, -2, 1], 3, r"deviations\[1\] is -2"),
        ([1, np.inf, 3], [1, 2, 1], 3, r"means\[1\] is inf; a missing value is nan"),
        ([1, 2, 3], [1, 2, 1], 1, "an item has 1 ratings, but a standard deviation takes"),
        ([1, 2, 3], [1, 2, 1], [2, 2.5, 2], r"an item has 2\.5 ratings"),
        ([1, 2, 3], [1, 2, 1], [2, 2], r"n has the shape \(2,\), but there are 3 items"),
    ],
)
def test_deviations_that_are_refused(
    means: list[float], deviations: list[float], n: int | list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        noise_ceiling_of_deviations(means, deviations, n)
