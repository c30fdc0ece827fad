"""Scoring a ranking study: utilities, mean ranks, agreement and reliability as one result."""

from typing import Any

import numpy as np

import scoring
from annotation.basics.sentences import sentence as _
from annotation.core.queries import relabellings
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries.answers import Answers
from annotation.kinds.best_worst.services.scoring import (
    ITEM_INTERVALS,
    Scored,
    fitted,
    of_all_positions,
    overview,
    positions_of,
    store,
)
from annotation.kinds.ranking.queries.answers import orders_arrays
from annotation.kinds.services import results
from annotation.models.kinds import QuestionKind
from scoring.rankings.orders import Orders
from scoring.rankings.summary import summarise_orders
from scoring.rankings.utilities import plackett_luce


def score_orders(run: jobs.Run, population: Population, *, n_splits: int) -> None:
    """Score one population of a ranking study and store the result."""
    design = run.job.study.design
    run.progress(0.0, _("reading the answers"))
    # Before the labels are read: a change in between makes the result an outdated one.
    n_relabellings = relabellings.n_splitting(run.job.study)
    read = orders_arrays(design, population)
    run.progress(0.1, _("%(n)s answers read") % {"n": read.basis.n_judgments})
    scored = _scored(run, read, seed=design.seed, n_splits=n_splits)
    run.progress(0.95, _("storing the scores"))
    result = results.result_of(
        run,
        kind=QuestionKind.RANKING,
        population=population,
        basis=read.basis,
        statistics={**scored.statistics, "working_time": read.working_time().as_dict()},
        parameters={
            "n_splits": n_splits,
            "n_relabellings": n_relabellings,
        },
    )
    store(run, result, read, scored)


def _scored(run: jobs.Run, read: Answers, *, seed: int, n_splits: int) -> Scored:
    orders = read.best_worst
    assert isinstance(orders, Orders)
    # One child of the design's seed for each part: the same answers give the same figures.
    of_overall, of_ceiling = np.random.default_rng(seed).spawn(2)
    pools = read.table.compared_pools
    number = {key: n for n, key in enumerate(dict.fromkeys(pools))}
    pool = np.array([number[key] for key in pools], dtype=np.int64)
    run.progress(0.12, _("split-half reliability"))
    overall = summarise_orders(orders, pool=pool, n_splits=n_splits, rng=of_overall)
    run.progress(0.6, _("estimating uncertainty"))
    intervals = scoring.score_intervals(orders, pool=pool)
    run.progress(0.8, _("fitting the utilities"))
    ceiling = None
    if len(number) > 1:
        ceiling = scoring.noise_ceiling_within_pools(orders, pool, rng=of_ceiling).as_dict()
    utilities, errors, ranking = fitted(
        lambda: plackett_luce(orders, pool=pool), list(number), n_items=orders.n_items
    )
    run.progress(0.9, _("comparing annotators"))
    compliance = scoring.compliance(orders)
    positions = positions_of(read)
    flags = scoring.flags(
        orders,
        positions=read.positions,
        seconds=read.seconds,
        answered_at=read.answered_at,
    )
    statistics: dict[str, Any] = {
        "overall": overall.as_dict(),
        "score_intervals": results.without(intervals.as_dict(), *ITEM_INTERVALS),
        "noise_ceiling": ceiling,
        "ranking": ranking,
        "compliance": overview(compliance),
        "positions": of_all_positions(positions, is_known=bool((read.positions >= 0).any())),
        "flags": results.without(flags.as_dict(), "found"),
    }
    return Scored(statistics, intervals, utilities, errors, compliance, positions, flags)
