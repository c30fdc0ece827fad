"""The pages of this room's jobs."""

from django.utils.translation import gettext_lazy as _

from annotation.core.pages import job_pages
from annotation.core.pages.frame import url
from annotation.core.pages.job_pages import Form, JobPage
from annotation.models import Job, Study


@job_pages.shows(Job.Kind.SCORE)
class ScoringPage(JobPage):
    """The computation of scores."""

    section = "results"
    outcome_page = "results"
    outcome_label = _("See the results")
    failure_label = _("Go to the results")
    remedy = _("The answers are safe, and earlier results are unchanged. Try again.")
    cancelled = _("The answers are safe, and earlier results are unchanged.")
    lost = _("This computation is lost. The answers are safe, and earlier results are unchanged.")

    def address(self, study: Study, job: Job) -> str:
        return f"{super().address(study, job)}?population={_population(job)}"

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        return Form(url(study, "score"), {"population": _population(job)})


def _population(job: Job) -> str:
    return str(job.parameters.get("population", "people"))


@job_pages.shows(Job.Kind.COMPARE)
class ComparisonPage(JobPage):
    """The scores with and without some people."""

    section = "people"
    outcome_page = "comparison"
    outcome_label = _("See the comparison")
    failure_label = _("Go to the People page")
    remedy = _("Nothing has changed. Choose the people again.")
    cancelled = _("Nothing was compared or changed.")

    def address(self, study: Study, job: Job) -> str:
        if job.state == Job.State.DONE:
            return url(study, self.outcome_page, job.pk)
        return url(study, "people")
