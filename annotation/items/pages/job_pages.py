"""What the pages of this room's jobs say."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.core.pages import counts, job_pages
from annotation.core.pages.frame import url
from annotation.core.pages.job_pages import Form, JobPage, Step
from annotation.core.pages.navigation import Text
from annotation.models import Job, Study


@job_pages.shows(Job.Kind.IMPORT_ITEMS)
class ImportPage(JobPage):
    """An import of items; pairs that are drawn and finished answers are imports of other kinds."""

    section = "items"
    outcome_page = "items"
    outcome_label = _("See the items")
    failure_label = _("Upload the file again")
    remedy = _("Nothing has changed. Fix the file, then upload it again.")
    cancelled = _("Nothing was imported or changed.")
    lost = _("Nothing will be imported or changed. You will have to upload the file again.")

    def outcome(self, job: Job) -> str:
        numbers = job.parameters.get("imported")
        if job.state != Job.State.DONE or not numbers:
            return ""
        if n_incidents := numbers.get("n_incidents"):
            return gettext("Imported: %(what)s.") % {"what": counts.incidents(n_incidents)}
        items = counts.items(numbers["n_items"])
        if n_dialogues := numbers.get("n_dialogues"):
            return gettext("Imported: %(items)s in %(dialogues)s.") % {
                "items": items,
                "dialogues": counts.dialogues(n_dialogues),
            }
        return gettext("Imported: %(what)s.") % {"what": items}

    def next_step(self, study: Study, job: Job) -> Step | None:
        if not study.is_draft or not study.has_material or study.design.is_made:
            return None
        return Step(url(study, "design"), _("Go on to the design"))

    def variant(self, job: Job) -> JobPage:
        if "sampled" in job.parameters:
            return SamplingPage()
        return FinishedAnswersPage() if "finished" in job.parameters else self


class FinishedAnswersPage(ImportPage):
    """An import of answers that another tool collected."""

    def variant(self, job: Job) -> JobPage:
        return self

    def outcome(self, job: Job) -> str:
        return job.said if job.state == Job.State.DONE else ""

    def address(self, study: Study, job: Job) -> str:
        return url(study, "finished") if job.has_ended_early else super().address(study, job)


class SamplingPage(JobPage):
    """A drawing of pairs."""

    section = "items"
    remedy = _(
        "No pairs were drawn. The file is kept for two days: change the numbers or "
        "the measure and draw again, or upload another file."
    )
    cancelled = _(
        "No pairs were drawn. The file is kept for two days, so you do not have to "
        "upload it again."
    )
    lost = _(
        "The comparisons so far are lost, but text vectors already computed are kept. "
        "Nothing is imported, and the file is kept for two days."
    )

    def address(self, study: Study, job: Job) -> str:
        if job.state == Job.State.DONE:
            return url(study, "sampled", job.pk)
        return f"{url(study, 'sample')}?of={job.pk}"

    def label(self, job: Job) -> Text:
        return _("See the pairs") if job.state == Job.State.DONE else _("Back to the settings")


@job_pages.shows(Job.Kind.LEXICAL)
class LexicalPage(JobPage):
    """Lexical statistics of the texts."""

    section = "items"
    outcome_page = "items"
    outcome_label = _("See the table")
    failure_label = _("Go to the items")
    remedy = _("The items are unchanged. Try again.")
    cancelled = _("The statistics were not computed. The items are unchanged.")

    def form_to_repeat(self, study: Study, job: Job) -> Form | None:
        return Form(url(study, "measure_texts"))
