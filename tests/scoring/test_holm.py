"""Holm's correction, and who is tied with the best measure of a leaderboard."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from scoring.baselines.report import baseline_report
from scoring.measures.holm import holm, tied_with_best


def test_holm_by_hand() -> None:
    # .01 x 4, .02 x 3, .03 x 2 is not below .06, 1 x .5
    np.testing.assert_allclose(holm([0.5, 0.01, 0.03, 0.02]), [0.5, 0.04, 0.06, 0.06])


def test_what_was_not_tested_does_not_count() -> None:
    np.testing.assert_allclose(holm([0.02, np.nan, 0.03]), [0.04, np.nan, 0.04])
    assert holm([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@pytest.mark.slow
def test_holm_is_that_of_statsmodels(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1])


def test_who_is_tied_with_the_best() -> None:
    values = {"a": 0.5, "b": 0.7, "c": 0.6, "d": math.nan, "e": 0.4}
    corrected = {("a", "b"): 0.01, ("b", "c"): 0.2, ("b", "e"): math.nan}

    differences = {("a", "b"): -0.2, ("b", "c"): 0.1, ("b", "e"): 0.3}

    assert tied_with_best(values, corrected, differences) == ["b", "c", "e"]
    assert tied_with_best({"d": math.nan}, {}, {}) == []


def test_a_measure_that_is_better_on_the_items_of_both_is_not_left_behind() -> None:
    # The best one has items that the other has no value of.
    values, corrected = {"a": 0.7, "b": 0.5}, {("a", "b"): 0.001}

    assert tied_with_best(values, corrected, {("a", "b"): -0.1}) == ["a", "b"]
    assert tied_with_best(values, corrected, {("a", "b"): 0.1}) == ["a"]


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["normal", "heavy"])
def test_equal_measures_are_seldom_told_apart(tail: str) -> None:
    n_any = n_any_uncorrected = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        df = 1e6 if tail == "normal" else 3
        noise = rng.standard_t(df, size=(7, 100))
        pool = np.arange(20).repeat(5)
        latent = noise[5] + rng.normal(size=20)[pool]
        measures = {f"m{n}": latent + noise[n] + rng.normal(size=20)[pool] for n in range(5)}
        report = baseline_report(
            latent + noise[6], measures, pools=pool, n_resamples=200, rng=rng
        ).subsets[0]
        n_any += any(pair.p_corrected < 0.05 for pair in report.differences)
        n_any_uncorrected += any(
            pair.within["pearson"].p_value < 0.05 for pair in report.differences
        )

    # Of 60 studies in which 5 % have any: 3, and fewer than 7 in 97 of 100. Without the correction
    # it would be some 20.
    assert n_any <= 6
    assert n_any_uncorrected >= 12


def test_a_measure_that_is_clearly_better_stands_alone() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=200)
    measures = {"far": human + 3 * rng.normal(size=200), "close": human + rng.normal(size=200)}

    report = baseline_report(human, measures, n_resamples=200, rng=rng).as_dict()

    [subset] = report["subsets"]
    assert subset["tied_with_best"] == ["close"]
    assert subset["differences"][0]["p_corrected"] == subset["differences"][0]["p_value"] < 0.001
