"""The pages of this room's jobs."""

from django.utils.translation import gettext_lazy as _

from annotation.baselines.queries import human_scores
from annotation.basics.sentences import sentence
from annotation.core.pages import job_pages
from annotation.core.pages.frame import url
from annotation.core.pages.job_pages import Form, JobPage
from annotation.core.pages.navigation import Text
from annotation.models import Job, Study

STARTED = sentence("Started computing the measures and the leaderboard.")


class RepeatablePage(JobPage):
    """A job of this room, which the page of baselines starts again."""

    repeated = STARTED

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        return Form(url(study, "baselines_again", job.pk))


@job_pages.shows(Job.Kind.BASELINES)
class MeasuresPage(RepeatablePage):
    """The computation of measures and of the leaderboard."""

    section = "baselines"
    outcome_page = "baselines"
    outcome_label = _("See the leaderboard")
    failure_label = _("Go to the baselines")
    remedy = _("Earlier results are kept. Correct the problem and try again.")
    cancelled = _(
        "Finished measures and encoded texts are kept. If you start again, the job continues "
        "with the rest."
    )
    lost = _("The measure being computed is lost. Finished measures and encoded texts are kept.")

    def has_failed(self, job: Job) -> bool:
        return job.has_ended_early or _lacks_leaderboard(job)

    def advice(self, job: Job) -> Text:
        if not _lacks_leaderboard(job):
            return super().advice(job)
        return _(
            "The measures are stored. There is no leaderboard, because there are no scores from "
            "people. %(why)s Or choose an item column under “People's scores”."
        ) % {"why": human_scores.missing_step(job.study) or _("Compute the leaderboard again.")}


def _lacks_leaderboard(job: Job) -> bool:
    return job.state == Job.State.DONE and not job.reports.exists()


@job_pages.shows(Job.Kind.TRAIN)
class TrainingPage(RepeatablePage):
    """The training of a model."""

    section = "baselines"
    outcome_page = "trainings"
    outcome_label = _("Go to the trained models")
    failure_label = _("Go to the trained models")
    remedy = _("Earlier models are kept. Correct the problem and try again.")
    cancelled = _(
        "No model was stored, but its checkpoints are kept. If you start again with the same "
        "settings, training resumes from the last checkpoint. For other settings, give the "
        "model another name."
    )
    lost = _(
        "The steps since the last checkpoint are lost. If you start again with the same "
        "settings, training resumes from that checkpoint."
    )
