from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import BestWorst, Counts, count, counting_scores
from tests.scoring.batches import batches, dialogue_tuples, oracle, relabelled, swapped


def test_by_hand() -> None:
    shown = np.array([[0, 1, 2], [3, 0, 1], [1, 2, 3]])
    best, worst = np.array([0, 3, 2]), np.array([2, 0, 1])

    scores = counting_scores(shown, best, worst, n_items=5)

    # item 0: (1 - 1) / 2; 1: (0 - 1) / 3; 2: (1 - 1) / 2; 3: (1 - 0) / 2; 4 was never shown
    np.testing.assert_array_equal(scores, [0, -1 / 3, 0, 1 / 2, np.nan])


def test_agrees_with_other_peoples_program(published) -> None:
    counts = count(published.answers)

    assert counts.appearances.tolist() == [int(row["n"]) for row in published.scores]
    assert counts.best.tolist() == [int(row["best"]) for row in published.scores]
    assert counts.worst.tolist() == [int(row["worst"]) for row in published.scores]
    np.testing.assert_allclose(
        counts.scores(), [float(row["score"]) for row in published.scores], rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(
        counts.rescaled(), [float(row["score01"]) for row in published.scores], rtol=0, atol=1e-9
    )


def test_every_score_is_in_the_interval_that_begins_below_it() -> None:
    # Every score that up to 30 answers can give, at an end of an interval or not.
    all_counts = [
        (n, best, worst)
        for n in range(31)
        for best in range(n + 1)
        for worst in range(n + 1 - best)
    ]
    expected = [0] * 5
    for n, best, worst in all_counts:
        if n:
            rescaled = (Fraction(best - worst, n) + 1) / 2
            expected[min(int(rescaled * 5), 4)] += 1

    found = Counts(*np.array(all_counts).T).distribution()

    assert found.tolist() == expected
    assert Counts.none(3).distribution(n_bins=2).tolist() == [0, 0]


def test_an_oracle_ranks_every_dialogue_exactly() -> None:
    # With all ten 3-tuples, the best of five is shown and picked six times, the second three
    # times of six (in the tuples without the best), the third once as best and once as worst.
    latent = np.array([0.1, 0.9, 0.3, 0.5, 0.2])
    tuples = dialogue_tuples(1, rng=np.random.default_rng(1))

    scores = count(oracle(tuples, latent, n_answers=5)).scores()

    np.testing.assert_allclose(scores, [-1, 1, 0, 1 / 2, -1 / 2])


@given(batches())
def test_both_ways_of_counting_agree(answers: BestWorst) -> None:
    scores = counting_scores(answers.shown(), answers.best, answers.worst, n_items=answers.n_items)

    np.testing.assert_array_equal(scores, count(answers).scores())


@given(batches())
def test_swapping_best_and_worst_negates_every_score(answers: BestWorst) -> None:
    np.testing.assert_array_equal(count(answers).scores(), -count(swapped(answers)).scores())


@given(batches(), st.data())
def test_relabelling_the_items_moves_their_scores_along(
    answers: BestWorst, data: st.DataObject
) -> None:
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    moved = count(relabelled(answers, new_number)).scores()

    np.testing.assert_array_equal(moved[new_number], count(answers).scores())


@given(batches())
def test_scores_are_bounded_and_missing_only_where_nothing_was_shown(answers: BestWorst) -> None:
    counts = count(answers)
    scores, rescaled = counts.scores(), counts.rescaled()

    np.testing.assert_array_equal(np.isnan(scores), counts.appearances == 0)
    assert (np.abs(scores[~np.isnan(scores)]) <= 1).all()
    np.testing.assert_array_equal(rescaled, (scores + 1) / 2)
    # Every judgment gives one best and one worst.
    assert counts.best.sum() == counts.worst.sum() == answers.n_judgments


@given(batches(), st.integers(1, 7))
def test_chunks_add_up_to_the_whole(answers: BestWorst, size: int) -> None:
    total = Counts.none(answers.n_items)
    for start in range(0, answers.n_judgments, size):
        rows = np.arange(start, min(start + size, answers.n_judgments))
        total += count(answers.of_judgments(rows))

    np.testing.assert_array_equal(total.scores(), count(answers).scores())


def test_counts_of_different_items_do_not_add_up() -> None:
    with pytest.raises(ValueError, match="counts of 1 and of 3 items do not add up"):
        Counts.none(1) + Counts.none(3)


def test_nothing_counted_has_no_score() -> None:
    assert np.isnan(Counts.none(2).scores()).all()
    assert np.isnan(Counts.none(2).rescaled()).all()


@pytest.mark.parametrize(
    ("best", "worst", "message"),
    [
        ([0, 3], [1, 3], "judgment 1 picks item 3 as both best and worst"),
        ([2, 2], [1, 3], r"judgment 0: best 2 is not one of the 2 items shown \(0, 1\)"),
        ([0, 2], [1, 0], r"judgment 1: worst 0 is not one of the 2 items shown \(2, 3\)"),
        ([0], [1, 3], r"best has shape \(1,\), but there are 2 judgments"),
    ],
)
def test_a_broken_judgment_is_refused(best: list[int], worst: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counting_scores(np.array([[0, 1], [2, 3]]), np.array(best), np.array(worst), n_items=4)
