"""What the pages of this room's jobs say."""

from django.utils.translation import gettext_lazy as _

from annotation.core.pages import job_pages
from annotation.core.pages.frame import url
from annotation.core.pages.job_pages import Form, JobPage
from annotation.models import Job, Study


@job_pages.shows(Job.Kind.EXPORT)
class DownloadPage(JobPage):
    """The writing of the archive that is downloaded."""

    section = "download"
    outcome_page = "download"
    outcome_label = _("Go to the file")
    failure_label = _("Go to the downloads")
    remedy = _("The answers are safe. Try again.")
    cancelled = _("No file was created. The answers are safe.")
    lost = _("The unfinished file is lost. The answers are safe.")

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        fields = {"population": job.parameters.get("population", "people")}
        if job.parameters.get("spreadsheet"):
            fields["spreadsheet"] = "1"
        return Form(url(study, "prepare"), fields)


@job_pages.shows(Job.Kind.RELEASE)
class ReleasePage(JobPage):
    """The making of a release."""

    section = "releases"
    outcome_page = "releases"
    outcome_label = _("See the releases")
    failure_label = _("Go to the releases")
    remedy = _("Earlier releases are unchanged. Fix the problem, then try again.")
    cancelled = _("No release was made. Earlier releases are unchanged.")
    lost = _("The unfinished release is lost. Earlier releases stay.")
