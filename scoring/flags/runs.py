"""Straight-lining: the same again and again, in the order in which answers were given."""

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.flags.findings import MIN_ANSWERS, Batch, Tested, adjusted, means
from scoring.flags.rarity import p_outlying

# How far on the way from chance to all answers the share of repeated answers matters.
FAR = 1 / 2
# Cells of a table of answers by units that are compared at once.
_AT_ONCE = 5_000_000


def longest_run(values: IntArray | FloatArray) -> int:
    """Length of the longest run of equal values, in their order; 0 of none."""
    if not len(values):
        return 0
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], [True]))
    return int(np.diff(ends, prepend=-1).max())


def chance_of_run(length: int, *, n: int, k: int) -> float:
    """Probability that n values, each one of k at equal chance, have a run so long or longer.

    A value is as the one before it with probability 1/k, whatever came before: the run of
    `length` equal values is one of `length` - 1 successes among n - 1 trials [Feller1968, XIII.7].

    Parameters
    ----------
    length : int
        Of the run, at least 1.
    n, k : int
        Values, and how many different ones there are, at least 2.
    """
    r = length - 1
    if r <= 0:
        return 1.0 if n else 0.0
    same = 1 / k
    # within[j]: the first j trials have no run of r; the run that ends it begins after a failure.
    within = np.ones(n)
    for j in range(r, n):
        ending = same**r * (1.0 if j == r else (1 - same) * within[j - r - 1])
        within[j] = within[j - 1] - ending
    return float(min(max(1.0 - within[n - 1], 0.0), 1.0)) if n > r else 0.0


def usual_run(*, n: int, k: int) -> int:
    """Median of the longest run of n values, each one of k at equal chance."""
    return next(
        (length for length in range(1, n + 1) if chance_of_run(length + 1, n=n, k=k) <= 0.5), n
    )


def expected_largest_share(*, n: int, k: int) -> float:
    """Expected share of the most frequent of k values among n, each one at equal chance.

    The counts are those of k independent Poisson variables, given their sum: the largest is at
    most m with a probability that is a coefficient of the k-th power of the first terms of the
    series of exp [Feller1968, II.5]. The powers are taken as Fourier transforms.

    Parameters
    ----------
    n, k : int
        Values, and how many different ones there are, both at least 1.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - importing scoring loads numpy only

    counts = np.arange(n + 1)
    rate = n / k
    terms = np.exp(counts * np.log(rate) - rate - gammaln(counts + 1))
    size = k * n + 1
    whole = np.exp(n * np.log(n) - n - gammaln(n + 1))
    at_most = np.empty(n)
    for m in range(n):
        spectrum = np.fft.rfft(terms[: m + 1], size) ** k
        at_most[m] = np.fft.irfft(spectrum, size)[n] / whole
        if m >= rate and at_most[m] > 1 - 1e-12:
            at_most[m:] = 1.0
            break
    return float((n - np.clip(at_most, 0.0, 1.0).sum()) / n)


def runs(batch: Batch, positions: IntArray, *, k: int) -> Tested:
    """The same displayed position many times in a row, of best or of worst picks.

    Parameters
    ----------
    positions : int array, shape (m, 2)
        In the order in which each person answered; -1 where unknown.
    """
    rows = np.flatnonzero((positions >= 0).all(axis=1))
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= MIN_ANSWERS)
    if not len(tested):
        return Tested(reason=f"nobody gave {MIN_ANSWERS} answers of known positions")
    in_order = rows[np.argsort(batch.person[rows], kind="stable")]
    of_person = np.split(in_order, np.cumsum(n)[:-1])
    longest = np.array(
        [[longest_run(positions[of_person[who], on]) for on in (0, 1)] for who in tested]
    ).max(axis=1)
    # Either kind of pick may have it, and the longer of the two has the smaller p.
    chances = {
        (length, n_answers): min(1.0, 2 * chance_of_run(length, n=n_answers, k=k))
        for length, n_answers in set(zip(longest.tolist(), n[tested].tolist(), strict=True))
    }
    p = adjusted(
        np.array(
            [chances[cell] for cell in zip(longest.tolist(), n[tested].tolist(), strict=True)]
        )
    )
    flags = [
        batch.flag("run", who, length, usual_run(n=int(n[who]), k=k), n=n[who], p=at)
        for who, length, at in zip(tested.tolist(), longest.tolist(), p.tolist(), strict=True)
        if length >= MIN_ANSWERS
    ]
    return Tested(len(tested), tuple(flags))


def same_again(
    batch: Batch, part: IntArray, is_careful: BoolArray, *, n_answers: int, far: float = FAR
) -> Tested:
    """Answers equal to the one before, against the answers of others to the same two units.

    Parameters
    ----------
    batch : Batch
        Rows in the order in which each person answered, one of a person to each unit; answers
        are numbered 0..n_answers-1 alike for all units.
    part : int array, shape (m,)
        Where it changes, such as between two phases, nothing came just before.
    is_careful : bool array, shape (a,)
        Who agrees well with the others, and so repeats an answer because of what is asked:
        whoever is strict gives the lowest of a scale more often than others do.
    far : float, optional
        How far on the way from chance to all answers the share of repeated answers matters.
    """
    from scipy.special import bdtrc  # noqa: PLC0415 - importing scoring loads numpy only

    if batch.is_of_two:
        return Tested(reason="nearly all answers are one of two, often honestly the same again")
    in_order = np.argsort(batch.person, kind="stable")
    before, after = in_order[:-1], in_order[1:]
    follows = (batch.person[before] == batch.person[after]) & (part[before] == part[after])
    before, after = before[follows], after[follows]
    chance = _chance_of_others(batch, before, after, n_answers=n_answers)
    known = ~np.isnan(chance)
    before, after, chance = before[known], after[known], chance[known]
    is_same = batch.answer[before] == batch.answer[after]
    n = batch.n_of(after)
    tested = np.flatnonzero(n >= MIN_ANSWERS)
    if len(tested) < 3:
        return Tested(
            reason=f"fewer than three people gave {MIN_ANSWERS} answers that can be compared"
        )
    own = means(is_same.astype(np.float64), batch.person[after], batch.n_people)[tested]
    usual = means(chance, batch.person[after], batch.n_people)[tested]
    n_same = np.round(own * n[tested])
    is_far = (own > usual + far * (1 - usual)) & ~is_careful[tested]
    among = p_outlying(usual - own, usual * (1 - usual) / n[tested], is_far)
    p = adjusted(np.maximum(np.asarray(bdtrc(n_same - 1, n[tested], usual)), among))
    flags = [
        batch.flag("same", who, value, chance_of, n=n[who], p=at)
        for who, value, chance_of, at, far in zip(
            tested.tolist(), own.tolist(), usual.tolist(), p.tolist(), is_far.tolist(), strict=True
        )
        if far
    ]
    return Tested(len(tested), tuple(flags))


def _chance_of_others(
    batch: Batch, before: IntArray, after: IntArray, *, n_answers: int
) -> FloatArray:
    """Chance that an answer of others to one unit and one to the other are equal; nan: nobody's.

    Shape (p,), of the pairs of rows.
    """
    cell = batch.unit * n_answers + batch.answer
    counts = np.bincount(cell, minlength=batch.n_units * n_answers).reshape(-1, n_answers)
    n = counts.sum(axis=1)
    first_unit, second_unit = batch.unit[before], batch.unit[after]
    first, second = batch.answer[before], batch.answer[after]
    alike = np.empty(len(before))
    at_once = max(1, _AT_ONCE // n_answers)
    for start in range(0, len(before), at_once):
        rows = slice(start, start + at_once)
        alike[rows] = np.einsum("ij,ij->i", counts[first_unit[rows]], counts[second_unit[rows]])
    # Without the person's own answer to either unit.
    alike -= counts[second_unit, first] + counts[first_unit, second] - (first == second)
    n_pairs = (n[first_unit] - 1) * (n[second_unit] - 1)
    shares = np.full(len(before), np.nan)
    is_known: BoolArray = n_pairs > 0
    np.divide(alike, n_pairs, out=shares, where=is_known)
    return shares
