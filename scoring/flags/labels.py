"""Flags of people who chose categories."""

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.flags.copying import copies
from scoring.flags.findings import THIRD, Batch, Flags, Tested, together
from scoring.flags.outlying import Compared, careful, compared, far_below_many
from scoring.flags.rarity import p_of_share
from scoring.flags.ratings import MIN_REPEATS
from scoring.flags.runs import same_again
from scoring.flags.speed import speed
from scoring.groups import ratio
from scoring.labels.labels import Labels


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
    [BH1995], [Rosner1983], [RousseeuwCroux1993], [Fisher1922],
    [Spearman1904] in docs/references.md
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
    once = labels.of_rows(first)
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

    def compare(reference: BoolArray) -> Compared:
        return _compared(batch, once, reference)

    return together(
        {
            "pairwise": lambda: far_below_many(batch, "pairwise", compare),
            "same": lambda: same_again(
                batch,
                phase[first],
                careful(compare, batch.n_people),
                n_answers=max(len(sets), 1),
            ),
            "repeats": lambda: _repeats(
                batch, labels.annotator[later], code[earlier] == code[later], by_chance
            ),
            "speed": lambda: speed(batch),
            "copy": lambda: copies(batch, by_chance),
        }
    )


def _compared(batch: Batch, once: Labels, reference: BoolArray) -> Compared:
    """Compare answers two by two, not with most of the others.

    Of three answers to a unit one that differs is compared with two that agree; each of these has
    a tie of others to be compared with, so there would be nothing usual to hold it against.
    """
    is_counted = reference[batch.person]
    shares = once.chosen[is_counted].sum(axis=0) / max(int(is_counted.sum()), 1)
    by_chance = float(
        np.mean(shares**2 + (1 - shares) ** 2) if once.is_several else (shares**2).sum()
    )
    own, others = agreement_in_pairs(once, is_counted)
    rows = np.flatnonzero(~np.isnan(own))
    return compared(batch, rows, own[rows], others[rows], is_counted[rows], by_chance=by_chance)


def agreement_in_pairs(labels: Labels, is_counted: BoolArray) -> tuple[FloatArray, FloatArray]:
    """How far each answer agrees with the others to its unit, and these with one another, (m,).

    Two answers of one category agree (1) or do not (0); of several categories the share of them
    counts that both name or neither does.

    Parameters
    ----------
    labels : Labels
        m answers, one of a person to each unit.
    is_counted : bool array, shape (m,)
        The answers that count as others.

    Returns
    -------
    own, others : float array, shape (m,)
        In [0, 1]; nan without another answer, and without two of them.
    """
    n_units, c = labels.n_units, labels.n_categories
    row, category = np.nonzero(labels.chosen & is_counted[:, None])
    named = np.bincount(labels.unit[row] * c + category, minlength=n_units * c)
    n_of = np.bincount(labels.unit[is_counted], minlength=n_units)
    n = n_of[labels.unit] - is_counted
    others = named.reshape(n_units, c)[labels.unit] - (labels.chosen & is_counted[:, None])
    if labels.is_several:
        alike = np.where(labels.chosen, others, n[:, None] - others).sum(axis=1) / c
        rest = n[:, None] - others
        pairs = (others * (others - 1) + rest * (rest - 1)).sum(axis=1) / c
    else:
        alike = (labels.chosen * others).sum(axis=1)
        pairs = (others * (others - 1)).sum(axis=1)
    return ratio(alike, n), ratio(pairs, n * (n - 1))


def _repeats(batch: Batch, person: IntArray, is_same: BoolArray, by_chance: float) -> Tested:
    n = np.bincount(person, minlength=batch.n_people)
    n_same = np.bincount(person, is_same.astype(np.float64), minlength=batch.n_people)
    tested = np.flatnonzero(n >= MIN_REPEATS)
    if len(tested) < 3:
        return Tested(reason=f"fewer than three people labelled {MIN_REPEATS} items twice")
    own = ratio(n_same, n)
    usual = ratio(n_same.sum() - n_same, n.sum() - n)
    is_far = (usual > by_chance) & (own < usual - (usual - by_chance) * THIRD)
    p = p_of_share(n_same, n, usual, tested, is_far)
    flags = [
        batch.flag("repeats", who, own[who], usual[who], n=n[who], p=at)
        for who, at in zip(tested.tolist(), p.tolist(), strict=True)
        if is_far[who]
    ]
    return Tested(len(tested), tuple(flags))
