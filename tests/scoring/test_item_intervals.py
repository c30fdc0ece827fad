import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import BestWorst, count
from scoring.best_worst import item_intervals
from scoring.best_worst.item_intervals import Drawn, score_intervals
from tests.scoring.batches import (
    batches,
    dialogue_tuples,
    oracle,
    random_clicking,
    relabelled,
    swapped,
)

DRAWN: list[Drawn] = ["answers", "annotators"]


def with_people(answers: BestWorst, people: np.ndarray) -> BestWorst:
    return BestWorst(
        answers.tuples, answers.tuple_number, answers.best, answers.worst, answers.n_items, people
    )


def noisy(*, n_answers: int, seed: int) -> BestWorst:
    """Two pools of five items; every person answers every tuple once."""
    rng = np.random.default_rng(seed)
    tuples = dialogue_tuples(2, rng=np.random.default_rng(1))
    tuple_number = np.repeat(np.arange(20), n_answers)
    latent = np.linspace(-1, 1, 10)[[3, 9, 0, 5, 7, 1, 8, 4, 6, 2]]
    utility = latent[tuples[tuple_number]] + rng.gumbel(size=(len(tuple_number), 3))
    order = np.take_along_axis(tuples[tuple_number], np.argsort(utility, axis=1), axis=1)
    people = np.tile(np.arange(n_answers), 20)
    return BestWorst(tuples, tuple_number, order[:, 2], order[:, 0], 10, people)


def test_answers_by_hand() -> None:
    # Two of three answers say 0 over 1. Two are drawn, each counting 1.5: the score of 0 is X - 1
    # with X binomial (2, 2/3), of standard deviation sqrt(2 x 2/9) = 2/3. 0 over 1 in 4/9 of the
    # resamples, which is not sure.
    answers = BestWorst(
        np.array([[0, 1]]), np.zeros(3, int), np.array([0, 1, 0]), np.array([1, 0, 1]), 3
    )

    result = score_intervals(answers, n_resamples=20_000, rng=np.random.default_rng(1))

    np.testing.assert_allclose(result.standard_error, [2 / 3, 2 / 3, np.nan], atol=0.01)
    assert (result.low[0], result.high[0]) == (-1, 1)
    assert (result.sure_share, result.n_pairs) == (0, 1)
    assert np.isnan([result.low[2], result.high[2]]).all()


def test_annotators_by_hand() -> None:
    # Persons: one answers twice for 0, the other once for 1. Drawn both: (2 - 1) / 3; one of them
    # twice, each with a chance of 1/4: 1 or -1.
    answers = BestWorst(
        np.array([[0, 1]]),
        np.zeros(3, int),
        np.array([0, 1, 0]),
        np.array([1, 0, 1]),
        2,
        np.array([4, 2, 4]),
    )

    result = score_intervals(
        answers, resample="annotators", n_resamples=20_000, rng=np.random.default_rng(1)
    )

    mean = 1 / 3 / 2
    expected = np.sqrt((1 / 3 - mean) ** 2 / 2 + ((1 - mean) ** 2 + (-1 - mean) ** 2) / 4)
    assert result.standard_error == pytest.approx([expected] * 2, abs=0.01)
    assert result.note == "there are only 2 annotators to draw from: the intervals are rough."


@pytest.mark.parametrize("resample", DRAWN)
def test_standard_errors_are_those_of_repeated_studies(resample: Drawn) -> None:
    n = 12 if resample == "annotators" else 2
    studies = [count(noisy(n_answers=n, seed=seed)).scores() for seed in range(300)]

    said = [
        score_intervals(
            noisy(n_answers=n, seed=seed),
            resample=resample,
            n_resamples=100,
            rng=np.random.default_rng(seed),
        ).standard_error
        for seed in range(100)
    ]

    # Each draws from its own people, hence the factor sqrt((n - 1) / n); from answers one fewer.
    shrinking = np.sqrt((n - 1) / n) if resample == "annotators" else 1
    expected = np.std(studies, axis=0, ddof=1) * shrinking
    # Variances are without bias, their roots are not.
    mean = np.sqrt(np.mean(np.square(said), axis=0))
    np.testing.assert_allclose(mean / expected, 1, atol=0.2)
    assert np.mean(mean) / np.mean(expected) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("resample", DRAWN)
def test_the_score_lies_within_its_interval(resample: Drawn, published) -> None:
    result = score_intervals(
        published.answers, resample=resample, n_resamples=200, rng=np.random.default_rng(1)
    )

    scores = count(published.answers).scores()
    assert ((result.low <= scores) & (scores <= result.high)).mean() > 0.98
    assert (result.n_pairs, result.n_pairs_within_pools) == (300 * 299 // 2, 600)
    assert 0.5 < result.sure_share_within_pools <= 1
    constant = "39 items have a standard error of 0, because all answers to each of their tuples"
    assert result.note is None if resample == "annotators" else constant in result.note


def naive_sure_share(scores: np.ndarray) -> float:
    r, n = scores.shape
    pairs = [(i, j) for i in range(n) for j in range(i)]
    sure = sum(
        max((scores[:, i] > scores[:, j]).sum(), (scores[:, i] < scores[:, j]).sum()) >= 0.95 * r
        for i, j in pairs
    )
    return sure / len(pairs)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**16), st.integers(2, 9), st.booleans())
def test_sure_pairs_are_counted_as_in_plain_loops(seed: int, n: int, has_gaps: bool) -> None:
    rng = np.random.default_rng(seed)
    # Steps, so that there are ties.
    scores = np.round(rng.normal(size=n) * 2 + rng.normal(size=(40, n)) * 0.8, 0)
    if has_gaps:
        scores[rng.random((40, n)) < 0.02] = np.nan
    pool = rng.integers(0, 2, n)

    sure, n_pairs, within, n_within = item_intervals._pairs_in_sure_order(scores, pool)

    assert sure / n_pairs == pytest.approx(naive_sure_share(scores))
    of_pool = [scores[:, pool == p] for p in (0, 1)]
    sizes = [part.shape[1] for part in of_pool]
    assert n_within == sum(size * (size - 1) // 2 for size in sizes)
    assert within == pytest.approx(
        sum(
            naive_sure_share(part) * size * (size - 1) / 2
            for part, size in zip(of_pool, sizes, strict=True)
            if size > 1
        )
    )


def test_twenty_resamples_are_sure_with_nineteen() -> None:
    scores = np.zeros((20, 2))
    scores[:19, 0] = 1

    assert item_intervals._pairs_in_sure_order(scores, np.zeros(2))[0] == 1
    scores[18, 0] = 0
    assert item_intervals._pairs_in_sure_order(scores, np.zeros(2))[0] == 0


@pytest.mark.parametrize("resample", DRAWN)
def test_perfect_answers_leave_no_doubt(resample: Drawn) -> None:
    tuples = dialogue_tuples(2, rng=np.random.default_rng(1))
    answers = oracle(tuples, np.arange(10.0), n_answers=3)
    answers = with_people(answers, np.tile(np.arange(3), 20))

    result = score_intervals(
        answers, resample=resample, n_resamples=50, rng=np.random.default_rng(1)
    )

    np.testing.assert_array_equal(result.low, result.high)
    assert result.sure_share_within_pools == 1


def test_random_clicking_puts_few_pairs_in_order() -> None:
    tuples = dialogue_tuples(20, rng=np.random.default_rng(1))

    result = score_intervals(
        random_clicking(tuples, 6, seed=1), n_resamples=200, rng=np.random.default_rng(1)
    )

    # One-sided 5 % on either side, and a bootstrap of what varies already.
    assert result.sure_share < 0.3


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.sampled_from(DRAWN))
def test_swapping_best_and_worst_mirrors_the_intervals(
    answers: BestWorst, resample: Drawn
) -> None:
    people = np.arange(answers.n_judgments) % 3

    there, back = (
        score_intervals(
            with_people(batch, people),
            resample=resample,
            n_resamples=20,
            rng=np.random.default_rng(1),
        )
        for batch in (answers, swapped(answers))
    )

    np.testing.assert_allclose(there.low, -back.high, atol=1e-12)
    np.testing.assert_allclose(there.standard_error, back.standard_error, atol=1e-12)
    np.testing.assert_equal(there.sure_share, back.sure_share)
    assert (there.low[~np.isnan(there.low)] >= -1).all()


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.data())
def test_relabelling_the_items_relabels_the_intervals(
    answers: BestWorst, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    one, other = (
        score_intervals(batch, n_resamples=20, rng=np.random.default_rng(1))
        for batch in (answers, relabelled(answers, new_number))
    )

    np.testing.assert_allclose(one.low, other.low[new_number], atol=1e-12)
    assert one.n_pairs_within_pools == other.n_pairs_within_pools


def test_items_of_single_answers_have_no_interval_and_this_is_said() -> None:
    tuples = np.array([[0, 1, 2], [1, 2, 3], [3, 4, 5]])
    answers = random_clicking(tuples, np.array([1, 4, 4]), seed=1)

    result = score_intervals(answers, rng=np.random.default_rng(1))

    assert np.isnan(result.standard_error).tolist() == [True] * 3 + [False] * 3
    assert (
        np.isnan(result.low).tolist() == np.isnan(result.high).tolist() == [True] * 3 + [False] * 3
    )
    assert (result.n_pairs, result.n_pairs_within_pools) == (3, 3)
    assert "1 of 3 tuples have one judgment" in result.note
    assert "the 3 items that they show have no interval" in result.note


def test_a_study_of_single_answers_is_sure_of_nothing() -> None:
    answers = random_clicking(dialogue_tuples(3, rng=np.random.default_rng(1)), 1, seed=1)

    result = score_intervals(answers, n_resamples=50, rng=np.random.default_rng(1))

    assert np.isnan(result.standard_error).all()
    assert (result.n_pairs, result.as_dict()["sure_share"]) == (0, None)


def test_answers_that_are_all_the_same_are_named() -> None:
    answers = oracle(
        dialogue_tuples(2, rng=np.random.default_rng(1)), np.arange(10.0), n_answers=3
    )

    result = score_intervals(answers, n_resamples=20, rng=np.random.default_rng(1))

    assert result.note.startswith("10 items have a standard error of 0, because all answers")


def test_a_score_that_does_not_vary_has_no_standard_error() -> None:
    tuples = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3]])
    best, worst = np.array([0, 1, 2]), np.array([2, 3, 3])
    answers = BestWorst(tuples, np.arange(6) % 3, np.tile(best, 2), np.tile(worst, 2), 4)

    result = score_intervals(answers, rng=np.random.default_rng(1))

    # The mean of a thousand scores of 1/3 is not 1/3 in binary.
    assert result.low[0] == pytest.approx(1 / 3)
    np.testing.assert_array_equal(result.standard_error, 0)


def test_resamples_that_miss_an_item_are_counted() -> None:
    answers = with_people(
        random_clicking(np.array([[0, 1], [2, 3]]), np.array([2, 1]), seed=1), np.array([0, 0, 1])
    )

    result = score_intervals(
        answers, resample="annotators", n_resamples=400, rng=np.random.default_rng(1)
    )

    # Of two people one is missing from a quarter of the resamples.
    assert result.n_unseen == pytest.approx([100] * 4, abs=40)
    assert np.isfinite(result.low).all()


def test_no_answers_have_no_intervals() -> None:
    answers = noisy(n_answers=2, seed=1).of_judgments(np.zeros(40, dtype=bool))

    result = score_intervals(answers, n_resamples=5, rng=np.random.default_rng(1))

    assert (result.note, result.n_pairs) == ("there are no judgments", 0)
    assert result.as_dict()["sure_share"] is None
    assert np.isnan(result.low).all()


def test_chunks_cover_all_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_intervals, "CELLS_AT_ONCE", 50)

    result = score_intervals(
        noisy(n_answers=3, seed=1), n_resamples=7, rng=np.random.default_rng(1)
    )

    assert np.isfinite(result.standard_error).all()


def test_wrong_arguments_are_refused() -> None:
    rng = np.random.default_rng(1)
    answers = noisy(n_answers=2, seed=1)
    with pytest.raises(ValueError, match="resample must be one of answers, annotators, not 'x'"):
        score_intervals(answers, resample="x", rng=rng)
    with pytest.raises(ValueError, match="n_resamples must be at least 2, not 1"):
        score_intervals(answers, n_resamples=1, rng=rng)
    unknown = random_clicking(np.array([[0, 1]]), 2, seed=1)
    with pytest.raises(ValueError, match="cannot be drawn without knowing who gave each answer"):
        score_intervals(unknown, resample="annotators", rng=rng)
