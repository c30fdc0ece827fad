"""How reliable a ranking study is so far."""

import numpy as np

import scoring
from annotation.core.queries.counted_answers import Population
from annotation.kinds.live_measures import (
    N_SPLITS,
    Measured,
    growth,
    jackknife_figure,
    measured,
    order_figures,
    score_bars,
    stepped_up,
)
from annotation.kinds.ranking.queries.answers import orders_arrays
from annotation.models import Design
from scoring.json_values import json_number
from scoring.rankings.concordance import concordance
from scoring.rankings.orders import Orders
from scoring.ratings.ratings import number_names


def measure(design: Design, population: Population) -> Measured:
    read = orders_arrays(design, population)
    given = read.best_worst
    assert isinstance(given, Orders)
    of_halves, of_interval = np.random.default_rng(design.seed).spawn(2)
    _names, pool = number_names(read.table.compared_pools)
    halves = scoring.split_half(given, rule="random", n_splits=N_SPLITS, rng=of_halves)
    interval = scoring.half_interval(given, pool=pool, rng=of_interval)
    agreement = concordance(given, pool=pool, with_intervals=True)
    between = agreement.spearman_interval
    score = given.scores()
    step = growth(given.n_judgments)
    spread = scoring.score_covariance(given)
    pair_order = scoring.pair_order(
        score,
        variance=spread.variance,
        covariance=spread.covariance,
        quantile=spread.quantile,
        pool=pool,
        growth=step,
    )
    of_order, pairs = order_figures(pair_order, score, read.table.item_pks)
    now = json_number(halves.spearman.mean)
    figures = {
        "number": 1,
        "n": given.n_judgments,
        "reliability": jackknife_figure(halves.spearman.mean, interval, halves.reason),
        "then": stepped_up(now, step),
        "all": json_number(halves.spearman_brown.value),
        "alpha": jackknife_figure(agreement.mean_spearman, between, agreement.reason),
        **of_order,
    }
    return measured(read.basis, [(figures, {"bars": score_bars(score, -1.0, 1.0), **pairs})])
