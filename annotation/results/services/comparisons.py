"""Scores with and without some people, computed side by side; no result of the study is stored.

With: everybody who counts now, and these people, excluded or not. Without: the others of them.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.dispatch import receiver

import scoring
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.core.services.locks import lock_study
from annotation.core.signals import answers_withdrawn
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.label.queries import answers as label_answers
from annotation.kinds.rating.queries import answers as rating_answers
from annotation.models import Annotator, Assignment, Job, Study
from annotation.models.kinds import QuestionKind
from scoring.arrays import BoolArray, FloatArray, IntArray
from scoring.bootstrap import FEWEST_POOLS
from scoring.correlation import average_ranks
from scoring.json_values import JsonObject, json_number

N_SPLITS = 100
N_RESAMPLES = 1000
# Both are computed from the design's seed, so that they differ by the people alone.
Figures = dict[str, Any]
Batch = TypeVar("Batch")


@jobs.does(Job.Kind.COMPARE)
def compare_job(run: jobs.Run) -> None:
    """Compare the scores with those without the people named, and keep the figures in the job."""
    job = run.job
    population: Population = job.parameters["population"]
    without: list[int] = job.parameters["without"]
    compare = {
        QuestionKind.RATING.value: _ratings,
        QuestionKind.LABEL.value: _labels,
    }.get(job.study.kind, _best_worst)
    n_before = _n_withdrawn(without)
    run.progress(0.0, _("reading the answers"))
    figures = compare(run, population, without)
    with transaction.atomic():
        # Whoever withdraws holds this row too: they come before, and are noticed here, or after,
        # and forget what they find.
        lock_study(job.study_id)
        if _n_withdrawn(without) == n_before:
            Job.objects.filter(pk=job.pk, run_token=run.token).update(figures=figures)


def _n_withdrawn(without: Sequence[int]) -> int:
    """How often these people withdrew, altogether or from one sitting."""
    gone = Assignment.objects.filter(annotator__in=without, state=Assignment.State.WITHDRAWN)
    return gone.count()


def _best_worst(run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
    design = run.job.study.design
    read = answers_arrays(design, population, also=without)
    whole = read.best_worst
    assert whole.annotator is not None  # answers_arrays always says who answered
    is_left = _is_left(whole.annotator, read.annotator_pks, without)
    part = whole.of_judgments(is_left)
    pool = _numbers(read.table.item_pools)
    run.progress(0.3, _("%(n)s answers read") % {"n": whole.n_judgments})

    def agreement(batch: scoring.BestWorst) -> JsonObject:
        of_halves, of_alpha = np.random.default_rng(design.seed).spawn(2)
        halves = scoring.split_half(batch, rule="random", n_splits=N_SPLITS, rng=of_halves)
        value = scoring.alpha(batch, on="joint", coding="slot")
        interval = scoring.alpha_interval(
            batch,
            on="joint",
            coding="slot",
            resample="pools" if len(set(pool.tolist())) >= FEWEST_POOLS else "tuples",
            pool=pool,
            n_resamples=N_RESAMPLES,
            rng=of_alpha,
        ).as_dict()
        spearman = halves.spearman.as_dict()
        return {
            "split_half": {
                "value": spearman["mean"],
                "low": spearman["low"],
                "high": spearman["high"],
                "reason": halves.reason,
            },
            "alpha": {
                "value": value.as_dict()["alpha"],
                "low": interval["low"],
                "high": interval["high"],
                "reason": value.reason,
            },
        }

    both = _both(agreement, whole, part, run)
    scores = [scoring.count(batch).scores() for batch in (whole, part)]
    found = _compared(scores[0], scores[1], read.table.item_pks, pool)
    return {
        **_sizes(whole.annotator, is_left),
        "parts": [{"number": 0, "condition": "", "agreement": both, **found}],
    }


def _ratings(run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
    design = run.job.study.design
    read = rating_answers.read_ratings(design, population, also=without)
    pool = np.zeros(len(read.items.pks), dtype=np.int64)

    def agreement(batch: scoring.Ratings) -> JsonObject:
        rng = np.random.default_rng(design.seed)
        value = scoring.rating_alpha(
            batch, level="interval", n_resamples=N_RESAMPLES, rng=rng
        ).as_dict()
        icc = scoring.intraclass_correlation(batch, kind="1,k").as_dict()
        return {"icc": _named(icc, "icc"), "alpha": _named(value)}

    parts, given = [], []
    for phase in read.phases:
        is_left = _is_left(phase.main.annotator, read.annotator_pks, without)
        batches = (phase.main, phase.main.of_rows(is_left))
        both = _both(agreement, phase.of_asked(batches[0]), phase.of_asked(batches[1]), run)
        means = [scoring.unit_scores(batch).mean for batch in batches]
        parts.append(
            {
                "number": phase.number,
                "condition": str(phase.phase.condition),
                "agreement": both,
                **_compared(means[0], means[1], read.items.pks, pool),
            }
        )
        given.append((phase.main.annotator, is_left))
    return {**_sizes(*_together(given)), "parts": parts}


def _labels(run: jobs.Run, population: Population, without: Sequence[int]) -> Figures:
    design = run.job.study.design
    read = label_answers.read_labels(design, population, also=without)
    names = read.categories.names

    def agreement(batch: scoring.Labels) -> JsonObject:
        rng = np.random.default_rng(design.seed)
        value = scoring.label_alpha(
            batch,
            distance="jaccard" if batch.is_several else "nominal",
            n_resamples=N_RESAMPLES,
            rng=rng,
        ).as_dict()
        return {"alpha": _named(value)}

    parts, given = [], []
    for phase in read.phases:
        is_left = _is_left(phase.main.annotator, read.annotator_pks, without)
        batches = (phase.main, phase.main.of_rows(is_left))
        both = _both(agreement, phase.of_asked(batches[0]), phase.of_asked(batches[1]), run)
        counts = [scoring.count_labels(batch) for batch in batches]
        # How many chose what most chose with everybody: a share that can be compared.
        standing = counts[0].counts.argmax(axis=1)
        shares = [_share_of(one, standing) for one in counts]
        said = [
            ["|".join(names[c] for c in np.flatnonzero(row).tolist()) for row in one.label]
            for one in counts
        ]
        found = _compared(shares[0], shares[1], read.items.pks, None)
        for row, item in zip(found["rows"], found.pop("items"), strict=True):
            row += [said[0][item], said[1][item]]
        found["n_changed"] = sum(row[5] != row[6] for row in found["rows"])
        parts.append(
            {
                "number": phase.number,
                "condition": str(phase.phase.condition),
                "agreement": both,
                **found,
            }
        )
        given.append((phase.main.annotator, is_left))
    return {**_sizes(*_together(given)), "parts": parts}


def _share_of(counts: scoring.LabelCounts, category: IntArray) -> FloatArray:
    chosen = counts.counts[np.arange(len(category)), category].astype(np.float64)
    found = np.full(len(category), np.nan)
    np.divide(chosen, counts.n, out=found, where=counts.n > 0)
    return found


def _both(
    agreement: Callable[[Batch], JsonObject], whole: Batch, part: Batch, run: jobs.Run
) -> JsonObject:
    """Each figure of agreement with and without, by its name."""
    with_them = agreement(whole)
    run.progress(0.6, _("without these people"))
    without_them = agreement(part)
    return {name: {"with": with_them[name], "without": without_them[name]} for name in with_them}


def _named(figure: JsonObject, name: str = "alpha") -> JsonObject:
    return {"value": figure[name], **{end: figure[end] for end in ("low", "high", "reason")}}


def _compared(
    whole: FloatArray, part: FloatArray, item_pks: Sequence[int], pool: IntArray | None
) -> Figures:
    """Every item that has a score with everybody; correlations over those that keep one.

    Rows: the item's key; score with, without; its rank within its pool with, without.
    """
    is_in_both = ~(np.isnan(whole) | np.isnan(part))
    x, y = whole[is_in_both], part[is_in_both]
    ranks = [np.full(len(values), np.nan) for values in (whole, part)]
    if pool is not None:
        ranks = [_ranks(values, pool) for values in (whole, part)]
    items = np.flatnonzero(~np.isnan(whole)).tolist()
    found: Figures = {
        "rows": [
            [
                item_pks[n],
                *(json_number(float(v[n])) for v in (whole, part, ranks[0], ranks[1])),
            ]
            for n in items
        ],
        "n_lost": int((~np.isnan(whole) & np.isnan(part)).sum()),
        "n_both": len(x),
        "pearson": json_number(float(scoring.pearson(x, y))),
        "spearman": json_number(float(scoring.spearman(x, y))),
        "reason": scoring.why_undefined(x, y),
    }
    return found if pool is not None else {**found, "items": items}


def _ranks(values: FloatArray, pool: IntArray) -> FloatArray:
    """Place within the pool, the highest first; equal scores share the mean of their places."""
    ranks = np.full(len(values), np.nan)
    has = np.flatnonzero(~np.isnan(values))
    in_order = has[np.argsort(pool[has], kind="stable")]
    ends = np.flatnonzero(np.diff(pool[in_order])) + 1
    for rows in np.split(in_order, ends):
        if len(rows):
            ranks[rows] = average_ranks(-values[rows])
    return ranks


def _numbers(names: Sequence[str]) -> IntArray:
    number = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def _is_left(annotator: IntArray, pks: Sequence[int], without: Sequence[int]) -> BoolArray:
    """Which answers are by somebody else."""
    is_out = np.isin(np.array(pks, dtype=np.int64), np.array(without, dtype=np.int64))
    return ~is_out[annotator]


def _together(given: Sequence[tuple[IntArray, BoolArray]]) -> tuple[IntArray, BoolArray]:
    return (
        np.concatenate([np.empty(0, dtype=np.int64), *(one for one, _left in given)]),
        np.concatenate([np.empty(0, dtype=np.bool_), *(left for _one, left in given)]),
    )


def _sizes(annotator: IntArray, is_left: BoolArray) -> Figures:
    return {
        "n_with": len(annotator),
        "n_without": int(is_left.sum()),
        "n_people_with": len(np.unique(annotator)),
        "n_people_without": len(np.unique(annotator[is_left])),
    }


def start(
    *, study: Study, population: Population, without: Collection[Annotator], by: User
) -> Job:
    """Have the scores computed with these people and without them; nothing else changes."""
    if study.kind == QuestionKind.SELECTION:
        raise StateError(_("Selected sentences have no scores that could be compared."))
    if not without:
        raise AnnotationError(_("Choose at least one person."))
    pks = sorted(one.pk for one in without)
    their_own = counted_answers.judgments_of(study, population).filter(
        assignment__annotator__in=pks
    )
    if not their_own.exists():
        raise AnnotationError(_("Nobody of these people has answered anything yet."))
    parameters = {"population": population, "without": pks}
    job = jobs.start(study=study, kind=Job.Kind.COMPARE, parameters=parameters, by=by)
    if job.parameters != parameters:
        raise AnnotationError(
            _("Another comparison is not finished yet; start this one when it is.")
        )
    return job


@receiver(answers_withdrawn)
def forget(held: Sequence[Assignment], **_kwargs: object) -> None:
    """Somebody withdraws: with and without them is what they said, and goes."""
    who = {assignment.annotator_id for assignment in held}
    kept = Job.objects.filter(
        study__annotators__in=who, kind=Job.Kind.COMPARE, figures__isnull=False
    ).distinct()
    for job in kept:
        if who & set(job.parameters["without"]):
            job.figures = None
            job.save(update_fields=["figures"])
