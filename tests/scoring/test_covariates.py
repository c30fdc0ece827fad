import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import pearson
from scoring.measures.covariates import partial_correlation


def related(n: int, n_covariates: int, *, seed: int = 1):
    rng = np.random.default_rng(seed)
    z = rng.gamma(1, size=(n, n_covariates))
    x = z.sum(axis=1) + rng.normal(size=n)
    return x, 0.4 * x - z[:, 0] + rng.normal(size=n), z


@pytest.mark.parametrize("n_covariates", [1, 2, 4])
def test_agrees_with_pingouin(n_covariates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pingouin.options, "round.column.CI95", None)
    x, y, z = related(30, n_covariates)
    names = [f"z{i}" for i in range(n_covariates)]
    data = pd.DataFrame(np.column_stack([x, y, z]), columns=["x", "y", *names])
    theirs = pingouin.partial_corr(data, "x", "y", names).iloc[0]

    ours = partial_correlation(x, y, z)

    assert ours.value == pytest.approx(theirs["r"], abs=1e-10)
    assert ours.p == pytest.approx(theirs["p_val"], rel=1e-6)
    # pingouin gives six digits.
    np.testing.assert_allclose([ours.low, ours.high], theirs["CI95"], atol=5e-7)


def test_without_a_covariate_that_varies_the_value_is_the_plain_one_and_says_so() -> None:
    x, y, z = related(20, 1)

    plain, controlled = partial_correlation(x, y, np.full(20, 0.3)), partial_correlation(x, y, z)

    assert plain.value == pytest.approx(float(pearson(x, y)))
    assert plain.as_dict()["note"] == "no covariate varies, so this is the plain correlation"
    assert controlled.as_dict()["note"] is None


def test_one_covariate_by_the_formula_of_pairwise_correlations() -> None:
    x, y, z = related(50, 1)
    r_xy, r_xz, r_yz = (float(pearson(*pair)) for pair in ((x, y), (x, z[:, 0]), (y, z[:, 0])))

    value = partial_correlation(x, y, z[:, 0]).value

    assert value == pytest.approx(
        (r_xy - r_xz * r_yz) / np.sqrt((1 - r_xz**2) * (1 - r_yz**2)), abs=1e-12
    )


def test_covariates_that_say_nothing_new_change_nothing() -> None:
    x, y, z = related(40, 2)

    one = partial_correlation(x, y, z)
    more = partial_correlation(x, y, np.column_stack([z, z.sum(axis=1), np.full(40, 0.1)]))

    assert more.value == pytest.approx(one.value, abs=1e-10)
    assert more.n_covariates == one.n_covariates == 2
    constant = partial_correlation(x, y, np.full(40, 0.1))
    assert constant.value == pytest.approx(float(pearson(x, y)), abs=1e-12)


@pytest.mark.slow
@given(st.integers(4, 12), st.integers(0, 99), st.floats(0.1, 1e4))
@settings(max_examples=40, deadline=None)
def test_bounds_symmetry_and_units(n: int, seed: int, scale: float) -> None:
    x, y, z = related(n, 1, seed=seed)

    there = partial_correlation(x, y, z)
    back = partial_correlation(y, x, z)
    scaled = partial_correlation(scale * x + 7, -y, -scale * z + 3)

    assert -1 <= there.value <= 1
    assert there.value == pytest.approx(back.value, abs=1e-9)
    assert there.value == pytest.approx(-scaled.value, abs=1e-6)


def test_cases_with_gaps_are_left_out() -> None:
    x, y, z = related(20, 1)
    gap_x, gap_z = x.copy(), z.copy()
    gap_x[3], gap_z[5] = np.nan, np.nan
    rest = np.delete(np.arange(20), [3, 5])

    with_gaps = partial_correlation(gap_x, y, gap_z)

    assert with_gaps.n == 18
    assert with_gaps.value == pytest.approx(partial_correlation(x[rest], y[rest], z[rest]).value)


@pytest.mark.parametrize(
    ("x", "y", "z", "reason"),
    [
        ([1], [2], [3], "there are fewer than two complete cases"),
        ([1, 2, 4], [2, 1, 3], [1, 2, 2], "3 cases are too few for 1 covariate: at least 3"),
        ([1, 2, 4, 7], [0.1] * 4, [1, 2, 2, 3], "one variable is constant, or the covariates"),
        ([1, 2, 4, 7], [2, 1, 3, 0], [3, 5, 9, 15], "one variable is constant, or the covariates"),
    ],
)
def test_what_is_undefined_says_why(x, y, z, reason: str) -> None:
    result = partial_correlation(x, y, z)

    assert np.isnan(result.value)
    assert result.reason.startswith(reason)
    assert result.as_dict()["p"] is None


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shapes \(2,\), \(2,\) and \(3,\) differ"):
        partial_correlation([1, 2], [1, 2], [1, 2, 3])
