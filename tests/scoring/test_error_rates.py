"""How often the tests of context reject where nothing is, and what they find where it is."""

import numpy as np
import pytest

from scoring.ratings.context_effects import TTest, effects_of_context
from scoring.ratings.ratings import Ratings

N_PAIRS, STACK, N_STUDIES = 1_200, 9, 50
N_PEOPLE = 27


def study(
    seed: int, *, shift: float = 0.0, person_effects: float = 0.0, noise: float = 0.8
) -> tuple[Ratings, Ratings]:
    """1,200 pairs of means from 1.5 to 4.5, so far from the scale's ends that none is cut off."""
    rng = np.random.default_rng(seed)
    mean = rng.uniform(1.5, 4.5, size=N_PAIRS)
    people = np.argsort(rng.random((N_PAIRS, N_PEOPLE)), axis=1)[:, :STACK]
    annotator, unit = people.ravel(), np.repeat(np.arange(N_PAIRS), STACK)
    # What a person sees in a pair, and sees in it again in the other phase.
    own = person_effects * rng.normal(size=len(unit))
    batches = [
        Ratings(
            annotator,
            unit,
            mean[unit] + own + gain + noise * rng.normal(size=len(unit)),
            N_PEOPLE,
            N_PAIRS,
        )
        for gain in (0.0, shift)
    ]
    return batches[0], batches[1]


def rejected(test: TTest, *, person_effects: float, seeds: range) -> tuple[float, int]:
    """The share of pairs below .05, and in how many studies none is left after correction."""
    effects = [
        effects_of_context(*study(seed, person_effects=person_effects), test=test)
        for seed in seeds
    ]
    share = float(np.mean([effect.n_below / effect.n_tested for effect in effects]))
    return share, sum(effect.n_left == 0 for effect in effects)


def test_with_independent_errors_the_pooled_test_keeps_its_level() -> None:
    share, n_clean = rejected("pooled", person_effects=0, seeds=range(N_STUDIES))

    assert 0.03 <= share <= 0.07
    assert n_clean >= 45


def test_with_person_effects_the_paired_test_keeps_its_level_and_the_pooled_one_is_timid() -> None:
    paired, n_clean = rejected("paired", person_effects=0.8, seeds=range(N_STUDIES))
    pooled, _ = rejected("pooled", person_effects=0.8, seeds=range(10))

    assert 0.03 <= paired <= 0.07
    assert n_clean >= 45
    # The same people rated both: what they share is taken for error.
    assert pooled < 0.03


@pytest.mark.parametrize("test", ["pooled", "welch", "paired"])
def test_a_shift_of_half_a_point_comes_back(test: TTest) -> None:
    effects = effects_of_context(*study(7, shift=0.5, person_effects=0.4), test=test)

    gains = effects.gains()
    error = gains.sd / np.sqrt(N_PAIRS)
    assert abs(gains.mean - 0.5) < 3 * error
    assert effects.n_left > 0
