"""Batches of best-worst answers: drawn by hypothesis, clicked at random, from an oracle."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from scoring import BestWorst


@st.composite
def batches(draw: st.DrawFn, *, min_answers: int = 0) -> BestWorst:
    """Lopsided batches: any subset of the tuples, in any stored order, 0 to 5 answers each."""
    k = draw(st.integers(2, 4))
    n_items = draw(st.integers(k, 6))
    sets = list(combinations(range(n_items), k))
    chosen = draw(st.lists(st.sampled_from(sets), min_size=1, max_size=8, unique=True))
    tuples = [draw(st.permutations(items)) for items in chosen]
    judgments = [
        (number, *draw(st.permutations(items))[:2])
        for number, items in enumerate(tuples)
        for _ in range(draw(st.integers(min_answers, 5)))
    ]
    tuple_number, best, worst = np.array(judgments, dtype=np.int64).reshape(-1, 3).T
    return BestWorst(np.array(tuples), tuple_number, best, worst, n_items)


def dialogue_tuples(n_dialogues: int, *, rng: np.random.Generator) -> np.ndarray:
    """All ten 3-tuples of each dialogue's five items, stored order drawn: (10 n_dialogues, 3)."""
    of_one = np.array(list(combinations(range(5), 3)))
    tuples = np.concatenate([of_one + 5 * dialogue for dialogue in range(n_dialogues)])
    return rng.permuted(tuples, axis=1)


def random_clicking(tuples: np.ndarray, n_answers: np.ndarray | int, *, seed: int) -> BestWorst:
    """Answers that pick any two items of the tuple; `n_answers` per tuple, or for each."""
    rng = np.random.default_rng(seed)
    tuple_number = np.repeat(np.arange(len(tuples)), n_answers)
    picks = rng.permuted(tuples[tuple_number], axis=1)
    n_items = int(tuples.max()) + 1
    return BestWorst(tuples, tuple_number, picks[:, 0], picks[:, 1], n_items)


def oracle(tuples: np.ndarray, latent: np.ndarray, *, n_answers: int) -> BestWorst:
    """Answers that always pick the highest and the lowest latent score."""
    tuple_number = np.repeat(np.arange(len(tuples)), n_answers)
    by_score = np.take_along_axis(tuples, np.argsort(latent[tuples], axis=1), axis=1)
    picks = by_score[tuple_number]
    return BestWorst(tuples, tuple_number, picks[:, -1], picks[:, 0], len(latent))


def with_people(answers: BestWorst, people: np.ndarray | None) -> BestWorst:
    """The same answers, given by these people, or by nobody knows whom."""
    return BestWorst(
        answers.tuples,
        answers.tuple_number,
        answers.best,
        answers.worst,
        answers.n_items,
        people,
    )


def swapped(answers: BestWorst) -> BestWorst:
    """The same answers to the opposite question."""
    return BestWorst(
        answers.tuples, answers.tuple_number, answers.worst, answers.best, answers.n_items
    )


def relabelled(answers: BestWorst, new_number: np.ndarray) -> BestWorst:
    """The same answers with item i numbered new_number[i]."""
    return BestWorst(
        new_number[answers.tuples],
        answers.tuple_number,
        new_number[answers.best],
        new_number[answers.worst],
        answers.n_items,
    )


def stored_otherwise(answers: BestWorst, tuples: np.ndarray) -> BestWorst:
    """The same answers with other stored orders of the tuples."""
    return BestWorst(tuples, answers.tuple_number, answers.best, answers.worst, answers.n_items)
