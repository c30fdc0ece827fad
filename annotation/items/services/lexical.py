"""Computing the lexical statistics of a study's texts: in a job, for dictionaries take memory."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.queries.snapshots import snapshot
from annotation.core.services import jobs
from annotation.items.queries import lexical
from annotation.models import Job, Study


@jobs.does(Job.Kind.LEXICAL)
def lexical_job(run: jobs.Run) -> None:
    """Measure every text and keep the figures in the job."""
    study = Study.objects.get(pk=run.job.study_id)
    n_expected = max(1, study.contexts.count() + 2 * study.items.count())

    def progress(n: int) -> None:
        run.note(0.9 * min(n / n_expected, 1.0), _("%(n)s texts analysed") % {"n": n})

    # SQLite lets nobody write who is still reading, once somebody else has written meanwhile: how
    # far it is, the heartbeat's connection says.
    with snapshot():
        figures = {
            **lexical.compute(study, progress),
            "state_of_texts": lexical.state_of_texts(study),
        }
    with transaction.atomic():
        run.keep()
        Job.objects.filter(pk=run.job.pk).update(figures=figures)


def start(*, study: Study, by: AbstractBaseUser | None) -> Job:
    """Queue the computation. Raises AnnotationError if there is no text yet."""
    _refuse_empty(study)
    return jobs.start(study=study, kind=Job.Kind.LEXICAL, by=by)


def compute_here(*, study: Study, by: AbstractBaseUser | None = None) -> Job:
    """Compute them now, in this process: for commands."""
    _refuse_empty(study)
    if study.jobs.filter(kind=Job.Kind.LEXICAL, state__in=Job.UNFINISHED).exists():
        raise AnnotationError(_("The lexical statistics are being computed."))
    return jobs.run_here(study=study, kind=Job.Kind.LEXICAL, by=by)


def bring_up_to_date(study: Study, *, by: AbstractBaseUser | None = None) -> None:
    """Compute them before a file is written, unless they are there or under way."""
    if lexical.current(study) is not None:
        return
    if study.jobs.filter(kind=Job.Kind.LEXICAL, state__in=Job.UNFINISHED).exists():
        return
    try:
        jobs.run_here(study=study, kind=Job.Kind.LEXICAL, by=by)
    except IntegrityError:
        # Somebody pressed the button just now.
        return


def _refuse_empty(study: Study) -> None:
    if not study.items.exists() and not study.contexts.exists():
        raise AnnotationError(_("There are no items yet, so there are no texts to analyse."))
