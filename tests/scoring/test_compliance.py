import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import BestWorst, counting_scores
from scoring.best_worst.choice_fits import implied_pairs
from scoring.best_worst.compliance import compliance
from tests.scoring.batches import (
    batches,
    dialogue_tuples,
    oracle,
    random_clicking,
    relabelled,
    swapped,
)


def with_people(answers: BestWorst, people: np.ndarray) -> BestWorst:
    return BestWorst(
        answers.tuples, answers.tuple_number, answers.best, answers.worst, answers.n_items, people
    )


def in_plain_loops(answers: BestWorst, person: int) -> tuple[float, int, int]:
    """The definition: recount without the person, then compare pair by pair."""
    is_own = answers.annotator == person
    others = answers.of_judgments(~is_own)
    scores = counting_scores(others.shown(), others.best, others.worst, n_items=answers.n_items)
    own = answers.of_judgments(is_own)
    agreeing, compared, left_out = 0.0, 0, 0
    for winner, loser in zip(*(side.ravel() for side in implied_pairs(own)), strict=True):
        if np.isnan(scores[winner]) or np.isnan(scores[loser]):
            left_out += 1
            continue
        compared += 1
        agreeing += 0.5 if scores[winner] == scores[loser] else scores[winner] > scores[loser]
    return agreeing / compared if compared else np.nan, compared, left_out


def test_by_hand() -> None:
    # Tuples {0, 1, 2} and {1, 2, 3}. For person 5 the others leave one answer, best 0, worst 2:
    # scores 1, 0, -1, and nothing of item 3. Person 5 says 1 > 0, 1 > 2, 0 > 2 of the first tuple:
    # 0 + 1 + 1; and of the second 2 > 1, 2 > 3, 1 > 3: 0, and two left out. 2 of 4.
    # For person 8 the others leave scores of the answers (1 best, 2 worst), (2 best, 3 worst):
    # 0: 0/1, 1: 1/2, 2: 0/2, 3: -1. Person 8 says 0 > 1, 0 > 2, 1 > 2: 0 + .5 + 1 = 1.5 of 3.
    answers = BestWorst(
        np.array([[0, 1, 2], [1, 2, 3]]),
        np.array([0, 1, 0]),
        np.array([1, 2, 0]),
        np.array([2, 3, 2]),
        4,
        np.array([5, 5, 8]),
    )

    result = compliance(answers)

    assert result.annotator.tolist() == [5, 8]
    assert result.share.tolist() == [0.5, 0.5]
    assert result.n_judgments.tolist() == [2, 1]
    assert result.n_pairs.tolist() == [4, 3]
    assert result.n_left_out.tolist() == [2, 0]


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.integers(1, 4), st.integers(0, 2**16))
def test_it_is_the_definition(answers: BestWorst, n_people: int, seed: int) -> None:
    people = np.random.default_rng(seed).integers(0, n_people, answers.n_judgments) * 7
    answers = with_people(answers, people)

    result = compliance(answers)

    for row, person in enumerate(result.annotator):
        by_definition = in_plain_loops(answers, person)
        np.testing.assert_allclose(result.share[row], by_definition[0])
        assert (result.n_pairs[row], result.n_left_out[row]) == by_definition[1:]


@settings(max_examples=40, deadline=None)
@given(batches(min_answers=1), st.data())
def test_it_is_blind_to_labels_and_to_the_question(
    answers: BestWorst, data: st.DataObject
) -> None:
    people = np.arange(answers.n_judgments) % 3
    new_number = np.array(data.draw(st.permutations(range(answers.n_items))))

    shares = [
        compliance(with_people(batch, people)).share
        for batch in (answers, relabelled(answers, new_number), swapped(answers))
    ]

    np.testing.assert_allclose(shares[0], shares[1])
    np.testing.assert_allclose(shares[0], shares[2])


def test_one_who_clicks_at_random_is_at_a_half_and_stands_out() -> None:
    tuples = dialogue_tuples(60, rng=np.random.default_rng(1))
    good = oracle(tuples, np.random.default_rng(2).random(300), n_answers=4)
    bad = random_clicking(tuples, 1, seed=3)
    answers = BestWorst(
        tuples,
        np.concatenate([good.tuple_number, bad.tuple_number]),
        np.concatenate([good.best, bad.best]),
        np.concatenate([good.worst, bad.worst]),
        300,
        np.concatenate([np.tile(np.arange(4), 600), np.full(600, 9)]),
    )

    shares = compliance(answers).share

    assert shares[:4].min() > 0.95
    # 1,800 pairs, three of an answer together: a standard error of about .02.
    assert shares[4] == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("seed", range(3))
def test_random_clicking_of_all_is_at_a_half(seed: int) -> None:
    tuples = dialogue_tuples(60, rng=np.random.default_rng(seed))
    answers = random_clicking(tuples, 5, seed=seed)

    shares = compliance(with_people(answers, np.arange(3000) % 10)).share

    assert shares.mean() == pytest.approx(0.5, abs=0.04)


def test_published_people_comply(published) -> None:
    result = compliance(published.answers)

    assert result.n_judgments.sum() == 3000
    assert (result.n_pairs + result.n_left_out == 3 * result.n_judgments).all()
    assert result.share.min() > 0.8


def test_a_person_alone_cannot_be_compared() -> None:
    answers = random_clicking(np.array([[0, 1, 2]]), 3, seed=1)

    result = compliance(with_people(answers, np.zeros(3, int)))

    assert np.isnan(result.share).tolist() == [True]
    assert (result.n_pairs.tolist(), result.n_left_out.tolist()) == ([0], [9])
    assert result.as_dict()["share"] == [None]


def test_no_answers_have_no_annotators() -> None:
    answers = with_people(random_clicking(np.array([[0, 1, 2]]), 0, seed=1), np.arange(0))

    assert compliance(answers).annotator.tolist() == []


def test_people_have_to_be_known() -> None:
    with pytest.raises(ValueError, match="needs to know who gave each answer"):
        compliance(random_clicking(np.array([[0, 1, 2]]), 3, seed=1))


def test_many_annotators_are_not_recounted_one_by_one() -> None:
    tuples = dialogue_tuples(600, rng=np.random.default_rng(1))
    answers = random_clicking(tuples, 5, seed=1)
    answers = with_people(answers, np.random.default_rng(1).integers(0, 3000, 30_000))

    started = time.process_time()
    result = compliance(answers)

    assert len(result.annotator) > 2900
    # Recounting for each would take 3,000 times a millisecond.
    assert time.process_time() - started < 1
