"""Labels with some people, without them and of them alone."""

from collections.abc import Sequence
from functools import partial

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.rating.queries.answer_pools import numbered_pools
from annotation.kinds.services import comparing
from annotation.kinds.services.comparing import Figures
from scoring.arrays import FloatArray, IntArray
from scoring.json_values import JsonObject


def compare(run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
    """Shares, labels, alpha of each phase, with everybody, without these people, of them alone."""
    design = run.job.study.design
    read = read_labels(design, population, also=without)
    names = read.categories.names

    def agreement(batch: scoring.Labels, units: IntArray | None) -> JsonObject:
        alpha = scoring.label_alpha(
            batch,
            distance="jaccard" if batch.is_several else "nominal",
            with_interval=True,
            pool=units,
        )
        return {"alpha": comparing.figure(alpha.value, alpha.interval, alpha.reason)}

    parts, given = [], []
    for phase in read.phases:
        is_left = comparing.is_left(phase.main.annotator, read.annotator_pks, without)
        batches = (phase.main, phase.main.of_rows(is_left), phase.main.of_rows(~is_left))
        of_phase = partial(agreement, units=numbered_pools(phase, read.items))
        sides = comparing.sides(of_phase, [phase.of_asked(batch) for batch in batches], run)
        counts = [scoring.count_labels(batch) for batch in batches]
        # How many chose what most chose with everybody: a share that can be compared.
        standing = counts[0].counts.argmax(axis=1)
        shares = [_share_of(count, standing) for count in counts]
        named = [
            ["|".join(names[c] for c in np.flatnonzero(row).tolist()) for row in count.label]
            for count in counts
        ]
        comparison = comparing.compared(shares, read.items.pks, None)
        for row, item in zip(comparison["rows"], comparison.pop("items"), strict=True):
            row += [named[0][item], named[1][item]]
        comparison["n_changed"] = sum(row[5] != row[6] for row in comparison["rows"])
        parts.append(
            {
                "number": phase.number,
                "condition": str(phase.phase.condition),
                "agreement": sides,
                **comparison,
            }
        )
        given.append((phase.main.annotator, is_left))
    return {**comparing.sizes(*comparing.together(given)), "parts": parts}


def _share_of(counts: scoring.LabelCounts, category: IntArray) -> FloatArray:
    chosen = counts.counts[np.arange(len(category)), category].astype(np.float64)
    shares = np.full(len(category), np.nan)
    np.divide(chosen, counts.n, out=shares, where=counts.n > 0)
    return shares
