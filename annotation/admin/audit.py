"""The audit log: of one study, and of the whole site."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import tables
from annotation.admin.pages import page_of, show, study_page, user_of
from annotation.forms.log import LogForm
from annotation.models import Study
from annotation.queries import log_lines

COLUMNS = ("time", "person", "kind", "by", "about", "what")


@study_page
@require_GET
def history(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Who did what in a study."""
    entries = log_lines.of_study(study)
    form = LogForm(request.GET, log_lines.people(entries))
    found = log_lines.chosen(entries, form.wanted)
    if request.GET.get("as") == "tsv":
        return _tsv(f"{study.slug}-history.tsv", found)
    return show(
        request,
        study,
        "history.html",
        title=_("History"),
        section="history",
        **_context(request, form, found),
    )


@require_GET
def log(request: HttpRequest) -> HttpResponseBase:
    """Of all studies and accounts, for superusers; of one's own account, for everybody."""
    user = user_of(request)
    entries: QuerySet[LogEntry] = log_lines.of_everything(user)
    studies = Study.objects.order_by("title", "pk") if user.is_superuser else None
    form = LogForm(request.GET, log_lines.people(entries), studies)
    found = log_lines.chosen(entries, form.wanted)
    if request.GET.get("as") == "tsv":
        return _tsv("log.tsv", found)
    return TemplateResponse(
        request,
        "admin/log.html",
        {
            **admin.site.each_context(request),
            "title": _("Log"),
            "names_objects": True,
            "is_of_everything": user.is_superuser,
            **_context(request, form, found),
        },
    )


def _context(request: HttpRequest, form: LogForm, found: Any) -> dict[str, Any]:
    page = page_of(request, found)
    query = request.GET.copy()
    query.pop("page", None)
    lines = list(log_lines.lines(page.object_list))
    return {
        "form": form,
        "page": page,
        "lines": lines,
        "studies": log_lines.studies_of(lines),
        "query": query.urlencode(),
        "is_narrowed": any(request.GET.get(name) for name in form.fields),
    }


def _tsv(name: str, found: Any) -> HttpResponse:
    rows = (
        (
            line.at.isoformat(timespec="seconds"),
            *(line.who, line.kind, line.door, line.about, line.said),
        )
        for line in log_lines.lines(found)
    )
    # Read by people, in spreadsheets, and nothing reads it back.
    text = "".join(tables.lines([COLUMNS, *rows], spreadsheet=True))
    response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
