import json

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import disagreement
from scoring.disagreement import Level, ValueCounts, alphas_of
from scoring.ratings import reliability as rating_reliability
from scoring.ratings.ratings import Ratings
from scoring.ratings.reliability import rating_alpha as alpha
from scoring.resampling import draws
from tests.scoring.rating_batches import (
    rating_batches,
    ratings_of_table,
    renumbered,
    simulated,
    with_values,
)

LEVELS: list[Level] = ["nominal", "ordinal", "interval", "ratio"]


@pytest.fixture(params=["package", "own", "own, by ranks"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compute by the package, or by our own counts as of studies too large for it."""
    if request.param != "package":
        monkeypatch.setattr(rating_reliability, "PACKAGE_CELLS", 0)
    if request.param == "own, by ranks":
        monkeypatch.setattr(disagreement, "FEW_DISTINCT", 0)
    return request.param


def by_definition(ratings: Ratings, level: Level) -> float:
    """Observed over expected mean distance of all ordered pairs, in plain loops."""
    units = [ratings.value[ratings.unit == u] for u in range(ratings.n_units)]
    units = [values for values in units if len(values) > 1]
    values = np.concatenate(units)

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        if level == "ratio":
            return ((a - b) / (a + b)) ** 2 if a != b else 0.0
        low, high = min(a, b), max(a, b)
        between = ((values >= low) & (values <= high)).sum()
        return float(between - ((values == low).sum() + (values == high).sum()) / 2) ** 2

    observed = sum(distance(a, b) / (len(unit) - 1) for unit in units for a in unit for b in unit)
    expected = sum(distance(a, b) for a in values for b in values) / (len(values) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize("level", LEVELS)
def test_textbook(level: Level, shared_data, way: str) -> None:
    example = json.loads((shared_data / "statistics_examples.json").read_text())
    example = example["krippendorff_alpha_3x15"]
    table = np.array(example["matrix_coders_x_units"], dtype=np.float64)

    result = alpha(ratings_of_table(table), level=level)

    assert result.value == pytest.approx(example["alpha"][level], abs=1e-12)
    # The units of the table with at least two values.
    assert (result.n_units, result.n_values, result.n_dropped) == (12, 26, 3)


@pytest.mark.parametrize("level", LEVELS)
@given(ratings=rating_batches())
@settings(max_examples=40, deadline=None)
def test_package_and_own_counts_agree_with_the_definition(level: Level, ratings: Ratings) -> None:
    result = alpha(ratings, level=level)

    counts = ValueCounts.of(ratings.unit, ratings.value)
    if result.reason is None:
        assert result.value == pytest.approx(by_definition(ratings, level), abs=1e-9)
        per_unit = ratings.answers_per_unit()
        paired = ratings.of_rows(per_unit[ratings.unit] >= 2)
        counts = ValueCounts.of(paired.unit, paired.value)
        own = alphas_of(counts, level)(np.ones((1, counts.n_units)))
        assert own[0] == pytest.approx(result.value, abs=1e-9)
        assert result.value <= 1
    else:
        assert np.isnan(result.value)


@pytest.mark.parametrize("level", LEVELS)
def test_a_fine_scale_is_left_to_our_own_counts_and_agrees(level: Level) -> None:
    ratings = with_values(simulated(n_units=300), np.random.default_rng(1).gamma(2, size=1500))
    table = np.full((5, 300), np.nan)
    table[np.arange(1500) % 5, ratings.unit] = ratings.value
    assert rating_reliability.PACKAGE_CELLS < 300 * 1500**2

    of_part = ratings.of_rows(ratings.unit < 20)
    theirs = krippendorff.alpha(table[:, :20], level_of_measurement=level)

    counts = ValueCounts.of(of_part.unit, of_part.value)
    own = alphas_of(counts, level)(np.ones((1, 20)))[0]
    assert own == pytest.approx(theirs, abs=1e-12)
    assert alpha(ratings, level=level).value < 0.5


@pytest.mark.parametrize("level", LEVELS)
def test_resamples_are_units_taken_several_times(level: Level, way: str) -> None:
    ratings = simulated(n_units=12, per_unit=3, seed=5)
    weights = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12), size=6)
    counts = ValueCounts.of(ratings.unit, ratings.value)

    values = alphas_of(counts, level)(weights.astype(np.float64))

    for drawn, value in zip(weights, values, strict=True):
        rows = [np.flatnonzero(ratings.unit == unit) for unit in np.repeat(np.arange(12), drawn)]
        value_of_drawn = ratings.value[np.concatenate(rows)]
        copies = Ratings(np.arange(36) % 3, np.arange(36) // 3, value_of_drawn, 3, 12)
        assert value == pytest.approx(by_definition(copies, level), abs=1e-9)


def test_the_interval_covers_the_alpha_of_further_units() -> None:
    covered = 0
    for seed in range(60):
        sample = simulated(n_units=50, per_unit=4, seed=seed)
        result = alpha(sample, level="interval", n_resamples=200, rng=np.random.default_rng(seed))
        covered += result.low <= 0.683 <= result.high
    # .683 is the alpha of 60,000 such units; a percentile interval falls somewhat short of 95 %.
    assert 50 <= covered < 60


def test_pools_are_drawn_whole() -> None:
    ratings = simulated(n_units=40)
    pool = np.arange(40) // 20
    rng = np.random.default_rng

    by_pool = alpha(ratings, level="interval", n_resamples=50, rng=rng(1), pool=pool)
    of_one_pool = alpha(ratings, level="interval", n_resamples=50, rng=rng(1), pool=pool * 0)

    # Two pools give three different resamples: twice the one, twice the other, both.
    half = ratings.of_rows(ratings.unit < 20)
    assert by_pool.resampled == "pools"
    ends = {round(by_pool.low, 9), round(by_pool.high, 9)}
    assert any(abs(end - twice_over(half)) < 1e-8 for end in ends)
    assert of_one_pool.interval_reason == "there is only one pool, so nothing varies"


def twice_over(ratings: Ratings) -> float:
    doubled = Ratings(
        np.tile(ratings.annotator, 2),
        np.concatenate([ratings.unit, ratings.unit + 100]),
        np.tile(ratings.value, 2),
        ratings.n_annotators,
        200,
    )
    return alpha(doubled, level="interval").value


@pytest.mark.parametrize("level", LEVELS)
def test_random_ratings_do_not_agree_and_equal_ones_agree_perfectly(
    level: Level, way: str
) -> None:
    rng = np.random.default_rng(8)
    random = ratings_of_table(rng.binomial(6, 0.2, size=(4, 400)))
    equal = ratings_of_table(np.tile(rng.binomial(6, 0.2, size=400) / 10, (4, 1)))

    chance = alpha(random, level=level, n_resamples=100, rng=rng)
    perfect = alpha(equal, level=level, n_resamples=100, rng=rng)

    assert abs(chance.value) < 0.05
    assert chance.low < 0 < chance.high
    assert (perfect.value, perfect.low, perfect.high) == (1, 1, 1)


@given(rating_batches(), st.sampled_from(LEVELS), st.permutations(range(4)))
@settings(max_examples=40, deadline=None)
def test_names_of_people_and_units_do_not_matter(ratings: Ratings, level: Level, people) -> None:
    other = renumbered(ratings, np.array(people), np.arange(ratings.n_units)[::-1])

    np.testing.assert_allclose(
        alpha(ratings, level=level).value, alpha(other, level=level).value, atol=1e-9
    )


@given(rating_batches())
@settings(max_examples=40, deadline=None)
def test_levels_see_no_more_than_they_should(ratings: Ratings) -> None:
    shifted = with_values(ratings, 2 * ratings.value + 5)
    squared = with_values(ratings, ratings.value**2)

    for level, other in (("interval", shifted), ("ordinal", squared), ("nominal", squared)):
        np.testing.assert_allclose(
            alpha(ratings, level=level).value, alpha(other, level=level).value, atol=1e-9
        )
    scaled = with_values(ratings, 3 * ratings.value)
    np.testing.assert_allclose(
        alpha(ratings, level="ratio").value, alpha(scaled, level="ratio").value, atol=1e-9
    )


@pytest.mark.parametrize(
    ("table", "level", "reason"),
    [
        ([[0.1, 0.1], [0.1, 0.1]], "interval", "all values are equal"),
        # The one different value drops out with its unit.
        ([[2, 2, 3], [2, 2, np.nan]], "nominal", "all values are equal"),
        ([[1, np.nan], [np.nan, 2]], "ordinal", "no unit has two ratings"),
        ([[np.nan]], "nominal", "there are no ratings"),
        ([[-1, 2], [1, 2]], "ratio", "alpha at ratio level needs values of at least 0"),
    ],
)
def test_what_is_undefined_says_why(table, level: Level, reason: str, way: str) -> None:
    result = alpha(
        ratings_of_table(table), level=level, n_resamples=9, rng=np.random.default_rng(1)
    )

    assert np.isnan(result.value)
    assert result.reason.startswith(reason)
    assert result.as_dict()["alpha"] is None
    assert result.as_dict()["low"] is None
    assert result.interval_reason == result.reason


@pytest.mark.parametrize("level", LEVELS)
def test_resamples_of_equal_values_are_left_out_and_counted(level: Level, way: str) -> None:
    # 0.1 and 0.3 three times each: a resample of one unit alone has no alpha.
    ratings = ratings_of_table([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])

    result = alpha(ratings, level=level, n_resamples=400, rng=np.random.default_rng(1))

    assert result.n_undefined == pytest.approx(200, abs=40)
    assert (result.low, result.high) == (1, 1)


@pytest.mark.parametrize("level", LEVELS)
def test_rounding_is_not_taken_for_disagreement(level: Level, way: str) -> None:
    # Squared distances from a mean without a binary form: those of one value do not quite cancel.
    ratings = ratings_of_table(np.tile([0.1, 0.3, 0.7], (3, 1)))
    counts = ValueCounts.of(ratings.unit, ratings.value)

    of_one_unit = alphas_of(counts, level)(3 * np.eye(3))

    assert np.isnan(of_one_unit).all()


def test_one_unit_has_an_alpha_and_no_interval() -> None:
    result = alpha(
        ratings_of_table([[1], [2], [2]]),
        level="interval",
        n_resamples=9,
        rng=np.random.default_rng(1),
    )

    assert result.value == pytest.approx(0)
    assert result.interval_reason == "there is only one unit, so nothing varies"
    assert np.isnan(result.low)


def test_as_many_units_are_drawn_as_there_are_and_all_alike_often() -> None:
    n, n_resamples = 7, 4_001

    parts = list(draws(n, n_resamples, at_once=100, rng=np.random.default_rng(2)))

    weights = np.concatenate(parts)
    assert [len(part) for part in parts] == [100] * 40 + [1]
    np.testing.assert_array_equal(weights.sum(axis=1), n)
    # Binomial of 7 draws at 1/7: mean 1, variance 6/7; 4 standard errors of 4,001.
    error = np.sqrt(6 / 7 / n_resamples)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4 * error)
    np.testing.assert_allclose(weights.var(axis=0), 6 / 7, rtol=0.1)


def test_the_same_seed_gives_the_same_interval() -> None:
    one, same = (
        alpha(simulated(), level="ordinal", n_resamples=50, rng=np.random.default_rng(7))
        for _ in range(2)
    )

    assert (one.low, one.high) == (same.low, same.high)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "cardinal"}, "level must be one of nominal, ordinal, interval, ratio, not 'ca"),
        ({"level": "ratio", "n_resamples": -1}, "n_resamples must be at least 0, not -1"),
        ({"level": "ratio", "n_resamples": 9}, "an interval needs random numbers: give rng"),
        ({"level": "ratio", "pool": np.zeros(3)}, r"pool has shape \(3,\) for 60 units"),
    ],
)
def test_what_cannot_be_computed_is_refused(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        alpha(simulated(), **arguments)
