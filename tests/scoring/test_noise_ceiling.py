import math

import numpy as np
import pytest
from scipy import stats

from scoring import intraclass_correlation, pearson
from scoring.measures.noise_ceiling import noise_ceiling_of_deviations
from scoring.ratings.rating_ceiling import noise_ceiling_of_ratings
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import ratings_of_table
from tests.scoring.test_shared_scores import error_by_regression


def rated(people: np.ndarray, values: np.ndarray, *, n_people: int | None = None) -> Ratings:
    """Ratings of items, a row each, by the people named in the same place."""
    n_items, k = values.shape
    n_people = int(people.max()) + 1 if n_people is None else n_people
    return Ratings(
        people.ravel(), np.repeat(np.arange(n_items), k), values.ravel(), n_people, n_items
    )


def by_everybody(values: np.ndarray) -> Ratings:
    return rated(np.tile(np.arange(values.shape[1]), (len(values), 1)), values)


def noisy(*, n_items: int, k: int, seed: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values: np.ndarray = rng.normal(size=(n_items, 1)) + rng.normal(size=(n_items, k))
    return values


def test_a_perfect_measure_reaches_the_ceiling_of_noisy_ratings() -> None:
    # Truth of variance 1, nine ratings with noise of variance 4.
    rng = np.random.default_rng(5)
    truth = rng.normal(size=20_000)
    values = truth[:, None] + 2 * rng.normal(size=(20_000, 9))

    ceiling = noise_ceiling_of_ratings(by_everybody(values))

    assert ceiling.value == pytest.approx(math.sqrt(1 / (1 + 4 / 9)), abs=0.01)
    assert float(pearson(truth, values.mean(axis=1))) == pytest.approx(ceiling.value, abs=0.01)


def test_the_ceiling_is_the_root_of_the_coefficient_that_it_names() -> None:
    values = noisy(n_items=40, k=5)
    everybody = by_everybody(values)
    stacks = everybody.of_rows(np.arange(everybody.n_ratings) != 7)

    for ratings, kind, source in ((everybody, "3,k", "icc-3-k"), (stacks, "1,k", "icc-1-k")):
        ceiling = noise_ceiling_of_ratings(ratings)

        icc = intraclass_correlation(ratings, kind=kind).value
        # Nearly all items of the stacks have as many ratings.
        assert ceiling.reliability == pytest.approx(icc, abs=1e-12 if kind == "3,k" else 1e-3)
        assert ceiling.value == math.sqrt(ceiling.reliability)
        assert ceiling.source == source
        assert f"ICC({kind})" in str(ceiling.definition)


def test_each_item_counts_once_however_many_ratings_it_has() -> None:
    # Truth of variance 1, noise of variance 1: errors of 1/2 in one half, of 1/20 in the other.
    rng = np.random.default_rng(3)
    n = np.repeat([2, 20], 3000)
    unit = np.arange(6000).repeat(n)
    truth = rng.normal(size=6000)
    value = truth[unit] + rng.normal(size=len(unit))
    people = np.concatenate([rng.permutation(60)[:k] for k in n])

    ceiling = noise_ceiling_of_ratings(Ratings(people, unit, value, 60, 6000))

    assert ceiling.reliability == pytest.approx(1 / (1 + (1 / 2 + 1 / 20) / 2), abs=0.01)
    means = np.bincount(unit, value) / n
    assert float(pearson(truth, means)) == pytest.approx(ceiling.value, abs=0.01)


def test_people_whose_items_nobody_else_rated_do_not_count() -> None:
    # Three rate 50 items, thirty others rate one item each alone.
    values = noisy(n_items=50, k=3)
    alone = np.arange(30)
    ratings = Ratings(
        np.concatenate([np.tile(np.arange(3), 50), 3 + alone]),
        np.concatenate([np.arange(50).repeat(3), 50 + alone]),
        np.concatenate([values.ravel(), np.zeros(30)]),
        33,
        80,
    )

    assert "fewer than 20 people" in str(noise_ceiling_of_ratings(ratings).interval_reason)


def test_ratings_that_are_nearly_all_equal_have_no_interval_of_width_0() -> None:
    values = np.zeros((20, 30))
    values[3, 4] = 1

    ceiling = noise_ceiling_of_ratings(by_everybody(values))

    assert ceiling.value == pytest.approx(0, abs=1e-6)
    assert math.isnan(ceiling.low)
    assert ceiling.interval_reason == "all ratings of an item agree"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[1.0], [2.0]], "no item has two ratings"),
        ([[1.0, 3.0, 5.0], [3.0, 5.0, 1.0], [5.0, 1.0, 3.1]], "ICC(3,k) is negative (-"),
    ],
)
def test_no_reliability_no_ceiling(values: list[list[float]], reason: str) -> None:
    ceiling = noise_ceiling_of_ratings(by_everybody(np.array(values)))

    assert math.isnan(ceiling.value)
    assert str(ceiling.reason).startswith(reason)
    # Without a value its reason stands alone.
    assert ceiling.interval_reason is None


def test_the_interval_is_of_the_products_of_different_people() -> None:
    values = noisy(n_items=30, k=20)
    n, k = values.shape
    # Without the level of each person, from the mean of the others.
    others = values - values.mean(axis=0) + values.mean()
    residual = (others - others.mean(axis=1, keepdims=True)) / (k - 1)
    means = values.mean(axis=1)
    shared = error_by_regression(residual.T @ residual)
    error = shared / ((means - means.mean()) ** 2).sum()

    ceiling = noise_ceiling_of_ratings(by_everybody(values))

    reach = stats.t.ppf(0.975, n - 1) * error / (1 - ceiling.reliability)
    for end, by in ((ceiling.low, -reach), (ceiling.high, reach)):
        assert -math.log(1 - end**2) == pytest.approx(-math.log(1 - ceiling.reliability) + by)


@pytest.mark.parametrize("has_camps", [True, False])
def test_a_perfect_measure_reaches_the_interval_of_everybodys_ratings(*, has_camps: bool) -> None:
    # Raters differ in their level, which is no noise; the camp of 30 % sees other items.
    rng = np.random.default_rng(8)
    n_reached = 0
    for _study in range(100):
        truth, of_camp = rng.normal(size=(2, 60))
        is_in_camp = rng.random(20) < (0.3 if has_camps else 0)
        seen = np.where(is_in_camp, of_camp[:, None], truth[:, None])
        values = seen + rng.normal(size=20) + rng.normal(size=(60, 20))
        perfect = 0.7 * truth + 0.3 * of_camp if has_camps else truth
        ceiling = noise_ceiling_of_ratings(by_everybody(values))
        n_reached += ceiling.low <= float(pearson(perfect, values.mean(axis=1))) <= ceiling.high

    assert n_reached >= 90


def test_a_perfect_measure_reaches_the_interval_of_stacks() -> None:
    # Of stacks, the level of a rater is noise.
    rng = np.random.default_rng(8)
    n_reached = 0
    for _study in range(100):
        truth, level = rng.normal(size=60), rng.normal(size=200)
        people = np.array([rng.choice(200, 5, replace=False) for _item in range(60)])
        values = truth[:, None] + level[people] + rng.normal(size=(60, 5))
        ceiling = noise_ceiling_of_ratings(rated(people, values, n_people=200))
        n_reached += ceiling.low <= float(pearson(truth, values.mean(axis=1))) <= ceiling.high

    assert n_reached >= 90


@pytest.mark.parametrize(
    ("everybody", "n_people", "n_items", "why"),
    [
        (True, 19, 40, "fewer than 20 people answered"),
        (True, 20, 20, ""),
        (True, 20, 19, "there are fewer than 20 items with two ratings"),
        (False, 29, 40, "the items share fewer than 30 people"),
        (False, 30, 40, ""),
    ],
)
def test_few_people_or_items_leave_the_ceiling_without_an_interval(
    n_people: int, n_items: int, why: str, *, everybody: bool
) -> None:
    values = noisy(n_items=n_items, k=n_people if everybody else 5)
    turns = (np.arange(n_items)[:, None] + np.arange(5)) % n_people
    ratings = by_everybody(values) if everybody else rated(turns, values)

    ceiling = noise_ceiling_of_ratings(ratings)

    assert 0.5 < ceiling.value < 1
    assert math.isnan(ceiling.low) == bool(why)
    assert str(ceiling.as_dict()["interval_reason"] or "").startswith(why)


def test_complete_agreement_has_a_ceiling_of_1_without_an_interval() -> None:
    ceiling = noise_ceiling_of_ratings(by_everybody(np.arange(20.0)[:, None].repeat(20, axis=1)))

    assert ceiling.value == 1
    assert ceiling.interval_reason == "all ratings of an item agree"


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
