import numpy as np
import pytest
import scipy.stats

from scoring.measures.covariates import partial_correlation
from scoring.measures.selected_pairs import METHODS, Method, diagonal_filter, random_subset_control

CLASSES = ["similar", "middle", "dissimilar", "similar", "middle", "dissimilar", "middle"]
RATINGS = [5.0, 4.5, 2.0, 3.9, 3.0, 0.5, 0.4]


def scores(n: int = 200, *, seed: int = 1):
    rng = np.random.default_rng(seed)
    x = rng.gamma(1, size=n)
    return x, x + rng.normal(size=n), rng.gamma(1, size=n) + x


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (1, [True, False, False, False, True, True, False]),
        (2, [True, True, True, False, True, True, False]),
    ],
)
def test_the_filters_n1_and_n2_by_hand(limit: int, kept: list[bool]) -> None:
    result = diagonal_filter(RATINGS, CLASSES, limit=limit)

    assert result.is_kept.tolist() == kept
    assert result.as_dict()["n_kept"] == sum(kept)
    assert result.kept_of_class["similar"] == (1, 2)


def test_a_distance_is_compared_as_it_reads() -> None:
    # .4 - .3 is more than .1 in binary.
    result = diagonal_filter([0.4], ["a"], limit=0.1, expected={"a": 0.3})

    assert result.is_kept.all()


@pytest.mark.parametrize(
    ("ratings", "classes", "limit", "message"),
    [
        ([1.0], ["alike"], 1, "pair 0 has class 'alike', of which no rating is expected; classes"),
        ([1.0, np.nan], ["middle"] * 2, 1, "pair 1 has no rating"),
        ([1.0], ["middle"] * 2, 1, r"ratings have shape \(1,\), but there are 2 pairs"),
        ([1.0], ["middle"], -1, "the limit must be at least 0, not -1"),
    ],
)
def test_what_cannot_be_filtered_is_refused(ratings, classes, limit, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        diagonal_filter(ratings, classes, limit=limit)


@pytest.mark.parametrize("method", METHODS)
def test_the_selected_value_is_that_of_the_pairs_alone(method: Method) -> None:
    x, y, z = scores()
    chosen = x > 1.5

    result = random_subset_control(
        x,
        y,
        chosen,
        method=method,
        covariates=z if method == "partial" else None,
        n_subsets=50,
        rng=np.random.default_rng(1),
    )

    expected = {
        "pearson": lambda: scipy.stats.pearsonr(x[chosen], y[chosen]).statistic,
        "spearman": lambda: scipy.stats.spearmanr(x[chosen], y[chosen]).statistic,
        "partial": lambda: partial_correlation(x[chosen], y[chosen], z[chosen]).value,
    }[method]()
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert result.n_selected == chosen.sum()
    assert len(result.of_subsets) == 50


def test_subsets_are_drawn_without_replacement_from_all() -> None:
    # Of four pairs three: each subset leaves out one, and there are four correlations.
    x, y = np.array([1.0, 2, 4, 9]), np.array([3.0, 1, 8, 2])
    left_out = [scipy.stats.pearsonr(np.delete(x, i), np.delete(y, i))[0] for i in range(4)]

    result = random_subset_control(
        x, y, np.array([True, True, True, False]), n_subsets=400, rng=np.random.default_rng(1)
    )

    values, counts = np.unique(result.of_subsets.round(9), return_counts=True)
    np.testing.assert_allclose(values, np.sort(left_out), atol=1e-9)
    assert counts.min() > 70
    assert result.value == pytest.approx(left_out[3])


def test_a_random_selection_is_not_unusual_and_an_extreme_one_is() -> None:
    p_values = []
    for seed in range(100):
        x, y, _ = scores(80, seed=seed)
        rng = np.random.default_rng(seed)
        chosen = np.isin(np.arange(80), rng.permutation(80)[:20])
        p_values.append(random_subset_control(x, y, chosen, n_subsets=99, rng=rng).p)
    x, y, _ = scores()

    extreme = random_subset_control(
        x, y, np.abs(y - x) < 0.2, n_subsets=199, rng=np.random.default_rng(1)
    )

    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.08)
    assert extreme.p == pytest.approx(2 / 200)
    assert extreme.as_dict()["high"] < extreme.value


def test_all_pairs_are_a_selection_like_any_other() -> None:
    for seed in range(20):
        x, y, _ = scores(50, seed=seed)

        result = random_subset_control(
            x, y, np.ones(50, bool), n_subsets=3, rng=np.random.default_rng(seed)
        )

        # The same pairs in another order correlate equally.
        assert result.p == 1
    assert result.as_dict()["mean"] == pytest.approx(result.of_all)


def test_pairs_with_gaps_are_left_out_first() -> None:
    x, y, _ = scores(50)
    x[:5] = np.nan

    result = random_subset_control(x, y, np.arange(50) < 20, rng=np.random.default_rng(1))

    assert (result.n, result.n_selected) == (45, 15)


@pytest.mark.parametrize(
    ("x", "selected", "reason"),
    [
        ([1, 2, 3], [True, False, False], "fewer than two pairs are selected"),
        ([1, 1, 3], [True, True, False], "the selected pairs cannot be correlated: all values"),
    ],
)
def test_what_is_undefined_says_why(x, selected, reason: str) -> None:
    result = random_subset_control(
        x, [1, 2, 2], np.array(selected), n_subsets=5, rng=np.random.default_rng(1)
    )

    assert result.reason.startswith(reason)
    assert np.isnan(result.p)
    assert result.as_dict()["value"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "kendall"}, "method must be one of pearson, spearman, partial, not 'kendall'"),
        ({"n_subsets": 0}, "n_subsets must be at least 1, not 0"),
        ({"method": "partial"}, "covariates belong to the method 'partial', and to no other"),
        ({"covariates": [1, 2, 3]}, "covariates belong to the method 'partial'"),
        ({"is_selected": np.array([0, 1, 1])}, "is_selected must hold truth values, not int64"),
        ({"y": [1, 2]}, "there are 3 values of x, 2 of y, 3 of is_selected"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message: str) -> None:
    fields = {"x": [1, 2, 3], "y": [1, 2, 4], "is_selected": np.array([True, True, False])}
    with pytest.raises(ValueError, match=message):
        random_subset_control(**{**fields, **arguments}, rng=np.random.default_rng(1))
