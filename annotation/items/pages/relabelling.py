"""Domains, sources and other labels that change after the import: a preview, then a log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, page_of, refusals, show, study_page, to, url, user_of
from annotation.core.queries import relabellings as queries
from annotation.items.forms.relabelling import ReasonForm, RelabelForm
from annotation.items.imports import relabels
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import relabellings as services
from annotation.items.services import uploads
from annotation.items.services.relabellings import Comparison, RelabellingResult
from annotation.models import Relabelling, Study

# So many changes are listed before they are made.
_LISTED = 20


@dataclass(frozen=True)
class LoggedChange:
    row: Relabelling
    before: str
    after: str


@study_page
@require_http_methods(["GET", "POST"])
def relabel(request: HttpRequest, study: Study) -> HttpResponse:
    """The form, what it would do, and everything that was done before."""
    if request.method != "POST":
        return _page(request, study, RelabelForm(study))
    form = RelabelForm(study, request.POST)
    if not form.is_valid():
        return _page(request, study, form, status=400)
    wanted = form.wanted()
    # If the form was changed after the preview, a new preview comes first.
    is_confirmed = request.POST.get("confirmed") == form.digest
    if is_confirmed and _do(request, study, wanted, form.cleaned_data["reason"]):
        return to(study, "relabel")
    comparison = services.compare(study=study, wanted=wanted)
    return _page(
        request,
        study,
        form,
        status=400 if len(comparison.problems) else 200,
        preview={**_preview(study, comparison), "digest": form.digest},
    )


def _page(
    request: HttpRequest,
    study: Study,
    form: RelabelForm,
    *,
    status: int = 200,
    problems: Sequence[str] = (),
    filename: str = "",
    preview: dict[str, Any] | None = None,
) -> HttpResponse:
    page = page_of(request, queries.log(study))
    return show(
        request,
        study,
        "items/relabel.html",
        title=_("Relabel"),
        section="items",
        status=status,
        form=form,
        fields=services.fields_of(study),
        preview=preview,
        problems=problems,
        filename=filename,
        limit_bytes=settings.RELABEL_LIMIT_BYTES,
        is_made=study.design.is_made,
        page=page,
        rows=[LoggedChange(row, _shown(row.before), _shown(row.after)) for row in page],
    )


def _shown(value: Any) -> str:
    return "" if value is None else services.written(value)


def _preview(study: Study, comparison: Comparison) -> dict[str, Any]:
    return {
        "n_changed": len(comparison.changes),
        "n_same": comparison.n_same,
        "problems": [str(sentence) for sentence in comparison.problems.sentences],
        "changes": [
            (change.row.key, change.field, _shown(change.before), _shown(change.after))
            for change in comparison.changes[:_LISTED]
        ],
        # Perhaps a typing error.
        "new_names": sorted(services.new_names(study, comparison.changes)),
        "n_more": max(len(comparison.changes) - _LISTED, 0),
    }


def _do(
    request: HttpRequest, study: Study, wanted: Sequence[RequestedChange], reason: str
) -> bool:
    """Make the changes; return whether they were made, or a message says why not."""
    with refusals(request):
        made = services.relabel(study=study, wanted=wanted, reason=reason, by=user_of(request))
        done(request, study, said_of_relabelling(made, wanted))
        return True
    return False


def said_of_relabelling(made: RelabellingResult, wanted: Sequence[RequestedChange]) -> Said:
    sentence = ngettext(
        "Relabelled: %(n)s value (%(fields)s).",
        "Relabelled: %(n)s values (%(fields)s).",
        made.n_changed,
    )
    fields = ", ".join(dict.fromkeys(change.field for change in wanted))
    return sentence % {"n": made.n_changed, "fields": fields}


@study_page
@require_POST
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Take a file of labels; nothing is changed yet."""
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        problems = [str(_("Choose a file first."))]
        return _page(request, study, RelabelForm(study), status=400, problems=problems)
    filename = file.name or "labels"
    try:
        stored = uploads.store_upload(
            study=study, file=file, filename=filename, by=user_of(request)
        )
        relabels.read(
            uploads.upload(study=study, name=stored["path"]),
            limit_bytes=settings.RELABEL_LIMIT_BYTES,
        )
    except ImportProblemsError as error:
        return _page(
            request,
            study,
            RelabelForm(study),
            status=400,
            problems=error.problems,
            filename=filename,
        )
    address = url(study, "relabel_file", stored["path"])
    return redirect(f"{address}?{urlencode({'filename': stored['filename']})}")


@study_page
@require_http_methods(["GET", "POST"])
def file(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """What a file would change; and then it does."""
    try:
        wanted = relabels.read(
            uploads.upload(study=study, name=name), limit_bytes=settings.RELABEL_LIMIT_BYTES
        )
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "relabel")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if (
        request.method == "POST"
        and form.is_valid()
        and _do(request, study, wanted, form.cleaned_data["reason"])
    ):
        uploads.forget_upload(study=study, name=name)
        return to(study, "relabel")
    return show(
        request,
        study,
        "items/relabel_file.html",
        title=_("Relabel with this file?"),
        section="items",
        status=400 if request.method == "POST" else 200,
        form=form,
        filename=request.GET.get("filename", ""),
        preview=_preview(study, services.compare(study=study, wanted=wanted)),
        is_made=study.design.is_made,
    )
