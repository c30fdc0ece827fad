"""Flags of people who rated on a scale."""

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.correlation import average_ranks
from scoring.flags.copying import copies
from scoring.flags.findings import (
    HALF_WAY,
    MIN_ANSWERS,
    Batch,
    Flags,
    Tested,
    adjusted,
    mean_of_others,
    means,
    together,
)
from scoring.flags.outlying import Agreement, Compared, careful, far_below_many
from scoring.flags.rarity import p_outlying
from scoring.flags.runs import same_again
from scoring.flags.speed import speed
from scoring.groups import group_pearson, settled
from scoring.ratings.ratings import Ratings

# Booklets hold few repeats: five to a phase are usual.
MIN_REPEATS = 5


def rating_flags(
    ratings: Ratings, *, part: IntArray | None = None, answered_at: FloatArray | None = None
) -> Flags:
    """Test everybody against everybody else.

    Parameters
    ----------
    ratings : Ratings
        m ratings; of what a person rated again the first rating is compared with others', and the
        later ones with it. `thinking_ms` and `order` are used where they are known.
    part : int array, shape (m,), optional
        Phase of each rating: a unit of a later phase has a number of its own, and what was rated
        last in one phase does not come just before the next.
    answered_at : float array, shape (m,), optional
        When each was given, in any unit; nan where unknown.

    Raises
    ------
    ValueError
        If an array has another length.

    References
    ----------
    [BH1995], [Rosner1983], [RousseeuwCroux1993], [MannWhitney1947], [Fisher1921],
    [Spearman1904] in docs/references.md
    """
    m = ratings.n_ratings
    phase = np.zeros(m, dtype=np.int64) if part is None else np.asarray(part)
    at = np.full(m, np.nan) if answered_at is None else np.asarray(answered_at, dtype=np.float64)
    for name, array in (("part", phase), ("answered_at", at)):
        if array.shape != (m,):
            raise ValueError(f"{name} has shape {array.shape}, but there are {m} ratings")
    order = np.arange(m) if ratings.order is None else ratings.order
    first = ratings.rows_of_first_answers()
    first = first[np.lexsort((order[first], phase[first], ratings.annotator[first]))]
    once = ratings.of_rows(first)
    values, answer = np.unique(once.value, return_inverse=True)
    known = once.thinking_ms
    by_chance = float(((np.bincount(answer.reshape(-1)) / max(len(first), 1)) ** 2).sum())
    batch = Batch(
        np.arange(ratings.n_annotators),
        once.annotator,
        once.unit,
        ratings.n_units,
        answer.reshape(-1),
        np.full(len(first), np.nan) if known is None else known / 1000,
        at[first],
    )

    def compare(reference: BoolArray) -> Compared:
        return _correlated(batch, once, reference)

    return together(
        {
            "correlation": lambda: far_below_many(batch, "correlation", compare),
            "same": lambda: same_again(
                batch,
                phase[first],
                careful(compare, batch.n_people),
                n_answers=max(len(values), 1),
            ),
            "distance": lambda: _distance(batch, ratings),
            "speed": lambda: speed(batch),
            "copy": lambda: copies(batch, by_chance),
        }
    )


def _correlated(batch: Batch, once: Ratings, reference: BoolArray) -> Compared:
    """People by Fisher's transform of their correlation with the mean of the others."""
    from scipy.special import ndtr  # noqa: PLC0415 - importing scoring loads numpy only

    is_counted = reference[batch.person]
    others = mean_of_others(once.value, once.unit, is_counted, n_groups=batch.n_units)
    others = settled(others, once.value)
    rows = np.flatnonzero(~np.isnan(others))
    own = group_pearson(
        once.value[rows], others[rows], batch.person[rows], n_groups=batch.n_people
    )
    n = batch.n_of(rows)
    known = own[reference & (n >= MIN_ANSWERS) & ~np.isnan(own)]
    usual = float(np.median(known)) if len(known) else np.nan
    # An exact 1 has no transform; nobody is that near but by having rated alone with a copy.
    z = np.arctanh(np.clip(own, -1 + 1e-12, 1 - 1e-12))
    variance = 1 / np.maximum(n - 3, 1)
    half = np.arctanh(HALF_WAY * np.clip(usual, 0, 1))
    return Compared(
        Agreement(own, own, np.where(n >= MIN_ANSWERS, ndtr(-z / np.sqrt(variance)), 1.0)),
        np.full(batch.n_people, usual),
        0.0,
        n,
        z,
        variance,
        np.asarray(ndtr((z - half) / np.sqrt(variance))),
    )


def _distance(batch: Batch, ratings: Ratings) -> Tested:
    from scipy.special import ndtr  # noqa: PLC0415 - importing scoring loads numpy only

    earlier, later = ratings.repeats()
    distance = np.abs(ratings.value[later] - ratings.value[earlier])
    person = ratings.annotator[later]
    n = np.bincount(person, minlength=batch.n_people)
    tested = np.flatnonzero(n >= MIN_REPEATS)
    if len(tested) < 3:
        return Tested(reason=f"fewer than three people rated {MIN_REPEATS} items twice")
    own = means(distance, person, batch.n_people)
    usual = (distance.sum() - np.nan_to_num(own) * n) / np.maximum(n.sum() - n, 1)
    # Of few distances the mean is skewed; its root much less so.
    of_ranks = ndtr(-_rank_sum_z(distance, person, n))
    is_far = own > 2 * usual
    among = p_outlying(-np.sqrt(own[tested]), is_far=is_far[tested])
    p = adjusted(np.maximum(of_ranks[tested], among))
    flags = [
        batch.flag("distance", who, own[who], usual[who], n=n[who], p=at)
        for who, at in zip(tested.tolist(), p.tolist(), strict=True)
        if is_far[who]
    ]
    return Tested(len(tested), tuple(flags))


def _rank_sum_z(values: FloatArray, person: IntArray, n: IntArray) -> FloatArray:
    """Rank sum of each person against everybody else's values, standardised with ties, (a,)."""
    m = len(values)
    ranks = average_ranks(values)
    sums = np.bincount(person, ranks, minlength=len(n))
    _distinct, ties = np.unique(values, return_counts=True)
    tie = 1 - ((ties**3 - ties).sum() / max(m**3 - m, 1))
    variance = n * (m - n) * (m + 1) / 12 * tie
    excess = sums - n * (m + 1) / 2 - 0.5
    return np.where(variance > 0, excess / np.sqrt(np.maximum(variance, 1e-12)), 0.0)
