import numpy as np

from tuples.swaps import SwapSearch

FANO = np.array([[0, 1, 2], [0, 3, 4], [0, 5, 6], [1, 3, 5], [1, 4, 6], [2, 3, 6], [2, 4, 5]])


def test_a_search_without_gain_gives_up_long_before_its_moves_are_spent() -> None:
    search = SwapSearch(FANO, n_items=7)

    # No seven triples have a sum of squares below 21: without patience this takes days.
    search.run(
        goal=20,
        n_moves=10**12,
        patience=2_000,
        only_repeated=False,
        rng=np.random.default_rng(1),
    )

    assert search.sum_of_squares == 21
    assert sorted(np.bincount(search.tuples().ravel())) == [3] * 7


def test_a_search_that_gains_goes_on() -> None:
    # The pair 0-1 meets three times, and there are places enough for it not to.
    tuples = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4], [5, 6, 7], [5, 8, 9], [6, 8, 10]])
    search = SwapSearch(tuples, n_items=11)

    search.run(
        goal=18, n_moves=20_000, patience=5_000, only_repeated=True, rng=np.random.default_rng(1)
    )

    assert search.sum_of_squares == 18
