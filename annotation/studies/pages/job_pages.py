"""What the pages of this room's jobs say."""

from django.utils.translation import gettext_lazy as _

from annotation.basics.sentences import sentence
from annotation.core.pages import job_pages
from annotation.core.pages.frame import url
from annotation.core.pages.job_pages import Form, JobPage
from annotation.models import Job, Study


@job_pages.shows(Job.Kind.COPY)
class CopyPage(JobPage):
    """The copying of another study's items."""

    section = "change"
    outcome_page = "change"
    outcome_label = _("Go to the study")
    failure_label = _("Go to the study")
    remedy = _("No items were copied, and the other study is unchanged. Try again.")
    cancelled = _("No items were copied, and the other study is unchanged.")
    repeated = sentence("Started copying the items of another study.")

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        return Form(url(study, "continue")) if study.is_draft and not study.has_material else None
