"""What an export of a label study reads: its tables, from the arrays and from the rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

import scoring
from annotation.basics.categories import SEPARATOR
from annotation.basics.cells import Cell
from annotation.core.queries.counted_answers import Population
from annotation.kinds.label.queries import annotator_models
from annotation.kinds.label.queries.answers import (
    LabelAnswers,
    PhaseLabels,
    choices_of,
    read_labels,
)
from annotation.kinds.label.queries.items import ItemLabel, ItemLabels
from annotation.kinds.queries.answer_records import (
    AnnotatorName,
    AnswerRecords,
    RepeatRecord,
    annotator_names,
    by_person,
    counted_answer,
)
from annotation.kinds.queries.item_records import ListedItem, ListedItems, ShownItem
from annotation.kinds.rating.queries.answers import MAIN, REPEAT
from annotation.kinds.rating.queries.exporting import known
from annotation.models import Design, Study
from annotation.models.kinds import QuestionKind


@dataclass(frozen=True, eq=False)
class LabelledStudy:
    """One population's labels, read once for all tables."""

    study: Study
    design: Design
    population: Population
    read: LabelAnswers

    @classmethod
    def of(cls, study: Study, design: Design, population: Population) -> "LabelledStudy":
        return cls(study, design, population, read_labels(design, population))

    @cached_property
    def labels(self) -> ItemLabels:
        return ItemLabels.of(self.study, self.read, self.population)

    @cached_property
    def models(self) -> dict[int, annotator_models.Models]:
        """Models of annotators, by the number of the phase; none of several categories."""
        return {} if self.read.categories.is_several else annotator_models.of_phases(self.read)

    @cached_property
    def people(self) -> list[AnnotatorName]:
        """The annotators by number."""
        return annotator_names(self.study, self.read.annotator_pks)

    def answer(self, phase: PhaseLabels, row: int) -> Cell:
        """The names of the categories in a row of a phase, in one cell."""
        named = zip(self.read.categories.names, phase.all.chosen[row], strict=True)
        return SEPARATOR.join(name for name, is_chosen in named if is_chosen)


class LabelRecords(AnswerRecords):
    """Every stored label answer of one population; counts them by status."""

    KIND = QuestionKind.LABEL

    def __init__(self, labelled: LabelledStudy, *, is_surplus_only: bool = False) -> None:
        super().__init__(labelled, is_surplus_only=is_surplus_only)
        self.categories = labelled.read.categories
        self.chosen: dict[int, set[str]] = {}
        for judgment, name in choices_of(labelled.design, labelled.population):
            self.chosen.setdefault(judgment, set()).add(name)

    def answer(self, judgment: int, rating: float | None) -> Cell:
        return SEPARATOR.join(self.categories.in_order(self.chosen.get(judgment, ())))


def repeat_records(labelled: LabelledStudy) -> Iterator[RepeatRecord]:
    """The counted repeats, each beside the same person's answer of the main block before."""
    for phase in labelled.read.phases:
        every = phase.all
        assert every.order is not None  # read_labels always numbers them
        first = {
            (int(every.annotator[row]), int(every.unit[row])): row
            for row in np.flatnonzero(phase.purpose == MAIN)[::-1].tolist()
        }
        for row in by_person(phase, np.flatnonzero(phase.purpose == REPEAT)):
            before = first.get((int(every.annotator[row]), int(every.unit[row])))
            yield RepeatRecord(
                repeat=counted_answer(labelled, phase, row),
                before=None if before is None else labelled.answer(phase, before),
                n_between=None
                if before is None
                else int(every.order[row] - every.order[before] - 1),
            )


class LabelerRecord(NamedTuple):
    """How an annotator labels in one phase."""

    pseudonym: str
    source: str
    phase_number: int
    condition: str
    n: int
    # Agreement with the others, over `n_compared` answers; None if nothing can be compared.
    agreement: float | None
    n_compared: int
    n_left_out: int
    # Answers that name each category.
    counts: list[int]
    # By model of annotators.
    abilities: dict[str, float | None]


def labeler_records(labelled: LabelledStudy) -> Iterator[LabelerRecord]:
    """How each annotator of counted answers labels, phase by phase."""
    for phase in labelled.read.phases:
        main = phase.main
        others = scoring.labelers_against_others(main)
        named = np.zeros((main.n_annotators, main.n_categories), dtype=np.int64)
        np.add.at(named, main.annotator, main.chosen)
        n = np.bincount(main.annotator, minlength=main.n_annotators)
        models = labelled.models.get(phase.number, {})
        for person in np.flatnonzero(n).tolist():
            name = labelled.people[person]
            yield LabelerRecord(
                pseudonym=name.pseudonym,
                source=name.source,
                phase_number=phase.number,
                condition=phase.phase.condition,
                n=int(n[person]),
                agreement=known(others.share[person]),
                n_compared=int(others.n[person]),
                n_left_out=int(others.n_left_out[person]),
                counts=named[person].tolist(),
                abilities={name: known(m.ability[person]) for name, m in models.items()},
            )


# -- Items --------------------------------------------------------------------------------------


class LabelledItem(NamedTuple):
    """An item with its labels, by phase."""

    item: ListedItem
    labels: list[ItemLabel]


class DataSetRecord(NamedTuple):
    """An item with its label in one phase."""

    shown: ShownItem
    phase_number: int
    condition: str
    label: ItemLabel


class LabelledItems(ListedItems):
    """Every item with its texts and contexts, what was known of it, and its labels.

    Reading them to the end fills `shown`, which the data set is written from.
    """

    def __init__(self, labelled: LabelledStudy, *, n_sentences: int) -> None:
        super().__init__(labelled, labelled.labels.is_asked, n_sentences=n_sentences)
        self.labelled = labelled

    def __iter__(self) -> Iterator[LabelledItem]:
        for n, item in self.listed():
            yield LabelledItem(item, self.labelled.labels.labels(n))

    def data_set(self) -> Iterator[DataSetRecord]:
        """Item by item, a record for each phase that asks about it."""
        for shown in self.shown:
            for place, phase in enumerate(self.labelled.read.phases):
                if phase.is_asked[shown.number]:
                    yield DataSetRecord(
                        shown=shown,
                        phase_number=phase.number,
                        condition=phase.phase.condition,
                        label=self.labelled.labels.label(place, shown.number),
                    )
