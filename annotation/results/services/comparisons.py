"""Scores with and without some people: starting the comparison, and forgetting it."""

from collections.abc import Collection, Sequence

from django.contrib.auth.models import User

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.core.services import jobs
from annotation.models import Annotator, Assignment, Job, Study
from annotation.models.kinds import QuestionKind


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


def forget(held: Sequence[Assignment]) -> None:
    """Somebody withdraws: with and without them is what they said, and goes."""
    who = {assignment.annotator_id for assignment in held}
    kept = Job.objects.filter(
        study__annotators__in=who, kind=Job.Kind.COMPARE, figures__isnull=False
    ).distinct()
    for job in kept:
        if who & set(job.parameters["without"]):
            job.figures = None
            job.save(update_fields=["figures"])
