"""What a flag is, and how everything that was tested in one study is corrected together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.groups import group_sums, ratio
from scoring.json_values import JsonObject, json_number

Kind: TypeAlias = Literal[
    "agreement",
    "position",
    "run",
    "consistency",
    "correlation",
    "distance",
    "pairwise",
    "repeats",
    "same",
    "speed",
    "copy",
]

# Over everybody who was tested, and all kinds.
LEVEL = 0.02
# Below so many answers nobody is tested, and no pair of people below so many that both gave.
MIN_ANSWERS = 10
# Parts of the level that each kind gets, relative to one another [Genovese2006]. People who
# always take one place or copy are found however small the part; hasty people less surely.
# Shares of equal labels are skewed where most units get one label, so their part is smaller.
PARTS: dict[Kind, float] = {
    "agreement": 16,
    "correlation": 16,
    "pairwise": 5,
    "speed": 7,
    "consistency": 2,
    "distance": 2,
    "repeats": 2,
    "same": 2,
    "position": 1,
    "run": 1,
    "copy": 1,
}

# Who agrees by less than so much of the way from chance to the others agrees too little, however
# much the others differ: honest people hardly come so low, clicking is at 0.
HALF_WAY = 1 / 2
# Who surely agrees with anybody by more than so much of that way does not click.
QUARTER = 1 / 4
# What is so rare by chance is sure.
RARE = 0.01
# Of self-agreement: less of the way from the others to chance is no reason to look at anybody.
THIRD = 1 / 3

_AMONG = (
    "the person's distance from the median of the others in robust standard deviations (Qn "
    "[RousseeuwCroux1993]; never less than chance in so few answers gives), by Student's "
    "distribution, where those farther away are left out first [Rosner1983]"
)
_FAR_BELOW = (
    "Two tests, the smaller p-value doubled: the person's answers are surely less than half of "
    f"the way from chance to the others, by %s; and {_AMONG}. Whoever stands out is no longer "
    "among the others, and everybody is compared again. Flagged where the agreement itself is "
    "also less than half of that way, and where the person does not surely (p < .01) agree with "
    "anybody by a quarter of it: with all others, with those who come less than three quarters of "
    "the way%s. Where these surely agree with one another [Stouffer1949], each of them need not "
    "surely do so. Tested by 20 answers or more."
)
_OF_MANY = " Not tested below 15 people: one alone with a view looks like one who clicks."
_AND_AMONG = f"and {_AMONG}; the greater of the two p-values."

DEFINITIONS: dict[Kind, str] = {
    "agreement": (
        "Share of the pairs implied by an answer whose order is that of the scores from everybody "
        "else, beside the mean share of the other answers to the same tuple. Chance: .5. "
        + _FAR_BELOW
        % ("a t-test", ", or with the scores from the person's own other answers")
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
        f"others, {_AND_AMONG} Flagged where the share is also by more than a "
        "third of the way from that of the others to .5, that of random clicking."
    ),
    "correlation": (
        "Pearson's correlation of the person's ratings with the mean of everybody else's of the "
        "same units, compared by Fisher's transform with that of the median person. Chance: 0. "
        + _FAR_BELOW % ("a z-test", "")
        + _OF_MANY
    ),
    "distance": (
        "Mean distance of what the person rated again from their rating before: rank sum test "
        "[MannWhitney1947] of these distances against those of everybody else, "
        f"{_AND_AMONG} Flagged where it is also more than twice that of the others."
    ),
    "pairwise": (
        "Share of the others' answers to the same unit that are the person's, beside how often "
        "these agree with one another; where several categories may be chosen, of the categories "
        "that both name or both leave out. Chance: that of two answers to any units. "
        + _FAR_BELOW % ("a t-test", "")
        + _OF_MANY
    ),
    "repeats": (
        "Share of the units labelled again whose answer is the same: exact test [Fisher1922] "
        f"against those of everybody else, {_AND_AMONG} Flagged where the share is "
        "also by more than a third of the way from that of the others to that of answers drawn by "
        "chance."
    ),
    "same": (
        "Answers that are equal to the person's answer just before: binomial test against the "
        "mean chance that the others' answers to the same two units are equal, "
        f"{_AND_AMONG} Flagged where the share is also more than half-way between that "
        "chance and all of them, and the person's agreement with the others less than three "
        "quarters of the way from chance to what these have."
    ),
    "speed": (
        "Median over the person's answers of the time taken relative to the median of the others "
        f"on the same tuple or unit, in logarithms: {_AMONG}. Flagged where it is also less than "
        "half of the others' time."
    ),
    "copy": (
        "Answers that are the same by two people, of the tuples or units that both answered: "
        "binomial test against the chance that two people so careful give the same answer there: "
        "what each has in common with the others above chance, multiplied and divided by what the "
        "others have in common with one another [Spearman1904], or that itself where it is more. "
        "Flagged, where it is also more than three quarters of the way from that chance to all of "
        "them, is whoever mostly answered later; both, where the times are not known."
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
        Of a copy: whether they mostly answered after the other; False if that cannot be told,
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
    flags : list of Flag
        By kind, then by annotator.
    n_tested : dict
        By kind: people tested, or pairs of people.
    reasons : dict
        By kind: why nobody was tested.
    """

    flags: list[Flag]
    n_tested: dict[Kind, int]
    reasons: dict[Kind, str]

    def of(self, annotator: int) -> list[Flag]:
        """Those of one person."""
        return [flag for flag in self.flags if flag.annotator == annotator]

    def as_dict(self) -> JsonObject:
        """Flags, numbers tested, reasons and definitions in plain JSON types."""
        return {
            "definitions": {str(kind): DEFINITIONS[kind] for kind in self.n_tested},
            "level": LEVEL,
            "fewest": MIN_ANSWERS,
            "found": [flag.as_dict() for flag in self.flags],
            "n_tested": {str(kind): n for kind, n in self.n_tested.items()},
            "reasons": {str(kind): reason for kind, reason in self.reasons.items()},
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
    flags: tuple[Flag, ...] = ()
    # Why nobody was tested.
    reason: str = ""


def together(tests: Mapping[Kind, Callable[[], Tested]]) -> Flags:
    """Run all tests of a study, and spend one level on them.

    Each kind is corrected over its people [BH1995] and gets its part of the level [Genovese2006]:
    of studies of honest people who do not differ, one in fifty has any flag at all.
    """
    tested = {kind: test() for kind, test in tests.items()}
    whole = sum(PARTS[kind] for kind, outcome in tested.items() if outcome.n)
    corrected = [
        replace(flag, p=min(1.0, flag.p * whole / PARTS[flag.kind]))
        for outcome in tested.values()
        for flag in outcome.flags
    ]
    return Flags(
        [flag for flag in corrected if flag.p <= LEVEL],
        {kind: outcome.n for kind, outcome in tested.items()},
        {kind: outcome.reason for kind, outcome in tested.items() if not outcome.n},
    )


def adjusted(p: FloatArray) -> FloatArray:
    """Adjust p-values so that of what is below a level no larger share is false [BH1995].

    Where nothing is to be found, anything at all is found as rarely as the level says. Where
    several people are careless, each is found almost as easily as one.

    Parameters
    ----------
    p : float array, shape (n,)
        In [0, 1].

    Returns
    -------
    float array, shape (n,)
        In [0, 1], in the order given and never below `p`.
    """
    n, order = len(p), np.argsort(p, kind="stable")
    stepped = p[order] * (n / np.arange(1, n + 1))
    adjusted_p = np.empty(n)
    adjusted_p[order] = np.minimum.accumulate(stepped[::-1])[::-1]
    return adjusted_p


def p_below_zero(values: FloatArray, person: IntArray, n_people: int) -> FloatArray:
    """Student's test of each person's values against 0, the lower tail, (a,)."""
    from scipy.special import stdtr  # noqa: PLC0415 - importing scoring loads numpy only

    n = np.bincount(person, minlength=n_people)
    mean = means(values, person, n_people)
    squares = means((values - mean[person]) ** 2, person, n_people)
    error = np.sqrt(squares / np.maximum(n - 1, 1))
    # A person whose differences are all equal differs for certain, or not at all.
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / error)
    return np.asarray(stdtr(n - 1, t), dtype=np.float64)


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


def means(values: FloatArray, person: IntArray, n_people: int) -> FloatArray:
    n = np.bincount(person, minlength=n_people)
    return ratio(group_sums(values, person, n_groups=n_people), n)


def mean_of_others(
    values: FloatArray, group: IntArray, is_counted: BoolArray, *, n_groups: int
) -> FloatArray:
    """Mean of the other values of each one's group that count, shape (m,); nan without any."""
    n = np.bincount(group[is_counted], minlength=n_groups)
    sums = group_sums(values[is_counted], group[is_counted], n_groups=n_groups)
    return ratio(sums[group] - np.where(is_counted, values, 0.0), n[group] - is_counted)
