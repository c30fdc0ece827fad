"""What stands out in how people answered: flags say what was seen, and are no verdict.

Four kinds, each a test of everybody against everybody else, corrected over all who were tested
[Holm1979]. Where people do not differ in it, about one study in twenty has any flag of a kind, or
fewer. Where they do, whoever is least like the others is found, however honest.

- ``agreement``: agrees with the others less than they do with one another.
- ``position``: picks by where an option stands on the screen. Options are shuffled.
- ``speed``: much faster than the others.
- ``copy``: the same answers as somebody who answered before, more often than two people give them.

A small difference is found in many answers, too, and is no reason to look at anybody. So each kind
also asks for a large one, named with it.

Symbols: m judgments; a annotators; k items of a tuple.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.compliance import credit_by_answer
from scoring.groups import group_sums, ratio
from scoring.json_values import JsonObject, json_number
from scoring.judgments import BestWorst

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Kind: TypeAlias = Literal["agreement", "position", "speed", "copy"]

DEFINITIONS: dict[Kind, str] = {
    "agreement": (
        "Share of the pairs implied by an answer whose order is that of the scores from everybody "
        "else, less the mean share of the other answers to the same tuple: t-test of the person's "
        "differences against 0, below it. Flagged where the share is also by more than a third of "
        "the way from that of the others to .5, that of random clicking."
    ),
    "position": (
        "Pearson's chi-square test of the displayed positions of the best picks, and of the worst "
        "picks, against a uniform distribution; the smaller p doubled. Flagged where one position "
        "also has more picks than half-way between its share by chance and all of them."
    ),
    "speed": (
        "Median over the person's answers of the time taken relative to the median of the others "
        "on the same tuple, in logarithms: its distance from the median person in robust standard "
        "deviations (Qn [RousseeuwCroux1993]), by Student's distribution with a - 2 degrees of "
        "freedom, below. Flagged where it is also less than half of the others' time."
    ),
    "copy": (
        "Answers in which two people picked the same best and the same worst, of the tuples that "
        "both answered: binomial test against the mean chance that two other people pick the same "
        "there. Flagged, where it is also more than half-way between that chance and all of them, "
        "is whoever mostly answered later; both, where the times are not known."
    ),
}
# Of each kind, over all who were tested.
LEVEL = 0.05
# Below so many answers nobody is tested, and no pair of people below so many that both gave.
FEWEST = 10
# So many people are compared two by two: two million pairs.
_MOST_PAIRED = 2000
# Pairs of people whose answers are compared for copies, at most: beyond 3,000 people who all
# answered the same.
MOST_PAIRS = 5_000_000


@dataclass(frozen=True)
class Flag:
    """One thing that was seen of one person.

    Parameters
    ----------
    kind : {"agreement", "position", "speed", "copy"}
    annotator : int
        Who.
    other : int or None
        Of a copy: whose answers they are.
    value, usual : float
        What was seen, and what the others have or chance gives: shares in [0, 1]; of speed,
        the time relative to the others', and 1.
    n : int
        Answers, or answers that both gave.
    p : float
        Corrected over everybody tested, at most `LEVEL`.
    is_later : bool
        Of a copy: whether they mostly answered after the other; False where that cannot be told,
        and then both have a flag.
    """

    kind: Kind
    annotator: int
    other: int | None
    value: float
    usual: float
    n: int
    p: float
    is_later: bool = False

    def as_dict(self) -> JsonObject:
        """In plain JSON types."""
        return {
            "kind": self.kind,
            "annotator": self.annotator,
            "other": self.other,
            "value": json_number(self.value),
            "usual": json_number(self.usual),
            "n": self.n,
            "p": json_number(self.p),
            "is_later": self.is_later,
        }


@dataclass(frozen=True, eq=False)
class Flags:
    """What stands out in a study.

    Parameters
    ----------
    found : list of Flag
        By kind, then by annotator.
    n_tested : dict
        By kind: people tested, or pairs of people.
    reasons : dict
        By kind: why nobody was tested.
    """

    found: list[Flag]
    n_tested: dict[Kind, int]
    reasons: dict[Kind, str]

    def of(self, annotator: int) -> list[Flag]:
        """Those of one person."""
        return [flag for flag in self.found if flag.annotator == annotator]

    def as_dict(self) -> JsonObject:
        """Flags, numbers tested, reasons and definitions in plain JSON types."""
        return {
            "definitions": {str(kind): said for kind, said in DEFINITIONS.items()},
            "level": LEVEL,
            "found": [flag.as_dict() for flag in self.found],
            "n_tested": {str(kind): n for kind, n in self.n_tested.items()},
            "reasons": {str(kind): said for kind, said in self.reasons.items()},
        }


@dataclass(frozen=True, eq=False)
class _Batch:
    """Answers with their people numbered 0..a-1."""

    answers: BestWorst
    people: IntArray
    person: IntArray
    positions: IntArray
    seconds: FloatArray
    at: FloatArray

    @property
    def n_people(self) -> int:
        return len(self.people)

    @property
    def has_too_many_pairs(self) -> bool:
        """Whether comparing all who share a tuple would take gigabytes."""
        n = self.answers.answers_per_tuple()
        n_pairs = min(int((n * (n - 1)).sum()), self.n_people * (self.n_people - 1)) // 2
        return n_pairs > MOST_PAIRS

    def n_of(self, rows: IntArray) -> IntArray:
        return np.bincount(self.person[rows], minlength=self.n_people)


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
        m judgments of t tuples, with their annotators.
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
    [Holm1979], [RousseeuwCroux1993] in docs/references.md
    """
    if answers.annotator is None:
        raise ValueError("flags are of people, so they need to know who gave each answer")
    m = answers.n_judgments
    unknown = np.full(m, np.nan)
    people, person = np.unique(answers.annotator, return_inverse=True)
    batch = _Batch(
        answers,
        people,
        person,
        np.full((m, 2), -1) if positions is None else np.asarray(positions),
        unknown if seconds is None else np.asarray(seconds, dtype=np.float64),
        unknown if answered_at is None else np.asarray(answered_at, dtype=np.float64),
    )
    for name, array, shape in (
        ("positions", batch.positions, (m, 2)),
        ("seconds", batch.seconds, (m,)),
        ("answered_at", batch.at, (m,)),
    ):
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, but there are {m} judgments")
    if (batch.positions >= answers.tuple_size).any():
        raise ValueError(f"positions are numbered 0..{answers.tuple_size - 1}; -1 is unknown")
    found: list[Flag] = []
    n_tested: dict[Kind, int] = {}
    reasons: dict[Kind, str] = {}
    for kind in get_args(Kind):
        seen, n_tested[kind] = _TESTS[kind](batch)
        found.extend(seen)
        if not n_tested[kind]:
            is_too_large = kind == "copy" and batch.has_too_many_pairs
            reasons[kind] = _TOO_MANY if is_too_large else _WHY_NONE[kind]
    return Flags(found, n_tested, reasons)


_TOO_MANY = "there are too many pairs of people who answered the same tuples"
_WHY_NONE: dict[Kind, str] = {
    "agreement": f"nobody gave {FEWEST} answers that can be compared with others",
    "position": f"nobody gave {FEWEST} answers of known positions",
    "speed": f"fewer than three people gave {FEWEST} timed answers that others gave, too",
    "copy": f"no two people answered {FEWEST} of the same tuples",
}


def holm(p: FloatArray) -> FloatArray:
    """Adjust p-values so that any false finding among them is as rare as each says [Holm1979].

    Parameters
    ----------
    p : float array, shape (n,)
        In [0, 1].

    Returns
    -------
    float array, shape (n,)
        In [0, 1], in the order given and never below `p`.
    """
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(stepped)
    return adjusted


def _agreement(batch: _Batch) -> tuple[list[Flag], int]:
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    answers = batch.answers
    credit = credit_by_answer(answers)
    rows = np.flatnonzero(~np.isnan(credit))
    others = _mean_of_others(credit[rows], answers.tuple_number[rows], n_groups=answers.n_tuples)
    rows, others = rows[~np.isnan(others)], others[~np.isnan(others)]
    difference = credit[rows] - others
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= FEWEST)
    person = batch.person[rows]
    mean = _means(difference, person, batch.n_people)
    own, usual = (
        _means(credit[rows], person, batch.n_people),
        _means(others, person, batch.n_people),
    )
    squares = _means((difference - mean[person]) ** 2, person, batch.n_people)
    error = np.sqrt(squares / np.maximum(n - 1, 1))
    # Whoever differs by the same everywhere differs surely, or not at all.
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / error)
    p = holm(np.asarray(stdtr(n[tested] - 1, t[tested])))
    return [
        Flag("agreement", int(batch.people[who]), None, own[who], usual[who], int(n[who]), at)
        for who, at in zip(tested.tolist(), p.tolist(), strict=True)
        if at <= LEVEL and usual[who] > 0.5 and own[who] < usual[who] - (usual[who] - 0.5) / 3
    ], len(tested)


def _position(batch: _Batch) -> tuple[list[Flag], int]:
    from scipy.special import chdtrc  # noqa: PLC0415 - importing scoring loads numpy only

    k = batch.answers.tuple_size
    rows = np.flatnonzero((batch.positions >= 0).all(axis=1))
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= FEWEST)
    shares, chances = [], []
    for column in (0, 1):
        cell = batch.person[rows] * k + batch.positions[rows, column]
        counts = np.bincount(cell, minlength=batch.n_people * k).reshape(-1, k)[tested]
        expected = n[tested, None] / k
        chances.append(chdtrc(k - 1, ((counts - expected) ** 2 / expected).sum(axis=1)))
        shares.append(counts.max(axis=1) / n[tested])
    p = holm(np.minimum(1.0, 2 * np.minimum(*chances)))
    share = np.maximum(*shares)
    return [
        Flag("position", int(batch.people[who]), None, value, 1 / k, int(n[who]), at)
        for who, value, at in zip(tested.tolist(), share.tolist(), p.tolist(), strict=True)
        if at <= LEVEL and value > (1 / k + 1) / 2
    ], len(tested)


def _speed(batch: _Batch) -> tuple[list[Flag], int]:
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    rows = np.flatnonzero((batch.seconds > 0) & np.isfinite(batch.seconds))
    times = np.log(batch.seconds[rows])
    usual = _median_of_others(times, batch.answers.tuple_number[rows])
    rows, relative = rows[~np.isnan(usual)], (times - usual)[~np.isnan(usual)]
    n = batch.n_of(rows)
    tested = np.flatnonzero(n >= FEWEST)
    if len(tested) < 3:
        return [], 0
    of_person = batch.person[rows]
    median = np.array([np.median(relative[of_person == who]) for who in tested])
    centre = np.median(median)
    spread = _spread(median)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(median == centre, 0.0, (median - centre) / spread)
    p = holm(np.asarray(stdtr(len(tested) - 2, t)))
    return [
        Flag("speed", int(batch.people[who]), None, float(np.exp(value)), 1.0, int(n[who]), at)
        for who, value, at in zip(tested.tolist(), median.tolist(), p.tolist(), strict=True)
        if at <= LEVEL and value < np.log(0.5)
    ], len(tested)


def _copy(batch: _Batch) -> tuple[list[Flag], int]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - importing scoring loads numpy only
    from scipy.special import bdtrc  # noqa: PLC0415

    answers = batch.answers
    if batch.has_too_many_pairs:
        return [], 0
    # One answer of a person to a tuple, the last: pairs are of people, and tuples count once.
    key = batch.person * answers.n_tuples + answers.tuple_number
    last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    person, number, at = batch.person[last], answers.tuple_number[last], batch.at[last]
    picked = answers.best[last] * answers.n_items + answers.worst[last]
    cells, answer, count = np.unique(
        np.column_stack([number, picked]), axis=0, return_inverse=True, return_counts=True
    )
    answer = answer.reshape(-1)
    same = np.bincount(cells[:, 0], count * (count - 1), minlength=answers.n_tuples)

    ones = np.ones(len(last), dtype=np.int64)
    by_tuple = csr_array((ones, (person, number)), (batch.n_people, answers.n_tuples))
    by_answer = csr_array((ones, (person, answer)), (batch.n_people, len(cells)))
    both = _upper(by_tuple @ by_tuple.T)
    is_tested = both[2] >= FEWEST
    one, other, n_both = (column[is_tested] for column in both)
    if not len(one):
        return [], 0
    alike = np.asarray((by_answer @ by_answer.T)[one, other]).reshape(-1)
    chance = _chance(
        by_tuple,
        csr_array((2.0 * (count[answer] - 1), (person, number)), by_tuple.shape),
        same.astype(np.float64),
        alike.astype(np.float64),
        (one, other),
    )
    p = holm(np.asarray(bdtrc(alike - 1, n_both, chance)))
    found = []
    for place in np.flatnonzero(p <= LEVEL):
        share = alike[place] / n_both[place]
        if share <= (chance[place] + 1) / 2:
            continue
        i, j = int(one[place]), int(other[place])
        named = _later(i, j, person, number, at)
        for who, whose in named:
            found.append(
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
    return sorted(found, key=lambda flag: (flag.annotator, flag.other or 0)), len(one)


def _chance(
    by_tuple: "csr_array",
    in_same: "csr_array",
    same: FloatArray,
    alike: FloatArray,
    pair: tuple[IntArray, IntArray],
) -> FloatArray:
    """How often two others pick the same on the tuples that the pairs of people share, (p,).

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

    one, other = pair
    in_all = over_shared(by_tuple.multiply(same[None]).tocsr())
    of_one = over_shared(in_same)
    of_other = np.asarray((in_same @ by_tuple.T)[other, one], dtype=np.float64).reshape(-1)
    agreeing = in_all - of_one - of_other + 2 * alike
    all_pairs = over_shared(by_tuple.multiply(((n - 2) * (n - 3))[None]).tocsr())
    overall = same.sum() / max((n * (n - 1)).sum(), 1.0)
    # Of few others it is uncertain: two people are no less likely to agree than any two.
    chance: FloatArray = np.maximum(ratio(agreeing, all_pairs), overall)
    return np.where(np.isnan(chance), overall, chance)


def _upper(table: "csr_array") -> tuple[IntArray, IntArray, IntArray]:
    """Rows, columns and values of what stands above the diagonal."""
    from scipy.sparse import triu  # noqa: PLC0415 - importing scoring loads numpy only

    above = triu(table, k=1).tocoo()
    return above.row.astype(np.int64), above.col.astype(np.int64), above.data


def _later(
    i: int, j: int, person: IntArray, number: IntArray, at: FloatArray
) -> list[tuple[int, int]]:
    """Who answered after whom; both ways where that is not known."""
    of_i, of_j = person == i, person == j
    _both, first, second = np.intersect1d(number[of_i], number[of_j], return_indices=True)
    after = at[of_i][first] - at[of_j][second]
    n_after, n_before = int((after > 0).sum()), int((after < 0).sum())
    if n_after == n_before:
        return [(i, j), (j, i)]
    return [(i, j)] if n_after > n_before else [(j, i)]


def _spread(values: FloatArray) -> float:
    """Standard deviation of the many, whatever the few are like: Qn [RousseeuwCroux1993].

    It wastes a fifth of the values where the median absolute deviation, taken for very many people
    only, wastes two thirds.
    """
    n = len(values)
    if n > _MOST_PAIRED:
        return 1.4826 * float(np.median(np.abs(values - np.median(values))))
    half = n // 2 + 1
    rank = half * (half - 1) // 2
    apart = np.abs(values[:, None] - values)[np.triu_indices(n, 1)]
    of_few = n / (n + 1.4) if n % 2 else n / (n + 3.8)
    return 2.2219 * of_few * float(np.partition(apart, rank - 1)[rank - 1])


def _means(values: FloatArray, person: IntArray, n_people: int) -> FloatArray:
    n = np.bincount(person, minlength=n_people)
    return ratio(group_sums(values, person, n_groups=n_people), n)


def _mean_of_others(values: FloatArray, group: IntArray, *, n_groups: int) -> FloatArray:
    """Mean of the other values of each one's group, shape (m,); nan where it is alone."""
    n = np.bincount(group, minlength=n_groups)
    sums = group_sums(values, group, n_groups=n_groups)
    return ratio(sums[group] - values, n[group] - 1)


def _median_of_others(values: FloatArray, group: IntArray) -> FloatArray:
    """Median of the other values of each one's group, shape (m,); nan where it is alone."""
    found = np.full(len(values), np.nan)
    order = np.lexsort((values, group))
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if len(rows) < 2:
            continue
        ranks, n_others = np.arange(len(rows)), len(rows) - 1
        # What stands at or behind its own place moves up by one when it is left out.
        low, high = (n_others - 1) // 2, n_others // 2
        in_order = values[rows]
        found[rows] = (in_order[low + (low >= ranks)] + in_order[high + (high >= ranks)]) / 2
    return found


_TESTS: dict[Kind, Callable[[_Batch], tuple[list[Flag], int]]] = {
    "agreement": _agreement,
    "position": _position,
    "speed": _speed,
    "copy": _copy,
}
