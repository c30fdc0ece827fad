"""The noise ceiling within pools: what a perfect measure reaches in simulated studies."""

import math

import numpy as np
import pytest

from scoring import BestWorst, correlate_within_pools, noise_ceiling_within_pools, pearson
from tests.scoring.batches import dialogue_tuples, oracle, random_clicking


def noisy(
    tuples: np.ndarray, latent: np.ndarray, *, n_answers: int, rng: np.random.Generator
) -> BestWorst:
    """Answers of people who see the latent scores with Gumbel noise."""
    number = np.repeat(np.arange(len(tuples)), n_answers)
    seen = latent[tuples[number]]
    best = (seen + 0.8 * rng.gumbel(size=seen.shape)).argmax(axis=1)
    low = seen - 0.8 * rng.gumbel(size=seen.shape)
    rows = np.arange(len(number))
    low[rows, best] = np.inf
    worst = low.argmin(axis=1)
    shown = tuples[number]
    return BestWorst(tuples, number, shown[rows, best], shown[rows, worst], len(latent))


def test_complete_agreement_has_a_ceiling_of_1_also_with_odd_numbers_of_answers() -> None:
    rng = np.random.default_rng(2)
    tuples, latent = dialogue_tuples(12, rng=rng), rng.normal(size=60)

    ceiling = noise_ceiling_within_pools(
        oracle(tuples, latent, n_answers=5), np.arange(12).repeat(5), rng=rng
    )

    assert ceiling.value == pytest.approx(1, abs=1e-9)
    assert ceiling.source == "split-half-within-pools"


def test_random_clicking_has_a_low_ceiling_or_none() -> None:
    rng = np.random.default_rng(3)
    answers = random_clicking(dialogue_tuples(40, rng=rng), 4, seed=4)

    ceiling = noise_ceiling_within_pools(answers, np.arange(40).repeat(5), rng=rng)

    assert ceiling.value < 0.45 or "negatively" in str(ceiling.reason)


def test_few_pools_have_a_ceiling_without_an_interval() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(6, rng=rng), rng.normal(size=30)
    answers = noisy(tuples, latent, n_answers=4, rng=rng)

    ceiling = noise_ceiling_within_pools(answers, np.arange(6).repeat(5), rng=rng)

    assert 0.8 < ceiling.value < 1
    assert math.isnan(ceiling.low)
    assert "there are only 6" in str(ceiling.as_dict()["interval_reason"])


def test_single_answers_have_a_ceiling_without_an_interval() -> None:
    rng = np.random.default_rng(5)
    tuples, latent = dialogue_tuples(30, rng=rng), rng.normal(size=150)
    pool = np.arange(30).repeat(5)

    one, two = (
        noise_ceiling_within_pools(
            noisy(tuples, latent, n_answers=n, rng=rng), pool, rng=np.random.default_rng(1)
        )
        for n in (1, 2)
    )

    assert math.isnan(one.low)
    assert one.interval_reason == "most tuples have a single answer"
    assert two.low < two.value < two.high
    assert two.interval_reason is None
    # Halves of single answers are of other tuples, so they are farther apart.
    assert one.value < two.value


def test_no_answers_no_ceiling() -> None:
    rng = np.random.default_rng(5)
    answers = random_clicking(dialogue_tuples(3, rng=rng), 0, seed=4)

    ceiling = noise_ceiling_within_pools(answers, np.arange(3).repeat(5), rng=rng)

    assert math.isnan(ceiling.value)
    assert ceiling.reason == "there are no answers"


@pytest.mark.parametrize("n_answers", [4, 5])
def test_a_perfect_measure_reaches_the_interval_within_pools_and_not_over_all(
    n_answers: int,
) -> None:
    rng = np.random.default_rng(6)
    pool = np.arange(30).repeat(5)
    n_reached, n_reached_over_all = 0, 0
    for _study in range(100):
        tuples, latent = dialogue_tuples(30, rng=rng), rng.normal(size=150)
        answers = noisy(tuples, latent, n_answers=n_answers, rng=rng)
        ceiling = noise_ceiling_within_pools(answers, pool, n_splits=20, rng=rng)
        scores = answers.scores()
        within = correlate_within_pools(scores, latent, pool).value
        n_reached += ceiling.low <= within <= ceiling.high
        n_reached_over_all += ceiling.low <= float(pearson(scores, latent)) <= ceiling.high

    assert n_reached >= 93
    assert n_reached_over_all <= 5
