import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings

from scoring.ratings.rater_agreement import inter_annotator, intra_annotator, raters_against_others
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches, ratings_of_table, simulated, with_values


def test_inter_annotator_by_hand() -> None:
    # Stacks (1, 3, 5) and (2, 4); a third of one rating is left out.
    ratings = Ratings([0, 1, 2, 0, 1, 0], [0, 0, 0, 1, 1, 2], [1, 3, 5, 2, 4, 6], 3, 3)

    result = inter_annotator(ratings)

    # With itself: errors -2, 0, 2, -1, 1 against means 3, 3, 3, 3, 3
    assert result.with_itself.mse == pytest.approx(10 / 5)
    assert np.isnan(result.with_itself.pearson)
    assert result.with_itself.reason == "all values of one of the two variables are equal"
    # Without: 1-4, 3-3, 5-2, 2-4, 4-2
    assert result.without_itself.mse == pytest.approx((9 + 0 + 9 + 4 + 4) / 5)
    assert result.without_itself.rmse == pytest.approx(np.sqrt(26 / 5))
    expected = scipy.stats.pearsonr([1, 3, 5, 2, 4], [4, 3, 2, 4, 2]).statistic
    assert result.without_itself.pearson == pytest.approx(expected)
    assert (result.with_itself.n, result.with_itself.n_left_out) == (5, 1)


def test_inter_annotator_is_that_of_a_loop_over_the_ratings() -> None:
    ratings = simulated(bias=0.5)
    result = inter_annotator(ratings)

    pairs = []
    for j in range(ratings.n_ratings):
        stack = ratings.unit == ratings.unit[j]
        others = stack & (np.arange(ratings.n_ratings) != j)
        pairs.append((ratings.value[stack].mean(), ratings.value[others].mean()))
    for agreement, means in zip(
        (result.with_itself, result.without_itself), np.transpose(pairs), strict=True
    ):
        assert agreement.pearson == pytest.approx(
            scipy.stats.pearsonr(ratings.value, means).statistic
        )
        assert agreement.spearman == pytest.approx(
            scipy.stats.spearmanr(ratings.value, means.round(9)).statistic, abs=1e-12
        )
        assert agreement.mse == pytest.approx(((ratings.value - means) ** 2).mean())


def test_a_rating_in_its_own_mean_agrees_without_any_agreement() -> None:
    rng = np.random.default_rng(2)
    random = ratings_of_table(rng.normal(size=(9, 2000)))

    result = inter_annotator(random)

    assert result.with_itself.pearson == pytest.approx(1 / 3, abs=0.02)
    assert result.without_itself.pearson == pytest.approx(0, abs=0.02)


def test_equal_means_are_tied_however_they_came_about() -> None:
    # Person 0's others say .2 of all units, as .1 and .3, .2 and .2, 0 and .4, in binary unlike.
    ratings = ratings_of_table([[1, 2, 3], [0.1, 0.2, 0.4], [0.3, 0.2, 0.0], [0.2, 0.2, 0.2]])

    assert np.isnan(raters_against_others(ratings).spearman[0])
    assert len(np.unique(ratings.mean_of_others()[:3])) == 1


@given(rating_batches())
@settings(max_examples=60, deadline=None)
def test_with_itself_errors_are_smaller(ratings: Ratings) -> None:
    result = inter_annotator(ratings.first_answers())

    if result.with_itself.n:
        assert result.with_itself.mse <= result.without_itself.mse + 1e-12
        assert result.with_itself.rmse == pytest.approx(np.sqrt(result.with_itself.mse))
    else:
        assert result.with_itself.reason == "no item was rated by two annotators"


def test_repeats_by_hand() -> None:
    ratings = Ratings(
        [0, 0, 1, 0, 1, 1], [0, 1, 0, 0, 0, 1], [1, 2, 6, 2, 3, 4], 2, 2, order=[0, 1, 0, 2, 1, 2]
    )

    result = intra_annotator(ratings)

    # Person 0, unit 0: 1 then 2; person 1, unit 0: 6 then 3.
    assert result.mse == pytest.approx((1 + 9) / 2)
    assert result.pearson == pytest.approx(1)
    assert (result.n, result.n_left_out) == (2, 0)


def test_two_rounds_are_matched_by_person_and_unit() -> None:
    first = Ratings([0, 1, 1], [0, 0, 1], [1, 2, 3], 2, 3)
    again = Ratings([1, 1, 0, 0], [1, 0, 0, 2], [5, 3, 1, 4], 2, 3)

    result = intra_annotator(first, again)

    # (1, 1), (2, 3), (3, 5); person 0 had not rated unit 2.
    assert result.mse == pytest.approx((0 + 1 + 4) / 3)
    assert result.pearson == pytest.approx(1)
    assert (result.n, result.n_left_out) == (3, 1)


def test_nobody_rated_twice() -> None:
    result = intra_annotator(simulated())

    assert result.reason == "nobody rated an item twice"
    assert result.as_dict()["rmse"] is None


def test_rounds_that_do_not_fit_together_are_refused() -> None:
    first = Ratings([0], [0], [1], 1, 1)
    twice = Ratings([0, 0], [0, 0], [1, 2], 1, 1)

    with pytest.raises(ValueError, match="annotator 0 rated unit 0 more than once in one batch"):
        intra_annotator(first, twice)
    with pytest.raises(ValueError, match="numbered differently: n_units is 1 and 2"):
        intra_annotator(first, Ratings([0], [0], [1], 1, 2))


def test_the_typical_human_by_a_loop() -> None:
    table = np.random.default_rng(4).normal(size=(6, 20)) + np.linspace(0, 3, 20)
    table[0, 5:] = np.nan
    result = raters_against_others(ratings_of_table(table))

    by_loop = []
    for person in range(6):
        rated = ~np.isnan(table[person])
        others = np.nanmean(np.delete(table, person, axis=0), axis=0)
        by_loop.append(scipy.stats.pearsonr(table[person][rated], others[rated]).statistic)
    np.testing.assert_allclose(result.pearson, by_loop)
    of_people = result.as_dict()["pearson"]
    assert of_people["mean"] == pytest.approx(np.mean(by_loop))
    assert of_people["best"] == pytest.approx(max(by_loop))
    assert of_people["worst_annotator"] == int(np.argmin(by_loop))
    assert result.n.tolist() == [5, 20, 20, 20, 20, 20]


def test_what_a_person_rated_repeatedly_counts_once() -> None:
    once = ratings_of_table([[1, 2, 4], [1, 3, 3]])
    twice = Ratings([0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 0, 1, 2], [0, 2, 2, 4, 1, 3, 3], 2, 3)

    np.testing.assert_allclose(
        raters_against_others(once).pearson, raters_against_others(twice).pearson
    )


def test_constant_and_lonely_people_have_no_correlation() -> None:
    ratings = Ratings(
        [0, 0, 0, 1, 1, 1, 2, 3], [0, 1, 2, 0, 1, 2, 0, 5], [1, 2, 3, 0.1, 0.1, 0.1, 1, 4], 4, 6
    )

    result = raters_against_others(ratings)

    # Person 0 is left: 1 said the same of all, 2 shares one unit with others, 3 none.
    assert result.undefined.tolist() == [1, 2, 3]
    assert result.reason is None
    alone = raters_against_others(Ratings([0, 0], [0, 1], [1, 2], 1, 2))
    assert alone.reason == "no item was rated by two annotators"
    assert alone.as_dict()["pearson"]["mean"] is None


@given(rating_batches())
@settings(max_examples=60, deadline=None)
def test_stretching_the_scale_changes_no_correlation(ratings: Ratings) -> None:
    stretched = with_values(ratings, 3 * ratings.value - 7)

    one, other = raters_against_others(ratings), raters_against_others(stretched)

    np.testing.assert_allclose(one.pearson, other.pearson, atol=1e-9)
    np.testing.assert_allclose(
        inter_annotator(ratings).without_itself.rmse * 3,
        inter_annotator(stretched).without_itself.rmse,
        atol=1e-9,
    )


def test_who_agrees_perfectly_has_a_correlation_of_1() -> None:
    levels = np.array([[0.0], [0.1], [-0.7]])

    raters = raters_against_others(ratings_of_table(np.array([1.0, 2.0, 3.0]) + levels))

    # Of .9999999999999998 Fisher's z is 18 instead of infinite, and would pass for a figure.
    assert raters.pearson.tolist() == raters.spearman.tolist() == [1, 1, 1]
