"""Which judgments come into half A, by each rule of `scoring.best_worst.halves`.

Symbols: r repeats (splits), t tuples, m judgments, as in scoring.best_worst.judgments.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.arrays import IntArray
from scoring.best_worst.judgments import BestWorst

Rule: TypeAlias = Literal["random", "fixed", "balanced", "annotator", "tuple"]
# Parts of m judgments, shape (m, r): 1 for those in the part, else 0.
Parts: TypeAlias = npt.NDArray[np.int16 | np.int32]
# Fills an array of parts with halves A.
Draw: TypeAlias = Callable[[Parts, np.random.Generator], None]

# Up to so many answers of a tuple all their possible halves are listed: 3,432 of 14 answers.
MAX_LISTED = 14


def whole_groups(answers: BestWorst, rule: Rule) -> IntArray:
    """Number of the annotator, or of the answered tuple, of each judgment, 0 upwards, (m,)."""
    of_judgment = answers.tuple_number
    if rule == "annotator" and answers.annotator is not None:
        of_judgment = answers.annotator
    number: IntArray = np.unique(of_judgment, return_inverse=True)[1]
    return number


def draw_groups(answers: BestWorst, rule: Rule) -> Draw:
    """Draw half A, whole people or tuples."""
    group = whole_groups(answers, rule)
    n_groups = int(group.max()) + 1

    def draw(half_a: Parts, rng: np.random.Generator) -> None:
        is_in_a = np.zeros((half_a.shape[1], n_groups), dtype=np.bool_)
        is_in_a[:, : n_groups // 2] = True
        half_a[:] = rng.permuted(is_in_a, axis=1).T[group]

    return draw


def draw_within_tuples(answers: BestWorst, rule: Rule) -> tuple[BestWorst, Draw]:
    """Draw half A of each tuple's answers: put the judgments in order, and say how it goes."""
    # In rounds: the first answers of all tuples that are drawn together, then the second ...
    n_answers = answers.answers_per_tuple()
    by_tuple = np.argsort(answers.tuple_number, kind="stable")
    first = np.cumsum(n_answers) - n_answers

    order = []
    draws = []
    for n in np.unique(n_answers[(n_answers > 0) & (n_answers <= MAX_LISTED)]).tolist():
        tuples = np.flatnonzero(n_answers == n)
        order.append(by_tuple[(first[tuples] + np.arange(n)[:, None]).ravel()])
        draws.append(_listing(n, len(tuples), rule))
    tuples = np.flatnonzero(n_answers > MAX_LISTED)
    if len(tuples):
        tuples = tuples[np.argsort(-n_answers[tuples], kind="stable")]
        n_longer = n_answers[tuples]
        rounds = [first[tuples[n_longer > done]] + done for done in range(n_longer[0])]
        order.append(by_tuple[np.concatenate(rounds)])
        draws.append(_sampling(n_longer, rule))
    ends = np.cumsum([len(rows) for rows in order])

    def draw(half_a: Parts, rng: np.random.Generator) -> None:
        for draw_part, part in zip(draws, np.split(half_a, ends[:-1]), strict=True):
            draw_part(part, rng)

    return answers.of_judgments(np.concatenate(order)), draw


def _listing(n: int, n_tuples: int, rule: Rule) -> Draw:
    """Draw from a list of all possible parts of n answers, every one of them alike likely.

    An odd number has as many parts of one size as of the other, so this is also the coin.
    """
    sizes = [n // 2] if rule == "fixed" else [n // 2, n - n // 2]
    # The binary digits of a number say which answers are taken.
    parts = np.arange(2**n) >> np.arange(n)[:, None] & 1
    parts = parts[:, np.isin(parts.sum(axis=0), sizes)]

    def draw(half_a: Parts, rng: np.random.Generator) -> None:
        number = rng.integers(parts.shape[1], size=(n_tuples, half_a.shape[1]), dtype=np.uint16)
        listed = parts.astype(half_a.dtype)
        # Without a mode, numpy takes into an array of its own first. No number is beyond the end.
        np.take(listed, number, axis=1, out=half_a.reshape(n, *number.shape), mode="wrap")

    return draw


def _sampling(n_answers: IntArray, rule: Rule) -> Draw:
    """Draw from tuples with many answers, (t,) of them in descending order.

    Selection sampling [Fan1962]: each answer in turn is taken with probability (still wanted) /
    (still to come), which needs no sorting, hits the number exactly, and makes every subset of
    that size alike likely.
    """
    is_odd = n_answers % 2 == 1

    def draw(half_a: Parts, rng: np.random.Generator) -> None:
        r = half_a.shape[1]
        still_wanted = np.tile((n_answers // 2)[:, None], (1, r))
        if rule != "fixed":
            still_wanted[is_odd] += rng.random((int(is_odd.sum()), r)) < 0.5
        end = 0
        for done in range(n_answers[0]):
            n_going_on = int((n_answers > done).sum())
            start, end = end, end + n_going_on
            still_to_come = n_answers[:n_going_on, None] - done
            # A draw is below 1, also after rounding, so the last ones wanted are always taken.
            taken = rng.random((n_going_on, r)) * still_to_come < still_wanted[:n_going_on]
            still_wanted[:n_going_on] -= taken
            half_a[start:end] = taken

    return draw
