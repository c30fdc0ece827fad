"""Flags of people who picked the best and the worst of tuples."""

from functools import cache

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.best_worst.compliance import ImpliedPairs, credit_by_answer
from scoring.best_worst.judgments import BestWorst
from scoring.flags.copying import copies
from scoring.flags.findings import (
    MIN_ANSWERS,
    THIRD,
    Batch,
    Flags,
    Tested,
    adjusted,
    mean_of_others,
    together,
)
from scoring.flags.outlying import (
    MIN_COMPARED,
    Compared,
    agreement,
    compared,
    far_below,
    flagged,
)
from scoring.flags.rarity import p_of_share
from scoring.flags.runs import expected_largest_share, runs
from scoring.flags.speed import speed
from scoring.groups import ratio


def flags(
    answers: BestWorst,
    *,
    positions: IntArray | None = None,
    seconds: FloatArray | None = None,
    answered_at: FloatArray | None = None,
) -> Flags:
    """Test everybody against everybody else.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples, with their annotators; those of one person in the order in which
        they were given.
    positions : int array, shape (m, 2), optional
        Where the best and the worst pick stood on the screen, 0..k-1; -1 where unknown.
    seconds : float array, shape (m,), optional
        Time taken for each answer, above 0; anything else, and what is infinite, is unknown.
    answered_at : float array, shape (m,), optional
        When each answer was given, in any unit; nan where unknown.

    Raises
    ------
    ValueError
        If the batch does not say who gave each answer, or an array has another length.

    References
    ----------
    [BH1995], [Rosner1983], [RousseeuwCroux1993], [Feller1968], [Fisher1922],
    [Spearman1904] in docs/references.md
    """
    if answers.annotator is None:
        raise ValueError("flags are of people, so they need to know who gave each answer")
    m = answers.n_judgments
    unknown = np.full(m, np.nan)
    people, person = np.unique(answers.annotator, return_inverse=True)
    at_positions = np.full((m, 2), -1) if positions is None else np.asarray(positions)
    batch = Batch(
        people,
        person,
        answers.tuple_number,
        answers.n_tuples,
        answers.best * answers.n_items + answers.worst,
        unknown if seconds is None else np.asarray(seconds, dtype=np.float64),
        unknown if answered_at is None else np.asarray(answered_at, dtype=np.float64),
    )
    for name, array, shape in (
        ("positions", at_positions, (m, 2)),
        ("seconds", batch.seconds, (m,)),
        ("answered_at", batch.at, (m,)),
    ):
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, but there are {m} judgments")
    k = answers.tuple_size
    if (at_positions >= k).any():
        raise ValueError(f"positions are numbered 0..{k - 1}; -1 is unknown")
    return together(
        {
            "agreement": lambda: _agreement(batch, answers),
            "position": lambda: _position(batch, at_positions, k=k),
            "run": lambda: runs(batch, at_positions, k=k),
            "consistency": lambda: _consistency(batch, answers),
            "speed": lambda: speed(batch),
            "copy": lambda: copies(batch, 1 / (k * (k - 1))),
        }
    )


def _agreement(batch: Batch, answers: BestWorst) -> Tested:
    pairs = ImpliedPairs(answers)

    def compare(reference: BoolArray) -> Compared:
        is_counted = reference[batch.person]
        credit = credit_by_answer(pairs.with_others(is_counted))
        rows = np.flatnonzero(~np.isnan(credit))
        unit, is_counted = batch.unit[rows], is_counted[rows]
        others = mean_of_others(credit[rows], unit, is_counted, n_groups=batch.n_units)
        return compared(batch, rows, credit[rows], others, is_counted, by_chance=0.5)

    credit = credit_by_answer(pairs.with_own())
    rows = np.flatnonzero(~np.isnan(credit))
    themselves = agreement(batch, rows, credit[rows], by_chance=0.5)
    outcome = far_below(compare, batch.n_people, themselves)
    if not len(outcome.tested):
        return Tested(reason=f"nobody gave {MIN_COMPARED} answers that can be compared")
    return flagged(batch, "agreement", outcome)


def _position(batch: Batch, positions: IntArray, *, k: int) -> Tested:
    from scipy.special import chdtrc  # noqa: PLC0415 - importing scoring loads numpy only

    rows = np.flatnonzero((positions >= 0).all(axis=1))
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= MIN_ANSWERS)
    if not len(tested):
        return Tested(reason=f"nobody gave {MIN_ANSWERS} answers of known positions")
    usual_share = cache(lambda n: expected_largest_share(n=n, k=k))
    shares, chances = [], []
    for column in (0, 1):
        cell = batch.person[rows] * k + positions[rows, column]
        counts = np.bincount(cell, minlength=batch.n_people * k).reshape(-1, k)[tested]
        expected = n[tested, None] / k
        chances.append(chdtrc(k - 1, ((counts - expected) ** 2 / expected).sum(axis=1)))
        shares.append(counts.max(axis=1) / n[tested])
    p = adjusted(np.minimum(1.0, 2 * np.minimum(*chances)))
    share = np.maximum(*shares)
    flags = [
        batch.flag("position", who, value, usual_share(int(n[who])), n=n[who], p=at)
        for who, value, at in zip(tested.tolist(), share.tolist(), p.tolist(), strict=True)
        if value > (1 / k + 1) / 2
    ]
    return Tested(len(tested), tuple(flags))


def _consistency(batch: Batch, answers: BestWorst) -> Tested:
    person, is_same = ordered_again(batch.person, answers)
    n = np.bincount(person, minlength=batch.n_people)
    n_same = np.bincount(person, is_same, minlength=batch.n_people)
    tested = np.flatnonzero(n >= MIN_ANSWERS)
    if len(tested) < 3:
        return Tested(reason=f"fewer than three people ordered {MIN_ANSWERS} pairs of items twice")
    own = ratio(n_same, n)
    usual = ratio(n_same.sum() - n_same, n.sum() - n)
    is_far = (usual > 0.5) & (own < usual - (usual - 0.5) * THIRD)
    p = p_of_share(n_same, n, usual, tested, is_far)
    flags = [
        batch.flag("consistency", who, own[who], usual[who], n=n[who], p=at)
        for who, at in zip(tested.tolist(), p.tolist(), strict=True)
        if is_far[who]
    ]
    return Tested(len(tested), tuple(flags))


def ordered_again(person: IntArray, answers: BestWorst) -> tuple[IntArray, FloatArray]:
    """Pairs of items that somebody ordered more than once: who, and 1 if it is as before.

    Parameters
    ----------
    person : int array, shape (m,)
        Who gave each answer, those of one person in the order in which they were given.

    Returns
    -------
    person, is_same : arrays, shape (r,)
        One row for each time that a pair was ordered again.
    """
    shown = answers.shown()
    best, worst = answers.best[:, None], answers.worst[:, None]
    # Each answer implies 2k - 3 pairs: best over all others, and all but best over worst.
    over, under = shown != best, (shown != best) & (shown != worst)
    row, place = np.nonzero(over)
    row_too, place_too = np.nonzero(under)
    rows = np.concatenate([row, row_too])
    winner = np.concatenate([answers.best[row], shown[row_too, place_too]])
    loser = np.concatenate([shown[row, place], answers.worst[row_too]])
    low, high = np.minimum(winner, loser), np.maximum(winner, loser)
    key = (person[rows] * answers.n_items + low) * answers.n_items + high
    in_order = np.lexsort((rows, key))
    again = in_order[1:][key[in_order[1:]] == key[in_order[:-1]]]
    before = in_order[:-1][key[in_order[1:]] == key[in_order[:-1]]]
    return person[rows[again]], (winner[again] == winner[before]).astype(np.float64)
