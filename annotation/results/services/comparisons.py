"""Scores with and without some people, computed side by side; no result of the study is stored.

With: everybody who counts now, and these people, excluded or not. Without: the others of them.
Alone: these people only.
"""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.core.services.locks import lock_study
from annotation.models import Annotator, Job, Study
from annotation.results.queries.comparisons import comparison_of


@jobs.does(Job.Kind.COMPARE)
def compare_job(run: jobs.Run) -> None:
    """Compare all scores with those without the named people; the job stores the figures."""
    job = run.job
    population: Population = job.parameters["population"]
    without: list[int] = job.parameters["without"]
    n_before = n_withdrawn(job.study_id)
    run.progress(0.0, _("reading the answers"))
    figures = comparison_of(job.study).compare(run, population, without)
    with transaction.atomic():
        # A withdrawal locks this row too: it comes either before, and is noticed here, or after,
        # and deletes the figures.
        lock_study(job.study_id)
        if n_withdrawn(job.study_id) == n_before:
            Job.objects.filter(pk=job.pk, run_token=run.token).update(figures=figures)


def start(
    *,
    study: Study,
    population: Population,
    without: Collection[Annotator],
    answer: str = "",
    by: User,
) -> Job:
    """Queue a comparison of the scores with and without these people; nothing else changes.

    `answer` is what they were chosen by, if it was what they answered about themselves.
    """
    comparison_of(study)  # refuses a study without scores
    if not without:
        raise AnnotationError(_("Choose at least one person."))
    pks = sorted(annotator.pk for annotator in without)
    their_own = counted_answers.judgments_of(study, population).filter(
        assignment__annotator__in=pks
    )
    if not their_own.exists():
        raise AnnotationError(_("None of these people has answered yet."))
    parameters = {"population": population, "without": pks, "answer": answer}
    job = jobs.start(study=study, kind=Job.Kind.COMPARE, parameters=parameters, by=by)
    if job.parameters != parameters:
        raise AnnotationError(
            _("Another comparison is running. Wait until it has finished, then compare again.")
        )
    return job
