"""The audit log: of one study, and of the whole site."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.core.exports.columns import Column, lines
from annotation.core.forms.log import LogForm
from annotation.core.pages.frame import page_of, show, study_page, user_of
from annotation.core.queries import log_lines
from annotation.models import Study

_COLUMNS = [
    Column("time", "when", lambda line: line.at.isoformat(timespec="seconds")),
    Column("person", "who did it", lambda line: line.who),
    Column("kind", "of what was done", lambda line: line.kind),
    Column("by", "the API; empty: a page", lambda line: line.door),
    Column("about", "the study or account", lambda line: line.about),
    Column("what", "what was done", lambda line: line.said),
]


@study_page
@require_GET
def history(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Who did what in a study."""
    events = log_lines.of_study(study)
    form = LogForm(request.GET, log_lines.people(events), has_accounts=False)
    chosen = log_lines.chosen(events, form.wanted)
    if request.GET.get("as") == "tsv":
        return _tsv(f"{study.slug}-history.tsv", chosen)
    return show(
        request,
        study,
        "core/history.html",
        title=_("History"),
        section="history",
        **_context(request, form, chosen),
    )


@require_GET
def log(request: HttpRequest) -> HttpResponseBase:
    """Of all studies and accounts, for superusers; of one's own account, for everybody."""
    user = user_of(request)
    events = log_lines.of_everything(user)
    studies = Study.objects.order_by("title", "pk") if user.is_superuser else None
    form = LogForm(request.GET, log_lines.people(events), studies)
    chosen = log_lines.chosen(events, form.wanted)
    if request.GET.get("as") == "tsv":
        return _tsv("log.tsv", chosen)
    return TemplateResponse(
        request,
        "admin/log.html",
        {
            **admin.site.each_context(request),
            "title": _("Log"),
            "names_objects": True,
            "is_of_everything": user.is_superuser,
            **_context(request, form, chosen),
        },
    )


def _context(request: HttpRequest, form: LogForm, events: Any) -> dict[str, Any]:
    page = page_of(request, events)
    query = request.GET.copy()
    query.pop("page", None)
    on_page = list(log_lines.lines(page.object_list))
    return {
        "form": form,
        "page": page,
        "lines": on_page,
        "studies": log_lines.studies_of(on_page),
        "query": query.urlencode(),
        "is_narrowed": any(request.GET.get(name) for name in form.fields),
    }


def _tsv(name: str, events: Any) -> HttpResponse:
    # Read by people, in spreadsheets, and nothing reads it back.
    text = "".join(lines(_COLUMNS, log_lines.lines(events), spreadsheet=True))
    response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
