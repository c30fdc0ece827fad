"""How sure each item's counting score is, and how many pairs of items are in a sure order.

The answers are drawn again with replacement and scored, many times:

- ``answers``: of each tuple one answer fewer than the n it has, each counting n / (n - 1)
  [RaoWu1988]. The tuples stay, and so do the appearances. With all n drawn the spread would be too
  small by sqrt((n - 1) / n), a tenth for five answers. Of a tuple with one answer nobody knows how
  it varies, so the items that it shows have no interval.
- ``annotators``: as many people as there are, each with all their answers. The one to use where
  people differ in taste and each gives many answers.

Symbols: r resamples; m judgments of t tuples, as in scoring.best_worst.judgments.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.counting import count, share
from scoring.best_worst.judgments import BestWorst
from scoring.best_worst.pools import pool_of_tuples, pools_by_comparison
from scoring.correlation import average_ranks
from scoring.json_values import JsonObject, json_number, json_numbers
from shell.messages import Message, joined, ngettext
from shell.messages import message as _

Drawn: TypeAlias = Literal["answers", "annotators"]

# "At least 95 %" is `SURE`.
DEFINITIONS: dict[Drawn, Message] = {
    "answers": _(
        "Percentile bootstrap (95 %) of the scores [RaoWu1988] [Efron1993]. Each resample draws n"
        " - 1 of the n answers to each tuple and weights them by n / (n - 1). The order of a pair"
        " is certain if one item scores higher in at least 95 % of the resamples. Equal scores"
        " give no order."
    ),
    "annotators": _(
        "Percentile bootstrap (95 %) of the scores, drawing as many annotators as there"
        " are, each with all their answers [Efron1993]. Sure share: pairs of items of which one"
        " scores higher in at least 95 % of the resamples; equal scores are no order."
    ),
}

# Judgments or items times resamples held at once.
CELLS_AT_ONCE = 2**20
# Percentage of the resamples in which a sure order is the same.
SURE = 95


@dataclass(frozen=True, eq=False)
class ScoreIntervals:
    """Bootstrap intervals of the counting scores, and the pairs of items in a sure order.

    Parameters
    ----------
    low, high : float array, shape (n_items,)
        2.5 and 97.5 percentiles of each item's score over the resamples that show it; nan for an
        item that no answer showed, and from ``answers`` for one shown by a tuple with one answer.
    standard_error : float array, shape (n_items,)
        Standard deviation over the same resamples, r - 1 in the denominator.
    n_unseen : int array, shape (n_items,)
        Resamples that do not show the item.
    resampled : {"answers", "annotators"}
        What was drawn with replacement.
    n_resamples : int
        Number of resamples.
    sure_share : float
        Share of the pairs of items with an interval, in [0, 1], of which one scores higher than
        the other in at least 95 % of the resamples; nan without a pair. Equal scores are no order.
    n_pairs : int
        Pairs of items with an interval.
    sure_share_within_pools, n_pairs_within_pools : float, int
        The same of pairs whose items are in one pool, so that answers compare them.
    note : Message or None
        What a reader of the figures has to know about these data.
    """

    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    n_unseen: IntArray
    resampled: Drawn
    n_resamples: int
    sure_share: float
    n_pairs: int
    sure_share_within_pools: float
    n_pairs_within_pools: int
    note: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        return DEFINITIONS[self.resampled]

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "resampled": self.resampled,
            "n_resamples": self.n_resamples,
            "low": json_numbers(self.low),
            "high": json_numbers(self.high),
            "standard_error": json_numbers(self.standard_error),
            "n_unseen": self.n_unseen.tolist(),
            "sure_share": json_number(self.sure_share),
            "n_pairs": self.n_pairs,
            "sure_share_within_pools": json_number(self.sure_share_within_pools),
            "n_pairs_within_pools": self.n_pairs_within_pools,
            "note": self.note,
        }


def score_intervals(
    answers: BestWorst,
    *,
    resample: Drawn = "answers",
    pool: IntArray | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator,
) -> ScoreIntervals:
    """Bootstrap the counting score of every item.

    Memory is some 20 bytes an item and resample: 200 MB for 10,000 items and 1,000 resamples. The
    pairs are compared item by item, which for these 50 million pairs takes about half a minute.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.
    resample : {"answers", "annotators"}
        What is drawn with replacement; see the module's head.
    pool : int array, shape (n_items,), optional
        Pool of each item; by default items that chains of answered tuples connect share one.
    n_resamples : int
        Number of resamples, at least 2.
    rng : numpy Generator
        Source of the resamples.

    Raises
    ------
    ValueError
        If `resample` is unknown or "annotators" and the batch does not name them, if
        `n_resamples` is below 2, or a tuple shows items of two pools.

    References
    ----------
    [Orme2009], [Efron1993], [RaoWu1988] in docs/references.md
    """
    if resample not in get_args(Drawn):
        raise ValueError(f"resample must be one of {', '.join(get_args(Drawn))}, not {resample!r}")
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, not {n_resamples}")
    pool = pools_by_comparison(answers) if pool is None else np.asarray(pool)
    pool_of_tuples(answers, pool)

    scores = np.empty((n_resamples, answers.n_items))
    if answers.n_judgments == 0:
        scores[:] = np.nan
    elif resample == "answers":
        _fill(scores, _drawn_answers(answers, n_resamples, rng=rng))
    else:
        _fill(scores, _drawn_people(answers, n_resamples, rng=rng))

    is_known = count(answers).appearances > 0
    if resample == "answers":
        is_known &= ~_shown_by_single_answers(answers)
    known = np.flatnonzero(is_known)
    low, high, spread = np.full((3, answers.n_items), np.nan)
    # As few columns at once as needed: percentiles are taken of copies.
    at_once = max(1, CELLS_AT_ONCE // n_resamples)
    for done in range(0, len(known), at_once):
        items = known[done : done + at_once]
        low[items], high[items], spread[items] = _spread(scores[:, items])
    of_known = scores if len(known) == answers.n_items else scores[:, known]
    sure, n_pairs, sure_within, n_within = _pairs_in_sure_order(of_known, pool[known])
    return ScoreIntervals(
        low,
        high,
        spread,
        np.isnan(scores).sum(axis=0),
        resample,
        n_resamples,
        sure / n_pairs if n_pairs else float("nan"),
        n_pairs,
        sure_within / n_within if n_within else float("nan"),
        n_within,
        _note(answers, resample, spread),
    )


def resampled_scores(
    answers: BestWorst, *, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Scores of resamples of each tuple's answers, shape (n_resamples, n_items).

    nan for items without an interval: nobody saw them, or a tuple with one answer shows them.

    References
    ----------
    [RaoWu1988] in docs/references.md
    """
    scores = np.full((n_resamples, answers.n_items), np.nan)
    if answers.n_judgments:
        _fill(scores, _drawn_answers(answers, n_resamples, rng=rng))
        scores[:, _shown_by_single_answers(answers)] = np.nan
    return scores


def _shown_by_single_answers(answers: BestWorst) -> npt.NDArray[np.bool_]:
    """Which items a tuple with one answer shows, of which nobody knows how it varies."""
    is_shown = np.zeros(answers.n_items, dtype=np.bool_)
    is_shown[answers.tuples[answers.answers_per_tuple() == 1]] = True
    return is_shown


def _note(answers: BestWorst, resample: Drawn, spread: FloatArray) -> Message | None:
    if answers.n_judgments == 0:
        return _("there are no judgments")
    n_answers = answers.answers_per_tuple()
    n_answered, n_single = int((n_answers > 0).sum()), int((n_answers == 1).sum())
    if resample == "answers":
        notes = []
        if n_single:
            n_items = len(np.unique(answers.tuples[n_answers == 1]))
            notes.append(
                ngettext(
                    "%(n)s of %(tuples)s tuples have one judgment, which says nothing of how it"
                    " varies: the %(items)s items that they show have no interval, and their pairs"
                    " are not counted.",
                    "%(n)s of %(tuples)s tuples have one judgment, which says nothing of how it"
                    " varies: the %(items)s items that they show have no interval, and their pairs"
                    " are not counted.",
                    "n",
                    n=n_single,
                    tuples=n_answered,
                    items=n_items,
                )
            )
        if n_constant := int((spread == 0).sum()):
            notes.append(
                ngettext(
                    "%(n)s items have a standard error of 0, because all answers to each of their"
                    " tuples are the same: more answers may differ.",
                    "%(n)s items have a standard error of 0, because all answers to each of their"
                    " tuples are the same: more answers may differ.",
                    "n",
                    n=n_constant,
                )
            )
        return joined(*notes)
    if resample == "annotators" and (n_people := len(np.unique(answers.annotator))) < 10:  # type: ignore[arg-type]  # checked when drawn
        return ngettext(
            "there is only %(n)s annotator to draw from: the intervals are rough.",
            "there are only %(n)s annotators to draw from: the intervals are rough.",
            "n",
            n=n_people,
        )
    return None


def _fill(scores: FloatArray, chunks: Iterator[FloatArray]) -> None:
    done = 0
    for chunk in chunks:
        scores[done : done + len(chunk)] = chunk
        done += len(chunk)


def _drawn_answers(
    answers: BestWorst, n_resamples: int, *, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield the scores of resamples of each tuple's answers, shape (repeats, n_items)."""
    m, n_items = answers.n_judgments, answers.n_items
    by_tuple = np.argsort(answers.tuple_number, kind="stable")
    picked, points = (column[by_tuple] for column in answers.picks())
    n_answers = answers.answers_per_tuple()
    n_drawn = np.where(n_answers > 1, n_answers - 1, n_answers)
    start = np.repeat(np.cumsum(n_answers) - n_answers, n_drawn)
    choices = np.repeat(n_answers, n_drawn)
    counting = choices / np.repeat(n_drawn, n_drawn)
    # What a tuple's answers count for adds up to their number, so every resample shows as much.
    appearances = count(answers).appearances
    at_once = max(1, CELLS_AT_ONCE // max(m, n_items))
    for done in range(0, n_resamples, at_once):
        r = min(at_once, n_resamples - done)
        # A draw is below 1, also after rounding, so a row never leaves its tuple.
        drawn = start + (rng.random((r, len(start))) * choices).astype(np.int64)
        first_cell = np.arange(r)[:, None] * n_items
        weights = np.broadcast_to(counting, drawn.shape).ravel()
        net = np.zeros(r * n_items)
        for pick in range(picked.shape[1]):
            cells = (first_cell + picked[:, pick][drawn]).ravel()
            net += points[0, pick] * np.bincount(cells, weights, minlength=r * n_items)
        # Equal scores stay equal, in whatever order their parts were added.
        net = np.round(net, 9)
        means = share(net.reshape(r, n_items), np.broadcast_to(appearances, (r, n_items)))
        yield means / answers.most_points


def _drawn_people(
    answers: BestWorst, n_resamples: int, *, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield the scores of resamples of whole annotators, shape (repeats, n_items)."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only

    if answers.annotator is None:
        raise ValueError("annotators cannot be drawn without knowing who gave each answer")
    people, person = np.unique(answers.annotator, return_inverse=True)
    shown = answers.shown()
    points = answers.slot_points()
    # Entries of one cell (item, person) add up.
    where = (shown.ravel(), np.repeat(person, answers.tuple_size))
    shape = (answers.n_items, len(people))
    net = csr_array((points.ravel(), where), shape)
    appearances = csr_array((np.ones(shown.size, dtype=np.int64), where), shape)
    at_once = max(1, CELLS_AT_ONCE // max(len(people), answers.n_items))
    for done in range(0, n_resamples, at_once):
        r = min(at_once, n_resamples - done)
        drawn = rng.integers(len(people), size=(r, len(people)))
        cells = drawn + np.arange(r)[:, None] * len(people)
        weights = np.bincount(cells.ravel(), minlength=r * len(people)).reshape(r, -1)
        of_items = share(np.asarray(net @ weights.T).T, np.asarray(appearances @ weights.T).T)
        yield of_items / answers.most_points


def _spread(scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Percentiles 2.5 and 97.5 and standard deviation of each column, of the defined values."""
    low, high, spread = np.full((3, scores.shape[1]), np.nan)
    has_gaps = np.isnan(scores).any(axis=0)
    whole = scores[:, ~has_gaps]
    if whole.size:
        low[~has_gaps], high[~has_gaps] = np.percentile(whole, [2.5, 97.5], axis=0)
        spread[~has_gaps] = whole.std(axis=0, ddof=1)
    for i in np.flatnonzero(has_gaps):
        seen = scores[~np.isnan(scores[:, i]), i]
        if len(seen) > 1:
            low[i], high[i] = np.percentile(seen, [2.5, 97.5])
            spread[i] = seen.std(ddof=1)
    # By comparison, since the mean of many 1/3 is not 1/3 in binary.
    does_not_vary = np.fmin.reduce(scores, axis=0) == np.fmax.reduce(scores, axis=0)
    spread[does_not_vary & ~np.isnan(spread)] = 0.0
    return low, high, spread


def _pairs_in_sure_order(scores: FloatArray, pool: IntArray) -> tuple[int, int, int, int]:
    """Pairs of columns in a sure order, and all; the same of pairs within a pool."""
    r, n = scores.shape
    # In whole numbers: .95 has no exact binary form.
    enough = -(-SURE * r // 100)
    ranks = _doubled_ranks(scores)
    # 0 is a missing score. As the lower one of a pair it has to be above all, to be counted out.
    as_lower = ranks if ranks.all() else np.where(ranks, ranks, np.iinfo(ranks.dtype).max)
    sure = sure_within = n_within = 0
    for i in range(n - 1):
        is_sure = _times_above(ranks[i], as_lower[i + 1 :]) >= enough
        doubtful = np.flatnonzero(~is_sure)
        is_sure[doubtful] = _times_above(ranks[i + 1 + doubtful], as_lower[i]) >= enough
        is_within = pool[i] == pool[i + 1 :]
        sure += int(is_sure.sum())
        sure_within += int((is_sure & is_within).sum())
        n_within += int(is_within.sum())
    return sure, n * (n - 1) // 2, sure_within, n_within


def _doubled_ranks(scores: FloatArray) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Twice the average rank of each column in each row, shape (n, r); 0 where missing.

    Ranks order as the scores do, ties included, and doubled ones are whole: exact in a quarter of
    the bytes, which is what comparing all pairs takes its time for.
    """
    r, n = scores.shape
    ranks = np.empty((n, r), dtype=np.uint16 if 2 * n < np.iinfo(np.uint16).max else np.uint32)
    at_once = max(1, CELLS_AT_ONCE // max(n, 1))
    for done in range(0, r, at_once):
        of_rows = 2 * average_ranks(scores[done : done + at_once])
        ranks[:, done : done + at_once] = np.nan_to_num(of_rows, nan=0.0).T
    return ranks


def _times_above(
    upper: npt.NDArray[np.unsignedinteger[Any]], lower: npt.NDArray[np.unsignedinteger[Any]]
) -> IntArray:
    """In how many resamples, the last axis, the upper rank is above the lower one."""
    # Bits, because summing booleans turns each into eight bytes first.
    times: IntArray = np.bitwise_count(np.packbits(upper > lower, axis=-1)).sum(
        axis=-1, dtype=np.int64
    )
    return times
