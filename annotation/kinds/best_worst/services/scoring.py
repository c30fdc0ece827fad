"""Scoring a best-worst study: scores, reliability and agreement as one stored result."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import scoring
from annotation.basics.sentences import sentence as _
from annotation.core.queries import relabellings
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.summaries import GROUP_NAMES, GROUPS
from annotation.core.services import jobs
from annotation.core.services.many_rows import RowWriter
from annotation.kinds.best_worst.queries import answers
from annotation.kinds.services import flags_of_people, results
from annotation.models import AnnotatorStatistics, ItemScore, Result
from annotation.models.kinds import QuestionKind
from scoring.arrays import FloatArray, IntArray
from scoring.best_worst.ranking import RIDGE
from scoring.json_values import JsonObject, json_number
from scoring.rankings.utilities import Utilities
from shell.messages import message as gettext_noop

# All answers together are also split by people and by tuples; small groups have too few of them.
RULES: tuple[scoring.Rule, ...] = ("random", "fixed", "annotator", "tuple", "balanced")
# The projection goes to twice the answers there are, within these bounds.
MIN_PROJECTED_ANSWERS, MAX_PROJECTED_ANSWERS = 10, 50
# Steps of .2 of the scores from 0 to 1.
N_BINS = 5
# What the intervals say of each item.
ITEM_INTERVALS = (
    "low",
    "high",
    "standard_error",
    "rank_low",
    "rank_high",
    "first_group",
    "last_group",
)


@dataclass(frozen=True, eq=False)
class Scored:
    """What is stored: the figures of the study, those of its items, those of its people."""

    statistics: dict[str, Any]
    intervals: scoring.ScoreIntervals
    utilities: FloatArray
    utility_errors: FloatArray
    compliance: scoring.Compliance
    positions: scoring.PositionBias
    flags: scoring.Flags


def score_best_worst(run: jobs.Run, population: Population, *, n_splits: int) -> None:
    """Score one population of a best-worst study and store the result."""
    study = run.job.study
    design = study.design
    run.progress(0.0, _("reading the answers"))
    # Before the labels are read: a change in between makes the result an outdated one.
    n_relabellings = relabellings.n_splitting(study)
    read = answers.answers_arrays(design, population)
    run.progress(0.1, _("%(n)s answers read") % {"n": read.basis.n_judgments})
    scored = _scored(run, read, seed=design.seed, n_splits=n_splits)
    run.progress(0.95, _("storing the scores"))
    result = results.result_of(
        run,
        kind=QuestionKind.BEST_WORST,
        population=population,
        basis=read.basis,
        statistics={**scored.statistics, "working_time": read.working_time().as_dict()},
        parameters={
            "n_splits": n_splits,
            "n_relabellings": n_relabellings,
        },
    )
    store(run, result, read, scored)


def _scored(run: jobs.Run, read: answers.Answers, *, seed: int, n_splits: int) -> Scored:
    best_worst = read.best_worst
    # One child of the design's seed for each part: the same answers give the same figures.
    of_overall, *of_groups, of_ceiling = np.random.default_rng(seed).spawn(2 + len(GROUPS))
    pools = read.table.compared_pools
    number = {key: n for n, key in enumerate(dict.fromkeys(pools))}
    pool = np.array([number[key] for key in pools], dtype=np.int64)

    run.progress(0.12, _("split-half reliability"))
    overall = scoring.summarise(
        best_worst,
        n_splits=n_splits,
        rules=RULES,
        with_intervals=True,
        pool=pool,
        rng=of_overall,
    )
    groups = _groups(run, read, pool, of_groups, n_splits=n_splits)
    run.progress(0.6, _("estimating uncertainty"))
    intervals = scoring.score_intervals(best_worst, pool=pool)
    run.progress(0.8, _("fitting the utilities"))
    ceiling = None
    if len(number) > 1:
        ceiling = scoring.noise_ceiling_within_pools(best_worst, pool, rng=of_ceiling).as_dict()
    utilities, errors, ranking = fitted(
        lambda: scoring.rank(best_worst, model="maxdiff", pool=pool),
        list(number),
        n_items=best_worst.n_items,
    )
    run.progress(0.9, _("comparing annotators"))
    compliance = scoring.compliance(best_worst)
    positions = positions_of(read)
    flags = scoring.flags(
        best_worst,
        positions=read.positions,
        seconds=read.seconds,
        answered_at=read.answered_at,
    )
    statistics = {
        "overall": overall.as_dict(),
        # Pools of the study that fall into parts, and the pools within which items are compared.
        "pools": {"n_unconnected": read.table.n_unconnected_pools, "n_compared": len(number)},
        "groups": groups,
        "distribution": scoring.count(best_worst).distribution(n_bins=N_BINS).tolist(),
        "projection": _projection(best_worst, overall.split_half["random"]).as_dict(),
        # What has a figure for each item or annotator has rows of its own.
        "score_intervals": results.without(intervals.as_dict(), *ITEM_INTERVALS),
        "noise_ceiling": ceiling,
        "ranking": ranking,
        "compliance": overview(compliance),
        "positions": of_all_positions(positions, is_known=bool((read.positions >= 0).any())),
        "flags": results.without(flags.as_dict(), "found"),
    }
    return Scored(statistics, intervals, utilities, errors, compliance, positions, flags)


def _groups(
    run: jobs.Run,
    read: answers.Answers,
    pool: IntArray,
    rngs: list[np.random.Generator],
    *,
    n_splits: int,
) -> dict[str, Any]:
    groups: dict[str, Any] = {}
    for number, (name, columns) in enumerate(GROUPS.items()):
        run.progress(
            0.3 + 0.3 * number / len(GROUPS), _("by %(group)s") % {"group": GROUP_NAMES[name]}
        )
        labels = read.table.labels(*columns)
        if len(set(labels)) < 2:
            continue  # one group is the whole
        cells = scoring.by_group(
            read.best_worst,
            labels,
            n_splits=n_splits,
            with_intervals=True,
            pool=pool,
            rng=rngs[number],
        )
        groups[name] = {
            "cells": {label: cell.as_dict() for label, cell in cells.items()},
            "means": {
                weighting: {
                    figure: mean.as_dict()
                    for figure, mean in scoring.mean_over_cells(cells, weighting=weighting).items()
                }
                for weighting in ("cells", "judgments")
            },
        }
    return groups


def _projection(best_worst: scoring.BestWorst, halves: scoring.SplitHalf) -> scoring.Projection:
    n_now = int(best_worst.answers_per_tuple().max(initial=0))
    most = min(max(2 * n_now, MIN_PROJECTED_ANSWERS), MAX_PROJECTED_ANSWERS)
    return scoring.project(best_worst, halves, n_answers=np.arange(1.0, most + 1))


def fitted(
    fit: Callable[[], scoring.Ranking | Utilities], keys: list[str], *, n_items: int
) -> tuple[FloatArray, FloatArray, JsonObject]:
    """Utilities, their standard errors, and how they were fitted or why they were not."""
    nothing = np.full(n_items, np.nan)
    try:
        ranking = fit()
    except scoring.NotConvergedError as error:
        return nothing, nothing, {"reason": error.message}
    figures = results.without(ranking.as_dict(), "utilities", "standard_errors", "pool", "pools")
    figures |= {
        "reason": None,
        "n_pools": len(ranking.fits),
        # Pools in which plain maximum likelihood has no estimate.
        "penalised_pools": [keys[fit.pool] for fit in ranking.fits if fit.is_penalised],
        "ridge": RIDGE,
        "n_without_errors": sum(not fit.has_standard_errors for fit in ranking.fits),
        "log_likelihood": json_number(sum(fit.log_likelihood for fit in ranking.fits)),
    }
    return ranking.utilities, ranking.standard_errors, figures


def positions_of(read: answers.Answers) -> scoring.PositionBias:
    """The position bias in the answers whose options have a known order."""
    best_worst = read.best_worst
    assert best_worst.annotator is not None  # answers_arrays always says who answered
    is_known = read.positions[:, 0] >= 0
    return scoring.position_bias(
        read.positions[is_known, 0],
        read.positions[is_known, 1],
        n_positions=best_worst.tuple_size,
        annotator=best_worst.annotator[is_known],
    )


def of_all_positions(positions: scoring.PositionBias, *, is_known: bool) -> JsonObject:
    if not is_known:
        return {
            "definition": positions.definition,
            "reason": gettext_noop("the display order of the options is unknown"),
        }
    return {**results.without(positions.as_dict(), "by_annotator", "annotator"), "reason": None}


def overview(compliance: scoring.Compliance) -> JsonObject:
    shares = compliance.share[~np.isnan(compliance.share)]
    return {
        "definition": compliance.definition,
        "n_annotators": len(shares),
        "median": json_number(float(np.median(shares))) if len(shares) else None,
        "lowest": json_number(float(shares.min())) if len(shares) else None,
        "reason": None if len(shares) else gettext_noop("no two people answered the same items"),
    }


def store(run: jobs.Run, result: Result, read: answers.Answers, scored: Scored) -> None:
    """Store the result with its items and people."""
    columns = item_columns(read, scored)
    with results.storing(run, result) as rows:
        rows.write(
            RowWriter(ItemScore, list(columns), result_id=result.pk),
            zip(*columns.values(), strict=True),
        )
        results.add_people(rows, annotator_statistics(result, read, scored))


def item_columns(read: answers.Answers, scored: Scored) -> dict[str, list[Any]]:
    """Values of the items' rows by the names of `ItemScore`."""
    counts = scoring.count(read.best_worst)
    intervals = scored.intervals
    figures = {
        "score": read.best_worst.scores(),
        **{name: getattr(intervals, name) for name in ("low", "high", "standard_error")},
        "utility": scored.utilities,
        "utility_error": scored.utility_errors,
    }
    places = ("rank_low", "rank_high", "first_group", "last_group")
    return {
        "item_id": read.table.item_pks,
        **{name: getattr(counts, name).tolist() for name in ("appearances", "best", "worst")},
        **{name: [json_number(value) for value in values] for name, values in figures.items()},
        **{name: [n or None for n in getattr(intervals, name).tolist()] for name in places},
    }


def annotator_statistics(
    result: Result, read: answers.Answers, scored: Scored
) -> Iterator[AnnotatorStatistics]:
    compliance, positions = scored.compliance, scored.positions
    place = {number: n for n, number in enumerate(positions.annotator.tolist())}
    for row, number in enumerate(compliance.annotator.tolist()):
        pk = read.annotator_pks[number]
        tests = {}
        if number in place:
            for on, test in positions.by_annotator.items():
                tests[f"{on}_chi_square"] = json_number(test.statistic[place[number]])
                tests[f"{on}_p"] = json_number(test.p[place[number]])
        yield AnnotatorStatistics(
            result=result,
            annotator_id=pk,
            n_judgments=int(compliance.n_judgments[row]),
            compliance=json_number(compliance.share[row]),
            n_pairs=int(compliance.n_pairs[row]),
            n_left_out=int(compliance.n_left_out[row]),
            flags=flags_of_people.kept(scored.flags, number, read.annotator_pks),
            **tests,
        )
