"""What the API tells of each item: its labels in each phase, as they are now."""

import numpy as np

from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.label.queries.items import ItemLabels
from annotation.kinds.queries.item_scores import NO_SCORES, Rows, Scores, by_place
from annotation.models import Study

# What is said of an item in a phase.
FIGURES = ("n", "counts", "share", "labels", "adjudicated_labels", "is_tied")


def scores_of(study: Study, population: Population) -> Scores:
    """By number of the item; none without an answer."""
    # A draft may have no categories yet by which to read anything.
    if not counted_answers.basis(study, population).n_judgments:
        return NO_SCORES
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

    return by_place(np.flatnonzero(labels.is_asked).tolist(), read.items.pks, phases)
