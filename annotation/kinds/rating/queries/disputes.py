"""Where ratings of an item lie far apart, and every rating of it."""

from decimal import Decimal

import numpy as np

from annotation.basics.scale import Scale
from annotation.kinds.queries import adjudications
from annotation.kinds.queries.disputes import CountedAnswer, Dispute, first_answers
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.models import Design, Item, Phase
from scoring.json_values import json_number


def disputes(design: Design, phase: Phase) -> list[Dispute]:
    """Every item that the main block of a phase asks for, in the order of the import."""
    standing = adjudications.of_phase(phase)
    read = read_ratings(design, "people")
    figures = ItemFigures(read)
    place = next(n for n, candidate in enumerate(read.phases) if candidate.phase.pk == phase.pk)
    scores, majorities = figures.scores[place], figures.majorities[place]
    medians = figures.medians[place]
    return [
        Dispute(
            item=(pk := read.items.pks[n]),
            key=read.items.keys[n],
            number=n,
            n=int(scores.n[n]),
            mean=json_number(scores.mean[n]),
            median=json_number(medians[n]),
            sd=json_number(scores.sd[n]),
            majority=_point(read.scale, majorities[n]),
            adjudication=standing.get(pk),
        )
        for n in np.flatnonzero(read.phases[place].is_asked).tolist()
    ]


def _point(scale: Scale, value: float) -> str:
    return "" if np.isnan(value) else scale.text(Decimal(repr(float(value))))


def answers(design: Design, phase: Phase, item: Item) -> list[CountedAnswer]:
    """Every counted rating of an item, by value."""
    scale = Scale.of(design.study.scale)
    rated = [
        (judgment.rating, judgment)
        for judgment in first_answers(design, phase, item)
        if judgment.rating is not None
    ]
    rated.sort(key=lambda pair: pair[0])
    return [
        CountedAnswer.of(judgment, scale.text(value), scale.label(value))
        for value, judgment in rated
    ]
