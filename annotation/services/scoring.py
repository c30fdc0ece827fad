"""Scoring a study: one snapshot of its counted answers, one stored result."""

from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils import timezone

import scoring
from annotation.errors import AnnotationError
from annotation.models import ItemScore, Result
from annotation.queries import answers
from annotation.sentences import sentence as _
from annotation.services import jobs

N_SPLITS = 100
KIND = "best_worst"

# The groups a study's statistics are also given for, and what labels a tuple.
GROUPS: dict[str, tuple[str, ...]] = {
    "source": ("source",),
    "domain": ("domain",),
    "turns": ("turns",),
    "source x turns": ("source", "turns"),
}
GROUP_NAMES = {
    "source": _("source"),
    "domain": _("domain"),
    "turns": _("number of turns"),
    "source x turns": _("source and number of turns"),
}


def score_job(run: jobs.Run) -> None:
    """Score one population of a study and store the result."""
    population = run.job.parameters.get("population", "people")
    n_splits = run.job.parameters.get("n_splits", N_SPLITS)
    if population not in answers.POPULATIONS:
        raise AnnotationError(
            _("“%(name)s” is no population: people or simulated.") % {"name": population}
        )
    if not 1 <= n_splits <= 100_000:
        raise AnnotationError(_("splits: choose from 1 to 100,000."))
    study = run.job.study
    design = study.design
    run.progress(0.0, _("reading the answers"))
    read = answers.answers_arrays(design, population)
    run.progress(0.2, _("%(n)s answers read") % {"n": read.basis.n_judgments})
    statistics = _statistics(run, read, seed=design.seed, n_splits=n_splits)
    counts = scoring.count(read.best_worst)
    scores = counts.scores()
    run.progress(0.95, _("storing the scores"))
    with transaction.atomic():
        run.keep()
        result = Result.objects.create(
            study=study,
            design=design,
            job=run.job,
            kind=KIND,
            population=population,
            computed_at=timezone.now(),
            code_version=settings.VERSION,
            parameters={
                "n_splits": n_splits,
                "seed": design.seed,
                "design": design.number,
                "sum_of_keys": read.basis.sum_of_keys,
            },
            n_judgments=read.basis.n_judgments,
            last_judgment=read.basis.last_judgment,
            statistics=statistics,
        )
        ItemScore.objects.bulk_create(
            (
                ItemScore(
                    result=result,
                    item_id=pk,
                    appearances=int(counts.appearances[i]),
                    best=int(counts.best[i]),
                    worst=int(counts.worst[i]),
                    score=None if np.isnan(scores[i]) else float(scores[i]),
                )
                for i, pk in enumerate(read.table.item_pks)
            ),
            batch_size=2000,
        )


def _statistics(
    run: jobs.Run, read: answers.Answers, *, seed: int, n_splits: int
) -> dict[str, Any]:
    # One child of the design's seed for each group: the same answers give the same figures.
    rngs = np.random.default_rng(seed).spawn(1 + len(GROUPS))
    statistics: dict[str, Any] = {
        "overall": scoring.summarise(read.best_worst, n_splits=n_splits, rng=rngs[0]).as_dict(),
        "groups": {},
    }
    for number, (name, columns) in enumerate(GROUPS.items(), start=1):
        run.progress(
            0.2 + 0.7 * number / len(GROUPS), _("by %(group)s") % {"group": GROUP_NAMES[name]}
        )
        labels = read.table.labels(*columns)
        if len(set(labels)) < 2:
            continue  # one group is the whole
        cells = scoring.by_group(read.best_worst, labels, n_splits=n_splits, rng=rngs[number])
        statistics["groups"][name] = {
            "cells": {label: cell.as_dict() for label, cell in cells.items()},
            "means": {
                weighting: {
                    figure: mean.as_dict()
                    for figure, mean in scoring.mean_over_cells(cells, weighting=weighting).items()
                }
                for weighting in ("cells", "judgments")
            },
        }
    return statistics
