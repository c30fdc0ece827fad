"""Halves of a batch of answers, drawn at random and scored by counting.

What is drawn is named by the *rule*, which changes what a correlation of the halves says:

- ``random``, ``fixed``: the answers of each tuple are split [KM2017]. Would as many other answers
  have given the same scores? The two treat odd numbers of answers differently.
- ``annotator``: people are split, so that nobody is in both halves. Would as many other people?
- ``tuple``: tuples are split, each with all its answers. Would as many other tuples?

Symbols: r repeats (splits), t tuples, m judgments, as in scoring.judgments.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.counting import count, share
from scoring.judgments import BestWorst

Rule: TypeAlias = Literal["random", "fixed", "annotator", "tuple"]

RULES: dict[Rule, str] = {
    "random": (
        "The answers to each tuple are split at random into halves; an odd one goes to either "
        "half by a coin [KM2017]. Correlation of the halves' counting scores over items."
    ),
    "fixed": (
        "The answers to each tuple are split at random into halves; half A always takes the "
        "smaller part, 2 of 5 [GiCCS]. Correlation of the halves' counting scores over items."
    ),
    "annotator": (
        "The annotators are split at random into halves, each with all their answers; of an odd "
        "number half A takes one fewer. Correlation of the halves' counting scores over items."
    ),
    "tuple": (
        "The answered tuples are split at random into halves, each with all its answers; of an "
        "odd number half A takes one fewer. Correlation of the halves' counting scores over items."
    ),
}

# Judgments or items times repeats held at once: some 50 MB, however large the study.
CELLS_AT_ONCE = 2**21

# Below this share of the people, or of the tuples, the smaller half is not called a half: 4 of 9.
SMALLEST_HALF = 0.45


def check_rule(answers: BestWorst, rule: Rule) -> None:
    """Refuse a rule that is unknown or that these answers cannot follow.

    Raises
    ------
    ValueError
        If the rule is not a key of `RULES`, or if it splits people and the batch does not say
        who gave each answer.
    """
    if rule not in get_args(Rule):
        raise ValueError(f"rule must be one of {', '.join(get_args(Rule))}, not {rule!r}")
    if rule == "annotator" and answers.annotator is None:
        raise ValueError(
            "the rule 'annotator' splits people, so it needs to know who gave each answer"
        )


def why_no_halves(answers: BestWorst, rule: Rule) -> str | None:
    """Say why the answers cannot be halved by this rule; None if they can."""
    if answers.n_judgments == 0:
        return "there are no judgments"
    if rule == "fixed" and answers.answers_per_tuple().max() < 2:
        return "no tuple has two judgments, so half A of every tuple is empty"
    if rule in ("annotator", "tuple") and _whole_groups(answers, rule).max() == 0:
        return f"there is only one {_GROUP_NAMES[rule]}, which cannot be halved"
    return None


def why_not_equal(answers: BestWorst, rule: Rule) -> str | None:
    """Say why the parts are not halves, as stepping up asks for; None if they are."""
    if rule == "fixed":
        return (
            "the rule 'fixed' makes parts of unequal size from an odd number of answers, and the "
            "formula needs halves; see the rule 'random'"
        )
    if rule in ("annotator", "tuple") and answers.n_judgments:
        n_groups = int(_whole_groups(answers, rule).max()) + 1
        smaller = n_groups // 2
        if smaller < SMALLEST_HALF * n_groups:
            return (
                f"{n_groups} {_GROUP_NAMES[rule]}s part into {smaller} and {n_groups - smaller}, "
                "and the formula needs halves"
            )
    return None


def notes_on_halves(answers: BestWorst, rule: Rule) -> list[str]:
    """What a reader of the figures has to know about the halves of these answers."""
    n_answers = answers.answers_per_tuple()
    notes = [_note_on_single_answers(n_answers, rule), _note_on_odd_numbers(n_answers, rule)]
    return [note for note in notes if note is not None]


_GROUP_NAMES: dict[Rule, str] = {"annotator": "annotator", "tuple": "answered tuple"}


def _whole_groups(answers: BestWorst, rule: Rule) -> IntArray:
    """Number of the annotator, or of the answered tuple, of each judgment, 0 upwards, (m,)."""
    of_judgment = answers.tuple_number
    if rule == "annotator" and answers.annotator is not None:
        of_judgment = answers.annotator
    number: IntArray = np.unique(of_judgment, return_inverse=True)[1]
    return number


def _note_on_single_answers(n_answers: IntArray, rule: Rule) -> str | None:
    n_answered, n_single = int((n_answers > 0).sum()), int((n_answers == 1).sum())
    if n_single == 0 or rule in ("annotator", "tuple"):
        return None
    where = "half B" if rule == "fixed" else "either half by a coin"
    if n_single == n_answered:
        return (
            "No tuple has two judgments, so nothing is split: each tuple goes whole to "
            f"{where}, and the halves are scored from different tuples."
        )
    return f"{n_single} of {n_answered} tuples have one judgment, which goes to {where}."


def _note_on_odd_numbers(n_answers: IntArray, rule: Rule) -> str | None:
    """Say what the coin does; of single answers, `_note_on_single_answers` says it."""
    n_answered, n_odd = int((n_answers > 0).sum()), int((n_answers % 2).sum())
    if rule != "random" or n_odd == 0 or n_answers.max() < 2:
        return None
    if n_odd == n_answered:
        which = "Every tuple has an odd number of answers"
    else:
        have = "has" if n_odd == 1 else "have"
        which = f"{n_odd} of {n_answered} tuples {have} an odd number of answers"
    return (
        f"{which}: the coin gives such a tuple more weight in one half than in the other, so "
        "complete agreement need not reach 1. In 60 pools of five items, each with all ten "
        "tuples of three and 3, 5 or 7 answers that all agree, Spearman is .956; with 4 or 6 it "
        "is 1.000."
    )


def scores_of_halves(
    answers: BestWorst, *, rule: Rule, n_splits: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the scores of halves A and B, each of shape (repeats, n_items), chunk by chunk.

    The answers must pass `check_rule` and `why_no_halves`. nan for an item that a half does not
    show.
    """
    total = count(answers)
    net = total.best - total.worst
    draw = _halves_of_tuples if rule in ("random", "fixed") else _halves_of_groups
    for net_a, appearances_a in draw(answers, rule=rule, n_splits=n_splits, rng=rng):
        yield (
            share(net_a, appearances_a),
            share(net - net_a, total.appearances - appearances_a),
        )


def _halves_of_groups(
    answers: BestWorst, *, rule: Rule, n_splits: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield net picks and appearances of half A, (repeats, n_items), of whole people or tuples."""
    group = _whole_groups(answers, rule)
    n_groups = int(group.max()) + 1
    shown, n_items = answers.shown(), answers.n_items
    at_once = max(1, CELLS_AT_ONCE // max(answers.n_judgments * answers.tuple_size, n_items))
    for done in range(0, n_splits, at_once):
        r = min(at_once, n_splits - done)
        is_in_a = np.zeros((r, n_groups), dtype=np.bool_)
        is_in_a[:, : n_groups // 2] = True
        of_judgments = rng.permuted(is_in_a, axis=1)[:, group]
        yield (
            _net_picks(of_judgments, answers.best, answers.worst, n_items=n_items),
            _occurrences(of_judgments, shown, n_items=n_items),
        )


def _halves_of_tuples(
    answers: BestWorst, *, rule: Rule, n_splits: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield net picks and appearances of half A, (repeats, n_items), of each tuple's answers."""
    # Tuples with most answers first, and the answers in rounds: the first answer of every tuple,
    # then the second of those that have two ... A round's tuples are then the first ones, and
    # its judgments lie side by side.
    n_answers = answers.answers_per_tuple()
    tuple_order = np.argsort(-n_answers, kind="stable")
    n_answers = n_answers[tuple_order]
    tuples = answers.tuples[tuple_order]
    place = np.empty_like(tuple_order)
    place[tuple_order] = np.arange(len(tuple_order))
    by_tuple = np.argsort(place[answers.tuple_number], kind="stable")
    starts = np.repeat(np.cumsum(n_answers) - n_answers, n_answers)
    by_round = by_tuple[np.argsort(np.arange(answers.n_judgments) - starts, kind="stable")]
    best, worst = answers.best[by_round], answers.worst[by_round]

    n_items = answers.n_items
    smaller_part = n_answers // 2
    surely_in_a = np.bincount(
        tuples.ravel(), np.repeat(smaller_part, tuples.shape[1]), minlength=n_items
    ).astype(np.int64)
    odd = np.flatnonzero(n_answers % 2) if rule == "random" else np.arange(0)

    at_once = max(1, CELLS_AT_ONCE // max(answers.n_judgments, n_items))
    for done in range(0, n_splits, at_once):
        r = min(at_once, n_splits - done)
        coins = rng.random((r, len(odd))) < 0.5
        wanted = np.tile(smaller_part, (r, 1))
        wanted[:, odd] += coins

        net_a = _net_picks(_choose(n_answers, wanted, rng), best, worst, n_items=n_items)
        appearances_a = surely_in_a + _occurrences(coins, tuples[odd], n_items=n_items)
        yield net_a, appearances_a


def _choose(n_answers: IntArray, wanted: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose `wanted` of each tuple's answers, every subset of that size alike likely.

    Selection sampling [Fan1962]: each answer in turn is taken with probability (still
    wanted) / (still to come), which needs no sorting and hits the number exactly.

    Parameters
    ----------
    n_answers : int array, shape (t,)
        Answers of each tuple, in descending order.
    wanted : int array, shape (r, t)
        Answers to choose, 0..n_answers; used up.

    Returns
    -------
    bool array, shape (r, m)
        Whether each judgment is chosen, in rounds: first answers of all tuples, second ...
    """
    r = len(wanted)
    chosen = np.empty((r, int(n_answers.sum())), dtype=np.bool_)
    end = 0
    for done in range(int(n_answers.max())):
        n_going_on = int((n_answers > done).sum())
        start, end = end, end + n_going_on
        still_wanted = wanted[:, :n_going_on]
        still_to_come = n_answers[:n_going_on] - done
        # A draw is below 1, also after rounding, so the last ones wanted are always taken.
        taken = rng.random((r, n_going_on)) * still_to_come < still_wanted
        still_wanted -= taken
        chosen[:, start:end] = taken
    return chosen


def _net_picks(
    is_counted: BoolArray, best: IntArray, worst: IntArray, *, n_items: int
) -> IntArray:
    """Best picks minus worst picks of the judgments counted (r, m), shape (r, n_items)."""
    return _occurrences(is_counted, best[:, None], n_items=n_items) - _occurrences(
        is_counted, worst[:, None], n_items=n_items
    )


def _occurrences(is_counted: BoolArray, items: IntArray, *, n_items: int) -> IntArray:
    """How often the rows counted (r, m) of `items` (m, k) hold each item, shape (r, n_items)."""
    totals = np.zeros((n_items, len(is_counted)), dtype=np.int64)
    by_item = np.argsort(items, axis=None, kind="stable")
    held, starts = np.unique(items.ravel()[by_item], return_index=True)
    if len(held):
        # Repeats side by side: each addition is one of whole rows, twice as fast as a bincount
        # of the cells (repeat, item).
        rows = np.ascontiguousarray(is_counted.T)[by_item // items.shape[1]]
        totals[held] = np.add.reduceat(rows.astype(np.int32), starts, axis=0)
    return totals.T
