import warnings

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings

from scoring.ratings.intraclass import Kind, intraclass_correlation
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import rating_batches, ratings_of_table, simulated, with_values

KINDS: list[Kind] = ["1,1", "1,k", "2,1", "2,k", "3,1", "3,k"]
PINGOUINS = dict(
    zip(
        KINDS,
        ["ICC(1,1)", "ICC(1,k)", "ICC(A,1)", "ICC(A,k)", "ICC(C,1)", "ICC(C,k)"],
        strict=True,
    )
)

# Shrout and Fleiss 1979, Table 2: six targets rated by four judges.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)


def pingouins(table: np.ndarray, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> pd.Series:
    """Row of pingouin for a table of units x annotators, its interval not rounded."""
    monkeypatch.setitem(pingouin.options, "round.column.CI95", None)
    n, k = table.shape
    unit, annotator = np.divmod(np.arange(n * k), k)
    data = pd.DataFrame({"unit": unit, "annotator": annotator, "rating": table.ravel()})
    with warnings.catch_warnings():
        # pingouin 0.7.0 calls pandas in a way that pandas will not take for ever.
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        result = pingouin.intraclass_corr(
            data, targets="unit", raters="annotator", ratings="rating"
        )
    return result.set_index("Type").loc[PINGOUINS[kind]]


@pytest.mark.parametrize(
    ("kind", "printed"),
    [("1,1", 0.17), ("2,1", 0.29), ("3,1", 0.71), ("1,k", 0.44), ("2,k", 0.62), ("3,k", 0.91)],
)
def test_the_example_of_shrout_and_fleiss(kind: Kind, printed: float) -> None:
    result = intraclass_correlation(ratings_of_table(SHROUT_FLEISS.T), kind=kind)

    assert result.value == pytest.approx(printed, abs=0.005)
    assert (result.k, result.n_units) == (4, 6)
    assert result.f == pytest.approx(1.79 if kind[0] == "1" else 11.03, abs=0.005)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_complete_tables_agree_with_pingouin(
    kind: Kind, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    n, k = [(6, 4), (30, 3), (3, 2), (12, 9)][seed]
    table = rng.gamma(2, size=(n, 1)) + rng.normal(size=(1, k)) + rng.normal(size=(n, k))
    theirs = pingouins(table, kind, monkeypatch)

    ours = intraclass_correlation(ratings_of_table(table.T), kind=kind)

    assert ours.value == pytest.approx(theirs["ICC"], abs=1e-12)
    assert ours.f == pytest.approx(theirs["F"], rel=1e-10)
    assert ours.p == pytest.approx(theirs["pval"], rel=1e-8, abs=1e-15)
    assert (ours.df1, ours.df2) == (theirs["df1"], theirs["df2"])
    np.testing.assert_allclose([ours.low, ours.high], theirs["CI95"], rtol=1e-8)


def test_stacks_of_different_sizes_by_hand() -> None:
    # Stacks (1, 3), (2, 4, 6), (5, 5, 5, 9); a fourth of one rating is left out.
    unit = [0, 0, 1, 1, 1, 2, 2, 2, 2, 3]
    ratings = Ratings(np.arange(10) % 5, unit, [1, 3, 2, 4, 6, 5, 5, 5, 9, 7], 5, 4)

    single, average = (intraclass_correlation(ratings, kind=kind) for kind in ("1,1", "1,k"))

    # Means 2, 4, 6, of all 40 / 9. Between: 2 (22/9)^2 + 3 (4/9)^2 + 4 (14/9)^2 = 200 / 9, over 2;
    # within: 2 + 8 + 12 = 22, over 6. k = (9 - (4 + 9 + 16) / 9) / 2 = 26 / 9.
    between, within, k = 100 / 9, 22 / 6, 26 / 9
    assert single.k == pytest.approx(k)
    assert single.value == pytest.approx((between - within) / (between + (k - 1) * within))
    assert average.value == pytest.approx((between - within) / between)
    assert single.f == pytest.approx(between / within)
    assert (single.df1, single.df2) == (2, 6)
    assert (single.n_units, single.n_left_out) == (3, 1)


def test_stacks_of_one_size_do_not_ask_who_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = simulated(n_units=25, per_unit=4)
    stacks = ratings.value[np.argsort(ratings.unit, kind="stable")].reshape(25, 4)

    ours = intraclass_correlation(ratings, kind="1,k")

    assert ours.value == pytest.approx(pingouins(stacks, "1,k", monkeypatch)["ICC"], abs=1e-12)


def test_an_incomplete_table_has_stacks_only() -> None:
    table = np.array([[1, 2, 3], [2, 3, 5], [3, np.nan, 4]])
    ratings = ratings_of_table(table)

    one_way = intraclass_correlation(ratings, kind="1,1")
    two_way = intraclass_correlation(ratings, kind="2,1")

    assert one_way.reason is None
    assert two_way.reason == (
        "ICC(2,.) and ICC(3,.) need exactly one rating of every item by every annotator, but "
        "annotator 2 did not rate item 1"
    )


def test_a_table_with_a_rating_twice_is_none() -> None:
    ratings = Ratings([0, 1, 0, 1, 1], [0, 0, 1, 1, 1], [1, 2, 3, 4, 5], 2, 2)

    assert intraclass_correlation(ratings, kind="3,k").reason.endswith(
        "annotator 1 rated item 1 more than once"
    )


def test_levels_count_in_absolute_agreement_only() -> None:
    level = ratings_of_table([[1, 2, 4], [2, 3, 5], [4, 5, 7]])

    agreement, consistency = (intraclass_correlation(level, kind=k) for k in ("2,1", "3,1"))

    assert (consistency.value, consistency.low, consistency.high) == (1, 1, 1)
    assert consistency.p == 0
    # Between 3 x 14/6 x ... : MSB = 7, MSJ = 7, MSE = 0: 7 / (7 + 3 x 7 / 3)
    assert agreement.value == pytest.approx(0.5)
    assert 0 < agreement.low < agreement.value < agreement.high < 1


@pytest.mark.parametrize("kind", KINDS)
def test_perfect_and_random_ratings(kind: Kind) -> None:
    rng = np.random.default_rng(3)
    perfect = ratings_of_table(np.tile(rng.gamma(1, size=30), (4, 1)))
    random = ratings_of_table(rng.gamma(1, size=(4, 3000)))

    assert intraclass_correlation(perfect, kind=kind).value == 1
    chance = intraclass_correlation(random, kind=kind)
    assert abs(chance.value) < 0.06
    assert chance.low < 0 < chance.high


@given(rating_batches())
@settings(max_examples=80, deadline=None)
def test_bounds_order_and_reasons(ratings: Ratings) -> None:
    for kind in KINDS:
        result = intraclass_correlation(ratings, kind=kind)
        assert np.isnan(result.value) == (result.reason is not None)
        assert np.isnan(result.value) or result.value <= 1 + 1e-12
        if result.reason is None:
            assert result.low <= result.value + 1e-9
            assert result.high >= result.value - 1e-9
        assert result.n_units + result.n_left_out == ratings.n_units


@pytest.mark.slow
@given(rating_batches())
@settings(max_examples=40, deadline=None)
def test_stretching_the_scale_changes_nothing(ratings: Ratings) -> None:
    stretched = with_values(ratings, 7 - 2 * ratings.value)

    for kind in KINDS:
        np.testing.assert_allclose(
            intraclass_correlation(ratings, kind=kind).value,
            intraclass_correlation(stretched, kind=kind).value,
            atol=1e-9,
        )


@pytest.mark.parametrize(
    ("table", "kind", "reason"),
    [
        ([[1, np.nan], [np.nan, 2]], "1,1", "no item has two ratings"),
        ([[1, 4], [3, np.nan]], "1,k", "only one item has two ratings"),
        ([[0.1, 0.1], [0.1, 0.1]], "3,1", "all ratings are equal"),
        # Units of one mean: the variance between them is estimated below 0, that of means as 0.
        ([[1, 2], [2, 1]], "1,k", "the total variance"),
        ([[1, 2], [2, 1]], "2,1", "the total variance"),
        ([[1, 2], [2, 1]], "2,k", "the total variance"),
        # Means that differ by rounding alone.
        ([[7, 7], [7, 7], [6.9, 6.9]], "1,k", "the total variance"),
    ],
)
def test_what_is_undefined_says_why(table, kind: Kind, reason: str) -> None:
    result = intraclass_correlation(ratings_of_table(table), kind=kind)

    assert result.reason.startswith(reason)
    assert result.as_dict()["icc"] is None


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of 1,1, 1,k, 2,1, 2,k, 3,1, 3,k, not"):
        intraclass_correlation(simulated(), kind="A,1")
