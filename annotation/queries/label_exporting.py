"""What an export of a label study reads: its tables, from the arrays and from the rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import scoring
from annotation.categories import SEPARATOR
from annotation.models import Annotator, Design, Study
from annotation.models.kinds import QuestionKind
from annotation.queries.answer_rows import AnswerRows
from annotation.queries.answers import Population
from annotation.queries.exporting import Cell, as_json, check_cells
from annotation.queries.item_texts import ItemTexts, item_texts
from annotation.queries.label_answers import LabelAnswers, PhaseLabels, choices_of, read_labels
from annotation.queries.label_items import ItemLabel, ItemLabels
from annotation.queries.rating_answers import MAIN, REPEAT, drawn_pools
from annotation.queries.rating_exporting import known, moment
from annotation.queries.rating_texts import context_cells
from scoring.arrays import BoolArray


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
    def people(self) -> list[tuple[str, str]]:
        """Pseudonym and source of each annotator, by number."""
        rows = Annotator.objects.filter(study=self.study).values_list("pk", "pseudonym", "source")
        of = {pk: (pseudonym, source) for pk, pseudonym, source in rows.iterator()}
        return [of[pk] for pk in self.read.annotator_pks]

    def joined(self, is_chosen: BoolArray) -> str:
        """The names of an answer's categories in one cell."""
        named = zip(self.read.categories.names, is_chosen, strict=True)
        return SEPARATOR.join(name for name, chosen in named if chosen)


class LabelRows(AnswerRows):
    """Every stored label answer of one population; counts them by status."""

    KIND = QuestionKind.LABEL

    def __init__(self, of: LabelledStudy, *, is_surplus_only: bool = False) -> None:
        super().__init__(of, is_surplus_only=is_surplus_only)
        self.categories = of.read.categories
        self.chosen: dict[int, set[str]] = {}
        for judgment, name in choices_of(of.design, of.population):
            self.chosen.setdefault(judgment, set()).add(name)

    def said(self, judgment: int, rating: float | None) -> Cell:
        return SEPARATOR.join(self.categories.in_order(self.chosen.get(judgment, ())))


def has_pools(of: LabelledStudy, phase: PhaseLabels) -> bool:
    """Whether alpha's interval draws whole pools, which the command learns from a column."""
    return drawn_pools(phase, of.read.items) is not None


def command_rows(of: LabelledStudy, phase: PhaseLabels) -> Iterator[Sequence[Cell]]:
    """What `python -m scoring labels` reads, in the order in which the page computes."""
    batch = phase.main_and_repeats
    assert batch.order is not None  # read_labels always numbers them
    items, with_pools = of.read.items, has_pools(of, phase)
    for row in range(batch.n_answers):
        unit = int(batch.unit[row])
        yield (
            of.people[int(batch.annotator[row])][0],
            items.keys[unit],
            of.joined(batch.chosen[row]),
            int(batch.order[row]),
            *([items.pools[unit]] if with_pools else []),
        )


def repeat_rows(of: LabelledStudy) -> Iterator[Sequence[Cell]]:
    """The counted repeats, each beside the same person's answer of the main block before."""
    for phase in of.read.phases:
        every = phase.all
        assert every.order is not None  # read_labels always numbers them
        first = {
            (int(every.annotator[row]), int(every.unit[row])): row
            for row in np.flatnonzero(phase.purpose == MAIN)[::-1].tolist()
        }
        rows = np.flatnonzero(phase.purpose == REPEAT)
        in_order = rows[np.lexsort((every.order[rows], every.annotator[rows]))]
        for row in in_order.tolist():
            before = first.get((int(every.annotator[row]), int(every.unit[row])))
            said = None if before is None else of.joined(every.chosen[before])
            between = None if before is None else int(every.order[row] - every.order[before] - 1)
            ms = phase.active_ms[row]
            yield (
                of.people[int(every.annotator[row])][0],
                phase.number,
                phase.phase.condition,
                of.read.items.keys[int(every.unit[row])],
                of.joined(every.chosen[row]),
                said,
                between,
                int(every.order[row]),
                None if np.isnan(ms) else int(ms),
                moment(float(phase.answered_at[row])),
            )


def annotator_rows(of: LabelledStudy) -> Iterator[Sequence[Cell]]:
    """How each annotator of counted answers labels, phase by phase."""
    for phase in of.read.phases:
        main = phase.main
        others = scoring.labelers_against_others(main)
        named = np.zeros((main.n_annotators, main.n_categories), dtype=np.int64)
        np.add.at(named, main.annotator, main.chosen)
        n = np.bincount(main.annotator, minlength=main.n_annotators)
        for person in np.flatnonzero(n).tolist():
            yield (
                *of.people[person],
                phase.number,
                phase.phase.condition,
                int(n[person]),
                known(others.share[person]),
                int(others.n[person]),
                int(others.n_left_out[person]),
                *named[person].tolist(),
            )


class ItemRows:
    """Every item with its texts and contexts, what was known of it, and its labels.

    Reading the rows to the end fills `shown`, which the data set is written from: texts are read
    once.
    """

    def __init__(self, of: LabelledStudy, *, n_sentences: int) -> None:
        self.of = of
        self.n_sentences = n_sentences
        self.checks = {check.item_id: check for check in of.study.checks.all()}
        # Place and texts of the items that are data: (place, key, texts, contexts, group).
        self.shown: list[tuple[int, str, tuple[str, str], tuple[str, str], str]] = []

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        items, labels = self.of.read.items, self.of.labels
        for n, item in enumerate(item_texts(self.of.study)):
            is_asked = bool(labels.is_asked[n])
            if is_asked:
                self._show(n, item)
            check = self.checks.get(items.pks[n])
            yield (
                item.key,
                item.pool,
                item.group,
                items.domains[n],
                items.sources[n],
                item.target.text,
                item.candidate.text,
                *context_cells(item.target),
                *context_cells(item.candidate),
                items.classes[n],
                SEPARATOR.join(check.categories) if check else None,
                *check_cells(check),
                "main" if is_asked else "",
                as_json(item.metadata) if item.metadata else "",
                *(cell for label in labels.labels(n) for cell in _short(label)),
            )

    def _show(self, n: int, item: ItemTexts) -> None:
        sides = item.target, item.candidate
        # Of a single text there is no first one to mark.
        first, second = (of.marked(self.n_sentences) if of.text else "" for of in sides)
        contexts = (first, second)
        self.shown.append((n, item.key, (sides[0].text, sides[1].text), contexts, item.group))

    def data_set_rows(self) -> Iterator[Sequence[Cell]]:
        """Item by item, a row for each phase that asks about it."""
        items, phases = self.of.read.items, self.of.read.phases
        for n, key, texts, contexts, group in self.shown:
            for place, phase in enumerate(phases):
                if not phase.is_asked[n]:
                    continue
                label = self.of.labels.label(place, n)
                yield (
                    key,
                    phase.number,
                    phase.phase.condition,
                    *texts,
                    *contexts,
                    label.n,
                    *label.counts,
                    label.share,
                    SEPARATOR.join(label.majority),
                    SEPARATOR.join(label.mode),
                    "yes" if label.is_tied else "no",
                    SEPARATOR.join(label.adjudicated),
                    SEPARATOR.join(label.final),
                    items.classes[n],
                    items.domains[n],
                    items.sources[n],
                    group,
                )


def _short(label: ItemLabel) -> tuple[Cell, Cell]:
    return label.n, SEPARATOR.join(label.final)
