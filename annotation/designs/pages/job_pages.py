"""What the pages of this room's jobs say."""

from django.utils.translation import gettext_lazy as _

from annotation.basics.sentences import sentence
from annotation.core.pages import job_pages
from annotation.core.pages.frame import url
from annotation.core.pages.job_pages import Form, JobPage, Step
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study


@job_pages.shows(Job.Kind.MAKE_DESIGN)
class DesignPage(JobPage):
    """The drawing of the design."""

    section = "design"
    outcome_page = "design"
    outcome_label = _("Read the certificate")
    failure_label = _("Go to the settings")
    remedy = _("If necessary, change the settings or the items. Then try again.")
    cancelled = _("The design has not changed.")
    lost = _("Everything drawn so far is lost. The existing design does not change.")

    def outcome(self, job: Job) -> str:
        sentences = kind_of(job.study).designs.certificate(job.study.design)
        return sentences[0] if _has_made_design(job) and sentences else ""

    def next_step(self, study: Study, job: Job) -> Step | None:
        if not study.is_draft or not _has_made_design(job):
            return None
        return Step(url(study, "try"), _("Try it"))

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        return Form(url(study, "make_design")) if study.is_draft else None


def _has_made_design(job: Job) -> bool:
    """Whether the study still has the design that this job made."""
    if job.state != Job.State.DONE or not job.study.design.is_made:
        return False
    later = job.study.jobs.filter(kind=job.kind, state=Job.State.DONE, pk__gt=job.pk)
    return not later.exists()


@job_pages.shows(Job.Kind.CONTINUE)
class NextRoundPage(JobPage):
    """The copying of an earlier round's items into a next one."""

    section = "change"
    outcome_page = "change"
    outcome_label = _("Go to the study")
    failure_label = _("Go to the study")
    remedy = _("No items were copied, and the earlier round is unchanged. Try again.")
    cancelled = _("No items were copied, and the earlier round is unchanged.")
    repeated = sentence("Started copying the items of the earlier round.")

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        return Form(url(study, "continue")) if study.is_draft and not study.has_material else None
