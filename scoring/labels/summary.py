"""All statistics of a batch of labels at once."""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.json_values import JsonObject, json_number
from scoring.labels.agreement import NO_ANSWERS, Distance, LabelAlpha, label_alpha
from scoring.labels.annotators import (
    IntraLabels,
    LabelersAgainstOthers,
    intra_labels,
    labelers_against_others,
)
from scoring.labels.changes import confusions, together
from scoring.labels.kappa import FleissKappa, PairwiseAgreement, fleiss_kappa, pairwise_agreement
from scoring.labels.labels import LabelCounts, Labels, count_labels
from shell.messages import message as _

RULES = {
    False: _(
        "The category that people chose most often, even if fewer than half did. If several are "
        "equally frequent, there is no label."
    ),
    True: _(
        "All categories that more than half of the people chose. If there are none, there is no "
        "label."
    ),
}
COUNTS = {
    "n_answers": "answers of the batch",
    "n_repeats": "those in which somebody labelled a unit again: in the intra-annotator part only",
    "n_units": "units with an answer",
    "n_unanswered": "units without one",
    "n_annotators": "people with an answer",
}


@dataclass(frozen=True, eq=False)
class CategoryFigures:
    """How often one category is named, and how far people agree on naming it or not.

    Parameters
    ----------
    n_answers : int
        Answers that name it.
    n_labels : int
        Units whose label it is, or is part of.
    share : float
        Share of the answers that name it; nan without answers.
    alpha : LabelAlpha
        Of naming it or not.
    kappa : float
        Fleiss' kappa of the same; nan where undefined.
    """

    n_answers: int
    n_labels: int
    share: float
    alpha: LabelAlpha
    kappa: float

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types."""
        interval = self.alpha.interval
        return {
            "n_answers": self.n_answers,
            "n_labels": self.n_labels,
            "share": json_number(self.share),
            "alpha": json_number(self.alpha.value),
            "interval": None if interval is None else interval.as_dict(),
            "kappa": json_number(self.kappa),
            "reason": self.alpha.reason,
        }


@dataclass(frozen=True, eq=False)
class LabelSummary:
    """What `summarise_labels` found; see the modules that each part is from."""

    is_several: bool
    n_answers: int
    n_repeats: int
    n_unanswered: int
    n_annotators: int
    counts: LabelCounts
    alpha: dict[Distance, LabelAlpha]
    fleiss: FleissKappa
    pairwise: PairwiseAgreement
    categories: list[CategoryFigures]
    others: LabelersAgainstOthers
    intra: IntraLabels
    confusions: IntArray | None
    together: IntArray | None

    @property
    def n_units(self) -> int:
        """Units with an answer."""
        return int((self.counts.n > 0).sum())

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with definitions; `units` has lists over units."""
        counts = self.counts
        return {
            "definitions": dict(COUNTS),
            "several": self.is_several,
            "n_answers": self.n_answers,
            "n_repeats": self.n_repeats,
            "n_units": self.n_units,
            "n_unanswered": self.n_unanswered,
            "n_annotators": self.n_annotators,
            "labels": {
                "definition": RULES[self.is_several],
                "n_with_label": int(counts.has_label.sum()),
                "n_without_label": len(counts.without_label),
                "n_majority": int(counts.majority.any(axis=1).sum()),
                "n_tied": int(counts.is_tied.sum()),
                "reason": None if self.n_units else NO_ANSWERS,
            },
            "alpha": {distance: alpha.as_dict() for distance, alpha in self.alpha.items()},
            "fleiss": self.fleiss.as_dict(),
            "pairwise": self.pairwise.as_dict(),
            "categories": [category.as_dict() for category in self.categories],
            "others": self.others.as_dict(),
            "intra": self.intra.as_dict(),
            "confusions": None if self.confusions is None else self.confusions.tolist(),
            "together": None if self.together is None else self.together.tolist(),
            "units": {
                "n": counts.n.tolist(),
                "counts": counts.counts.tolist(),
                "label": [[int(k) for k in np.flatnonzero(row)] for row in counts.label],
            },
        }


def summarise_labels(
    labels: Labels,
    *,
    pool: IntArray | None = None,
    with_intervals: bool = True,
) -> LabelSummary:
    """Compute all statistics of a batch of answers.

    Parameters
    ----------
    labels : Labels
        m answers; m may be 0. Repeats count in the intra-annotator agreement only.
    pool : int array, shape (n_units,), optional
        Pool of each unit: units of one pool may go together.
    with_intervals : bool
        Whether to compute the intervals of alpha.
    """
    wanted: tuple[Distance, ...] = get_args(Distance) if labels.is_several else ("nominal",)
    first = labels.first_answers()
    counts = count_labels(first)
    fleiss = fleiss_kappa(first)
    named = first.chosen.sum(axis=0)
    categories = []
    for k in range(labels.n_categories):
        is_named = np.stack([first.chosen[:, k], ~first.chosen[:, k]], axis=1)
        alpha = label_alpha(
            Labels(first.annotator, first.unit, is_named, first.n_annotators, first.n_units),
            distance="nominal",
            with_interval=with_intervals,
            pool=pool,
        )
        categories.append(
            CategoryFigures(
                int(named[k]),
                int(counts.label[:, k].sum()),
                _share(named, k, first.n_answers),
                alpha,
                float(fleiss.of_category[k]),
            )
        )
    return LabelSummary(
        is_several=labels.is_several,
        n_answers=labels.n_answers,
        n_repeats=labels.n_answers - first.n_answers,
        n_unanswered=int((counts.n == 0).sum()),
        n_annotators=len(np.unique(labels.annotator)),
        counts=counts,
        alpha={
            distance: label_alpha(
                first, distance=distance, with_interval=with_intervals, pool=pool
            )
            for distance in wanted
        },
        fleiss=fleiss,
        pairwise=pairwise_agreement(first),
        categories=categories,
        others=labelers_against_others(first),
        intra=intra_labels(labels),
        confusions=None if labels.is_several else confusions(first),
        together=together(first) if labels.is_several else None,
    )


def _share(named: IntArray | FloatArray, k: int, n: int) -> float:
    return float(named[k] / n) if n else float("nan")
