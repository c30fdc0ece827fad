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


@pytest.mark.parametrize("level", LEVELS)
def test_random_ratings_do_not_agree_and_equal_ones_agree_perfectly(
    level: Level, way: str
) -> None:
    rng = np.random.default_rng(8)
    random = ratings_of_table(rng.binomial(6, 0.2, size=(4, 400)))
    equal = ratings_of_table(np.tile(rng.binomial(6, 0.2, size=400) / 10, (4, 1)))

    chance = alpha(random, level=level, with_interval=True)
    perfect = alpha(equal, level=level, with_interval=True)

    assert abs(chance.value) < 0.05
    assert chance.interval is not None
    assert chance.interval.low < 0 < chance.interval.high
    assert perfect.value == 1
    assert perfect.interval is not None
    assert "the value is 1" in str(perfect.interval.reason)


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
        ([[1, np.nan], [np.nan, 2]], "ordinal", "no item has two ratings"),
        ([[np.nan]], "nominal", "there are no ratings"),
        ([[-1, 2], [1, 2]], "ratio", "alpha at ratio level needs values of at least 0"),
    ],
)
def test_what_is_undefined_says_why(table, level: Level, reason: str, way: str) -> None:
    result = alpha(ratings_of_table(table), level=level, with_interval=True)

    assert np.isnan(result.value)
    assert result.reason.startswith(reason)
    assert result.as_dict()["alpha"] is None
    assert result.as_dict()["interval"]["low"] is None
    assert result.interval is not None
    assert result.interval.reason == result.reason


@pytest.mark.parametrize("level", LEVELS)
def test_rounding_is_not_taken_for_disagreement(level: Level, way: str) -> None:
    # Squared distances from a mean without a binary form: those of one value do not quite cancel.
    ratings = ratings_of_table(np.tile([0.1, 0.3, 0.7], (3, 1)))
    counts = ValueCounts.of(ratings.unit, ratings.value)

    of_one_unit = alphas_of(counts, level)(3 * np.eye(3))

    assert np.isnan(of_one_unit).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "cardinal"}, "level must be one of nominal, ordinal, interval, ratio, not 'ca"),
        ({"level": "ratio", "pool": np.zeros(3)}, r"pool has shape \(3,\) for 60 units"),
    ],
)
def test_what_cannot_be_computed_is_refused(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        alpha(simulated(), **arguments)
