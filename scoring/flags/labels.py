"""Flags of people who chose categories."""

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.flags.best_worst import THIRD
from scoring.flags.copying import copies
from scoring.flags.findings import (
    FEWEST,
    HALF_WAY,
    Batch,
    Flags,
    Tested,
    holm,
    mean_of_others,
    means,
    p_among_people,
    p_below_zero,
    p_far_below,
    p_of_fewer,
    together,
)
from scoring.flags.ratings import FEWEST_REPEATS
from scoring.flags.runs import same_again
from scoring.flags.speed import speed
from scoring.groups import ratio
from scoring.label_annotators import credit_by_answer
from scoring.labels import Labels


def label_flags(
    labels: Labels,
    *,
    part: IntArray | None = None,
    seconds: FloatArray | None = None,
    answered_at: FloatArray | None = None,
) -> Flags:
    """Test everybody against everybody else.

    Parameters
    ----------
    labels : Labels
        m answers; of what a person labelled again the first answer is compared with others', and
        the later ones with it.
    part : int array, shape (m,), optional
        Phase of each answer: a unit of a later phase has a number of its own.
    seconds, answered_at : float array, shape (m,), optional
        Time taken, and when each was given; nan where unknown.

    Raises
    ------
    ValueError
        If an array has another length.

    References
    ----------
    [Holm1979], [RousseeuwCroux1993], [Fisher1922], [Spearman1904] in docs/references.md
    """
    m = labels.n_answers
    unknown = np.full(m, np.nan)
    phase = np.zeros(m, dtype=np.int64) if part is None else np.asarray(part)
    times = unknown if seconds is None else np.asarray(seconds, dtype=np.float64)
    at = unknown if answered_at is None else np.asarray(answered_at, dtype=np.float64)
    for name, array in (("part", phase), ("seconds", times), ("answered_at", at)):
        if array.shape != (m,):
            raise ValueError(f"{name} has shape {array.shape}, but there are {m} answers")
    sets, code = labels.distinct
    order = np.arange(m) if labels.order is None else labels.order
    earlier, later = labels.repeats()
    first = np.setdiff1d(np.arange(m), later)
    first = first[np.lexsort((order[first], phase[first], labels.annotator[first]))]
    once = labels.of_answers(first)
    batch = Batch(
        np.arange(labels.n_annotators),
        once.annotator,
        once.unit,
        labels.n_units,
        code[first],
        times[first],
        at[first],
    )
    n_of = np.bincount(code, minlength=len(sets))
    by_chance = float(((n_of / max(m, 1)) ** 2).sum())
    return together(
        {
            "majority": lambda: _majority(batch, once, by_chance),
            "same": lambda: same_again(batch, phase[first], n_answers=max(len(sets), 1)),
            "repeats": lambda: _repeats(
                batch, labels.annotator[later], code[earlier] == code[later], by_chance
            ),
            "speed": lambda: speed(batch),
            "copy": lambda: copies(batch, by_chance),
        }
    )


def _majority(batch: Batch, once: Labels, by_chance: float) -> Tested:
    credit = credit_by_answer(once)
    rows = np.flatnonzero(~np.isnan(credit))
    others = mean_of_others(credit[rows], batch.unit[rows], n_groups=batch.n_units)
    rows, others = rows[~np.isnan(others)], others[~np.isnan(others)]
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= FEWEST)
    if len(tested) < 3:
        return Tested(reason=f"fewer than three people gave {FEWEST} answers that can be compared")
    person = batch.person[rows]
    difference = credit[rows] - others
    mean = means(difference, person, batch.n_people)
    below = p_below_zero(difference, person, batch.n_people)
    from_half = credit[rows] - by_chance - HALF_WAY * (others - by_chance)
    below_half = p_below_zero(from_half, person, batch.n_people)
    p = holm(p_far_below(below[tested], below_half[tested], mean[tested]))
    own = means(credit[rows], person, batch.n_people)
    usual = means(others, person, batch.n_people)
    found = [
        batch.flag("majority", who, own[who], usual[who], n=n[who], p=at)
        for who, at in zip(tested.tolist(), p.tolist(), strict=True)
        if usual[who] > by_chance and own[who] < usual[who] - (usual[who] - by_chance) * THIRD
    ]
    return Tested(len(tested), tuple(found))


def _repeats(batch: Batch, person: IntArray, is_same: BoolArray, by_chance: float) -> Tested:
    n = np.bincount(person, minlength=batch.n_people)
    n_same = np.bincount(person, is_same.astype(np.float64), minlength=batch.n_people)
    tested = np.flatnonzero(n >= FEWEST_REPEATS)
    if len(tested) < 3:
        return Tested(reason=f"fewer than three people labelled {FEWEST_REPEATS} units again")
    own = ratio(n_same, n)
    usual = ratio(n_same.sum() - n_same, n.sum() - n)
    p = holm(np.maximum(p_of_fewer(n_same, n)[tested], p_among_people(own[tested])))
    found = [
        batch.flag("repeats", who, own[who], usual[who], n=n[who], p=at)
        for who, at in zip(tested.tolist(), p.tolist(), strict=True)
        if usual[who] > by_chance and own[who] < usual[who] - (usual[who] - by_chance) * THIRD
    ]
    return Tested(len(tested), tuple(found))
