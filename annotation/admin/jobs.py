"""Work in the background: its page survives a reload and says when nobody does the work."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation.admin.pages import show, study_page, url
from annotation.models import Job, Study
from annotation.services import workers

# Where a job's outcome is looked at.
AFTER = {
    Job.Kind.IMPORT_ITEMS.value: ("items", _("See the items")),
    Job.Kind.MAKE_DESIGN.value: ("design", _("Read the certificate")),
    Job.Kind.SCORE.value: ("results", _("See the results")),
    Job.Kind.EXPORT.value: ("download", _("To the file")),
    Job.Kind.BASELINES.value: ("baselines", _("See the leaderboard")),
    Job.Kind.TRAIN.value: ("trainings", _("To the trained models")),
}


_AFTER_FAILURE = {
    Job.Kind.IMPORT_ITEMS.value: _("Upload the file again"),
    Job.Kind.MAKE_DESIGN.value: _("To the numbers"),
    Job.Kind.SCORE.value: _("To the results"),
    Job.Kind.EXPORT.value: _("To the downloads"),
    Job.Kind.BASELINES.value: _("To the baselines"),
    Job.Kind.TRAIN.value: _("To the trained models"),
}
# What helps when it failed.
_REMEDIES = {
    Job.Kind.IMPORT_ITEMS.value: _(
        "What was there before is unchanged. Mend the file, then upload it again."
    ),
    Job.Kind.MAKE_DESIGN.value: _("Change the numbers or the items if need be, then try again."),
    Job.Kind.SCORE.value: _("The answers are safe, and earlier results are unchanged. Try again."),
    Job.Kind.EXPORT.value: _("The answers are safe. Try again."),
    Job.Kind.BASELINES.value: _("What was computed before is kept. Mend that, then try again."),
    Job.Kind.TRAIN.value: _("What was trained before is kept. Mend that, then try again."),
}


def _time_passed(job: Job) -> str:
    """How long it has been running; how long it will is not known well enough to be said."""
    if job.state != Job.State.RUNNING or job.started_at is None:
        return ""
    seconds = int((timezone.now() - job.started_at).total_seconds())
    if seconds < 60:
        said = ngettext("Running for %(n)s second.", "Running for %(n)s seconds.", seconds)
        return said % {"n": seconds}
    minutes = seconds // 60
    said = ngettext("Running for %(n)s minute.", "Running for %(n)s minutes.", minutes)
    return said % {"n": minutes}


def _again(study: Study, job: Job) -> dict[str, Any] | None:
    """The form that starts a failed job again; a file has to be uploaded again instead."""
    if job.state != Job.State.FAILED:
        return None
    if job.kind == Job.Kind.MAKE_DESIGN and study.is_draft:
        return {"url": url(study, "make_design"), "fields": {}}
    if job.kind == Job.Kind.SCORE:
        fields = {"population": job.parameters.get("population", "people")}
        return {"url": url(study, "score"), "fields": fields}
    if job.kind in {Job.Kind.BASELINES, Job.Kind.TRAIN}:
        return {"url": url(study, "baselines_again", job.pk), "fields": {}}
    if job.kind == Job.Kind.EXPORT:
        spreadsheet = {"spreadsheet": "1"} if job.parameters.get("spreadsheet") else {}
        fields = {"population": job.parameters.get("population", "people"), **spreadsheet}
        return {"url": url(study, "prepare"), "fields": fields}
    return None


def described(study: Study, job: Job | None) -> dict[str, Any] | None:
    """A job as the progress partial and the JSON show it."""
    if job is None:
        return None
    after, label = AFTER[job.kind]
    if job.state == Job.State.FAILED:
        label = _AFTER_FAILURE[job.kind]
    if job.kind == Job.Kind.SCORE:
        address = f"{url(study, after)}?population={job.parameters.get('population', 'people')}"
    else:
        address = url(study, after)
    return {
        "pk": job.pk,
        "kind": str(job.get_kind_display()),
        "state": job.state,
        "state_label": str(job.get_state_display()),
        "percent": round(100 * job.progress),
        "message": job.said,
        "errors": job.problems,
        "is_finished": job.is_finished,
        "is_failed": job.state == Job.State.FAILED,
        "time_passed": _time_passed(job),
        "remedy": str(_REMEDIES[job.kind]) if job.state == Job.State.FAILED else "",
        "again": _again(study, job),
        "needs_worker": not job.is_finished and not workers.is_running(),
        "after_url": address,
        "after_label": str(label),
        "url": url(study, "job", job.pk),
        "state_url": url(study, "job_state", job.pk),
    }


@study_page
@require_GET
def job(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    found = get_object_or_404(study.jobs, pk=job_id)
    return show(
        request,
        study,
        "job.html",
        title=str(found.get_kind_display()).capitalize(),
        job=described(study, found),
    )


@study_page
@require_GET
def state(request: HttpRequest, study: Study, job_id: int) -> JsonResponse:
    return JsonResponse(described(study, get_object_or_404(study.jobs, pk=job_id)))
