"""What stands out in how people answered, as a result keeps it of each of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import scoring
from annotation.kinds.label.queries.answers import LabelAnswers
from annotation.kinds.rating.queries.answers import CALIBRATION, RatingAnswers
from scoring.arrays import FloatArray, IntArray
from scoring.json_values import JsonObject


@dataclass(frozen=True)
class PeopleWhoRated:
    """Flags, and what they are read beside."""

    flags: scoring.Flags
    # Correlation of each annotator with the mean of the others, (n_annotators,); nan: none.
    correlations: FloatArray
    # The number of their ratings of items that others rated, too, (n_annotators,).
    n_compared: IntArray


def of_ratings(read: RatingAnswers) -> PeopleWhoRated:
    """The figures of all phases together: an item is another unit under each condition."""
    rows = [np.flatnonzero(phase.purpose != CALIBRATION) for phase in read.phases]
    parts = [phase.all.of_rows(r) for phase, r in zip(read.phases, rows, strict=True)]
    n_units = len(read.items.pks)
    ratings = scoring.Ratings(
        _joined([part.annotator for part in parts]),
        _joined([part.unit + place * n_units for place, part in enumerate(parts)]),
        np.concatenate([np.empty(0), *(part.value for part in parts)]),
        len(read.annotator_pks),
        n_units * len(parts),
        thinking_ms=np.concatenate([np.empty(0), *(_times(part) for part in parts)]),
        order=_joined([_order(part) for part in parts]),
    )
    flags = scoring.rating_flags(
        ratings,
        part=_joined([np.full(len(r), place) for place, r in enumerate(rows)]),
        answered_at=np.concatenate(
            [np.empty(0)]
            + [phase.answered_at[r] for phase, r in zip(read.phases, rows, strict=True)]
        ),
    )
    once = ratings.of_rows(ratings.rows_of_first_answers())
    against = scoring.raters_against_others(once)
    return PeopleWhoRated(flags, against.pearson, against.n)


def of_labels(read: LabelAnswers) -> scoring.Flags:
    """The flags over all phases together, as those of ratings."""
    n_units, n_categories = len(read.items.pks), len(read.categories.names)
    chosen = [phase.all.chosen for phase in read.phases]
    nothing = np.empty(0)
    return scoring.label_flags(
        scoring.Labels(
            _joined([phase.all.annotator for phase in read.phases]),
            _joined([phase.all.unit + at * n_units for at, phase in enumerate(read.phases)]),
            np.concatenate([np.zeros((0, n_categories), dtype=np.bool_), *chosen]),
            len(read.annotator_pks),
            n_units * len(read.phases),
            is_several=read.categories.is_several,
            order=_joined([_order(phase.all) for phase in read.phases]),
        ),
        part=_joined(
            [np.full(phase.all.n_answers, place) for place, phase in enumerate(read.phases)]
        ),
        seconds=np.concatenate([nothing, *(phase.active_ms / 1000 for phase in read.phases)]),
        answered_at=np.concatenate([nothing, *(phase.answered_at for phase in read.phases)]),
    )


def kept(flags: scoring.Flags, number: int, annotator_pks: Sequence[int]) -> list[JsonObject]:
    """What was seen of one annotator; somebody else is told by the primary key."""
    rows = []
    for flag in flags.of(number):
        figures = {name: value for name, value in flag.as_dict().items() if name != "annotator"}
        figures["other"] = None if flag.other is None else annotator_pks[flag.other]
        rows.append(figures)
    return rows


def _joined(parts: Sequence[IntArray]) -> IntArray:
    # A design without phases has no parts to join.
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _order(batch: scoring.Ratings | scoring.Labels) -> IntArray:
    assert batch.order is not None  # the code that reads them numbers them
    return batch.order


def _times(ratings: scoring.Ratings) -> "np.typing.NDArray[np.float64]":
    assert ratings.thinking_ms is not None  # read with the ratings
    return ratings.thinking_ms
