"""Mean ratings with some people, without them and of them alone."""

from collections.abc import Sequence
from functools import partial

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.rating.queries.answer_pools import numbered_pools
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.services import comparing
from annotation.kinds.services.comparing import Figures
from scoring.arrays import IntArray
from scoring.json_values import JsonObject


def compare(run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
    """Means, ICC and alpha of each phase, with everybody, without these people, of them alone."""
    design = run.job.study.design
    read = read_ratings(design, population, also=without)
    pool = np.zeros(len(read.items.pks), dtype=np.int64)

    def agreement(batch: scoring.Ratings, units: IntArray | None) -> JsonObject:
        alpha = scoring.rating_alpha(batch, level="interval", with_interval=True, pool=units)
        icc = scoring.intraclass_correlation(batch, kind="1,k")
        of_icc = scoring.icc_interval(batch, icc, pool=units)
        return {
            "icc": comparing.figure(icc.value, of_icc, icc.reason),
            "alpha": comparing.figure(alpha.value, alpha.interval, alpha.reason),
        }

    parts, given = [], []
    for phase in read.phases:
        is_left = comparing.is_left(phase.main.annotator, read.annotator_pks, without)
        batches = (phase.main, phase.main.of_rows(is_left), phase.main.of_rows(~is_left))
        of_phase = partial(agreement, units=numbered_pools(phase, read.items))
        sides = comparing.sides(of_phase, [phase.of_asked(batch) for batch in batches], run)
        means = [scoring.unit_scores(batch).mean for batch in batches]
        parts.append(
            {
                "number": phase.number,
                "condition": str(phase.phase.condition),
                "agreement": sides,
                **comparing.compared(means, read.items.pks, pool),
            }
        )
        given.append((phase.main.annotator, is_left))
    return {**comparing.sizes(*comparing.together(given)), "parts": parts}
