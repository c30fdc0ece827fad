"""Work in the background: its page survives a reload and says when nobody does the work."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation.baselines.queries import human_scores
from annotation.basics import clock
from annotation.core.pages.frame import (
    Confirmation,
    log,
    refusals,
    show,
    study_page,
    to,
    url,
    user_of,
)
from annotation.core.queries.jobs import message_of
from annotation.core.services import jobs, workers
from annotation.models import Job, Study

# Where a job's outcome is looked at.
AFTER = {
    Job.Kind.IMPORT_ITEMS.value: ("items", _("See the items")),
    Job.Kind.MAKE_DESIGN.value: ("design", _("Read the certificate")),
    Job.Kind.SCORE.value: ("results", _("See the results")),
    Job.Kind.EXPORT.value: ("download", _("To the file")),
    Job.Kind.BASELINES.value: ("baselines", _("See the leaderboard")),
    Job.Kind.TRAIN.value: ("trainings", _("To the trained models")),
    Job.Kind.RELEASE.value: ("releases", _("See the releases")),
    Job.Kind.COMPARE.value: ("comparison", _("See both")),
    Job.Kind.CONTINUE.value: ("change", _("To the study")),
    Job.Kind.LEXICAL.value: ("items", _("See the table")),
    Job.Kind.SEND_LINKS.value: ("roster", _("To the roster")),
    Job.Kind.COPY.value: ("change", _("To the study")),
}


_AFTER_FAILURE = {
    Job.Kind.IMPORT_ITEMS.value: _("Upload the file again"),
    Job.Kind.MAKE_DESIGN.value: _("To the numbers"),
    Job.Kind.SCORE.value: _("To the results"),
    Job.Kind.EXPORT.value: _("To the downloads"),
    Job.Kind.BASELINES.value: _("To the baselines"),
    Job.Kind.TRAIN.value: _("To the trained models"),
    Job.Kind.RELEASE.value: _("To the releases"),
    Job.Kind.COMPARE.value: _("To the people"),
    Job.Kind.CONTINUE.value: _("To the study"),
    Job.Kind.LEXICAL.value: _("To the items"),
    Job.Kind.SEND_LINKS.value: _("To the roster"),
    Job.Kind.COPY.value: _("To the study"),
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
    Job.Kind.RELEASE.value: _("Earlier releases are unchanged. Mend that, then try again."),
    Job.Kind.COMPARE.value: _("Nothing has changed. Choose the people again."),
    Job.Kind.CONTINUE.value: _("No item was copied; the earlier round is unchanged. Try again."),
    Job.Kind.LEXICAL.value: _("The items are unchanged. Try again."),
    Job.Kind.SEND_LINKS.value: _(
        "The roster says who was sent a link and who was not. Send again to those who failed."
    ),
    Job.Kind.COPY.value: _("No item was copied; the other study is unchanged. Try again."),
}
# What became of the work of a cancelled one.
_CANCELLED = {
    Job.Kind.IMPORT_ITEMS.value: _("No item was imported; what was there before is unchanged."),
    Job.Kind.MAKE_DESIGN.value: _("The design is as it was before."),
    Job.Kind.SCORE.value: _("The answers are safe, and earlier results are unchanged."),
    Job.Kind.EXPORT.value: _("No file was made. The answers are safe."),
    Job.Kind.BASELINES.value: _(
        "Measures that were computed until then are kept, and so are texts that were encoded:"
        " started again, it goes on with the others."
    ),
    Job.Kind.TRAIN.value: _(
        "No model was stored. Its checkpoints are kept: started again with the same settings, it"
        " goes on from the last one. For other settings give the model another name."
    ),
    Job.Kind.RELEASE.value: _("No release was made; earlier ones are unchanged."),
    Job.Kind.COMPARE.value: _("Nothing was compared, and nothing has changed."),
    Job.Kind.CONTINUE.value: _("No item was copied; the earlier round is unchanged."),
    Job.Kind.LEXICAL.value: _("The texts were not measured. The items are unchanged."),
    Job.Kind.SEND_LINKS.value: _(
        "Messages that were sent until then stay sent; the roster says who has none yet."
    ),
    Job.Kind.COPY.value: _("No item was copied; the other study is unchanged."),
}
# What is lost by cancelling a running one.
_LOST = {
    **_CANCELLED,
    Job.Kind.IMPORT_ITEMS.value: _(
        "No item is imported; what was there before stays. The file has to be uploaded again."
    ),
    Job.Kind.MAKE_DESIGN.value: _("What was drawn until now is lost; the design stays as it was."),
    Job.Kind.SCORE.value: _(
        "What was computed until now is lost. The answers are safe, and earlier results stay."
    ),
    Job.Kind.EXPORT.value: _("What was written until now is lost. The answers are safe."),
    Job.Kind.BASELINES.value: _(
        "The measure that is being computed is lost. Those that were computed until now are kept,"
        " and so are texts that were encoded."
    ),
    Job.Kind.TRAIN.value: _(
        "The steps since the last checkpoint are lost. The checkpoint is kept: started again with"
        " the same settings, the training goes on from there."
    ),
    Job.Kind.RELEASE.value: _("What was written until now is lost; earlier releases stay."),
}
# Of drawings of pairs, which are imports to the queue alone.
_OF_SAMPLING = {
    "failed": _(
        "Nothing was drawn and nothing was imported. The file is kept for two days: change the"
        " numbers or the measure and draw again, or give another file."
    ),
    "cancelled": _(
        "No pairs were drawn and nothing was imported. The file is kept for two days: it need not"
        " be uploaded again."
    ),
    "lost": _(
        "What was compared until now is lost, but not what a model has encoded. Nothing is"
        " imported, and the file is kept for two days."
    ),
}
# What can be started once more.
ENDED_EARLY = {Job.State.FAILED, Job.State.CANCELLED}


def _time_passed(job: Job) -> str:
    """How long it has been running; how long it will is not known well enough to be said."""
    if job.state != Job.State.RUNNING or job.started_at is None:
        return ""
    seconds = max(0, int((clock.shared_now() - job.started_at).total_seconds()))
    if seconds < 60:
        said = ngettext("Running for %(n)s second.", "Running for %(n)s seconds.", seconds)
        return said % {"n": seconds}
    minutes = seconds // 60
    said = ngettext("Running for %(n)s minute.", "Running for %(n)s minutes.", minutes)
    return said % {"n": minutes}


def _again(study: Study, job: Job) -> dict[str, Any] | None:
    """The form that starts a job that failed or was cancelled again; no file is kept for that."""
    if job.state not in ENDED_EARLY:
        return None
    if job.kind == Job.Kind.MAKE_DESIGN and study.is_draft:
        return {"url": url(study, "make_design"), "fields": {}}
    if job.kind in Job.COPYING_KINDS and study.is_draft and not study.has_material:
        return {"url": url(study, "continue"), "fields": {}}
    if job.kind == Job.Kind.SCORE:
        fields = {"population": job.parameters.get("population", "people")}
        return {"url": url(study, "score"), "fields": fields}
    if job.kind in {Job.Kind.BASELINES, Job.Kind.TRAIN}:
        return {"url": url(study, "baselines_again", job.pk), "fields": {}}
    if job.kind == Job.Kind.LEXICAL:
        return {"url": url(study, "measure_texts"), "fields": {}}
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
    if job.state in ENDED_EARLY or _lacks_leaderboard(job):
        label = _AFTER_FAILURE[job.kind]
    if job.kind == Job.Kind.SCORE:
        address = f"{url(study, after)}?population={job.parameters.get('population', 'people')}"
    elif job.kind == Job.Kind.COMPARE:
        is_there = job.state == Job.State.DONE
        address = url(study, after, job.pk) if is_there else url(study, "people")
    elif "sampled" in job.parameters:
        is_there = job.state == Job.State.DONE
        label = _("See the pairs") if is_there else _("Back to the numbers")
        back = f"{url(study, 'sample')}?of={job.pk}"
        address = url(study, "sampled", job.pk) if is_there else back
    elif "finished" in job.parameters and job.state in ENDED_EARLY:
        address = url(study, "finished")
    else:
        address = url(study, after)
    is_worker_running = job.is_finished or workers.is_running()
    return {
        "pk": job.pk,
        "kind": job.what,
        "state": job.state,
        "state_label": str(job.get_state_display()),
        "percent": round(100 * job.progress),
        "message": message_of(job),
        # What one that is done has found, where no other page says so.
        "outcome": job.said
        if job.kind == Job.Kind.SEND_LINKS and job.state == Job.State.DONE
        else "",
        "errors": job.problems,
        "is_finished": job.is_finished,
        "is_failed": job.state == Job.State.FAILED,
        "is_cancelled": job.state == Job.State.CANCELLED,
        "time_passed": _time_passed(job),
        "remedy": remedy_of(job),
        "again": _again(study, job),
        "needs_worker": not is_worker_running,
        "needs_long_worker": is_worker_running and workers.lacks_long_worker(job),
        "after_url": address,
        "after_label": str(label),
        "url": url(study, "job", job.pk),
        "state_url": url(study, "job_state", job.pk),
        "cancel_url": url(study, "job_cancel", job.pk),
    }


def _lacks_leaderboard(job: Job) -> bool:
    is_done = job.kind == Job.Kind.BASELINES and job.state == Job.State.DONE
    return is_done and not job.reports.exists()


def remedy_of(job: Job) -> str:
    if "sampled" in job.parameters:
        return str(_OF_SAMPLING.get(job.state, ""))
    if job.state == Job.State.CANCELLED:
        return str(_CANCELLED[job.kind])
    if _lacks_leaderboard(job):
        return str(
            _(
                "The measures are stored. There is no leaderboard, because nobody’s scores count"
                " today. %(why)s Or choose a column of its items as “Whose scores”."
            )
            % {"why": human_scores.missing_step(job.study) or _("Compute the leaderboard again.")}
        )
    return str(_REMEDIES[job.kind]) if job.state == Job.State.FAILED else ""


@study_page
@require_GET
def job(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    found = get_object_or_404(study.jobs, pk=job_id)
    return show(
        request,
        study,
        "core/job.html",
        title=capfirst(found.what),
        job=described(study, found),
    )


@study_page
@require_GET
def state(request: HttpRequest, study: Study, job_id: int) -> JsonResponse:
    return JsonResponse(described(study, get_object_or_404(study.jobs, pk=job_id)))


@study_page
@require_http_methods(["GET", "POST"])
def cancel(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """End a job; one that is at work only after a page has said what is lost."""
    found = get_object_or_404(study.jobs, pk=job_id)
    is_confirmed = found.state != Job.State.RUNNING or "confirmed" in request.POST
    if request.method == "POST" and is_confirmed:
        with refusals(request):
            # A double click is one.
            if jobs.cancel(job=found, by=user_of(request)):
                log(request, study, _("Cancelled: %(job)s.") % {"job": found.what})
        return to(study, "job", found.pk)
    if found.is_finished:
        return to(study, "job", found.pk)
    title = _("Cancel: %(job)s") % {"job": found.what}
    return show(
        request,
        study,
        "core/confirm.html",
        title=title,
        confirmation=Confirmation(
            title=title,
            consequences=[
                _("The work stops within seconds and is not taken up again by itself."),
                _OF_SAMPLING["lost"] if "sampled" in found.parameters else _LOST[found.kind],
            ],
            button=_("Cancel the work"),
            is_dangerous=True,
        ),
        back=url(study, "job", found.pk),
        carried=[("confirmed", "1")],
        action=url(study, "job_cancel", found.pk),
    )
