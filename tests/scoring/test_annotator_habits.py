import numpy as np
import pytest
from hypothesis import given, settings

from scoring.ratings.annotator_habits import DEFINITIONS, annotator_effects, corrected_scores
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches, ratings_of_table, simulated

LATENT = np.array([0.0, 3.0, 6.0, 1.0, 2.0])


def people_of_habit() -> Ratings:
    """Three people rate five units alike but for level (0, 1, -1) and width (1, .5, 2)."""
    level, width = np.array([[0.0], [1.0], [-1.0]]), np.array([[1.0], [0.5], [2.0]])
    return ratings_of_table(level + LATENT.mean() + width * (LATENT - LATENT.mean()))


def test_bias_and_offset_by_hand() -> None:
    # Levels 0, 1, -1, their mean 0: offsets are the levels; the others' means are -l / 2.
    effects = annotator_effects(people_of_habit())

    np.testing.assert_allclose(effects.offset, [0, 1, -1], atol=1e-12)
    np.testing.assert_allclose(effects.bias, [0, 1.5, -1.5], atol=1e-12)
    # Widths 1, .5, 2 have geometric mean 1.
    np.testing.assert_allclose(effects.stretch, [1, 0.5, 2])
    assert effects.n_calibration.tolist() == [5, 5, 5]


def test_against_what_was_expected() -> None:
    effects = annotator_effects(people_of_habit(), expected=[0, 3, 6, np.nan, np.nan])

    own = people_of_habit().value.reshape(3, 5)[:, :3]
    np.testing.assert_allclose(effects.bias, (own - [0, 3, 6]).mean(axis=1))
    np.testing.assert_allclose(effects.bias, effects.offset)
    assert effects.n_calibration.tolist() == [3, 3, 3]


def test_use_of_the_scale_by_hand() -> None:
    ratings = Ratings([0, 0, 0, 0, 1], [0, 1, 2, 3, 0], [0, 6, 6, 3, 2], 3, 4, low=0, high=6)

    effects = annotator_effects(ratings)

    np.testing.assert_allclose(effects.mean, [3.75, 2, np.nan])
    np.testing.assert_allclose(effects.sd, [np.std([0, 6, 6, 3], ddof=1), np.nan, np.nan])
    np.testing.assert_allclose(effects.range_used, [1, 0, np.nan])
    np.testing.assert_allclose(effects.share_at_ends, [0.75, 0, np.nan])
    assert effects.n.tolist() == [4, 1, 0]
    endless = annotator_effects(Ratings([0], [0], [1], 1, 1))
    assert np.isnan(endless.range_used).all()


def test_drift_is_the_slope_against_the_others() -> None:
    # Everybody rates 20 units in an order of their own; one rises by .05 with every annotation.
    rng = np.random.default_rng(1)
    unit = np.concatenate([rng.permutation(20) for _ in range(6)])
    order, person = np.tile(np.arange(20), 6), np.repeat(np.arange(6), 20)
    value = rng.random(20)[unit] + np.where(person == 2, 0.05 * order, 0.0)
    ratings = Ratings(person, unit, value, 6, 20, order=order)

    effects = annotator_effects(ratings)

    assert effects.drift[2] == pytest.approx(0.05, abs=1e-12)
    np.testing.assert_allclose(np.delete(effects.drift, 2), 0, atol=0.01)


def test_shift_is_the_change_of_level_after_the_calibration_block() -> None:
    # Units 0 and 1 are the calibration block; after it person 0 is 2 higher than the others.
    ratings = ratings_of_table([[1, 2, 5, 6], [1, 2, 3, 4], [1, 2, 3, 4]])

    effects = annotator_effects(ratings, in_calibration=ratings.unit < 2)

    np.testing.assert_allclose(effects.shift, [2, -1, -1])
    np.testing.assert_allclose(effects.bias, 0, atol=1e-12)
    assert np.isnan(annotator_effects(ratings).shift).all()
    assert np.isnan(effects.drift).all()


def test_corrections_give_back_what_people_of_habit_mean() -> None:
    ratings = people_of_habit()

    scores = corrected_scores(ratings)

    np.testing.assert_allclose(scores.without_bias.mean, scores.raw.mean, atol=1e-12)
    # Without bias, the widths still differ; without stretch all say the same.
    np.testing.assert_allclose(scores.without_bias_and_stretch.sd, 0, atol=1e-12)
    np.testing.assert_allclose(scores.without_bias_and_stretch.mean, LATENT, atol=1e-12)
    assert scores.without_bias.sd[1] < scores.raw.sd[1]


def test_only_the_calibration_block_tells_the_habits() -> None:
    # Person 1 is 1 higher in the block (units 0, 1) and rates unit 3, which person 0 does not.
    nan = np.nan
    ratings = ratings_of_table([[1, 3, 2, nan], [2, 4, nan, 5], [nan, nan, 3, nan]])

    scores = corrected_scores(ratings, in_calibration=ratings.unit < 2)

    np.testing.assert_allclose(scores.raw.mean, [1.5, 3.5, 2.5, 5])
    # Half a point up and down: 1.5, 1.5; 3.5, 3.5; 2.5 and 3 as it is; 4.5
    np.testing.assert_allclose(scores.without_bias.mean, [1.5, 3.5, 2.75, 4.5])
    np.testing.assert_allclose(scores.without_bias.sd[:2], 0, atol=1e-12)
    assert scores.uncorrected.tolist() == [2]
    assert scores.unstretched.tolist() == []


def test_biased_people_are_corrected_towards_the_truth() -> None:
    rng = np.random.default_rng(3)
    latent = rng.gamma(2, size=200)
    person = np.argsort(rng.random((200, 12)), axis=1)[:, :4].ravel()
    unit = np.repeat(np.arange(200), 4)
    level = 1.5 * rng.normal(size=12)
    # All rate ten calibration units as well.
    person = np.concatenate([person, np.repeat(np.arange(12), 10)])
    unit = np.concatenate([unit, 200 + np.tile(np.arange(10), 12)])
    latent = np.concatenate([latent, rng.gamma(2, size=10)])
    value = latent[unit] + level[person] + 0.3 * rng.normal(size=len(unit))
    ratings = Ratings(person, unit, value, 12, 210)

    scores = corrected_scores(ratings, in_calibration=unit >= 200)

    def error(means: np.ndarray) -> float:
        return float(np.std(means[:200] - latent[:200]))

    assert error(scores.without_bias.mean) < 0.5 * error(scores.raw.mean)


@given(rating_batches())
@settings(max_examples=60, deadline=None)
def test_nothing_is_lost_and_what_is_undefined_is_listed(ratings: Ratings) -> None:
    effects, scores = annotator_effects(ratings), corrected_scores(ratings)

    assert effects.n.sum() == ratings.n_ratings
    np.testing.assert_array_equal(scores.raw.n, scores.without_bias.n)
    np.testing.assert_array_equal(np.isnan(scores.raw.mean), np.isnan(scores.without_bias.mean))
    np.testing.assert_array_equal(
        np.isnan(scores.raw.mean), np.isnan(scores.without_bias_and_stretch.mean)
    )
    assert not set(scores.uncorrected) & set(scores.unstretched)
    is_rater = effects.n > 0
    np.testing.assert_array_equal(
        scores.uncorrected, np.flatnonzero(is_rater & np.isnan(effects.offset))
    )


def test_offsets_of_a_block_that_all_rated_add_up_to_nothing() -> None:
    table = np.random.default_rng(1).gamma(1, size=(7, 6))

    assert annotator_effects(ratings_of_table(table)).offset.sum() == pytest.approx(0, abs=1e-12)


def test_every_figure_is_defined_in_words() -> None:
    figures = annotator_effects(simulated()).as_dict()

    assert set(figures) == {"definitions", *DEFINITIONS}
    assert all(len(figures[name]) == 12 for name in DEFINITIONS)


def test_what_does_not_fit_is_refused() -> None:
    ratings = people_of_habit()

    with pytest.raises(ValueError, match="in_calibration must hold a truth value for each of 15"):
        annotator_effects(ratings, in_calibration=np.ones(3, dtype=bool))
    with pytest.raises(ValueError, match=r"expected has shape \(2,\), but there are 5 units"):
        corrected_scores(ratings, expected=[1, 2])
