"""Scoring a study: one snapshot of its counted answers, one stored result."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import counted_answers
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_scoring
from annotation.kinds.queries.study_facts import chosen_options
from annotation.kinds.registry import kind_of
from annotation.kinds.scoring_options import ScoringOptions
from annotation.models import Job, Study

N_SPLITS = 100


def request(
    *,
    study: Study,
    population: counted_answers.Population,
    by: AbstractBaseUser,
    **chosen: Any,
) -> Job:
    """Queue the scoring of one population's answers; `chosen` as `options_of` takes it.

    Raises StateError where there is nothing to score, or while other answers are being scored.
    """
    refuse_scoring(study)
    if not study.design.is_made:
        raise StateError(_("There is no design yet, so there is nothing to score."))
    if not counted_answers.basis(study, population).n_judgments:
        raise StateError(
            _("No answers count yet. Answers count once somebody has completed a booklet.")
        )
    wanted = {"population": population, **options_of(study, population, **chosen)}
    job = jobs.start(study=study, kind=Job.Kind.SCORE, parameters=wanted, by=by)
    if any(job.parameters.get(name) != value for name, value in wanted.items()):
        raise StateError(
            _(
                "This study is already being scored. Wait until that has finished, then score "
                "again."
            )
        )
    return job


def options_of(
    study: Study, population: counted_answers.Population, **chosen: Any
) -> dict[str, Any]:
    """Parameters of a job: what is chosen, the rest as in the latest result.

    Raises AnnotationError for what cannot be chosen. Of studies without options there are none.
    """
    if kind_of(study).results.has_options(study):
        usual = chosen_options(study.design, population)
        return ScoringOptions.of({**usual.as_dict(), **chosen}).as_dict()
    if chosen:
        raise AnnotationError(
            _("Only rating studies with a phase without context and one in context have a test.")
        )
    return {}


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
