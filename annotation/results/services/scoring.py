"""Scoring a study: one snapshot of its counted answers, one stored result."""

from django.contrib.auth.models import AbstractBaseUser

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_scoring
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study

N_SPLITS = 100


def request(*, study: Study, population: counted_answers.Population, by: AbstractBaseUser) -> Job:
    """Queue the scoring of one population's answers.

    Raises StateError where there is nothing to score, or while other answers are being scored.
    """
    refuse_scoring(study)
    if not study.design.is_made:
        raise StateError(_("There is no design yet, so there is nothing to score."))
    if not counted_answers.basis(study, population).n_judgments:
        raise StateError(
            _("No answers count yet. Answers count once somebody has completed a booklet.")
        )
    job = jobs.start(
        study=study, kind=Job.Kind.SCORE, parameters={"population": population}, by=by
    )
    if job.parameters.get("population") != population:
        raise StateError(
            _(
                "Other answers of this study are being scored. Start this scoring when that has "
                "finished."
            )
        )
    return job


STARTED = {
    "people": _("Started scoring people's answers."),
    "simulated": _("Started scoring the simulated answers."),
}


@jobs.does(Job.Kind.SCORE)
def score_job(run: jobs.Run) -> None:
    """Score one population of a study and store the result."""
    population = run.job.parameters.get("population", "people")
    n_splits = run.job.parameters.get("n_splits", N_SPLITS)
    if population not in counted_answers.POPULATIONS:
        raise AnnotationError(
            _("“%(name)s” is not a population. Choose people or simulated.") % {"name": population}
        )
    if not 1 <= n_splits <= 100_000:
        raise AnnotationError(_("splits: choose from 1 to 100,000."))
    study = run.job.study
    run.n_withdrawn = n_withdrawn(study.pk)
    kind_of(study).results.score(run, population, n_splits=n_splits)
