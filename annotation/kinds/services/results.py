"""Storing a result: its rows in short transactions, all of them there once its job is done."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import translated
from annotation.core.queries.counted_answers import Basis, Population
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.core.services.job_rows import JobRows, forget_half_stored
from annotation.core.services.locks import lock_study
from annotation.kinds.rating.queries.answers import PhaseAnswers
from annotation.models import AnnotatorStatistics, ItemScore, Job, Result
from scoring.json_values import JsonObject
from shell.messages import message as _

AnyPhase = TypeVar("AnyPhase", bound=PhaseAnswers[Any])

_ROWS = ((ItemScore, "result"), (AnnotatorStatistics, "result"))


def statistics_of_phases(
    run: jobs.Run,
    phases: Sequence[AnyPhase],
    statistics_of: Callable[[AnyPhase], dict[str, Any]],
) -> list[dict[str, Any]]:
    """The statistics of each phase, which take the job from 30 to 70 per cent."""
    statistics = []
    for place, phase in enumerate(phases):
        run.progress(
            0.3 + 0.4 * place / len(phases), translated(_("phase %(number)s", number=phase.number))
        )
        statistics.append(statistics_of(phase))
    run.progress(0.7, translated(_("comparison of phases")))
    return statistics


def result_of(
    run: jobs.Run,
    *,
    kind: str,
    population: Population,
    basis: Basis,
    statistics: dict[str, Any],
    parameters: dict[str, Any],
) -> Result:
    """The result of a job that scores, with what it was computed from."""
    study, design = run.job.study, run.job.study.design
    return Result(
        study=study,
        design=design,
        job=run.job,
        kind=kind,
        population=population,
        computed_at=clock.now(),
        code_version=settings.VERSION,
        parameters={
            "seed": design.seed,
            "design": design.number,
            "sum_of_keys": basis.sum_of_keys,
            **parameters,
        },
        n_judgments=basis.n_judgments,
        last_judgment=basis.last_judgment,
        statistics=statistics,
    )


def without(figures: JsonObject, *names: str) -> dict[str, Any]:
    """Figures but for some, such as those that each item or person has for itself."""
    return {name: value for name, value in figures.items() if name not in names}


@contextmanager
def storing(run: jobs.Run, result: Result) -> Iterator[JobRows]:
    """Store a result with the rows that are written meanwhile; the job is done with that."""
    # A worker may have been killed while it stored the same result.
    forget_half_stored(Result._base_manager.filter(job=run.job), *_ROWS)
    rows = JobRows(run)
    rows.insert(Result, [result])
    yield rows
    rows.let_others_in()
    with transaction.atomic():
        # Withdrawals hold it, too: they come before, and are noticed here, or after, and delete
        # the result.
        lock_study(result.study_id)
        if n_withdrawn(result.study_id) != run.n_withdrawn:
            raise StateError(translated(_("Somebody withdrew during the scoring. Score again.")))
        rows.end()


def add_people(rows: JobRows, statistics: Iterable[AnnotatorStatistics]) -> None:
    """Store the figures of people."""
    rows.in_batches(statistics, AnnotatorStatistics.objects.bulk_create)


def forget_abandoned() -> None:
    """Delete what jobs have left that failed, were cancelled or killed over it."""
    ended = (Job.State.FAILED, Job.State.CANCELLED)
    forget_half_stored(Result._base_manager.filter(job__state__in=ended), *_ROWS)
