"""Work in the background: its page survives a reload and says when nobody does the work."""

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation.basics import clock
from annotation.basics.numbers import percent
from annotation.core import access
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
from annotation.core.pages.job_pages import page_of
from annotation.core.queries.jobs import message_of, who_is_told
from annotation.core.services import jobs, workers
from annotation.models import Job, Study


def _time_passed(job: Job) -> str:
    """How long it has been running; how long it will is not known well enough to be said."""
    if job.state != Job.State.RUNNING or job.started_at is None:
        return ""
    seconds = max(0, int((clock.shared_now() - job.started_at).total_seconds()))
    if seconds < 60:
        sentence = ngettext("Running for %(n)s second.", "Running for %(n)s seconds.", seconds)
        return sentence % {"n": seconds}
    minutes = seconds // 60
    sentence = ngettext("Running for %(n)s minute.", "Running for %(n)s minutes.", minutes)
    return sentence % {"n": minutes}


def described(request: HttpRequest, study: Study, job: Job | None) -> dict[str, Any] | None:
    """A job as the progress partial and the JSON show it."""
    if job is None:
        return None
    page = page_of(job)
    step = page.next_step(study, job) if job.state == Job.State.DONE else None
    is_told = not (job.may_name_people and access.is_reader(request.user, study))
    again = page.form_to_repeat(study, job) if job.has_ended_early else None
    is_worker_running = job.is_finished or workers.is_running()
    return {
        "pk": job.pk,
        "kind": job.what,
        "state": job.state,
        "state_label": str(job.get_state_display()),
        "percent": round(100 * job.progress),
        "percent_text": percent(job.progress, 0),
        "message": capfirst(message_of(job)),
        "outcome": page.outcome(job),
        "errors": job.problems if is_told else [],
        "is_finished": job.is_finished,
        "is_failed": job.state == Job.State.FAILED,
        "is_cancelled": job.state == Job.State.CANCELLED,
        "time_passed": _time_passed(job),
        "remedy": remedy_of(job, is_told=is_told),
        "again": asdict(again) if again else None,
        "needs_worker": not is_worker_running,
        "needs_long_worker": is_worker_running and workers.lacks_long_worker(job),
        "after_url": page.address(study, job),
        "after_label": str(page.label(job)),
        "next_step": {"url": step.url, "label": str(step.label)} if step else None,
        "url": url(study, "job", job.pk),
        "state_url": url(study, "job_state", job.pk),
        "cancel_url": url(study, "job_cancel", job.pk),
    }


def remedy_of(job: Job, *, is_told: bool) -> str:
    """What to do about a job that did not end well, in words; empty if there is nothing."""
    if job.error and not is_told:
        return str(who_is_told(job))
    return str(page_of(job).advice(job))


@study_page
@require_GET
def job(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    shown_job = get_object_or_404(study.jobs, pk=job_id)
    return show(
        request,
        study,
        "core/job.html",
        title=capfirst(shown_job.what),
        section=page_of(shown_job).section,
        job=described(request, study, shown_job),
    )


@study_page
@require_GET
def state(request: HttpRequest, study: Study, job_id: int) -> JsonResponse:
    return JsonResponse(described(request, study, get_object_or_404(study.jobs, pk=job_id)))


@study_page
@require_http_methods(["GET", "POST"])
def cancel(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """End a job; one that is at work only after a page has said what is lost."""
    ended_job = get_object_or_404(study.jobs, pk=job_id)
    is_confirmed = ended_job.state != Job.State.RUNNING or "confirmed" in request.POST
    if request.method == "POST" and is_confirmed:
        with refusals(request):
            # A double click is one.
            if jobs.cancel(job=ended_job, by=user_of(request)):
                log(request, study, _("Cancelled: %(job)s.") % {"job": ended_job.what})
        return to(study, "job", ended_job.pk)
    if ended_job.is_finished:
        return to(study, "job", ended_job.pk)
    page = page_of(ended_job)
    title = _("Cancel: %(job)s") % {"job": ended_job.what}
    return show(
        request,
        study,
        "core/confirm.html",
        title=title,
        section=page.section,
        confirmation=Confirmation(
            title=title,
            consequences=[
                _("The job stops within seconds and does not start again by itself."),
                page.lost or page.cancelled,
            ],
            button=_("Cancel the job"),
            is_dangerous=True,
        ),
        back=url(study, "job", ended_job.pk),
        carried=[("confirmed", "1")],
        action=url(study, "job_cancel", ended_job.pk),
    )
