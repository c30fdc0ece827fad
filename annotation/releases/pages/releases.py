"""Step 9: numbered snapshots that others can cite, and what happened to them since."""

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, read
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.frame import hand_out, log, refusals, show, study_page, to, user_of
from annotation.core.queries import progress
from annotation.core.queries.comments import n_comments
from annotation.core.queries.held_for_review import held_for_review
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.registry import kind_of
from annotation.models import Job, Release, Study
from annotation.models.kinds import Source
from annotation.releases.exports import change_log
from annotation.releases.forms import ReleaseForm
from annotation.releases.queries import left_out, release_events
from annotation.releases.queries import releases as queries
from annotation.releases.services import releases as services


@study_page
@require_GET
def releases(request: HttpRequest, study: Study) -> HttpResponse:
    job = study.jobs.filter(kind=Job.Kind.RELEASE).order_by("-pk").first()
    all_releases = list(queries.releases_of(study))
    return show(
        request,
        study,
        "releases/releases.html",
        title=_("Releases"),
        section="releases",
        releases=[_shown(each, newest=all_releases[0].number) for each in all_releases],
        job=job_pages.described(request, study, job)
        if job and job.state != Job.State.DONE
        else None,
    )


def _shown(release: Release, *, newest: int) -> dict[str, Any]:
    return {
        "release": release,
        "since": [release_events.told(event, newest=newest) for event in release.events.all()],
        "changes": [read(line) for line in release.changes],
        "problem": services.size_problem(release),
    }


@study_page
@require_http_methods(["GET", "POST"])
def new_release(request: HttpRequest, study: Study) -> HttpResponse:
    """Describe the next one; sent, it starts a job."""
    last = queries.latest(study)
    data = request.POST if request.method == "POST" else None
    form = ReleaseForm(study, last, data)
    options_form = None
    form_class = kind_of(study).releases.options_form
    if form_class and not study.is_imported_table:
        usual = last.options if last else ExportOptions().as_dict()
        options_form = form_class(data, initial=usual)
    status = 200
    if data is not None:
        status = 400
        is_valid = form.is_valid() and (options_form is None or options_form.is_valid())
        if is_valid and form.description:
            try:
                job = services.start(
                    study=study,
                    description=form.description,
                    notes=form.cleaned_data["notes"],
                    options=options_form.options if options_form else None,
                    by=user_of(request),
                )
            except AnnotationError as error:
                for message in error.said:
                    form.add_error(None, str(message))
                status = error.status
            else:
                number = last.number + 1 if last else 1
                log(request, study, _("Making release %(n)s.") % {"n": number})
                return to(study, "job", job.pk)
    refusal = services.refusal(study)
    return show(
        request,
        study,
        "releases/release_new.html",
        title=_("Next release") if last else _("First release"),
        section="releases",
        status=status,
        refusal=refusal,
        form=form,
        options_form=options_form,
        last=last,
        is_collecting=progress.is_collecting(
            study, progress.places(study).get(Source.REAL, progress.Places())
        ),
        n_comments=n_comments(study),
        held=held_for_review(study.designs.order_by("-number").first(), "people"),
        differences=[] if refusal else _differences(study, last),
    )


def _differences(study: Study, last: Release | None) -> list[Said]:
    is_scored = services.is_up_to_date(study)
    return [
        *queries.differences(study, queries.contents(study), last),
        *left_out.leaderboards_before(study, is_scored=is_scored),
    ]


@study_page
@require_GET
def release(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    shown_release = _of(study, number)
    newest = queries.latest(study)
    assert newest is not None
    return show(
        request,
        study,
        "releases/release.html",
        title=_("Release %(number)s") % {"number": number},
        section="releases",
        newest=newest,
        described=shown_release.description,
        **_shown(shown_release, newest=newest.number),
    )


@study_page
@require_GET
def release_file(request: HttpRequest, study: Study, number: int) -> HttpResponseBase:
    """The ZIP as it was made."""
    with refusals(request):
        file = services.path(_of(study, number)).open("rb")
        name = f"{study.slug}-{number}.0.0.zip"
        return hand_out(request, study, FileResponse(file, as_attachment=True, filename=name))
    return to(study, "release", number)


@study_page
@require_GET
def release_changes(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    """The change log with what happened since; that in the ZIP ends with the day it was made."""
    return HttpResponse(
        change_log.markdown(queries.change_log(_of(study, number))),
        content_type="text/markdown; charset=utf-8",
    )


def _of(study: Study, number: int) -> Release:
    return get_object_or_404(queries.releases_of(study), number=number)
