"""What the API tells of each item: its ratings in each phase, as they are now."""

import numpy as np

from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.kinds.queries import adjudications
from annotation.kinds.queries.item_scores import NO_SCORES, Rows, Scores, by_place
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.models import Study
from scoring.json_values import json_number

# What is said of an item in a phase.
FIGURES = ("n", "mean", "sd", "adjudicated", "final")


def scores_of(study: Study, population: Population) -> Scores:
    """By number of the item; none without an answer."""
    # A draft may have no scale yet by which to read anything.
    if not counted_answers.basis(study, population).n_judgments:
        return NO_SCORES
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

    return by_place(np.flatnonzero(figures.is_asked).tolist(), read.items.pks, phases)
