"""How far people agree on labels so far."""

from typing import Any

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Population
from annotation.kinds.label.queries.answers import PhaseLabels, read_labels
from annotation.kinds.live_measures import (
    MAX_LISTED_PAIRS,
    Measured,
    jackknife_figure,
    measured,
)
from annotation.kinds.rating.queries.answer_pools import numbered_pools
from annotation.kinds.rating.queries.answers import ItemTable
from annotation.models import Design
from scoring.arrays import IntArray


def measure(design: Design, population: Population) -> Measured:
    read = read_labels(design, population)
    names = list(read.categories.names)
    return measured(
        read.basis,
        [_labelled(phase, read.items, names) for phase in read.phases],
    )


def _labelled(
    phase: PhaseLabels, items: ItemTable, names: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    main = phase.of_asked(phase.main)
    pks = [items.pks[n] for n in np.flatnonzero(phase.is_asked)]
    alpha = scoring.label_alpha(
        main,
        distance="nominal",
        with_interval=True,
        pool=numbered_pools(phase, items),
    )
    votes = scoring.count_labels(main).counts
    n = main.answers_per_unit()
    # The lead of the most chosen category over the next, as a share of the answers.
    in_order = np.sort(votes, axis=1)
    lead = np.full(len(n), np.nan)
    np.divide(in_order[:, -1] - in_order[:, -2], n, out=lead, where=n >= 2)
    least = [place for place in np.argsort(lead, kind="stable").tolist() if lead[place] < 0.5]
    figures = {
        "number": phase.number,
        "condition": phase.phase.condition,
        "n": main.n_answers,
        "reliability": None,
        "then": None,
        "all": None,
        "alpha": jackknife_figure(alpha.value, alpha.interval, alpha.reason),
        "n_pairs": 0,
        "certain_share": None,
        "certain_share_then": None,
    }
    details = {
        "categories": [
            [name, int(count)] for name, count in zip(names, votes.sum(axis=0), strict=True)
        ],
        "undecided": [
            [pks[place], _chosen(votes[place], names)] for place in least[:MAX_LISTED_PAIRS]
        ],
        "n_undecided": len(least),
    }
    return figures, details


def _chosen(votes: IntArray, names: list[str]) -> list[tuple[str, int]]:
    """The categories that anybody chose, the most chosen first."""
    return [
        (names[k], int(votes[k])) for k in np.argsort(-votes, kind="stable").tolist() if votes[k]
    ]
