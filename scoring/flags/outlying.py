"""Who is far below the others: several careless people must not hide one another.

Three random clickers of eighteen people widen the spread that each is measured by, and lower the
agreement that each is compared with. Two steps undo this:

- The people farthest below are left out one after the other, and each is compared with those who
  are left: the many-outlier procedure of [Rosner1983], with a robust spread.
- People who stand out leave the reference, and everybody is compared with the rest again,
  until nobody else stands out.

Nor may a second camp, or somebody who is merely less careful, be taken for careless: who surely
agrees with anybody, be it only with others who agree too little or with themselves, is not. The
share of a person's random answers cannot be told from their noise: see docs/statistics.md.

More than half of the people always stay: where most are careless, nobody can tell who is.

Symbols: a people.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.flags.findings import (
    HALF_WAY,
    LEVEL,
    MIN_ANSWERS,
    QUARTER,
    Batch,
    Kind,
    Tested,
    adjusted,
    means,
    p_below_zero,
    p_of_fewer,
)
from scoring.groups import group_sums, ratio

# So many values are compared two by two.
MAX_PAIRED = 200
# In crowds with more candidates than this, several are left out at once.
MAX_STEPS = 200
# The reference settles after two or three comparisons.
MAX_COMPARISONS = 10
# Fellows of those who agree too little agree by less than so much of the way to the others.
NEAR = 3 / 4
# Who agrees so much that clicking does as rarely as this surely agrees.
RARE = 0.01
# The same of agreement with oneself: each two answers count for both, so the variance of the mean
# is twice that of independent answers.
RARE_WITH_ONESELF = 0.0005


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far each person agrees with somebody.

    Parameters
    ----------
    own : float array, shape (a,)
        nan where unknown.
    p_chance : float array, shape (a,)
        How rarely random clicking agrees so much; 1 of too few answers.
    """

    own: FloatArray
    p_chance: FloatArray


def agreement(batch: Batch, rows: IntArray, own: FloatArray, *, by_chance: float) -> Agreement:
    """People by the mean of what their answers (rows of the batch) have in common with others."""
    person = batch.person[rows]
    p = p_below_zero(by_chance - own, person, batch.n_people)
    return Agreement(
        means(own, person, batch.n_people), np.where(batch.n_of(rows) >= MIN_ANSWERS, p, 1.0)
    )


@dataclass(frozen=True, eq=False)
class Compared:
    """How far each person agrees with the people of a reference.

    Parameters
    ----------
    agreement : Agreement
        Of the person with the others.
    usual : float array, shape (a,)
        Agreement of the others with one another, on the same scale; nan where unknown.
    by_chance : float
        Agreement of random clicking.
    n : int array, shape (a,)
        Answers that could be compared.
    value, variance : float array, shape (a,)
        By what people are compared with one another, less is worse, and the variance that it has
        by the chance in so few answers alone.
    p_half : float array, shape (a,)
        p-values of the person's own answers against half of the way from chance to the others.
    """

    agreement: Agreement
    usual: FloatArray
    by_chance: float
    n: IntArray
    value: FloatArray
    variance: FloatArray
    p_half: FloatArray

    def on_the_way(self, part: float) -> FloatArray:
        """What lies so far on the way from chance to the others, (a,)."""
        return self.by_chance + part * (self.usual - self.by_chance)

    @property
    def is_far(self) -> BoolArray:
        """Who is so far below the others that it matters, (a,)."""
        is_below: BoolArray = self.agreement.own < self.on_the_way(HALF_WAY)
        return is_below & (self.usual > self.by_chance)


def compared(
    batch: Batch,
    rows: IntArray,
    own: FloatArray,
    others: FloatArray,
    is_counted: BoolArray,
    *,
    by_chance: float,
) -> Compared:
    """People by the mean of what their answers have in common with others', on a scale to 1.

    Parameters
    ----------
    rows : int array, shape (r,)
        Answers of the batch that can be compared.
    own, others : float array, shape (r,)
        Agreement of each of them with the others, and of the others with one another on the same
        unit; where that is unknown, nan, it is taken to be that of all others.
    is_counted : bool array, shape (r,)
        Whether it is of somebody in the reference.
    by_chance : float
        Agreement of random clicking.
    """
    a, person = batch.n_people, batch.person[rows]
    counted = np.flatnonzero(is_counted)
    n_counted = np.bincount(person[counted], minlength=a)
    sums = group_sums(own[counted], person[counted], n_groups=a)
    of_all = ratio(sums.sum() - sums, n_counted.sum() - n_counted)
    others = np.where(np.isnan(others), of_all[person], others)
    difference = own - others
    n = np.bincount(person, minlength=a)
    value = means(difference, person, a)
    residual = (difference - value[person])[counted]
    within = float(residual @ residual) / max(len(counted) - int((n_counted > 0).sum()), 1)
    return Compared(
        agreement(batch, rows, own, by_chance=by_chance),
        means(others, person, a),
        by_chance,
        n,
        value,
        within / np.maximum(n, 1),
        p_below_zero(own - by_chance - HALF_WAY * (others - by_chance), person, a),
    )


@dataclass(frozen=True, eq=False)
class FarBelow:
    """Everybody compared with a reference without the careless.

    Parameters
    ----------
    compared : Compared
        With the reference.
    is_far : bool array, shape (a,)
        Who is far below and like nobody else.
    tested : int array, shape (t,)
        The people who were tested.
    p : float array, shape (t,)
        Corrected over them; 1 of who is not far below.
    """

    compared: Compared
    is_far: BoolArray
    tested: IntArray
    p: FloatArray


def far_below(
    compare: Callable[[BoolArray], Compared],
    n_people: int,
    with_themselves: Agreement | None = None,
) -> FarBelow:
    """Test who agrees less with the others than people who try do.

    Of few people nobody knows how much they differ, so being surely less than half of the way from
    chance to the others is enough, too. The smaller of the two p-values counts twice.

    Parameters
    ----------
    compare : callable
        Compares everybody with the people of a mask of shape (a,), nobody with themselves.
    n_people : int
        People, a.
    with_themselves : Agreement, optional
        Of each person's answers with the same person's other answers, on the scale of `compare`.

    References
    ----------
    [BH1995], [Rosner1983] in docs/references.md
    """
    reference = np.ones(n_people, dtype=np.bool_)
    for _step in range(MAX_COMPARISONS):
        outcome = compare(reference)
        tested = np.flatnonzero(
            (outcome.n >= MIN_ANSWERS) & np.isfinite(outcome.value) & ~np.isnan(outcome.p_half)
        )
        is_far = outcome.is_far & ~_is_like_some(outcome, compare, with_themselves)
        p = outcome.p_half[tested]
        if len(tested) > 2:
            among = p_outlying(outcome.value[tested], outcome.variance[tested], is_far[tested])
            p = np.minimum(1.0, 2 * np.minimum(p, among))
        p = adjusted(np.where(is_far[tested], p, 1.0))
        standing_out = tested[p <= LEVEL]
        smaller = reference.copy()
        smaller[standing_out] = False
        if smaller.sum() == reference.sum() or 2 * smaller.sum() <= n_people:
            break
        reference = smaller
    return FarBelow(outcome, is_far, tested, p)


def _is_like_some(
    outcome: Compared,
    compare: Callable[[BoolArray], Compared],
    with_themselves: Agreement | None,
) -> BoolArray:
    """Who surely agrees with anybody, at least by a quarter of the way to the others, (a,).

    With all; with those who do not agree well with all, such as another camp; or with themselves.
    """
    agreements = [(outcome.agreement, outcome.by_chance, RARE)]
    fellows = outcome.agreement.own < outcome.on_the_way(NEAR)
    if fellows.sum() > 1:
        # Who clicks on one answer more than on others agrees so far with whoever does, too.
        among = compare(fellows)
        agreements.append((among.agreement, among.by_chance, RARE))
    if with_themselves is not None:
        agreements.append((with_themselves, outcome.by_chance, RARE_WITH_ONESELF))
    far_enough = QUARTER * (outcome.usual - outcome.by_chance)
    is_like = [
        (a.p_chance < rare) & (a.own > by_chance + far_enough) for a, by_chance, rare in agreements
    ]
    # Whoever takes the worst for the best agrees with themselves, and is no camp.
    is_reversed = outcome.agreement.own < outcome.on_the_way(-HALF_WAY)
    is_like_some: BoolArray = np.any(is_like, axis=0) & ~is_reversed
    return is_like_some


def flagged(batch: Batch, kind: Kind, outcome: FarBelow) -> Tested:
    """Flags of those who are far below."""
    compared = outcome.compared
    flags = [
        batch.flag(
            kind, who, compared.agreement.own[who], compared.usual[who], n=compared.n[who], p=at
        )
        for who, at in zip(outcome.tested.tolist(), outcome.p.tolist(), strict=True)
        if outcome.is_far[who]
    ]
    return Tested(len(outcome.tested), tuple(flags))


def p_of_share(
    n_hits: FloatArray | IntArray,
    n: IntArray,
    usual: FloatArray,
    tested: IntArray,
    is_far: BoolArray,
) -> FloatArray:
    """How rare a share so low is, by chance [Fisher1922] and among people, (t,).

    Parameters
    ----------
    n_hits, n : array, shape (a,)
        Hits and trials of each person.
    usual : float array, shape (a,)
        Share that the others have.
    tested : int array, shape (t,)
        The people who are tested.
    is_far : bool array, shape (a,)
        Who is so far below that it matters.
    """
    own = ratio(n_hits, n)[tested]
    variance = (usual * (1 - usual))[tested] / n[tested]
    p = np.maximum(p_of_fewer(n_hits, n)[tested], p_outlying(own, variance, is_far[tested]))
    return adjusted(p)


def p_outlying(
    values: FloatArray, variance: FloatArray | float = 0.0, is_far: BoolArray | None = None
) -> FloatArray:
    """How rare it is among people to be so low, whoever else is.

    The person farthest below is left out and compared with the rest, then the next one, and so
    on. A person left out no later than somebody rare among the rest is as rare [Rosner1983].
    People differ, however honest, and by chance, the more the fewer answers they gave. Their
    spread (Qn [RousseeuwCroux1993]) holds both; of somebody with fewer answers than most it is
    widened.

    Parameters
    ----------
    values : float array, shape (a,)
        Finite.
    variance : float array, shape (a,), or float
        Of each value by chance alone.
    is_far : bool array, shape (a,), optional
        Who is left out at all, fewer than half in any case; otherwise all below the median.

    Returns
    -------
    float array, shape (a,)
        p-values by Student's distribution, not corrected for the number of people; 1 of those who
        are not left out.
    """
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    n = len(values)
    by_chance = np.broadcast_to(np.asarray(variance, dtype=np.float64), (n,))
    is_candidate = values < np.median(values) if is_far is None else is_far.copy()
    is_left = np.ones(n, dtype=np.bool_)
    n_most = min((n - 1) // 2, int(is_candidate.sum()))
    n_at_once = -(-n_most // MAX_STEPS) if n_most else 1
    p = np.ones(n)
    in_order: list[int] = []
    while len(in_order) < n_most:
        centre, scale = _centre_and_scale(values, by_chance, is_left)
        at = np.flatnonzero(is_left & is_candidate)
        farthest = at[np.argsort(_deviation(values[at], centre, scale[at]), kind="stable")]
        farthest = farthest[: min(n_at_once, n_most - len(in_order))]
        is_left[farthest] = False
        centre, scale = _centre_and_scale(values, by_chance, is_left)
        t = _deviation(values[farthest], centre, scale[farthest])
        n_rest = int(is_left.sum())
        p[farthest] = stdtr(n_rest - 1, t * np.sqrt(n_rest / (n_rest + 1)))
        in_order += farthest.tolist()
    # As many are outlying as the last step says that finds the one it leaves out rare.
    p[in_order] = np.minimum.accumulate(p[in_order][::-1])[::-1]
    return p


def _centre_and_scale(
    values: FloatArray, by_chance: FloatArray, rows: BoolArray
) -> tuple[float, FloatArray]:
    """Median of some people's values, and how far each of all may be from it, (a,)."""
    between = max(spread(values[rows]) ** 2 - float(np.median(by_chance[rows])), 0.0)
    return float(np.median(values[rows])), np.sqrt(between + by_chance)


def _deviation(values: FloatArray, centre: float, scale: FloatArray) -> FloatArray:
    # Where nobody else differs at all, any difference is endless, and none is none.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values == centre, 0.0, (values - centre) / scale)


def spread(values: FloatArray) -> float:
    """Standard deviation of the many, whatever the few are like: Qn [RousseeuwCroux1993].

    It wastes a fifth of the values where the median absolute deviation, taken for many people
    only, wastes two thirds.
    """
    n = len(values)
    if n > MAX_PAIRED:
        return 1.4826 * float(np.median(np.abs(values - np.median(values))))
    half = n // 2 + 1
    rank = half * (half - 1) // 2
    apart = np.abs(values[:, None] - values)[np.triu_indices(n, 1)]
    of_few = n / (n + 1.4) if n % 2 else n / (n + 3.8)
    return 2.2219 * of_few * float(np.partition(apart, rank - 1)[rank - 1])
