"""Answers that another tool collected: a preview of the file, then its import."""

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import log, refusals, show, study_page, to, url, user_of
from annotation.core.services import imported_rules
from annotation.items.forms.finished_answers import FinishedAnswersForm
from annotation.items.services import finished_answers, uploads
from annotation.items.services.answer_rows import check_can_take
from annotation.items.services.finished_answers import FinishedFile
from annotation.models import Study

_FIELDS = ("format", "columns", "person", "with_rejected")
_MAX_NAMES_SHOWN = 20
_LEFT_OUT = {
    "rejected": lambda n: ngettext(
        "%(n)s rejected assignment is not counted.",
        "%(n)s rejected assignments are not counted.",
        n,
    ),
    "skipped": lambda n: ngettext(
        "%(n)s skipped task is not counted.", "%(n)s skipped tasks are not counted.", n
    ),
    "unanswered": lambda n: ngettext(
        "%(n)s task without an answer is skipped.",
        "%(n)s tasks without an answer are skipped.",
        n,
    ),
    "machine": lambda n: ngettext(
        "%(n)s machine answer is not counted.",
        "%(n)s machine answers are not counted.",
        n,
    ),
    "people": lambda n: ngettext(
        "%(n)s person answered nothing and is not counted.",
        "%(n)s people answered nothing and are not counted.",
        n,
    ),
}


@study_page
@require_GET
def finished(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, FinishedAnswersForm(study))


def _page(
    request: HttpRequest,
    study: Study,
    form: FinishedAnswersForm,
    *,
    problems: list[str] | None = None,
    filename: str = "",
) -> HttpResponse:
    """The form, with the problems of the last file."""
    dependents = imported_rules.dependents(study) if study.is_imported else ""
    return show(
        request,
        study,
        "items/finished.html",
        title=_("Import existing answers"),
        section="items",
        status=400 if problems or form.errors else 200,
        form=form,
        takes_answers=study.is_draft or (study.is_imported and not dependents),
        dependents=dependents,
        problems=problems or [],
        filename=filename,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        has_items=study.items.exists(),
    )


@study_page
@require_POST
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Take a file and read it; nothing is imported yet."""
    form = FinishedAnswersForm(study, request.POST)
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return _page(request, study, form, problems=[str(_("Choose a file first."))])
    if not form.is_valid():
        return _page(request, study, form)
    name, filename = "", file.name or "answers"
    try:
        check_can_take(study)
        stored = uploads.store_upload(
            study=study, file=file, filename=filename, by=user_of(request)
        )
        name, filename = stored["path"], stored["filename"]
        path = uploads.upload(study=study, name=name)
        if uploads.is_short(path):
            finished_answers.look(study, form.source(path))
    except ImportProblemsError as error:
        if name:
            uploads.forget_upload(study=study, name=name)
        return _page(request, study, form, problems=error.problems, filename=filename)
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "finished")
    return redirect(_preview_url(study, name, filename, request.POST))


def _preview_url(study: Study, name: str, filename: str, sent: QueryDict) -> str:
    query = QueryDict(mutable=True)
    query["filename"] = filename
    query.update({field: sent.get(field, "") for field in _FIELDS})
    return f"{url(study, 'finished_file', name)}?{query.urlencode()}"


@study_page
@require_http_methods(["GET", "POST"])
def file(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """What a file was read as; then it is imported in the background."""
    given = request.POST if request.method == "POST" else request.GET
    filename = given.get("filename", "").replace("\x00", "")
    form = FinishedAnswersForm(study, given)
    try:
        path = uploads.upload(study=study, name=name)
        if not form.is_valid():
            raise AnnotationError(
                _("The settings for reading the file are lost. Upload it again.")
            )
        if request.method == "POST":
            check_can_take(study)
            return _start(request, study, name, filename, form)
        check_can_take(study)
        finished = (
            finished_answers.look(study, form.source(path)) if uploads.is_short(path) else None
        )
    except ImportProblemsError as error:
        return _page(request, study, form, problems=error.problems, filename=filename)
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "finished")
    return show(
        request,
        study,
        "items/finished_file.html",
        title=_("Import these answers?"),
        section="items",
        name=name,
        filename=filename,
        carried=[(field, given.get(field, "")) for field in _FIELDS],
        **(_looked(finished) if finished else {}),
    )


def _looked(finished: FinishedFile) -> dict[str, Any]:
    return {
        "summary": _summary(finished),
        "roles": finished.roles,
        "left_out": _beside(finished),
        "answers": finished.first(),
        "n_parts": finished.n_parts,
        "compares": bool(finished.summary["n_tuples"]),
        "categories": finished.summary.get("categories", []),
    }


def _beside(finished: FinishedFile) -> list[Said]:
    """Sentences about what is not imported from the file."""
    sentences: list[Said] = [_LEFT_OUT[why](n) % {"n": n} for why, n in finished.left_out.items()]
    if people := finished.without_answers:
        names = ", ".join(people[:_MAX_NAMES_SHOWN])
        sentences.append(_("People without answers: %(names)s") % {"names": names})
    if n := finished.n_unread:
        unread = ngettext(
            "%(n)s time cannot be read and stays empty (%(first)s). Write times like"
            " 2026-09-07T10:12:13Z to keep them.",
            "%(n)s times cannot be read and stay empty (the first in %(first)s). Write times like"
            " 2026-09-07T10:12:13Z to keep them.",
            n,
        )
        sentences.append(unread % {"n": n, "first": finished.first_unread})
    return sentences


def _start(
    request: HttpRequest, study: Study, name: str, filename: str, form: FinishedAnswersForm
) -> HttpResponse:
    with refusals(request):
        job = finished_answers.request(
            study=study,
            upload={"path": name, "filename": filename},
            read_options=form.read_options,
            by=user_of(request),
        )
        log(request, study, _("Started to import %(file)s.") % {"file": filename})
        return to(study, "job", job.pk)
    return to(study, "finished")


def _summary(finished: FinishedFile) -> Said:
    summary = finished.summary
    answers = ngettext("%(n)s answer", "%(n)s answers", summary["n_judgments"])
    people = ngettext("%(n)s person", "%(n)s people", summary["n_annotators"])
    items = ngettext("%(n)s item", "%(n)s items", summary["n_items"])
    return _("%(answers)s of %(people)s about %(items)s.") % {
        "answers": answers % {"n": summary["n_judgments"]},
        "people": people % {"n": summary["n_annotators"]},
        "items": items % {"n": summary["n_items"]},
    }
