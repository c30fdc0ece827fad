"""What a study can be expected to find, before it begins, and how noisy a pilot was."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from scoring import BestWorst, estimate_noise, expected_agreement, forecast, split_half
from scoring.forecasts.best_worst import Expected

# Sixty dialogues of five candidates, each with all ten of its 3-tuples.
GICCS = np.array(
    [
        [5 * dialogue + candidate for candidate in chosen]
        for dialogue in range(60)
        for chosen in combinations(range(5), 3)
    ]
)


def study(*, noise: float, seed: int, n_answers: int = 5, tuples: np.ndarray = GICCS) -> BestWorst:
    """A whole study, answer by answer, by the definition and not by the code under test."""
    rng = np.random.default_rng([99, seed])
    n_items = int(tuples.max()) + 1
    latent = rng.uniform(size=n_items)
    number, best, worst = [], [], []
    for t, items in enumerate(tuples):
        for _ in range(n_answers):
            # A standard Gumbel deviate by its distribution function, exp(-exp(-x)).
            seen = latent[items] - noise * np.log(-np.log(rng.uniform(size=len(items))))
            number.append(t)
            best.append(items[np.argmax(seen)])
            worst.append(items[np.argmin(seen)])
    return BestWorst(tuples, np.array(number), np.array(best), np.array(worst), n_items)


@pytest.mark.slow
def test_the_range_holds_what_simulated_studies_find() -> None:
    expected = forecast(
        GICCS, n_items=300, noise=0.3, n_answers=[5], rng=np.random.default_rng(2026)
    )
    low, high = expected.pearson.low[0], expected.pearson.high[0]

    found = [
        split_half(study(noise=0.3, seed=s), rule="random", rng=np.random.default_rng(s))
        for s in range(100)
    ]

    held = [low <= one.pearson.mean <= high for one in found]
    assert sum(held) >= 88
    # A range that held everything would be too wide to be of use.
    assert high - low < 0.1


def test_more_answers_make_it_more_reliable_and_random_ones_never_do() -> None:
    ask = {"n_items": 300, "n_answers": [2, 4, 8], "n_studies": 20}

    usual = forecast(GICCS, noise=0.3, rng=np.random.default_rng(1), **ask)
    clicking = forecast(GICCS, noise=np.inf, rng=np.random.default_rng(1), **ask)

    assert (np.diff(usual.pearson.mean) > 0.03).all()
    assert (np.diff(usual.truth.mean) > 0).all()
    assert (np.abs(clicking.pearson.mean) < 0.05).all()
    assert (np.abs(clicking.truth.mean) < 0.05).all()
    assert usual.enough(0.8) == 4
    assert clicking.enough(0.8) is None


def test_how_many_studies_stay_below_is_counted_among_those_with_a_value() -> None:
    expected = Expected(np.array([[0.2, 0.3, np.nan, 0.8, 0.9], [np.nan] * 5]))

    below = expected.share_below(0.8)

    np.testing.assert_array_equal(below, [2 / 4, np.nan])


def test_people_who_agree_wholly_rank_each_dialogue_alike() -> None:
    expected = forecast(
        GICCS, n_items=300, noise=0.0, n_answers=[2], n_studies=3, rng=np.random.default_rng(1)
    )

    np.testing.assert_allclose(expected.spearman.low, 1.0)
    np.testing.assert_allclose(expected.pearson.mean, 1.0)


def test_of_a_single_answer_nothing_is_split_and_the_halves_are_other_tuples() -> None:
    one_tuple = np.array([[0, 1, 2]])

    expected = forecast(
        one_tuple, n_items=4, noise=0.3, n_answers=[1], n_studies=5, rng=np.random.default_rng(1)
    )

    # The only answer is in one half, and the other has none.
    assert np.isnan(expected.pearson.mean).all()
    assert expected.as_dict()["pearson"]["mean"] == [None]
    assert np.isfinite(expected.truth.mean).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"noise": -0.1}, "noise must be at least 0, not -0.1"),
        ({"noise": np.nan}, "noise must be at least 0, not nan"),
        ({"n_answers": [0, 1]}, "at least 1 in ascending order"),
        ({"n_answers": [2, 2]}, "at least 1 in ascending order"),
        ({"n_answers": []}, "at least 1 in ascending order"),
        ({"n_studies": 0}, "n_studies must be at least 1, not 0"),
        ({"tuples": np.empty((0, 3), dtype=int)}, "there are no tuples"),
    ],
)
def test_what_cannot_be_forecast_is_refused(changes: dict, words: str) -> None:
    asked = {"tuples": GICCS, "n_items": 300, "noise": 0.3, "n_answers": [5], "n_studies": 1}
    asked |= changes

    with pytest.raises(ValueError, match=words):
        forecast(asked.pop("tuples"), rng=np.random.default_rng(1), **asked)


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.8])
def test_the_noise_of_a_pilot_is_found(noise: float) -> None:
    pilot = study(noise=noise, seed=3, tuples=GICCS[:300])

    found = estimate_noise(pilot, rng=np.random.default_rng(4))

    assert found.low < noise < found.high
    assert found.value == pytest.approx(noise, rel=0.2)
    assert found.high - found.low < noise
    assert (found.n_tuples, found.reason) == (300, None)


def test_who_clicks_at_random_agrees_in_one_of_k() -> None:
    tuples = np.arange(400).reshape(100, 4)

    # Alone: of several noises the agreement never rises, which would hide what is wrong.
    found = expected_agreement(tuples, [np.inf], rng=np.random.default_rng(1))

    np.testing.assert_allclose(found, [0.25], atol=0.01)


def test_the_noise_of_many_tuples_takes_little_memory() -> None:
    tuples = np.arange(15_000).reshape(5_000, 3)
    pilot = study(noise=0.3, seed=1, n_answers=2, tuples=tuples)

    tracemalloc.start()
    found = estimate_noise(pilot, rng=np.random.default_rng(1))
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    # A thousand resamples of them at once are 40 MB, before anything is looked up.
    assert most < 20e6
    assert found.low < 0.3 < found.high


def test_agreement_is_of_the_pairs_of_answers_to_a_tuple() -> None:
    # Tuple 0: best 0, 0, 1 and worst 2, 2, 2: one pair of three, and all three. Tuple 1: one
    # answer, which agrees with none. Tuple 2: nothing agrees.
    answers = BestWorst(
        np.array([[0, 1, 2], [1, 2, 3], [0, 2, 3]]),
        np.array([0, 0, 0, 1, 2, 2]),
        best=np.array([0, 0, 1, 1, 0, 2]),
        worst=np.array([2, 2, 2, 3, 3, 0]),
        n_items=4,
    )

    found = estimate_noise(answers, rng=np.random.default_rng(1))

    assert found.agreement == pytest.approx((1 + 3) / (6 + 2))
    assert found.n_tuples == 2


@pytest.mark.parametrize(
    ("noise", "n_answers", "words"),
    [
        (0.3, 1, "no tuple has two answers"),
        (0.0, 2, "as if there were no noise"),
        (np.inf, 5, "no more often than by chance"),
    ],
)
def test_why_there_is_no_estimate(noise: float, n_answers: int, words: str) -> None:
    if np.isinf(noise):
        # Answers that contradict each other as far as they can.
        tuples = np.array([[0, 1, 2], [3, 4, 5]])
        pilot = BestWorst(
            tuples, np.array([0, 0, 1, 1]), np.array([0, 1, 3, 4]), np.array([1, 2, 4, 5]), 6
        )
    else:
        pilot = study(noise=noise, seed=1, n_answers=n_answers, tuples=GICCS[:20])

    found = estimate_noise(pilot, rng=np.random.default_rng(4))

    assert np.isnan(found.value)
    assert words in str(found.reason)
    assert found.as_dict()["noise"] is None
