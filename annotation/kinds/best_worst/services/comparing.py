"""Best-worst scores with some people, without them and of them alone."""

from collections.abc import Sequence

import numpy as np

import scoring
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.services import comparing
from annotation.kinds.services.comparing import Figures
from scoring.json_values import JsonObject

N_SPLITS = 100


def compare(run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
    """Scores, split halves and alpha: with everybody, without these people, of them alone."""
    design = run.job.study.design
    read = answers_arrays(design, population, also=without)
    whole = read.best_worst
    assert whole.annotator is not None  # answers_arrays always says who answered
    is_left = comparing.is_left(whole.annotator, read.annotator_pks, without)
    batches = (whole, whole.of_judgments(is_left), whole.of_judgments(~is_left))
    pool = comparing.numbers(read.table.compared_pools)
    run.progress(0.3, _("%(n)s answers read") % {"n": whole.n_judgments})

    def agreement(batch: scoring.BestWorst) -> JsonObject:
        of_halves, of_interval = np.random.default_rng(design.seed).spawn(2)
        halves = scoring.split_half(batch, rule="random", n_splits=N_SPLITS, rng=of_halves)
        ends = scoring.half_interval(batch, pool=pool, rng=of_interval)
        value = scoring.alpha(batch, on="joint", coding="slot")
        interval = scoring.alpha_interval(batch, on="joint", coding="slot", pool=pool)
        return {
            "split_half": comparing.figure(halves.spearman.mean, ends, halves.reason),
            "alpha": comparing.figure(value.value, interval, value.reason),
        }

    sides = comparing.sides(agreement, batches, run)
    scores = [scoring.count(batch).scores() for batch in batches]
    comparison = comparing.compared(scores, read.table.item_pks, pool)
    return {
        **comparing.sizes(whole.annotator, is_left),
        "parts": [{"number": 0, "condition": "", "agreement": sides, **comparison}],
    }
