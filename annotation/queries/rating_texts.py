"""The items of a rating study as rows of files: texts, contexts, and the test sets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.models import Study
from annotation.queries.exporting import Cell, as_json, check_cells
from annotation.queries.item_texts import ItemTexts, Side, item_texts
from annotation.queries.rating_answers import PhaseRatings
from annotation.queries.rating_exporting import RatedStudy, json_list, known
from annotation.shown_items import ABOVE, question_of
from scoring.arrays import BoolArray, FloatArray

# Place of the number of those who rated both among the figures of the tests.
_N_BOTH = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """An item as the test files show it."""

    number: int
    key: str
    texts: tuple[str, str]
    contexts: tuple[str, str]
    group: str
    question: str


def has_question(study: Study) -> bool:
    """Whether the imported file had a column of what stands above the two texts."""
    return study.items.filter(metadata__has_key=ABOVE).exists()


class ItemRows:
    """Every item with its texts and contexts, what was known of it, and its figures.

    Reading the rows to the end fills `shown`, which the test files are written from: texts are
    read once.
    """

    def __init__(self, of: RatedStudy, *, n_sentences: int, has_question: bool) -> None:
        self.of = of
        self.n_sentences = n_sentences
        self.has_question = has_question
        self.shown: list[Shown] = []
        self.checks = {check.item_id: check for check in of.study.checks.all()}

    def __iter__(self) -> Iterator[Sequence[Cell]]:
        figures, items = self.of.figures, self.of.read.items
        for n, item in enumerate(item_texts(self.of.study)):
            is_asked = bool(figures.is_asked[n])
            if is_asked:
                self.shown.append(self._shown(n, item))
            yield (
                item.key,
                item.pool,
                item.group,
                items.domains[n],
                items.sources[n],
                *([question_of(item.metadata)] if self.has_question else []),
                item.target.text,
                item.candidate.text,
                *context_cells(item.target),
                *context_cells(item.candidate),
                items.classes[n],
                self.of.rating(items.expected[n]),
                *check_cells(self.checks.get(items.pks[n])),
                known(items.earlier[n]),
                known(items.first[n]),
                "main" if is_asked else "",
                as_json(item.metadata) if item.metadata else "",
                *self._figures(n),
                *self._effects(n),
            )

    @cached_property
    def _tests(self) -> list[FloatArray]:
        figures = self.of.figures
        if self.of.read.conditions() is None:
            return []
        pooled, paired = figures.effects("pooled"), figures.effects("paired")
        return [
            *(pooled[name] for name in ("gain", "p", "p_adjusted")),
            *(paired[name] for name in ("gain", "n_free", "p", "p_adjusted")),
        ]

    def _effects(self, n: int) -> list[Cell]:
        return [
            int(values[n]) if place == _N_BOTH and not np.isnan(values[n]) else known(values[n])
            for place, values in enumerate(self._tests)
        ]

    def _shown(self, n: int, item: ItemTexts) -> Shown:
        sides = item.target, item.candidate
        texts, contexts = (
            (sides[0].text, sides[1].text),
            (sides[0].marked(self.n_sentences), sides[1].marked(self.n_sentences)),
        )
        return Shown(n, item.key, texts, contexts, item.group, question_of(item.metadata))

    def _figures(self, n: int) -> list[Cell]:
        figures = self.of.figures
        numbers: list[Cell] = []
        for scores, median, majority, adjudicated, final in zip(
            figures.scores,
            figures.medians,
            figures.majorities,
            self.of.adjudicated,
            self.of.finals,
            strict=True,
        ):
            numbers += [int(scores.n[n]), known(scores.mean[n]), known(scores.sd[n])]
            numbers += [known(median[n]), self.of.rating(majority[n])]
            numbers += [self.of.rating(adjudicated[n]), known(final[n])]
        return numbers


def context_cells(side: Side) -> tuple[Cell, ...]:
    """A side's context: its id, its turns, the place of the rated one among them, from 1."""
    if side.place is None:
        return "", "", None
    said = as_json([{"speaker": speaker, "text": text} for speaker, text in side.turns])
    return side.context, said, side.place + 1


def data_set_rows(
    of: RatedStudy, phase: PhaseRatings, rows: ItemRows, *, is_kept: BoolArray
) -> Iterator[Sequence[Cell]]:
    """The items of a test set under one condition; of both conditions in the same order.

    `rows` were read to their end.
    """
    items, place = of.read.items, of.read.phases.index(phase)
    scores, main = of.figures.scores[place], phase.main
    in_order = np.lexsort((main.annotator, main.unit))
    values = main.value[in_order].tolist()
    ends = np.cumsum(scores.n).tolist()
    adjudicated, finals = of.adjudicated[place], of.finals[place]
    majorities = of.figures.majorities[place]
    for item in rows.shown:
        n = item.number
        if not is_kept[n]:
            continue
        ratings = values[ends[n] - int(scores.n[n]) : ends[n]]
        yield (
            item.key,
            *([item.question] if rows.has_question else []),
            *item.texts,
            *item.contexts,
            known(scores.mean[n]),
            known(scores.sd[n]),
            int(scores.n[n]),
            json_list([of.rating(value) for value in ratings]),
            *([of.rating(majorities[n])] if of.read.scale.is_worded else []),
            of.rating(adjudicated[n]),
            known(finals[n]),
            known(items.earlier[n]),
            known(items.first[n]),
            items.classes[n],
            items.domains[n],
            items.sources[n],
            item.group,
        )
