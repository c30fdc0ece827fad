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
EIGHTH = 1 / 8
# What is so rare by chance is sure.
RARE = 0.01
# Of self-agreement: less of the way from the others to chance is no reason to look at anybody.
THIRD = 1 / 3
# Labels have few categories: somebody lenient gives the same one nearly always, and two who are
# far more careful than the others hardly differ. So repeats and copies of labels are flagged only
# beyond so much of the way from chance to all answers.
FAR_OF_LABELS = 9 / 10
# Of two answers the same one again is often honest, also if somebody gave a third one by mistake.
NEARLY_ALL = 0.95

_AMONG = (
    "the person's distance from the median of the others, in robust standard deviations (Qn "
    "[RousseeuwCroux1993]), by Student's distribution. The spread is never taken to be smaller"
    " than chance makes it with so few answers. People who are even farther away are left out"
    " first [Rosner1983]"
)
_FAR_BELOW = (
    "There are two tests, and the smaller p-value is doubled. The first one tests, by %s, whether "
    "the person's agreement is significantly less than half of the way from chance to the "
    f"agreement of the others. The second one tests {_AMONG}. People who stand out are then "
    "removed from the others, and everybody is compared again. A person is flagged if the p-value "
    "is small, if the agreement itself is less than half of that way, and if the person shares a "
    "view with nobody. Sharing a view means to agree significantly (p < .01), and by more than an "
    "eighth of that way, with all others or with those who come less than three quarters of the "
    "way%s. If those who come less than three quarters of the way agree significantly with one "
    "another [Stouffer1949], the person's own agreement with them need not be significant. Only "
    "people with at least 20 answers that can be compared are tested."
)
_OF_MANY = (
    " Nobody is tested if there are fewer than 15 such people: among so few, a person with a view "
    "of their own looks like somebody who clicks at random."
)
_AND_AMONG = f"The second one tests {_AMONG}. A person is flagged if the larger p-value is small"

DEFINITIONS: dict[Kind, str] = {
    "agreement": (
        "Agreement with the others: each answer orders pairs of items, and the figure is the"
        " share of these pairs that are in the order of everybody else's scores. It is compared"
        " with the mean share of the other answers to the same tuples. The value expected by"
        " chance is .5. "
        + _FAR_BELOW
        % ("a t-test", ", or with the scores from the person's own other answers")
    ),
    "position": (
        "Pearson's chi-square test of whether the person picked all positions on the screen"
        " equally often. The best and the worst picks are tested separately, and the smaller"
        " p-value is doubled. A person is flagged if the p-value is small and one position has"
        " more picks than half-way between its share by chance and all picks."
    ),
    "run": (
        "Longest run of consecutive answers with the best pick in the same position on the"
        " screen, and the same for the worst pick. The test is the exact distribution of the"
        " longest run if all positions are equally likely [Feller1968]; the smaller p-value is"
        " doubled. A person is flagged if the p-value is small and the run has at least ten"
        " answers."
    ),
    "consistency": (
        "Agreement with oneself: of the pairs of items that two of the person's answers order,"
        " the share that the later answer orders like the one before. There are two tests. The"
        " first one compares this share with that of the others (exact test [Fisher1922])."
        f" {_AND_AMONG}, and if the share is below that of the others by more than a third of the"
        " way to .5, which is the share of random clicking."
    ),
    "correlation": (
        "Agreement with the others: Pearson's correlation of the person's ratings with the mean "
        "ratings of everybody else for the same items. It is compared with that of the median "
        "person by Fisher's transformation. The value expected by chance is 0. "
        + _FAR_BELOW % ("a z-test", "")
        + _OF_MANY
    ),
    "distance": (
        "Agreement with oneself: mean distance between the person's repeated ratings and the "
        "ratings before. There are two tests. The first one compares these distances with those"
        f" of everybody else (rank sum test [MannWhitney1947]). {_AND_AMONG}, and if the mean"
        " distance is more than twice that of the others."
    ),
    "pairwise": (
        "Agreement with the others: share of the others' answers to the same items that equal the "
        "person's answer. If several categories may be chosen, it is the share of categories that "
        "both answers name, or that neither names. The share is compared with how often the "
        "others agree with one another. The value expected by chance is the agreement of two "
        "answers to any two items. "
        + _FAR_BELOW
        % ("a t-test", "")
        + " In the first test and in that of a shared view, chance is how often the others use "
        "the categories that the person chose: leniency does not count. If the person's labels "
        "vary less than all labels (standard deviation), half of the way is shorter in the same "
        "proportion. Nobody is flagged if the p-value of the first test is .03 or more before "
        "correction (.01 or more if at least 95 % of the labels are one of two)." + _OF_MANY
    ),
    "repeats": (
        "Agreement with oneself: share of the repeated items to which the person gave the same "
        "label again. There are two tests. The first one compares this share with that of"
        f" everybody else (exact test [Fisher1922]). {_AND_AMONG}, and if the share is below that"
        " of the others by more than a third of the way to that of random labels."
    ),
    "same": (
        "Share of answers that equal the person's answer just before. There are two tests. The "
        "first one is a binomial test against the chance that the others' answers to the same two "
        f"items are equal. {_AND_AMONG}, if the share is more than half-way (labels: nine tenths "
        "of the way) from that chance to 1, and if the person's agreement with the others is less "
        "than three quarters of the way from chance to theirs (less than half, if the agreement "
        "is significant, p < .01). Nobody is tested if at least 95 % of all answers are one of "
        "two."
    ),
    "speed": (
        "Speed: the time for each answer divided by the median time of the others for the same "
        "question, in logarithms; the figure is the median over the person's answers. The test is "
        f"that of {_AMONG}. A person is flagged if the p-value is small and the time is less than "
        "half of the others' time."
    ),
    "copy": (
        "Copies: number of questions to which two people gave the same answer. The binomial test "
        "compares it with the chance that two people who are so careful give the same answer."
        " This chance follows from how far each of them agrees with the others [Spearman1904], and"
        " from how often each of them gives each answer. If the p-value is small and the number is"
        " more than three quarters (labels: nine tenths) of the way from this chance to all"
        " common questions, the person who mostly answered later is flagged; or"
        " both, if the times are unknown."
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

    @property
    def is_of_two(self) -> bool:
        """Whether nearly all answers are one of two."""
        n_of = np.sort(np.bincount(self.answer))
        return bool(n_of[-2:].sum() >= NEARLY_ALL * n_of.sum() > 0)

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
