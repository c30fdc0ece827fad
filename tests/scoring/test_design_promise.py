"""What the designs are for: answers without error give back the order of the items."""

import numpy as np
import pytest

from scoring import counting_scores, spearman
from tests.scoring.batches import oracle
from tuples import make_tuples, pool_seed


def test_two_tuples_an_item_rank_a_hundred_items_nearly_as_they_are() -> None:
    found = []
    for seed in range(20):
        tuples = make_tuples(100, size=4, factor=2, seed=seed)
        latent = np.random.default_rng(seed).random(100)
        answers = oracle(tuples, latent, n_answers=1)
        scores = counting_scores(answers.shown(), answers.best, answers.worst, n_items=100)
        found.append(float(spearman(scores, latent)))

    # Two hundred other seeds gave a mean of .961 with a standard deviation of .006.
    assert 0.95 < np.mean(found) < 0.97
    assert min(found) > 0.93


@pytest.mark.parametrize("seed", range(5))
def test_all_ten_tuples_of_three_rank_five_candidates_exactly(seed: int) -> None:
    for dialogue in range(60):
        tuples = make_tuples(5, size=3, factor=2, seed=pool_seed(seed, dialogue))
        latent = np.random.default_rng([seed, dialogue]).random(5)
        answers = oracle(tuples, latent, n_answers=1)
        scores = counting_scores(answers.shown(), answers.best, answers.worst, n_items=5)

        assert np.argsort(scores).tolist() == np.argsort(latent).tolist()
        assert float(spearman(scores, latent)) == pytest.approx(1.0, abs=1e-12)
