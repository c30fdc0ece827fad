"""What a flag is, and how everything that was tested in one study is corrected together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.groups import group_sums, ratio
from scoring.json_values import JsonObject, json_number

Kind: TypeAlias = Literal[
    "agreement",
    "position",
    "run",
    "consistency",
    "correlation",
    "distance",
    "majority",
    "repeats",
    "same",
    "speed",
    "copy",
]

# Over everybody who was tested, and all kinds.
LEVEL = 0.05
# Below so many answers nobody is tested, and no pair of people below so many that both gave.
FEWEST = 10
# Parts of the level that each kind gets, relative to one another [Genovese2006]. Whoever always
# takes one place or copies is found however small the part; who clicks or hurries, less surely.
PARTS: dict[Kind, float] = {
    "agreement": 8,
    "correlation": 8,
    "majority": 8,
    "speed": 7,
    "consistency": 2,
    "distance": 2,
    "repeats": 2,
    "same": 2,
    "position": 1,
    "run": 1,
    "copy": 1,
}
# So many people are compared two by two: two million pairs.
_MOST_PAIRED = 2000

# Who agrees surely by less than so much of the way from chance to the others, agrees too little
# whatever the others differ in: honest people hardly come so low, clicking is at 0.
HALF_WAY = 1 / 2

_FAR_BELOW = (
    "the greater of that p-value and, of three people or more, twice the smaller of two others: "
    "of the same test against half of the way from chance to the others, and of the person's "
    "distance from the median person in robust standard deviations (Qn [RousseeuwCroux1993]), by "
    "Student's distribution with a - 2 degrees of freedom, below"
)
_AMONG_PEOPLE = (
    "the greater of that p-value and the one of the person's distance from the median person in "
    "robust standard deviations (Qn [RousseeuwCroux1993]), by Student's distribution with a - 2 "
    "degrees of freedom"
)

DEFINITIONS: dict[Kind, str] = {
    "agreement": (
        "Share of the pairs implied by an answer whose order is that of the scores from everybody "
        "else, less the mean share of the other answers to the same tuple: t-test of the person's "
        f"differences against 0, and {_FAR_BELOW}. Flagged where the share is also by more than a "
        "third of the way from that of the others to .5, that of random clicking."
    ),
    "position": (
        "Pearson's chi-square test of the displayed positions of the best picks, and of the worst "
        "picks, against a uniform distribution; the smaller p doubled. Flagged where one position "
        "also has more picks than half-way between its share by chance and all of them."
    ),
    "run": (
        "Longest run of answers, in the order in which they were given, with the best pick in the "
        "same displayed position, and the same of the worst pick: exact distribution of the "
        "longest run where every position is as likely whatever came before [Feller1968]; the "
        "smaller p doubled. Flagged where the run also has ten answers or more."
    ),
    "consistency": (
        "Pairs of items that two of the person's answers order: share of the later answers that "
        "order them as the latest one before did; exact test [Fisher1922] against those of the "
        f"others, and {_AMONG_PEOPLE}, below. Flagged where the share is also by more than a "
        "third of the way from that of the others to .5, that of random clicking."
    ),
    "correlation": (
        "Pearson's correlation of the person's ratings with the mean of everybody else's of the "
        "same units: z-test of Fisher's transform against the median person, and "
        f"{_AMONG_PEOPLE}, below. Flagged where the correlation is also by more than a third of "
        "the way from that of the median person to 0, that of random clicking."
    ),
    "distance": (
        "Mean distance of what the person rated again from their rating before: rank sum test "
        "[MannWhitney1947] of these distances against those of everybody else, and "
        f"{_AMONG_PEOPLE}, above. Flagged where it is also more than twice that of the others."
    ),
    "majority": (
        "Share of the person's answers that are what most of the others said of the unit, less "
        "the mean share of the other answers to the same unit: t-test of the differences against "
        f"0, and {_FAR_BELOW}. Flagged where the share is also by more than a third of "
        "the way from that of the others to that of answers drawn by chance."
    ),
    "repeats": (
        "Share of the units labelled again whose answer is the same: exact test [Fisher1922] "
        f"against those of everybody else, and {_AMONG_PEOPLE}, below. Flagged where the share is "
        "also by more than a third of the way from that of the others to that of answers drawn by "
        "chance."
    ),
    "same": (
        "Answers that are equal to the person's answer just before: binomial test against the "
        "mean chance that the others' answers to the same two units are equal, and "
        f"{_AMONG_PEOPLE}, above. Flagged where the share is also more than half-way between that "
        "chance and all of them."
    ),
    "speed": (
        "Median over the person's answers of the time taken relative to the median of the others "
        "on the same tuple or unit, in logarithms: its distance from the median person in robust "
        "standard deviations (Qn [RousseeuwCroux1993]), by Student's distribution with a - 2 "
        "degrees of freedom, below. Flagged where it is also less than half of the others' time."
    ),
    "copy": (
        "Answers that are the same by two people, of the tuples or units that both answered: "
        "binomial test against the chance that two people so careful give the same answer there: "
        "what each has in common with the others above chance, multiplied and divided by what the "
        "others have in common with one another [Spearman1904], or that itself where it is more. "
        "Flagged, where it is also more than half-way between that chance and all of them, is "
        "whoever mostly answered later; both, where the times are not known."
    ),
}


@dataclass(frozen=True)
class Flag:
    """One thing that was seen of one person.

    Parameters
    ----------
    kind : str
        One of `DEFINITIONS`.
    annotator : int
        Who.
    other : int or None
        Of a copy: whose answers they are.
    value, usual : float
        What was seen, and what the others have or chance gives: shares in [0, 1]; of speed,
        the time relative to the others', and 1; of a run, its answers, and those of the median
        longest run by chance; of a correlation and a distance, these.
    n : int
        Answers, or answers that both gave; of repeats, the repeated ones.
    p : float
        Corrected over everybody tested and over the kinds of test, at most `LEVEL`.
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
            "definitions": {str(kind): DEFINITIONS[kind] for kind in self.n_tested},
            "level": LEVEL,
            "fewest": FEWEST,
            "found": [flag.as_dict() for flag in self.found],
            "n_tested": {str(kind): n for kind, n in self.n_tested.items()},
            "reasons": {str(kind): said for kind, said in self.reasons.items()},
        }


@dataclass(frozen=True, eq=False)
class Batch:
    """Answers to units, with their people numbered 0..a-1.

    Parameters
    ----------
    people : int array, shape (a,)
        How the caller numbers them.
    person, unit, answer : int array, shape (m,)
        Who; to what, 0..n_units-1; equal numbers are equal answers to a unit.
    seconds, at : float array, shape (m,)
        Time taken and moment of each answer; nan where unknown.
    """

    people: IntArray
    person: IntArray
    unit: IntArray
    n_units: int
    answer: IntArray
    seconds: FloatArray
    at: FloatArray

    @property
    def n_people(self) -> int:
        return len(self.people)

    def n_of(self, rows: IntArray) -> IntArray:
        return np.bincount(self.person[rows], minlength=self.n_people)

    def flag(self, kind: Kind, who: int, value: float, usual: float, *, n: int, p: float) -> Flag:
        return Flag(
            kind, int(self.people[who]), None, float(value), float(usual), int(n), float(p)
        )


@dataclass(frozen=True)
class Tested:
    """What one kind of test found: large differences, with p corrected within the kind."""

    n: int = 0
    found: tuple[Flag, ...] = ()
    # Why nobody was tested.
    reason: str = ""


def together(tests: Mapping[Kind, Callable[[], Tested]]) -> Flags:
    """Run all tests of a study, and spend one level on them.

    Each kind is corrected over its people [Holm1979] and gets its part of the level: of studies
    of honest people who do not differ, one in twenty has any flag at all.
    """
    tested = {kind: test() for kind, test in tests.items()}
    whole = sum(PARTS[kind] for kind, one in tested.items() if one.n)
    corrected = [
        replace(flag, p=min(1.0, flag.p * whole / PARTS[flag.kind]))
        for one in tested.values()
        for flag in one.found
    ]
    return Flags(
        [flag for flag in corrected if flag.p <= LEVEL],
        {kind: one.n for kind, one in tested.items()},
        {kind: one.reason for kind, one in tested.items() if not one.n},
    )


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


def p_among_people(values: FloatArray) -> FloatArray:
    """How rare a value so low is among people, each with the others' spread, (a,).

    People differ, however honest: a test that knows only the chance in a person's own answers
    finds whoever is a little different, once they have given enough of them.
    """
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    centre = np.median(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(values == centre, 0.0, (values - centre) / spread(values))
    return np.asarray(stdtr(len(values) - 2, t), dtype=np.float64)


def p_below_zero(values: FloatArray, person: IntArray, n_people: int) -> FloatArray:
    """Student's test of each person's values against 0, the lower tail, (a,)."""
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    n = np.bincount(person, minlength=n_people)
    mean = means(values, person, n_people)
    squares = means((values - mean[person]) ** 2, person, n_people)
    error = np.sqrt(squares / np.maximum(n - 1, 1))
    # Whoever differs by the same everywhere differs surely, or not at all.
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / error)
    return np.asarray(stdtr(n - 1, t), dtype=np.float64)


def p_far_below(below: FloatArray, below_half: FloatArray, values: FloatArray) -> FloatArray:
    """How rare it is to be so far below the others, also where honest people differ in care, (a,).

    Of few people nobody knows how much they differ: their spread alone finds hardly anybody among
    five. Being surely less than half of the way from chance to the others is found among three.

    Parameters
    ----------
    below, below_half : float array, shape (a,)
        p-values of the person's own answers against the others, and against half of that way.
    values : float array, shape (a,)
        What people are compared by.
    """
    if len(values) < 3:
        either = below_half
    else:
        # Of two tests the smaller p-value counts twice.
        either = np.minimum(1.0, 2 * np.minimum(below_half, p_among_people(values)))
    p: FloatArray = np.maximum(below, either)
    return p


def p_of_fewer(n_is: FloatArray | IntArray, n: IntArray) -> FloatArray:
    """How rare so few of a person's answers are of a sort, as many as there are in all, (a,).

    Fisher's exact test of each person against everybody else together [Fisher1922]. What the
    others' share truly is nobody knows: where none of their few answers differs, a single one
    that does would be impossible by it.

    Parameters
    ----------
    n_is : array, shape (a,)
        Answers of that sort, whole numbers.
    n : int array, shape (a,)
        Answers.
    """
    from scipy.stats import hypergeom  # noqa: PLC0415 - importing scoring loads numpy only

    return np.asarray(hypergeom.cdf(n_is, n.sum(), n_is.sum(), n), dtype=np.float64)


def spread(values: FloatArray) -> float:
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


def means(values: FloatArray, person: IntArray, n_people: int) -> FloatArray:
    n = np.bincount(person, minlength=n_people)
    return ratio(group_sums(values, person, n_groups=n_people), n)


def mean_of_others(values: FloatArray, group: IntArray, *, n_groups: int) -> FloatArray:
    """Mean of the other values of each one's group, shape (m,); nan where it is alone."""
    n = np.bincount(group, minlength=n_groups)
    sums = group_sums(values, group, n_groups=n_groups)
    return ratio(sums[group] - values, n[group] - 1)
