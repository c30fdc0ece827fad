import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings

from scoring.ratings.context_effects import (
    TESTS,
    TTest,
    benjamini_hochberg,
    effects_of_context,
)
from scoring.ratings.gains import Gains
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches, ratings_of_table, simulated, with_values

GROUP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]
GROUP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def study(n_pairs: int = 40, *, person_sd: float = 1.0, gain: float = 0.0, seed: int = 1):
    """Two complete tables (9 people x pairs), the same people in both conditions."""
    rng = np.random.default_rng(seed)
    level = rng.gamma(1, size=n_pairs) + person_sd * rng.normal(size=(9, 1))
    free = level + rng.normal(size=(9, n_pairs))
    return free, level + gain + rng.normal(size=(9, n_pairs))


@pytest.mark.parametrize("test", TESTS)
def test_students_sleep_data(test: TTest, shared_data) -> None:
    expected = json.loads((shared_data / "statistics_examples.json").read_text())["student_sleep"]
    group_1, group_2 = (ratings_of_table(np.array([g]).T) for g in (GROUP_1, GROUP_2))

    # The printed difference is that of group 1 from group 2.
    result = effects_of_context(group_2, group_1, test=test)

    assert result.t[0] == pytest.approx(expected[test]["t"], abs=1e-12)
    assert result.df[0] == pytest.approx(expected[test]["df"], abs=1e-10)
    assert result.p[0] == pytest.approx(expected[test]["p_two_sided"], abs=1e-13)


@pytest.mark.parametrize("test", TESTS)
def test_every_pair_is_tested_as_by_scipy(test: TTest) -> None:
    free, dependent = study(gain=0.5)
    if test != "paired":
        # Stacks of different sizes.
        free[:5, :20] = np.nan

    result = effects_of_context(*map(ratings_of_table, (free, dependent)), test=test)

    if test == "paired":
        theirs = scipy.stats.ttest_rel(dependent, free)
    else:
        theirs = scipy.stats.ttest_ind(
            dependent, free, equal_var=test == "pooled", nan_policy="omit"
        )
    np.testing.assert_allclose(result.t, theirs.statistic, rtol=1e-10)
    np.testing.assert_allclose(result.p, theirs.pvalue, rtol=1e-9)
    np.testing.assert_allclose(result.df, theirs.df, rtol=1e-10)
    np.testing.assert_allclose(
        result.gain, dependent.mean(axis=0) - np.nanmean(free, axis=0), atol=1e-12
    )
    assert result.n_tested == 40
    assert result.n_below == (theirs.pvalue < 0.05).sum()


def test_paired_compares_those_who_rated_both() -> None:
    free = ratings_of_table([[1, 5], [2, np.nan], [4, 3], [np.nan, 1]])
    dependent = ratings_of_table([[2, 4], [4, 2], [5, np.nan], [9, np.nan]])

    result = effects_of_context(free, dependent, test="paired")

    # Pair 0: 1, 2, 1; pair 1 has one person in common.
    theirs = scipy.stats.ttest_rel([2, 4, 5], [1, 2, 4])
    assert result.p[0] == pytest.approx(theirs.pvalue)
    assert result.gain[0] == pytest.approx(4 / 3)
    assert result.n_free.tolist() == [3, 1]
    assert result.reasons == (None, "fewer than two people rated the item in both conditions")


def test_the_pooled_test_counts_people_as_error_where_the_paired_one_does_not() -> None:
    free, dependent = study(4000, person_sd=2.0)
    batches = ratings_of_table(free), ratings_of_table(dependent)

    pooled, paired = (effects_of_context(*batches, test=test) for test in ("pooled", "paired"))

    assert pooled.n_below / 4000 < 0.025
    assert paired.n_below / 4000 == pytest.approx(0.05, abs=0.015)
    # Of no effect next to nothing is left.
    assert paired.n_left < 10


@pytest.mark.parametrize("test", TESTS)
def test_without_any_spread_there_is_no_test_but_a_reason(test: TTest) -> None:
    # Pair 0: equal in both; pair 1: constant and different, by .2 in unlike binary forms; pair 2:
    # constant in one; pair 3: not rated in one.
    free = ratings_of_table([[1, 0.1, 2, 1], [1, 0.1, 2, 2], [1, 0.1, 2, 3]])
    dependent = ratings_of_table([[1, 0.3, 2, np.nan], [1, 0.3, 3, np.nan], [1, 0.3, 5, np.nan]])

    result = effects_of_context(free, dependent, test=test)

    assert np.isnan(result.p[[0, 1, 3]]).all()
    assert all("the error variance is 0" in reason for reason in result.reasons[:2])
    assert result.reasons[2] is None
    assert result.gain[1] == pytest.approx(0.2)
    assert result.as_dict()["p"][3] is None
    if test == "paired":
        same_difference = effects_of_context(
            ratings_of_table([[1000.3], [0.1]]), ratings_of_table([[1000.4], [0.2]]), test="paired"
        )
        assert "all differences are equal" in same_difference.reasons[0]
    else:
        # 2, 3, 5 against 2, 2, 2: gain 4/3, squares 14/3 / 4 x 2/3, or 14/3 / 2 / 3.
        t, df = 4 / 3 / np.sqrt(7 / 9), {"pooled": 4, "welch": 2}[test]
        assert result.df[2] == pytest.approx(df)
        assert result.p[2] == pytest.approx(2 * scipy.stats.t.sf(t, df))


@pytest.mark.slow
@given(rating_batches(max_units=3), rating_batches(max_units=3))
@settings(max_examples=60, deadline=None)
def test_swapping_the_conditions_turns_the_signs(one: Ratings, other: Ratings) -> None:
    n_units = max(one.n_units, other.n_units)
    one, other = (
        Ratings(b.annotator, b.unit, b.value, 4, n_units).first_answers() for b in (one, other)
    )

    for test in TESTS:
        there, back = (
            effects_of_context(one, other, test=test),
            effects_of_context(other, one, test=test),
        )
        np.testing.assert_allclose(there.gain, -back.gain, atol=1e-12)
        np.testing.assert_allclose(there.t, -back.t, rtol=1e-9)
        np.testing.assert_allclose(there.p, back.p, rtol=1e-9)
        assert [p is None for p in there.as_dict()["p"]] == [r is not None for r in there.reasons]


def test_moving_both_conditions_changes_no_test() -> None:
    free, dependent = map(ratings_of_table, study(gain=1))

    for test in TESTS:
        one = effects_of_context(free, dependent, test=test)
        moved = effects_of_context(
            with_values(free, 3 * free.value + 1e3),
            with_values(dependent, 3 * dependent.value + 1e3),
            test=test,
        )
        np.testing.assert_allclose(one.p, moved.p, rtol=1e-6)


@pytest.mark.parametrize(
    ("dependent", "test"),
    [
        # All ratings but one of each of two pairs are by the same people.
        ([[2, 4], [4, 2], [5, np.nan], [np.nan, 3]], "paired"),
        # Of the first pair alone; the other one is of two people each.
        ([[2, np.nan], [4, 2], [5, 3], [np.nan, np.nan]], "pooled"),
        # The same, but the second pair has ratings in one batch only.
        ([[2, np.nan], [4, np.nan], [5, np.nan], [np.nan, np.nan]], "paired"),
        ([[np.nan, np.nan]] * 3 + [[1, 1]], "pooled"),
    ],
)
def test_paired_is_the_default_where_most_pairs_are_rated_by_the_same_people(
    dependent, test: str
) -> None:
    free = ratings_of_table([[1, 5], [2, np.nan], [4, np.nan], [np.nan, 1]])

    assert effects_of_context(free, ratings_of_table(dependent)).test == test


def test_batches_that_number_people_differently_are_of_different_people() -> None:
    free, dependent = map(ratings_of_table, study())
    others = Ratings(dependent.annotator, dependent.unit, dependent.value, 10, dependent.n_units)

    assert effects_of_context(free, dependent).test == "paired"
    assert effects_of_context(free, others).test == "pooled"


def test_benjamini_hochberg_by_hand() -> None:
    # Sorted .01 .02 .03 .5: x 4 / rank: .04 .04 .04 .5
    np.testing.assert_allclose(
        benjamini_hochberg([0.03, np.nan, 0.01, 0.5, 0.02]), [0.04, np.nan, 0.04, 0.5, 0.04]
    )
    assert np.isnan(benjamini_hochberg([np.nan])).all()
    assert len(benjamini_hochberg([])) == 0


def test_the_share_left_is_smaller_than_the_share_below() -> None:
    result = effects_of_context(*map(ratings_of_table, study(400, gain=2)))

    figures = result.as_dict()
    assert 0 < figures["n_left"] < figures["n_below"]
    assert figures["share_below"] == result.n_below / 400
    p, share = result.p_value_curve()
    assert (np.diff(p) > 0).all()
    assert share[-1] == 1
    assert share[np.searchsorted(p, 0.05) - 1] == pytest.approx(result.n_below / 400)


def test_p_values_that_differ_by_rounding_are_one_point_of_the_curve() -> None:
    # Both lose a third of a point with the same spread, at either end of the scale: t = -1, df =
    # 4. The third pair: 1, 2, 3 against 2, 3, 4, t = 1 / sqrt(2/3).
    free = ratings_of_table([[6, 1, 1], [6, 0, 2], [6, 0, 3]])
    dependent = ratings_of_table([[6, 0, 2], [6, 0, 3], [5, 0, 4]])
    result = effects_of_context(free, dependent, test="pooled")

    p, share = result.p_value_curve()

    assert result.p[0] != result.p[1]
    np.testing.assert_allclose(p, 2 * scipy.stats.t.sf([np.sqrt(1.5), 1], 4))
    np.testing.assert_allclose(share, [1 / 3, 1])


def test_gains_by_hand() -> None:
    gains = Gains(np.array([-0.3, 0.1, 0.1, 0.125, 0.6]))

    edges, counts = gains.histogram(0.25)

    assert gains.mean == pytest.approx(0.125)
    assert gains.sd == pytest.approx(np.std([-0.3, 0.1, 0.1, 0.125, 0.6], ddof=1))
    # A gain at an end belongs to the bin above.
    np.testing.assert_allclose(edges, [-0.375, -0.125, 0.125, 0.375, 0.625])
    assert counts.tolist() == [1, 2, 1, 1]
    probabilities, quantiles = gains.quantile_curve(5)
    np.testing.assert_allclose(probabilities, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(quantiles, [-0.3, 0.1, 0.1, 0.125, 0.6])
    with pytest.raises(ValueError, match="the width of a bin must be above 0, not 0"):
        gains.histogram(0)


def test_no_pairs_are_no_error() -> None:
    empty = Ratings([], [], [], 0, 0)

    figures = effects_of_context(empty, empty).as_dict()

    assert (figures["share_below"], figures["reason"]) == (None, "there are no pairs")
    assert figures["gains"]["mean"] is None
    json.dumps(figures, allow_nan=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "z"}, "test must be one of auto, pooled, welch, paired, not 'z'"),
        ({"level": 1}, "level must lie between 0 and 1, not 1"),
        ({"margin": 0}, "margin must be a finite number above 0, not 0"),
        ({"margin": float("nan")}, "margin must be a finite number above 0, not nan"),
    ],
)
def test_unknown_variants_are_refused(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        effects_of_context(simulated(), simulated(), **arguments)


def test_batches_of_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="the batches have 60 and 61 units"):
        effects_of_context(simulated(), simulated(n_units=61))
    twice = Ratings([0, 0, 1], [0, 0, 0], [1, 2, 3], 2, 1)
    with pytest.raises(ValueError, match="annotator 0 rated unit 0 more than once"):
        effects_of_context(twice, twice, test="paired")


def test_without_a_choice_nobody_who_rated_a_pair_twice_is_compared_with_themselves() -> None:
    once = ratings_of_table([[1, 2], [2, 4], [4, 4]])
    twice = Ratings([0, 0, 1, 2], [0, 0, 0, 0], [1.0, 3.0, 2.0, 5.0], 3, 2)

    result = effects_of_context(once, twice)

    assert result.test == "pooled"
    assert effects_of_context(once, once).test == "paired"
