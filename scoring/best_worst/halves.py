"""Halves of a batch of answers, drawn at random and scored by counting.

What is drawn is named by the *rule*, which changes what a correlation of the halves says:

- ``random``, ``fixed``: the answers of each tuple are split [KM2017]. Would as many other answers
  have given the same scores? The two treat odd numbers of answers differently.
- ``balanced``: as ``random``, but each tuple counts alike in both halves, however many of its
  answers are in them. Complete agreement then gives 1, also of odd numbers of answers, if each
  tuple has at least two.
- ``annotator``: people are split, so that nobody is in both halves. Would as many other people?
- ``tuple``: tuples are split, each with all its answers. Would as many other tuples?

Symbols: r repeats (splits), t tuples, m judgments, as in scoring.best_worst.judgments.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.counting import share
from scoring.best_worst.half_draws import (
    Draw,
    Parts,
    Rule,
    draw_groups,
    draw_within_tuples,
    whole_groups,
)
from scoring.best_worst.judgments import BestWorst
from shell.messages import Message, ngettext
from shell.messages import message as _

RULES: dict[Rule, Message] = {
    "random": _(
        "The answers to each tuple are split at random into halves. If their number is odd, the"
        " remaining answer goes to a random half [KM2017]. The figure is the correlation of the"
        " counting scores of the two halves."
    ),
    "fixed": _(
        "The answers to each tuple are split at random into halves. Half A always gets the smaller"
        " part, such as 2 of 5 [GiCCS]. The figure is the correlation of the counting scores of"
        " the two halves."
    ),
    "balanced": _(
        "The answers to each tuple are split at random into halves. In each half, an item's score"
        " is the mean over its tuples. Each tuple has the same weight, regardless of how many of"
        " its answers are in the half. If all answers agree and every tuple has at least two"
        " answers, the figure is 1. Published figures usually use random halves, or halves as in"
        " GiCCS. The figure is the correlation of the scores of the two halves."
    ),
    "annotator": _(
        "The annotators are split at random into halves, each annotator with all their answers. If"
        " their number is odd, half A gets one annotator fewer. The figure is the correlation of"
        " the counting scores of the two halves."
    ),
    "tuple": _(
        "The answered tuples are split at random into halves, each tuple with all its answers. If"
        " their number is odd, half A gets one tuple fewer. The figure is the correlation of the"
        " counting scores of the two halves."
    ),
}

# Judgments, tuples or items times repeats held at once: some 10 MB, however large the study. Four
# times as many take longer, for memory that is fetched from the system anew each time.
CELLS_AT_ONCE = 2**19

Totals: TypeAlias = npt.NDArray[np.int32 | np.int64]

# Below this share of the people, or of the tuples, the smaller half is not called a half: 4 of 9.
SMALLEST_HALF = 0.45
MIN_ITEMS = 3


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


def why_no_halves(answers: BestWorst, rule: Rule) -> Message | None:
    """Say why the answers cannot be halved by this rule; None if they can."""
    if answers.n_judgments == 0:
        return _("there are no answers")
    if (n_items := len(answers.shown_items())) < MIN_ITEMS:
        return _(
            "there are only %(n)s items, and two items correlate by 1 or −1, whatever the answers",
            n=n_items,
        )
    if rule == "fixed" and answers.answers_per_tuple().max() < 2:
        return _("no tuple has two answers, so half A of every tuple is empty")
    if rule == "annotator" and whole_groups(answers, rule).max() == 0:
        return _("there is only one annotator, so there are no halves")
    if rule == "tuple" and whole_groups(answers, rule).max() == 0:
        return _("there is only one answered tuple, so there are no halves")
    return None


def why_not_equal(answers: BestWorst, rule: Rule) -> Message | None:
    """Say why the parts are not halves, as stepping up asks for; None if they are."""
    if rule == "fixed" and (answers.answers_per_tuple() % 2).any():
        return _(
            "the formula needs equal halves. Halves as in GiCCS are unequal if a tuple has an odd"
            " number of answers (see “random halves”)"
        )
    if rule in ("annotator", "tuple") and answers.n_judgments:
        n_groups = int(whole_groups(answers, rule).max()) + 1
        smaller = n_groups // 2
        if smaller < SMALLEST_HALF * n_groups:
            return _uneven_groups(rule, n=n_groups, smaller=smaller)
    return None


def _uneven_groups(rule: Rule, *, n: int, smaller: int) -> Message:
    if rule == "annotator":
        return ngettext(
            "%(n)s annotators split into %(smaller)s and %(greater)s, but the formula needs equal"
            " halves",
            "%(n)s annotators split into %(smaller)s and %(greater)s, but the formula needs equal"
            " halves",
            "n",
            n=n,
            smaller=smaller,
            greater=n - smaller,
        )
    return ngettext(
        "%(n)s answered tuples split into %(smaller)s and %(greater)s, but the formula needs equal"
        " halves",
        "%(n)s answered tuples split into %(smaller)s and %(greater)s, but the formula needs equal"
        " halves",
        "n",
        n=n,
        smaller=smaller,
        greater=n - smaller,
    )


def notes_on_halves(answers: BestWorst, rule: Rule) -> list[Message]:
    """What a reader of the figures has to know about the halves of these answers."""
    n_answers = answers.answers_per_tuple()
    notes = [_note_on_single_answers(n_answers, rule), _note_on_odd_numbers(n_answers, rule)]
    return [note for note in notes if note is not None]


def _note_on_single_answers(n_answers: IntArray, rule: Rule) -> Message | None:
    n_answered, n_single = int((n_answers > 0).sum()), int((n_answers == 1).sum())
    if n_single == 0 or rule in ("annotator", "tuple"):
        return None
    if n_single == n_answered:
        if rule == "fixed":
            return _(
                "No tuple was answered twice, so answers to the same tuple could not be split."
                " Instead, each tuple was assigned to half B."
            )
        return _(
            "No tuple was answered twice, so answers to the same tuple could not be split."
            " Instead, each tuple was assigned at random to one of the halves."
        )
    if rule == "fixed":
        return ngettext(
            "%(n)s of %(tuples)s tuples has only one answer, which goes to half B.",
            "%(n)s of %(tuples)s tuples have only one answer, which goes to half B.",
            "n",
            n=n_single,
            tuples=n_answered,
        )
    return ngettext(
        "%(n)s of %(tuples)s tuples has only one answer, which goes to a random half.",
        "%(n)s of %(tuples)s tuples have only one answer, which goes to a random half.",
        "n",
        n=n_single,
        tuples=n_answered,
    )


def _note_on_odd_numbers(n_answers: IntArray, rule: Rule) -> Message | None:
    """Say what an odd number of answers does; `_note_on_single_answers` covers single ones."""
    n_answered, n_odd = int((n_answers > 0).sum()), int((n_answers % 2).sum())
    if rule != "random" or n_odd == 0 or n_answers.max() < 2:
        return None
    if n_odd == n_answered:
        return _(
            "Every tuple has an odd number of answers, so the value can be below 1 even if "
            "all answers agree."
        )
    return _(
        "Some tuples (%(n)s of %(tuples)s) have an odd number of answers, so the value "
        "can be below 1 even if all answers agree.",
        n=n_odd,
        tuples=n_answered,
    )


def scores_of_halves(
    answers: BestWorst, *, rule: Rule, n_splits: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the scores of halves A and B, each of shape (repeats, n_items), chunk by chunk.

    The answers must pass `check_rule` and `why_no_halves`. nan for an item that a half does not
    show.
    """
    if rule in ("random", "fixed", "balanced"):
        answers, draw = draw_within_tuples(answers, rule)
    else:
        draw = draw_groups(answers, rule)
    if rule == "balanced":
        yield from _balanced_scores(answers, draw, n_splits=n_splits, rng=rng)
        return
    # No item has more points than its most in every judgment. Narrow types save a fifth of the
    # time.
    most = answers.most_points * answers.n_judgments
    whole = np.int16 if most < 2**15 else np.int32
    totals = _totals(answers, whole)
    net, appearances = totals(np.ones((answers.n_judgments, 1), dtype=whole))
    largest = max(answers.n_judgments, answers.n_tuples, answers.n_items)
    at_once = max(1, CELLS_AT_ONCE // largest)
    for done in range(0, n_splits, at_once):
        half_a = np.empty((answers.n_judgments, min(at_once, n_splits - done)), dtype=whole)
        draw(half_a, rng)
        net_a, appearances_a = totals(half_a)
        rest = share(net - net_a, appearances - appearances_a)
        yield share(net_a, appearances_a) / answers.most_points, rest / answers.most_points


def _balanced_scores(
    answers: BestWorst, draw: Draw, *, n_splits: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """As `scores_of_halves`, of items' means over tuples, each tuple counting once in a half."""
    from scipy.sparse import csc_array  # noqa: PLC0415 - importing scoring loads numpy only

    n_items, m, (t, k) = answers.n_items, answers.n_judgments, answers.tuples.shape
    places = answers.tuple_number[:, None] * k + np.arange(k)
    points = answers.slot_points().astype(np.int32)
    # Points of each place of each tuple: those of both halves add up, so one is counted.
    net_points = csc_array((points.ravel(), places.ravel(), np.arange(m + 1) * k), (t * k, m))
    net_points.eliminate_zeros()
    answering = csc_array(
        (np.ones(m, dtype=np.int32), answers.tuple_number, np.arange(m + 1)), (t, m)
    )
    showing = csc_array(
        (np.ones(t * k), answers.tuples.ravel(), np.arange(t * k + 1)), (n_items, t * k)
    )
    net: Totals = net_points.sum(axis=1)[:, None]
    n_answers = answers.answers_per_tuple()[:, None]

    def scores(net: Totals, n_answers: Totals) -> FloatArray:
        n_answers = np.repeat(n_answers, k, axis=0)
        of_places = net / np.maximum(n_answers, 1)
        means = share(showing @ of_places, showing @ (n_answers > 0).astype(np.float64))
        # What is equal but for rounding has to be equal: ranks are taken of it.
        return np.asarray(means.T / answers.most_points).round(12)

    at_once = max(1, CELLS_AT_ONCE // max(m, t, n_items))
    for done in range(0, n_splits, at_once):
        half_a = np.empty((m, min(at_once, n_splits - done)), dtype=np.int32)
        draw(half_a, rng)
        net_a, n_answers_a = net_points @ half_a, answering @ half_a
        yield scores(net_a, n_answers_a), scores(net - net_a, n_answers - n_answers_a)


def drawn_halves(
    answers: BestWorst, *, n_splits: int, rng: np.random.Generator
) -> tuple[BestWorst, Parts]:
    """Draw halves by the rule "random".

    Returns
    -------
    BestWorst
        The judgments in another order.
    Parts, shape (m, n_splits)
        1 for each of these that is in half A, else 0.
    """
    in_order, draw = draw_within_tuples(answers, "random")
    half_a = np.empty((answers.n_judgments, n_splits), dtype=np.int16)
    draw(half_a, rng)
    return in_order, half_a


def _totals(
    answers: BestWorst, whole: type[np.int16] | type[np.int32]
) -> Callable[[Parts], tuple[IntArray, IntArray]]:
    """Prepare a function of parts of the judgments, shape (m, r), of the type `whole`.

    It returns the points (best less worst picks), and the appearances, of each item in each part,
    both of shape (r, n_items).
    """
    from scipy.sparse import csc_array  # noqa: PLC0415 - importing scoring loads numpy only

    n_items, m, (t, k) = answers.n_items, answers.n_judgments, answers.tuples.shape
    # Column by column, each as long as the others: the picks and one tuple of each judgment, k
    # items of each tuple. All of the type of the parts, which would else be converted.
    ones = np.ones(max(m, t * k), dtype=whole)
    picked, points = answers.picks()
    ends = np.arange(m + 1) * picked.shape[1]
    signed = points.ravel().astype(ones.dtype)
    net_picks = csc_array((signed, picked.ravel(), ends), (n_items, m))
    answering = csc_array((ones[:m], answers.tuple_number, np.arange(m + 1)), (t, m))
    showing = csc_array(
        (ones[: t * k], answers.tuples.ravel(), np.arange(0, t * k + 1, k)), (n_items, t)
    )

    def totals(parts: Parts) -> tuple[IntArray, IntArray]:
        net, appearances = net_picks @ parts, showing @ (answering @ parts)
        return np.asarray(net).T, np.asarray(appearances).T

    return totals
