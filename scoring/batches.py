"""What batches of ratings and of labels have in common: who answered about what, and when."""

import copy
from dataclasses import Field, fields
from typing import Any, ClassVar, Self

import numpy as np

from scoring.arrays import BoolArray, FloatArray, IntArray, read_only


class Batch:
    """m answers of people about units; a dataclass that names its arrays derives from it."""

    annotator: IntArray
    unit: IntArray
    n_annotators: int
    n_units: int
    order: IntArray | None

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    # What a row is called in messages, and the fields with a value for each row.
    NOUN: ClassVar[str]
    ARRAYS: ClassVar[tuple[str, ...]]

    def check_rows(self, m: int) -> None:
        """Raise ValueError unless the arrays have m rows of people and units that there are."""
        for name in self.ARRAYS:
            array = getattr(self, name)
            if array is not None and (
                array.shape[:1] != (m,) or (name != "chosen" and array.ndim > 1)
            ):
                raise ValueError(f"{name} has shape {array.shape}, but there are {m} {self.NOUN}s")
        for name, n in (("annotator", self.n_annotators), ("unit", self.n_units)):
            numbers = getattr(self, name)
            self.refuse(
                (numbers < 0) | (numbers >= n),
                numbers,
                f"{name} {{}}, but {name}s are numbered 0..{n - 1}",
            )

    def refuse(self, is_wrong: BoolArray, values: Any, what: str) -> None:
        """Raise ValueError with the first row that is wrong and its value, if there is one."""
        if is_wrong.any():
            j = int(is_wrong.argmax())
            raise ValueError(f"{self.NOUN} {j} has {what.format(values[j])}")

    def answers_per_unit(self) -> IntArray:
        """Number of answers about each unit, shape (n_units,)."""
        return np.bincount(self.unit, minlength=self.n_units)

    def of_rows(self, rows: BoolArray | IntArray) -> Self:
        """Return the answers in `rows` (mask or row numbers); people and units keep their numbers.

        For leaving out people, blocks or repeats.
        """
        # Any part of a checked batch is a valid batch, so __post_init__ is passed by.
        part = copy.copy(self)
        # What was computed of the whole is not that of the part.
        known = {field.name for field in fields(self)}
        for name in part.__dict__.keys() - known:
            del part.__dict__[name]
        for name in self.ARRAYS:
            if (array := getattr(self, name)) is not None:
                object.__setattr__(part, name, read_only(array[rows]))
        return part

    def first_answers(self) -> Self:
        """Leave out what a person answered again: their earliest answer about each unit stays."""
        return self.of_rows(self.rows_of_first_answers())

    def rows_of_first_answers(self) -> IntArray:
        """Rows of each person's earliest answer about each unit, in ascending order."""
        earlier_first = self._by_person_and_unit()
        cell = self.cells()[earlier_first]
        is_first = np.ones(len(self.annotator), dtype=np.bool_)
        is_first[1:] = cell[1:] != cell[:-1]
        return np.sort(earlier_first[is_first])

    def repeats(self) -> tuple[IntArray, IntArray]:
        """Rows of the answers before, and of those in which a person answered about a unit again.

        Returns
        -------
        earlier, later : int array, shape (r,)
            Somebody's third answer about a unit is paired with their second.
        """
        earlier_first = self._by_person_and_unit()
        cell = self.cells()[earlier_first]
        is_again = cell[1:] == cell[:-1]
        return earlier_first[:-1][is_again], earlier_first[1:][is_again]

    def cells(self) -> IntArray:
        """One number for each person and unit, shape (m,)."""
        cells: IntArray = self.annotator * self.n_units + self.unit
        return cells

    def when(self) -> FloatArray | IntArray:
        """What tells the earlier of two answers: the order where it is given, else the row."""
        return np.arange(len(self.annotator)) if self.order is None else self.order

    def _by_person_and_unit(self) -> IntArray:
        # Stable, so answers of one time keep their order; an unknown time sorts last.
        return np.lexsort((self.when(), self.cells()))
