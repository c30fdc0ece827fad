"""Copies: the same answers as somebody else, more often than two people give them."""

from typing import TYPE_CHECKING

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.flags.findings import LEVEL, MIN_ANSWERS, Batch, Flag, Tested, adjusted
from scoring.groups import ratio

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Pairs of people whose answers are compared for copies, at most: beyond 3,000 people who all
# answered the same.
MAX_PAIRS = 5_000_000
# Two who agree may have copied, or be careful: what two others have in common tells.
MIN_PEOPLE = 4
# Two very careful people come more than half of the way from that chance to all answers: units
# differ in how clear they are, and the others' care tells nothing of the clear ones.
FAR = 3 / 4
_TOO_MANY = "there are too many pairs of people who answered the same"


def copies(batch: Batch, by_chance: float, *, far: float = FAR) -> Tested:
    """Test all pairs of people.

    Parameters
    ----------
    by_chance : float
        How often two people who click at random give the same answer.
    far : float, optional
        How far on the way from chance to all answers is no chance.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only
    from scipy.special import bdtrc  # noqa: PLC0415

    if batch.n_people < MIN_PEOPLE:
        return Tested(reason="with only three people, copies cannot be told from random clicking")
    n_each = np.bincount(batch.unit, minlength=batch.n_units)
    n_pairs = min(int((n_each * (n_each - 1)).sum()), batch.n_people * (batch.n_people - 1)) // 2
    if n_pairs > MAX_PAIRS:
        # Comparing them would take gigabytes.
        return Tested(reason=_TOO_MANY)
    # One answer of a person to a unit, the last: pairs are of people, and units count once.
    key = batch.person * batch.n_units + batch.unit
    last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    person, number, at = batch.person[last], batch.unit[last], batch.at[last]
    answers, picked = np.unique(batch.answer[last], return_inverse=True)
    cells, answer, count = np.unique(
        number * len(answers) + picked, return_inverse=True, return_counts=True
    )
    same = np.bincount(cells // len(answers), count * (count - 1), minlength=batch.n_units)

    ones = np.ones(len(last), dtype=np.int64)
    by_tuple = csr_array((ones, (person, number)), (batch.n_people, batch.n_units))
    by_answer = csr_array((ones, (person, answer)), (batch.n_people, len(cells)))
    both = _upper(by_tuple @ by_tuple.T)
    is_tested = both[2] >= MIN_ANSWERS
    first, second, n_both = (column[is_tested] for column in both)
    if not len(first):
        return Tested(reason=f"no two people answered {MIN_ANSWERS} of the same questions")
    alike = np.asarray((by_answer @ by_answer.T)[first, second]).reshape(-1)
    chance = _chance(
        by_tuple,
        csr_array((2.0 * (count[answer] - 1), (person, number)), by_tuple.shape),
        same.astype(np.float64),
        alike.astype(np.float64),
        (first, second),
        by_chance=by_chance,
    )
    # Two people who both prefer one answer give it to many questions, whatever is asked.
    uses = csr_array((1 / np.bincount(person)[person], (person, picked)))
    chance = np.maximum(chance, np.asarray((uses @ uses.T)[first, second]).reshape(-1))
    p = adjusted(np.asarray(bdtrc(alike - 1, n_both, chance)))
    flags = []
    for place in np.flatnonzero(p <= LEVEL):
        share = alike[place] / n_both[place]
        if share <= chance[place] + far * (1 - chance[place]):
            continue
        i, j = int(first[place]), int(second[place])
        named = _later(i, j, person, number, at)
        for who, whose in named:
            flags.append(
                Flag(
                    "copy",
                    int(batch.people[who]),
                    int(batch.people[whose]),
                    float(share),
                    float(chance[place]),
                    int(n_both[place]),
                    float(p[place]),
                    is_later=len(named) == 1,
                )
            )
    in_order = sorted(flags, key=lambda flag: (flag.annotator, flag.other or 0))
    return Tested(len(first), tuple(in_order))


def _chance(
    by_tuple: "csr_array",
    in_same: "csr_array",
    same: FloatArray,
    alike: FloatArray,
    pair: tuple[IntArray, IntArray],
    *,
    by_chance: float,
) -> FloatArray:
    """How often two people so careful pick the same on the tuples that they share, (p,).

    Above what chance gives, two people agree by the product of their care [Spearman1904]: what
    each of the two has in common with the others, multiplied, over what the others have in common
    with one another. Two careful people among careless ones agree more often than any others.

    Parameters
    ----------
    by_tuple : sparse array, shape (a, t)
        1 where the person answered the tuple.
    in_same : sparse array, shape (a, t)
        There, twice the number of others whose answer is the same: the ordered pairs of people
        that it is part of.
    same : float array, shape (t,)
        Ordered pairs of people whose answers are the same.
    alike : float array, shape (p,)
        Tuples on which the two picked the same: those pairs count for both, and are not theirs
        to be taken out twice.
    """
    n = np.asarray(by_tuple.sum(axis=0), dtype=np.float64).reshape(-1)

    def over_shared(left: "csr_array") -> FloatArray:
        return np.asarray((left @ by_tuple.T)[pair], dtype=np.float64).reshape(-1)

    first, second = pair
    in_all = over_shared(by_tuple.multiply(same[None]).tocsr())
    of_one = over_shared(in_same)
    of_other = np.asarray((in_same @ by_tuple.T)[second, first], dtype=np.float64).reshape(-1)
    agreeing = in_all - of_one - of_other + 2 * alike
    all_pairs = over_shared(by_tuple.multiply(((n - 2) * (n - 3))[None]).tocsr())
    overall = same.sum() / max((n * (n - 1)).sum(), 1.0)
    among = ratio(agreeing, all_pairs)
    among = np.where(np.isnan(among), overall, among)
    n_others = over_shared(by_tuple.multiply((n - 2)[None]).tocsr())
    # Where the two have no others, they are as careful as any two.
    care = [
        np.where(n_others > 0, ratio(agreeing_with_others / 2 - alike, n_others), among)
        - by_chance
        for agreeing_with_others in (of_one, of_other)
    ]
    shared = np.maximum(care[0], 0) * np.maximum(care[1], 0)
    # Where the others agree no more than by chance, nothing says how careful these two are.
    careful = np.ones(len(alike))
    np.divide(shared, among - by_chance, out=careful, where=among > by_chance)
    # Of few others it is uncertain: two people are no less likely to agree than any two.
    chance: FloatArray = np.maximum.reduce(
        [by_chance + careful, among, np.full(len(alike), overall)]
    )
    return np.minimum(chance, 1.0)


def _upper(table: "csr_array") -> tuple[IntArray, IntArray, IntArray]:
    """Rows, columns and values of what stands above the diagonal."""
    from scipy.sparse import triu  # noqa: PLC0415 - importing scoring loads numpy only

    above = triu(table, k=1).tocoo()
    return above.row.astype(np.int64), above.col.astype(np.int64), above.data


def _later(
    i: int, j: int, person: IntArray, number: IntArray, at: FloatArray
) -> list[tuple[int, int]]:
    """Who answered after whom; both ways if that is not known."""
    of_i, of_j = person == i, person == j
    _both, first, second = np.intersect1d(number[of_i], number[of_j], return_indices=True)
    after = at[of_i][first] - at[of_j][second]
    n_after, n_before = int((after > 0).sum()), int((after < 0).sum())
    if n_after == n_before:
        return [(i, j), (j, i)]
    return [(i, j)] if n_after > n_before else [(j, i)]
