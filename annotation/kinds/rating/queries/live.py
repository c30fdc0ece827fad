"""How reliable a rating study is so far."""

from typing import Any

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Population
from annotation.kinds.live_measures import (
    Measured,
    growth,
    jackknife_figure,
    measured,
    order_figures,
    score_bars,
    stepped_up,
)
from annotation.kinds.rating.queries.answer_pools import numbered_pools
from annotation.kinds.rating.queries.answers import (
    ItemTable,
    PhaseRatings,
    read_ratings,
)
from annotation.models import Design
from scoring.arrays import FloatArray
from scoring.json_values import json_number


def measure(design: Design, population: Population) -> Measured:
    read = read_ratings(design, population)
    low, high = float(read.scale.low), float(read.scale.high)
    return measured(
        read.basis,
        [_rated(phase, read.items, low, high, n_phases=len(read.phases)) for phase in read.phases],
    )


def _rated(
    phase: PhaseRatings, items: ItemTable, low: float, high: float, *, n_phases: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    main = phase.of_asked(phase.main)
    pks = [items.pks[n] for n in np.flatnonzero(phase.is_asked)]
    single = scoring.intraclass_correlation(main, kind="1,1")
    mean = scoring.intraclass_correlation(main, kind="1,k")
    pool = numbered_pools(phase, items)
    of_mean = scoring.icc_interval(main, mean, pool=pool)
    alpha = scoring.rating_alpha(main, level="interval", with_interval=True, pool=pool)
    scores = scoring.unit_scores(main)
    step = growth(main.n_ratings, n_phases=n_phases)
    pair_order = scoring.pair_order(
        scores.mean,
        variance=_variances(scores),
        # All are on one scale, whichever pool they are from.
        pool=np.zeros(len(pks), dtype=np.int64),
        growth=step,
    )
    of_order, pairs = order_figures(pair_order, scores.mean, pks)
    figures = {
        "number": phase.number,
        "condition": phase.phase.condition,
        "n": main.n_ratings,
        "reliability": jackknife_figure(mean.value, of_mean, mean.reason),
        "then": stepped_up(json_number(single.value), step * mean.k),
        "all": json_number(mean.value),
        "alpha": jackknife_figure(alpha.value, alpha.interval, alpha.reason),
        **of_order,
    }
    return figures, {"bars": score_bars(scores.mean, low, high), **pairs}


def _variances(scores: scoring.UnitScores) -> FloatArray:
    """Squared standard errors of the means, from how much ratings of one item differ over all.

    Two ratings of an item alone, which may happen to be equal, would say too little.
    """
    stacked = scores.n >= 2
    freedom = int((scores.n[stacked] - 1).sum())
    if not freedom:
        return np.full(len(scores.n), np.nan)
    within = float(((scores.n[stacked] - 1) * scores.sd[stacked] ** 2).sum()) / freedom
    variance = np.full(len(scores.n), np.nan)
    np.divide(within, scores.n, out=variance, where=scores.n > 0)
    return variance
