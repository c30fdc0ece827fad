"""Which effects of context are smaller than a margin: two one-sided tests of each pair."""

import json

import numpy as np
import pytest
import scipy.stats

from scoring.ratings.context_effects import TESTS, TTest, effects_of_context
from scoring.ratings.ratings import Ratings
from tests.scoring.rating_batches import ratings_of_table
from tests.scoring.test_context_effects import study

LEVEL, MARGIN = 0.05, 0.6


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("gain", [0.0, 0.4, -1.0])
def test_every_pair_is_tested_as_by_scipy_on_shifted_ratings(test: TTest, gain: float) -> None:
    free, dependent = study(gain=gain)
    if test != "paired":
        free[:5, :20] = np.nan

    result = effects_of_context(
        *map(ratings_of_table, (free, dependent)), test=test, margin=MARGIN
    ).equivalence

    def p(shift: float, alternative: str) -> np.ndarray:
        if test == "paired":
            return scipy.stats.ttest_rel(dependent + shift, free, alternative=alternative).pvalue
        return scipy.stats.ttest_ind(
            dependent + shift,
            free,
            equal_var=test == "pooled",
            nan_policy="omit",
            alternative=alternative,
        ).pvalue

    expected = np.maximum(p(MARGIN, "greater"), p(-MARGIN, "less"))
    np.testing.assert_allclose(result.p, expected, rtol=1e-9)
    np.testing.assert_allclose(
        result.p_adjusted, scipy.stats.false_discovery_control(expected), rtol=1e-9
    )


def test_every_pair_is_judged_as_by_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    size = rng.choice([0.0, 0.3, 1.5], size=300)
    noise = rng.choice([0.3, 1.2], size=300)
    free = rng.normal(size=(12, 1)) + rng.normal(size=300) + noise * rng.normal(size=(12, 300))
    dependent = free + size + noise * rng.normal(size=(12, 300))
    # One pair without spread, one that a single person rated.
    dependent[:, 0] = free[:, 0]
    free[1:, 1] = np.nan

    effects = effects_of_context(*map(ratings_of_table, (free, dependent)), margin=MARGIN)

    p_zero, p_margin = [], []
    for before, after in zip(free.T[2:], dependent.T[2:], strict=True):
        differences = [b - a for a, b in zip(before, after, strict=True)]
        mean = sum(differences) / 12
        error = (sum((d - mean) ** 2 for d in differences) / 11 / 12) ** 0.5
        below, above = (mean - MARGIN) / error, (mean + MARGIN) / error
        p_margin.append(max(scipy.stats.t.cdf(below, 11), scipy.stats.t.sf(above, 11)))
        p_zero.append(2 * scipy.stats.t.sf(abs(mean / error), 11))
    expected: list[str | None] = [None, None]
    for zero, small in zip(adjusted(p_zero), adjusted(p_margin), strict=True):
        expected.append(
            "equivalent" if small <= LEVEL else "different" if zero <= LEVEL else "undecided"
        )
    result = effects.equivalence
    assert result is not None
    assert list(result.outcomes) == expected
    figures = effects.as_dict()["equivalence"]
    counts = {name: figures[f"n_{name}"] for name in ("equivalent", "different", "undecided")}
    assert counts == {name: expected.count(name) for name in counts}
    assert min(counts.values()) > 10
    assert sum(counts.values()) == effects.n_tested == 298
    # An effect of .3 is not 0 for some pairs, and smaller than the margin all the same.
    is_small = np.array([outcome == "equivalent" for outcome in result.outcomes])
    assert (is_small & (effects.p_adjusted <= LEVEL)).any()
    json.dumps(figures, allow_nan=False)


def adjusted(p: list[float]) -> list[float]:
    """Benjamini and Hochberg from the definition: the least p m / rank from the rank on."""
    order = sorted(range(len(p)), key=p.__getitem__)
    values, least = [0.0] * len(p), 1.0
    for rank in range(len(p), 0, -1):
        place = order[rank - 1]
        least = min(least, p[place] * len(p) / rank)
        values[place] = least
    return values


def test_without_a_margin_nothing_is_said() -> None:
    effects = effects_of_context(*map(ratings_of_table, study()))

    assert effects.equivalence is None
    assert effects.as_dict()["equivalence"] is None


def test_an_effect_of_the_size_of_the_margin_is_seldom_called_smaller() -> None:
    """Half of the pairs have no effect, so that many are left after the correction."""
    shares, found = [], []
    for seed in range(30):
        free, dependent, is_at_margin = with_effects_at(MARGIN, seed)
        for test in ("paired", "pooled"):
            result = effects_of_context(free, dependent, test=test, margin=MARGIN).equivalence
            is_small = np.array([outcome == "equivalent" for outcome in result.outcomes])
            shares.append(is_small[is_at_margin].mean())
            found.append(is_small[~is_at_margin].mean())

    assert np.mean(shares[::2]) <= 0.05
    assert np.mean(shares[1::2]) <= 0.05
    # And the tests can find anything.
    assert np.mean(shares[::2]) > 0.005
    assert np.mean(found[::2]) > 0.5


def with_effects_at(
    margin: float, seed: int, *, n_units: int = 400, n_people: int = 12
) -> tuple[Ratings, Ratings, np.ndarray]:
    """The same people rate both; half of the pairs have an effect of exactly the margin."""
    rng = np.random.default_rng(seed)
    is_at_margin = np.arange(n_units) % 2 == 0
    sign = rng.choice([-1, 1], size=n_units)
    own = 0.5 * rng.normal(size=(n_people, n_units))
    free = own + 0.4 * rng.normal(size=own.shape)
    dependent = own + margin * is_at_margin * sign + 0.4 * rng.normal(size=own.shape)
    return ratings_of_table(free), ratings_of_table(dependent), is_at_margin
