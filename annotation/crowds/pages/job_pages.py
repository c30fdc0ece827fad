"""What the pages of this room's jobs say."""

from django.utils.translation import gettext_lazy as _

from annotation.core.pages import job_pages
from annotation.core.pages.job_pages import JobPage
from annotation.models import Job


@job_pages.shows(Job.Kind.SEND_LINKS)
class SendLinksPage(JobPage):
    """The sending of personal links."""

    section = "collect"
    outcome_page = "roster"
    outcome_label = _("Go to the roster")
    failure_label = _("Go to the roster")
    remedy = _(
        "The roster shows which messages were sent and which failed. You can "
        "send the failed ones again."
    )
    cancelled = _("Messages that were already sent stay sent. The roster shows who has none yet.")

    def outcome(self, job: Job) -> str:
        return job.said if job.state == Job.State.DONE else ""
