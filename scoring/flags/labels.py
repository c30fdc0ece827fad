"""Flags of people who chose categories."""

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.flags.copying import copies
from scoring.flags.findings import FAR_OF_LABELS, THIRD, Batch, Flags, Tested, together
from scoring.flags.outlying import Compared, careful, compared, far_below_many
from scoring.flags.rarity import p_of_share
from scoring.flags.ratings import MIN_REPEATS
from scoring.flags.runs import same_again
from scoring.flags.speed import speed
from scoring.groups import ratio
from scoring.labels.labels import Labels

# A label says less than a rating, least if one category is rare. So people who are merely noisier
# than the others stand out among them, and their own labels must show that they agree too little.
# Where nearly all labels are one of two, they must show it more clearly.
RARE_BELOW_HALF, RARE_OF_TWO = 0.03, 0.01


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
            "pairwise": lambda: far_below_many(
                batch,
                "pairwise",
                compare,
                p_half_below=RARE_OF_TWO if batch.is_of_two else RARE_BELOW_HALF,
            ),
            "same": lambda: same_again(
                batch,
                phase[first],
                careful(compare, batch.n_people),
                n_answers=max(len(sets), 1),
                far=FAR_OF_LABELS,
            ),
            "repeats": lambda: _repeats(
                batch, labels.annotator[later], code[earlier] == code[later], by_chance
            ),
            "speed": lambda: speed(batch),
            "copy": lambda: copies(batch, by_chance, far=FAR_OF_LABELS),
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
    return compared(
        batch,
        rows,
        own[rows],
        others[rows],
        is_counted[rows],
        by_chance=by_chance,
        chance_of_answer=agreement_with_any(once, is_counted)[rows],
        reach=_reach(batch),
    )


def agreement_with_any(labels: Labels, is_counted: BoolArray) -> FloatArray:
    """How far each answer agrees with the others' answers to all units, (m,).

    Somebody lenient agrees less often than others do, and more often than by this chance.

    Parameters
    ----------
    labels : Labels
        m answers.
    is_counted : bool array, shape (m,)
        The answers that count as others.

    Returns
    -------
    float array, shape (m,)
        In [0, 1]; nan without an answer of others.
    """
    rows, a = np.flatnonzero(is_counted), labels.n_annotators
    named = np.zeros((a, labels.n_categories))
    np.add.at(named, labels.annotator[rows], labels.chosen[rows])
    n_others = len(rows) - np.bincount(labels.annotator[rows], minlength=a)
    of_others = (named.sum(axis=0) - named) / np.maximum(n_others, 1)[:, None]
    shares = of_others[labels.annotator]
    if labels.is_several:
        alike = np.where(labels.chosen, shares, 1 - shares).mean(axis=1)
    else:
        alike = (labels.chosen * shares).sum(axis=1)
    return np.where(n_others[labels.annotator] > 0, alike, np.nan)


def _reach(batch: Batch) -> FloatArray:
    """How far a person's labels can follow the units: less if most of them are the same, (a,).

    The standard deviation of their labels, relative to that of all labels, and at most 1.
    """
    n_answers = int(batch.answer.max(initial=0)) + 1
    counts = np.zeros((batch.n_people, n_answers))
    np.add.at(counts, (batch.person, batch.answer), 1)

    def variance(label_counts: FloatArray) -> FloatArray:
        n = np.maximum(label_counts.sum(axis=-1, keepdims=True), 1)
        return np.asarray(1 - ((label_counts / n) ** 2).sum(axis=-1))

    overall = max(float(variance(counts.sum(axis=0))), np.finfo(np.float64).tiny)
    return np.sqrt(np.minimum(variance(counts) / overall, 1.0))


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
