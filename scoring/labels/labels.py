"""Labels: of each unit, which of several named categories people chose, and what most of them say.

An *answer* is the set of categories that one person chose for one unit: exactly one of them, or,
where several may be chosen, at least one. Answers are the same if their sets are.

Three words for what people say of a unit, because papers use one for all of them:

- ``majority``: the categories that more than half of the people chose.
- ``mode``: the answer given most often, be it by fewer than half; none where several tie.
- ``label``: the unit's label. Where one category is chosen it is the mode, and a tie leaves the
  unit without one; where several may be chosen it is the majority, category by category.

Symbols: m answers; c categories, numbered 0..c-1 in the order in which they are shown; v distinct
answers; n_annotators people; n_units units.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray, read_only, whole_numbers
from scoring.batches import Batch
from scoring.groups import ratio


@dataclass(frozen=True, eq=False)
class Labels(Batch):
    """A batch of answers.

    Parameters
    ----------
    annotator : int array, shape (m,)
        Person who gave each answer, 0..n_annotators-1.
    unit : int array, shape (m,)
        What each answer is about, 0..n_units-1.
    chosen : bool array, shape (m, c)
        Which categories each answer names; at least one.
    n_annotators, n_units : int
        Numbers of people and of units, including those without answers.
    is_several : bool
        Whether an answer may name several categories.
    order : int array, shape (m,), optional
        Place of each answer in its annotator's order, 0, 1, ...; else rows are in order.

    Raises
    ------
    ValueError
        If the arrays do not fit together, or an answer names no category, or several where one is
        to be chosen; the message names the first offending row.

    Notes
    -----
    m = 0 is a valid batch: statistics of it say why they cannot be computed.
    The arrays are read-only views of those given; a caller should not write to these either.
    """

    NOUN: ClassVar[str] = "answer"
    ARRAYS: ClassVar[tuple[str, ...]] = ("annotator", "unit", "chosen", "order")

    annotator: IntArray
    unit: IntArray
    chosen: BoolArray
    n_annotators: int
    n_units: int
    is_several: bool = False
    order: IntArray | None = None

    def __post_init__(self) -> None:
        for name in ("annotator", "unit", "order"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole_numbers(getattr(self, name), name))
        object.__setattr__(self, "chosen", read_only(np.asarray(self.chosen, dtype=np.bool_)))
        if self.chosen.ndim != 2 or self.chosen.shape[1] < 1:
            raise ValueError(
                f"chosen has shape {self.chosen.shape}, not a row for each answer and a column for"
                " each category"
            )
        self.check_rows(self.n_answers)
        n_chosen = self.chosen.sum(axis=1)
        if (n_chosen == 0).any():
            raise ValueError(f"answer {int((n_chosen == 0).argmax())} names no category")
        if not self.is_several and (n_chosen > 1).any():
            j = int((n_chosen > 1).argmax())
            raise ValueError(f"answer {j} names {n_chosen[j]} categories, but one is to be chosen")

    @property
    def n_answers(self) -> int:
        """Number of answers, m."""
        return len(self.chosen)

    @property
    def n_categories(self) -> int:
        """Number of categories, c."""
        return int(self.chosen.shape[1])

    @cached_property
    def distinct(self) -> tuple[BoolArray, IntArray]:
        """The distinct answers, shape (v, c), and the number of each answer among them, (m,).

        Where one category is chosen, the distinct answers are all categories in their order,
        those that nobody chose among them.
        """
        if not self.is_several:
            codes: IntArray = self.chosen.argmax(axis=1).astype(np.int64)
            return np.eye(self.n_categories, dtype=np.bool_), codes
        sets, code = np.unique(self.chosen, axis=0, return_inverse=True)
        return sets.reshape(-1, self.n_categories), code.reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """What people say of each unit, counted; see the module's head for the three words.

    Parameters
    ----------
    n : int array, shape (n_units,)
        Answers about each unit.
    counts : int array, shape (n_units, c)
        How many of them name each category.
    majority : bool array, shape (n_units, c)
        The categories that more than half of them name.
    mode : bool array, shape (n_units, c)
        The answer given most often; none of a tie, and of a unit without answers.
    n_votes : int array, shape (n_units,)
        How often the most frequent answer, or each of those that tie, was given.
    is_tied : bool array, shape (n_units,)
        Whether several answers are the most frequent.
    label : bool array, shape (n_units, c)
        The label: the mode, or the majority where several categories may be chosen.
    """

    n: IntArray
    counts: IntArray
    majority: BoolArray
    mode: BoolArray
    n_votes: IntArray
    is_tied: BoolArray
    label: BoolArray

    @property
    def share(self) -> FloatArray:
        """Share of the answers that are the most frequent one, shape (n_units,); nan without."""
        return ratio(self.n_votes, self.n)

    @property
    def has_label(self) -> BoolArray:
        """Whether a unit has a label, shape (n_units,)."""
        return np.asarray(self.label.any(axis=1))

    @property
    def without_label(self) -> IntArray:
        """Units that people answered about, but that have no label: what an expert may decide."""
        return np.flatnonzero((self.n > 0) & ~self.has_label)


def count_labels(labels: Labels) -> LabelCounts:
    """Count the categories that people chose for each unit.

    Parameters
    ----------
    labels : Labels
        m answers about n_units units. Two of one person about one unit count like those of two
        people: `Labels.first_answers` leaves repeats out.
    """
    c = labels.n_categories
    n = labels.answers_per_unit()
    counts = np.zeros((labels.n_units, c), dtype=np.int64)
    row, category = np.nonzero(labels.chosen)
    np.add.at(counts, (labels.unit[row], category), 1)
    majority = 2 * counts > n[:, None]

    sets, code = labels.distinct
    # One number for each pair of unit and answer that occurs: no table of units x answers.
    width = max(len(sets), 1)
    cells, votes = np.unique(labels.unit * width + code, return_counts=True)
    unit = cells // width
    n_votes = np.zeros(labels.n_units, dtype=np.int64)
    np.maximum.at(n_votes, unit, votes)
    is_most = votes == n_votes[unit]
    n_most = np.bincount(unit[is_most], minlength=labels.n_units)
    mode = np.zeros((labels.n_units, c), dtype=np.bool_)
    if len(cells):
        mode[unit[is_most]] = sets[cells[is_most] % width]
    is_tied = n_most > 1
    mode[is_tied] = False
    return LabelCounts(
        n=n,
        counts=counts,
        majority=majority,
        mode=mode,
        n_votes=n_votes,
        is_tied=is_tied,
        label=majority if labels.is_several else mode,
    )
