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
    EIGHTH,
    HALF_WAY,
    LEVEL,
    MIN_ANSWERS,
    RARE,
    Batch,
    Kind,
    Tested,
    adjusted,
    means,
    p_below_zero,
)
from scoring.flags.rarity import p_outlying
from scoring.groups import group_sums, ratio

# The reference settles after two or three comparisons.
MAX_COMPARISONS = 10
# Nobody is tested by fewer answers that can be compared.
MIN_COMPARED = 20
# Where three of ten people share another view, one of 15 is alone with it in 3 % of the studies,
# one of eight in 20 %. Who rates or labels alone with a view gives answers like somebody's who
# clicks; of picks and orders the person's own other answers tell.
MIN_PEOPLE = 15
# Fellows of those who agree too little agree by less than so much of the way to the others.
NEAR = 3 / 4
# The same of agreement with oneself: each two answers count for both, so the variance of the mean
# is twice that of independent answers.
RARE_WITH_ONESELF = 0.0005


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far each person agrees with somebody.

    Parameters
    ----------
    own, above_chance : float array, shape (a,)
        How far, and how much farther than random clicking; nan where unknown.
    p_chance : float array, shape (a,)
        How rarely random clicking agrees so much; 1 of too few answers.
    """

    own: FloatArray
    above_chance: FloatArray
    p_chance: FloatArray


def agreement(
    batch: Batch, rows: IntArray, own: FloatArray, *, by_chance: float | FloatArray
) -> Agreement:
    """People by the mean of what their answers (rows of the batch) have in common with others.

    Chance is the same for all answers, or that of each answer, shape (r,).
    """
    person = batch.person[rows]
    p = p_below_zero(by_chance - own, person, batch.n_people)
    return Agreement(
        means(own, person, batch.n_people),
        means(own - by_chance, person, batch.n_people),
        np.where(batch.n_of(rows) >= MIN_ANSWERS, p, 1.0),
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
    chance_of_answer: FloatArray | None = None,
    reach: FloatArray | None = None,
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
    chance_of_answer : float array, shape (r,), optional
        Agreement of each of them with others' answers to anything, if it is not the same for all.
    reach : float array, shape (a,), optional
        How far a person's answers can follow what is asked, as a share of how far others' can.
    """
    a, person = batch.n_people, batch.person[rows]
    chance: float | FloatArray = by_chance if chance_of_answer is None else chance_of_answer
    half = HALF_WAY if reach is None else HALF_WAY * reach[person]
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
        agreement(batch, rows, own, by_chance=chance),
        means(others, person, a),
        by_chance,
        n,
        value,
        within / np.maximum(n, 1),
        p_below_zero(own - chance - half * (others - by_chance), person, a),
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
    *,
    p_half_below: float = np.inf,
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
    p_half_below : float, optional
        Nobody is far below whose own answers do not show it by so small a p-value.

    References
    ----------
    [BH1995], [Rosner1983] in docs/references.md
    """
    reference = np.ones(n_people, dtype=np.bool_)
    for _step in range(MAX_COMPARISONS):
        outcome = compare(reference)
        tested = np.flatnonzero(
            (outcome.n >= MIN_COMPARED) & np.isfinite(outcome.value) & ~np.isnan(outcome.p_half)
        )
        is_far = outcome.is_far & (outcome.p_half < p_half_below)
        is_far &= ~_is_like_some(outcome, compare, with_themselves)
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


def careful(compare: Callable[[BoolArray], Compared], n_people: int) -> BoolArray:
    """Who agrees with the others by three quarters of the way from chance to them, (a,).

    Or surely and by half of it: rounding costs those agreement who use a small part of a scale.
    """
    outcome = compare(np.ones(n_people, dtype=np.bool_))
    is_careful: BoolArray = outcome.agreement.own >= outcome.on_the_way(NEAR)
    is_half = outcome.agreement.above_chance >= HALF_WAY * (outcome.usual - outcome.by_chance)
    is_careful |= is_half & (outcome.agreement.p_chance < RARE)
    return is_careful


def _is_like_some(
    outcome: Compared,
    compare: Callable[[BoolArray], Compared],
    with_themselves: Agreement | None,
) -> BoolArray:
    """Who surely agrees with anybody, at least by an eighth of the way to the others, (a,).

    With all; with those who do not agree well with all, such as another camp; or with themselves.
    Where these surely agree with one another, each of them need not surely do so.
    """
    agreements = [(outcome.agreement, RARE)]
    fellows = outcome.agreement.own < outcome.on_the_way(NEAR)
    if fellows.sum() > 1:
        # Who clicks on one answer more than on others agrees so far with whoever does, too.
        among = compare(fellows)
        is_camp = _p_together(among.agreement.p_chance[fellows]) < RARE
        agreements.append((among.agreement, np.inf if is_camp else RARE))
    if with_themselves is not None:
        agreements.append((with_themselves, RARE_WITH_ONESELF))
    way = outcome.usual - outcome.by_chance
    is_like = [(a.p_chance < rare) & (a.above_chance > EIGHTH * way) for a, rare in agreements]
    # Whoever takes the worst for the best agrees with themselves, and is no camp.
    is_reversed = outcome.agreement.above_chance < -HALF_WAY * way
    is_like_some: BoolArray = np.any(is_like, axis=0) & ~is_reversed
    return is_like_some


def _p_together(p: FloatArray) -> float:
    """How rare the agreement of a group with one another is, from that of each [Stouffer1949].

    Each two answers count for both, so the sum of the deviates varies twice as much.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - importing scoring loads numpy only

    # Of too few answers nothing is known: 1.
    known = np.clip(p[p < 1], np.finfo(np.float64).tiny, None)
    return float(ndtr(ndtri(known).sum() / np.sqrt(2 * max(len(known), 1))))


def far_below_many(
    batch: Batch,
    kind: Kind,
    compare: Callable[[BoolArray], Compared],
    *,
    p_half_below: float = np.inf,
) -> Tested:
    """Flags of those who are far below many: among few nobody tells a view from clicking."""
    outcome = far_below(compare, batch.n_people, p_half_below=p_half_below)
    if len(outcome.tested) < MIN_PEOPLE:
        return Tested(
            reason=(
                f"fewer than {MIN_PEOPLE} people gave {MIN_COMPARED} answers that can be "
                "compared: among so few, a person with a view of their own looks like somebody who"
                " clicks at random"
            )
        )
    return flagged(batch, kind, outcome)


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
