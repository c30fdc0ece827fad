"""What a set of labelled pairs of texts holds, as a paper's first table says it of its data.

Also what a measure says of the pairs of each label, as box plots draw it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.baselines.pairs import Pair
from scoring.json_values import JsonObject, json_number
from scoring.texts.texts import tokens
from shell.messages import message as _

DEFINITION = _(
    "Shares of labels refer to the pairs that have a label. Lengths are means over all pairs, "
    "in characters and in words (split at white space). Two texts overlap if their SQuAD F1 is "
    "above 0 [Mustafazade2022]."
)


@dataclass(frozen=True)
class LabelCount:
    """The pairs of one label, and their share of all labelled pairs."""

    label: float
    n: int
    share: float | None


@dataclass(frozen=True)
class LabelledPairs:
    """One row of the table.

    Parameters
    ----------
    n, n_labelled : int
        Pairs, and those of them that have a label.
    labels : list of LabelCount
        In the order of the labels.
    n_overlapping, n_without_overlap : int
        Pairs whose F1 is above 0, and 0.
    characters, words : (float, float, float) or None
        Mean lengths of the first texts, the second texts and both; None without pairs.
    """

    n: int
    n_labelled: int
    labels: list[LabelCount]
    n_overlapping: int
    n_without_overlap: int
    characters: tuple[float, float, float] | None
    words: tuple[float, float, float] | None

    @property
    def share_overlapping(self) -> float | None:
        """Of all pairs; None without pairs."""
        return self.n_overlapping / self.n if self.n else None

    def as_dict(self) -> JsonObject:
        """All figures as plain JSON."""
        return {**asdict(self), "share_overlapping": self.share_overlapping}


def describe_labelled_pairs(
    pairs: Sequence[Pair],
    labels: npt.ArrayLike,
    f1: npt.ArrayLike,
    subsets: Mapping[str, BoolArray],
) -> dict[str, LabelledPairs]:
    """Count the labels, the lengths and the overlap of the pairs of each subset.

    Parameters
    ----------
    pairs : sequence of Pair, length n
    labels : float array, shape (n,)
        nan where a pair has none. Every subset has a count of each label of any pair.
    f1 : float array, shape (n,)
        SQuAD's F1 of the two texts.
    subsets : dict of bool arrays, shape (n,)

    Raises
    ------
    ValueError
        If the arrays are not of one length.

    References
    ----------
    [Mustafazade2022] in docs/references.md
    """
    of_pair = np.asarray(labels, dtype=np.float64)
    overlap = np.asarray(f1, dtype=np.float64)
    if not len(pairs) == len(of_pair) == len(overlap):
        raise ValueError(
            f"{len(pairs)} pairs have {len(of_pair)} labels and {len(overlap)} values of F1"
        )
    texts = [(pair.first, pair.second) for pair in pairs]
    characters = np.array([(len(a), len(b)) for a, b in texts]).reshape(-1, 2)
    words = np.array([(len(tokens(a)), len(tokens(b))) for a, b in texts]).reshape(-1, 2)
    values = label_values(of_pair)
    descriptions = {}
    for name, mask in subsets.items():
        labelled = of_pair[mask & np.isfinite(of_pair)]
        n_of_label = [int((labelled == value).sum()) for value in values]
        descriptions[name] = LabelledPairs(
            n=int(mask.sum()),
            n_labelled=len(labelled),
            labels=[
                LabelCount(value, n, n / len(labelled) if len(labelled) else None)
                for value, n in zip(values, n_of_label, strict=True)
            ],
            n_overlapping=int((overlap[mask] > 0).sum()),
            n_without_overlap=int((overlap[mask] == 0).sum()),
            characters=_mean_lengths(characters[mask]),
            words=_mean_lengths(words[mask]),
        )
    return descriptions


def label_values(labels: npt.ArrayLike) -> list[float]:
    """Return the labels that occur, the lowest first."""
    of_pair = np.asarray(labels, dtype=np.float64)
    distinct: list[float] = np.unique(of_pair[np.isfinite(of_pair)]).tolist()
    return distinct


@dataclass(frozen=True)
class ValuesOfLabel:
    """What a measure says of the pairs of one label; every figure is None where n is 0."""

    label: float
    n: int
    mean: float | None
    sd: float | None
    low: float | None
    first_quartile: float | None
    median: float | None
    third_quartile: float | None
    high: float | None

    def as_dict(self) -> JsonObject:
        """All figures as plain JSON."""
        return asdict(self)


def values_by_label(
    measure: npt.ArrayLike, labels: npt.ArrayLike, *, values: Sequence[float] | None = None
) -> list[ValuesOfLabel]:
    """Summarise a measure over the pairs of each label.

    Quartiles are interpolated linearly; the standard deviation has n - 1 in the denominator.

    Parameters
    ----------
    measure, labels : float array, shape (n,)
        nan where a pair has none.
    values : sequence of float, optional
        The labels that there can be; those of the pairs if not given.
    """
    of_measure = np.asarray(measure, dtype=np.float64)
    of_pair = np.asarray(labels, dtype=np.float64)
    is_known: BoolArray = np.isfinite(of_measure)
    return [
        _summary(value, of_measure[is_known & (of_pair == value)])
        for value in (label_values(of_pair) if values is None else values)
    ]


def _summary(label: float, measure: FloatArray) -> ValuesOfLabel:
    n = len(measure)
    if n == 0:
        return ValuesOfLabel(float(label), 0, *[None] * 7)
    ends = np.quantile(measure, (0, 0.25, 0.5, 0.75, 1))
    sd = json_number(float(measure.std(ddof=1))) if n > 1 else None
    return ValuesOfLabel(float(label), n, float(measure.mean()), sd, *map(float, ends))


def _mean_lengths(lengths: IntArray) -> tuple[float, float, float] | None:
    """Of the first texts, the second texts and both."""
    if not len(lengths):
        return None
    first, second = lengths.mean(axis=0).tolist()
    return first, second, (first + second) / 2
