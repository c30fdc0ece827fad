"""Where people put an item into different categories, and every answer to it."""

import numpy as np

from annotation.basics.categories import SEPARATOR, Categories
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.label.queries.items import ItemLabels
from annotation.kinds.queries import adjudications
from annotation.kinds.queries.disputes import CountedAnswer, Dispute, first_answers
from annotation.models import Design, Item, Judgment, Phase


def disputes(design: Design, phase: Phase) -> list[Dispute]:
    """Every item that the main block of a phase asks for, in the order of the import."""
    standing = adjudications.of_phase(phase)
    read = read_labels(design, "people")
    place = next(n for n, candidate in enumerate(read.phases) if candidate.phase.pk == phase.pk)
    # Only people's answers: an expert's decision does not make an item less disputed.
    labels = ItemLabels(read, {})
    rows = []
    for n in np.flatnonzero(read.phases[place].is_asked).tolist():
        item_label = labels.label(place, n)
        pk = read.items.pks[n]
        rows.append(
            Dispute(
                item=pk,
                key=read.items.keys[n],
                number=n,
                n=item_label.n,
                majority=f" {SEPARATOR} ".join(item_label.final),
                share=item_label.share,
                shares=[
                    (name, count / item_label.n)
                    for name, count in zip(read.categories.names, item_label.counts, strict=True)
                    if read.categories.is_several and name in item_label.final
                ],
                adjudication=standing.get(pk),
            )
        )
    return rows


def _chosen(judgment: Judgment) -> tuple[str, ...]:
    return tuple(sorted(choice.category for choice in judgment.choices.all()))


def answers(design: Design, phase: Phase, item: Item) -> list[CountedAnswer]:
    """Every counted answer to an item, in the order of the categories."""
    categories = Categories.of(design.study.categories)
    places = {name: n for n, name in enumerate(categories.names)}
    named = [
        (categories.in_order(_chosen(judgment)), judgment)
        for judgment in first_answers(design, phase, item)
    ]
    named.sort(key=lambda pair: [places[name] for name in pair[0]])
    return [CountedAnswer.of(judgment, f" {SEPARATOR} ".join(names)) for names, judgment in named]
