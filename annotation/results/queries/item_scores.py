"""The score of each item as the API tells it: of a stored result, or of ratings as they are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.label.queries.items import ItemLabels
from annotation.kinds.queries import adjudications
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.models import Item, ItemScore, Result, Study
from annotation.models.kinds import QuestionKind
from scoring.json_values import json_number

# What a best-worst result says of an item.
FIGURES = (
    "score",
    "rescaled",
    "low",
    "high",
    "standard_error",
    "utility",
    "utility_error",
    "appearances",
    "best",
    "worst",
)
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Scores:
    """Items with their scores, which are read as they are asked for."""

    n: int
    # Those from a place to another one, in their order.
    between: Callable[[int, int], Rows]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, part: slice) -> Rows:
        start, stop, _step = part.indices(self.n)
        return self.between(start, stop)

    def all(self, chunk: int = 2000) -> Iterator[dict[str, Any]]:
        for start in range(0, self.n, chunk):
            yield from self[start : start + chunk]


def scores_of(study: Study, population: Population, result: Result | None) -> Scores:
    """By number of the item; none without a result or, where that is enough, an answer."""
    if study.kind == QuestionKind.BEST_WORST:
        return _of_result(result)
    # A draft may have no scale yet by which to read anything.
    if (
        study.kind == QuestionKind.SELECTION
        or not counted_answers.basis(study, population).n_judgments
    ):
        return Scores(0, lambda start, stop: [])
    if study.kind == QuestionKind.RATING:
        return _of_ratings(study, population)
    return _of_labels(study, population)


def _of_result(result: Result | None) -> Scores:
    if result is None:
        return Scores(0, lambda start, stop: [])
    rows = result.item_scores.order_by("item__number").select_related("item")

    def between(start: int, stop: int) -> Rows:
        return [_of_row(row) for row in rows[start:stop]]

    return Scores(rows.count(), between)


def _of_row(row: ItemScore) -> dict[str, Any]:
    return {
        "id": row.item.key,
        "number": row.item.number,
        **{name: getattr(row, name) for name in FIGURES},
    }


def _of_ratings(study: Study, population: Population) -> Scores:
    figures = ItemFigures(read_ratings(study, population))
    read = figures.read
    adjudicated = adjudications.ratings(read, population)
    finals = figures.finals(adjudicated)

    def phases(place: int) -> Rows:
        return [
            {
                "number": phase.number,
                "condition": phase.phase.condition,
                "n": int(scores.n[place]),
                "mean": json_number(scores.mean[place]),
                "sd": json_number(scores.sd[place]),
                "adjudicated": json_number(decided[place]),
                "final": json_number(final[place]),
            }
            for phase, scores, decided, final in zip(
                read.phases, figures.scores, adjudicated, finals, strict=True
            )
        ]

    return _by_place(np.flatnonzero(figures.is_asked).tolist(), read.items.pks, phases)


def _of_labels(study: Study, population: Population) -> Scores:
    read = read_labels(study, population)
    labels = ItemLabels.of(study, read, population)
    names = read.categories.names

    def phases(place: int) -> Rows:
        return [
            {
                "number": phase.number,
                "condition": phase.phase.condition,
                "n": label.n,
                "counts": dict(zip(names, label.counts, strict=True)),
                "share": label.share,
                "labels": list(label.final),
                "adjudicated_labels": list(label.adjudicated),
                "is_tied": label.is_tied,
            }
            for phase, label in zip(read.phases, labels.labels(place), strict=True)
        ]

    return _by_place(np.flatnonzero(labels.is_asked).tolist(), read.items.pks, phases)


def _by_place(places: list[int], pks: Sequence[int], phases: Callable[[int], Rows]) -> Scores:
    def between(start: int, stop: int) -> Rows:
        some = places[start:stop]
        named = dict[int, tuple[str, int]]()
        items = Item.objects.filter(pk__in=[pks[place] for place in some])
        for pk, key, number in items.values_list("pk", "key", "number"):
            named[pk] = key, number
        return [
            {
                "id": named[pks[place]][0],
                "number": named[pks[place]][1],
                "phases": phases(place),
            }
            for place in some
        ]

    return Scores(len(places), between)
