"""Step 2: a preview of a file of items, then its import."""

import json
from collections.abc import Mapping
from typing import Literal

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.basics.errors import AnnotationError, FrozenError, ImportProblemsError
from annotation.basics.numbers import grouped
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.frame import log, page_of, refusals, show, study_page, to, url, user_of
from annotation.core.services import imported_rules
from annotation.core.shown_items import ABOVE
from annotation.items.example_files import example_of, numbers_of
from annotation.items.forms.item_columns import ItemColumnsForm
from annotation.items.imports import previews
from annotation.items.imports.columns import UnknownColumnsError, of_json
from annotation.items.imports.parsed import ParsedItems
from annotation.items.imports.problems import MAX_TEXT_LENGTH
from annotation.items.pages import lexical
from annotation.items.queries import item_rows, number_columns
from annotation.items.services import adding, imports, uploads
from annotation.kinds import default_texts
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.registry import kind_of
from annotation.models import Check, Job, Study
from annotation.studies import presets
from annotation.studies.services import imported_studies, studies


@study_page
@require_GET
def items(request: HttpRequest, study: Study) -> HttpResponse:
    return _items(request, study)


def _items(
    request: HttpRequest, study: Study, *, problems: list[str] | None = None, filename: str = ""
) -> HttpResponse:
    """The study's items, and the form for a file, with the problems of the last one."""
    kind = kind_of(study)
    holds_incidents = kind.items.holds_incidents
    page = (
        page_of(request, item_rows.incidents(study), size=10)
        if holds_incidents
        else page_of(request, item_rows.of_study(study))
    )
    job = study.jobs.filter(kind=Job.Kind.IMPORT_ITEMS).order_by("-pk").first()
    dependents = imported_rules.dependents(study) if study.is_imported else ""
    return show(
        request,
        study,
        "items/items.html",
        title=_("Items"),
        section="items",
        status=400 if problems else 200,
        kind=kind,
        page=page,
        incidents=item_rows.shown_incidents(page) if holds_incidents else [],
        items=[] if holds_incidents else item_rows.shown(page),
        columns=item_rows.columns(study),
        calibrated_before=rating_plans.calibrated_before(study),
        lexical=lexical.shown(study),
        is_review=presets.review_of(study.preset) is not None,
        takes_items=study.is_draft or (study.is_imported and not dependents),
        dependents=dependents,
        values=number_columns.columns(study) if study.is_imported else [],
        may_be_imported=study.is_draft and not imported_studies.refusal(study),
        n_pools=study.pools.count(),
        n_dialogues=study.pools.filter(context__isnull=False).count(),
        n_contexts=study.contexts.count(),
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
        max_text_length=grouped(MAX_TEXT_LENGTH),
        numbers=numbers_of(study),
        pool_need=kind.items.pool_need(study),
        is_of_dialogues=kind.items.speaks_of_dialogues(study),
        problems=problems or [],
        filename=filename,
        job=job_pages.described(request, study, job)
        if job and job.state != Job.State.DONE
        else None,
    )


@study_page
@require_GET
def example(request: HttpRequest, study: Study) -> HttpResponse:
    """A file of our own that this study could import."""
    file = example_of(study)
    headers = {"Content-Disposition": f'attachment; filename="{file.filename}"'}
    kind = "text/csv" if file.filename.endswith(".csv") else "application/x-ndjson"
    return HttpResponse(file.content, content_type=f"{kind}; charset=utf-8", headers=headers)


@study_page
@require_POST
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Take a file and read its beginning; nothing is imported yet."""
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return _items(request, study, problems=[str(_("Choose a file first."))])
    name = ""
    filename = file.name or "items"
    try:
        _refuse_opened(study)
        stored = uploads.store_upload(
            study=study, file=file, filename=filename, by=user_of(request)
        )
        name, filename = stored["path"], stored["filename"]
        imports.read_beginning(study=study, name=name, filename=filename)
    except UnknownColumnsError:
        return redirect(_file_url(study, "import_columns", name, filename))
    except ImportProblemsError as error:
        if name:
            uploads.forget_upload(study=study, name=name)
        return _items(request, study, problems=error.problems, filename=filename)
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "items")
    return redirect(_file_url(study, "import_preview", name, filename))


def _refuse_opened(study: Study) -> None:
    if study.is_imported:
        imported_rules.refuse_changing(study)
    elif not study.is_draft:
        raise FrozenError(
            _(
                "The items have been frozen since the study was opened. To use other items, create"
                " a new study."
            )
        )
    studies.refuse_file(study)


def _file_url(study: Study, page: str, name: str, filename: str) -> str:
    return f"{url(study, page, name)}?{urlencode({'filename': filename})}"


@study_page
@require_http_methods(["GET", "POST"])
def columns(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """The columns of a table, whose roles somebody chooses; then the first items."""
    is_chosen = request.method == "POST"
    filename = (request.POST if is_chosen else request.GET).get("filename", "")
    problems: list[str] = []
    try:
        _refuse_opened(study)
        file_columns = imports.found_columns(study=study, name=name, filename=filename)
        form = ItemColumnsForm(
            kind_of(study).items, file_columns, request.POST if is_chosen else None
        )
        if form.is_valid():
            try:
                return _preview(request, study, name, filename, form.columns)
            except ImportProblemsError as error:
                problems = error.problems
    except ImportProblemsError as error:
        return _items(request, study, problems=error.problems, filename=filename)
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "items")
    return show(
        request,
        study,
        "items/import_columns.html",
        title=_("What does each column contain?"),
        section="items",
        status=400 if is_chosen else 200,
        name=name,
        filename=filename,
        form=form,
        problems=problems,
        takes_single_texts=kind_of(study).items.takes_single_texts,
        takes_checks="check" in kind_of(study).items.column_roles,
    )


@study_page
@require_GET
def preview(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """The first items as an annotator would see them; a button imports the file."""
    filename = request.GET.get("filename", "")
    try:
        _refuse_opened(study)
        return _preview(request, study, name, filename)
    except UnknownColumnsError:
        return redirect(_file_url(study, "import_columns", name, filename))
    except ImportProblemsError as error:
        return _items(request, study, problems=error.problems, filename=filename)
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "items")


def _preview(
    request: HttpRequest,
    study: Study,
    name: str,
    filename: str,
    columns: Mapping[str, str] | None = None,
    *,
    undecided: str = "",
) -> HttpResponse:
    """`undecided`: why nothing was imported, if nobody chose what to do with earlier items."""
    parsed = imports.read_beginning(study=study, name=name, filename=filename, columns=columns)
    kind = kind_of(study)
    need = kind.items.pool_need(study)
    return show(
        request,
        study,
        "items/import_preview.html",
        title=_("Import these incidents?") if parsed.groups else _("Import these items?"),
        section="items",
        status=400 if undecided else 200,
        kind=kind,
        name=name,
        filename=filename,
        columns=json.dumps(columns) if columns else "",
        columns_url=_file_url(study, "import_columns", name, filename) if parsed.is_table else "",
        parsed=parsed,
        summary=_summary(parsed),
        undecided=undecided,
        pool_need=need,
        small_pools=parsed.small_pools(need.n_items) if need else [],
        asks_about_dialogues=kind.items.compares_items
        and parsed.shape != "dialogues"
        and _asks_about_dialogues(study),
        questions=parsed.first(3),
        checks=[
            (Check.Style(look.style).label, look)
            for look in previews.checks(parsed, are_compared=kind.items.compares_items)
        ],
        metadata_names=previews.metadata_names(
            parsed, without=[ABOVE] if kind.items.shows_question else []
        ),
        incident=parsed.first_incident(),
        n_there=study.items.count(),
        # The pairs of a later round belong to incidents, too.
        n_incidents_there=study.context_groups.count() if kind.items.holds_incidents else 0,
        is_made=study.design.is_made,
        can_add=adding.can_add(study),
        clashes=adding.clashes(study, parsed) if adding.can_add(study) else [],
    )


def _asks_about_dialogues(study: Study) -> bool:
    """Whether people are asked, in the words of a new study, about the last turn."""
    texts = default_texts.of_dialogues(default_texts.language_of_texts(study.language))
    fields = ("most_question", "least_question", "instructions")
    return any(getattr(study, name) == texts[name] for name in fields)


def _summary(parsed: ParsedItems) -> Said:
    sentence = _counted(parsed)
    if not (n_checks := parsed.n_check_items):
        return sentence
    checks = ngettext(
        "%(n)s of the items is part of a check.",
        "%(n)s of the items are part of checks.",
        n_checks,
    )
    return _("%(first)s %(rest)s") % {"first": sentence, "rest": checks % {"n": n_checks}}


def _counted(parsed: ParsedItems) -> Said:
    n_contexts, n_items = len(parsed.contexts), len(parsed.items)
    if parsed.shape == "incidents":
        n_incidents = len(parsed.groups)
        return ngettext(
            "%(n)s incident with %(reports)s.", "%(n)s incidents with %(reports)s.", n_incidents
        ) % {
            "n": n_incidents,
            "reports": ngettext("%(n)s report", "%(n)s reports", n_contexts - n_incidents)
            % {"n": n_contexts - n_incidents},
        }
    if parsed.shape == "dialogues":
        counted = ngettext("%(n)s item", "%(n)s items", n_items) % {"n": n_items}
        return ngettext(
            "%(n)s dialogue with %(items)s.", "%(n)s dialogues with %(items)s.", n_contexts
        ) % {"n": n_contexts, "items": counted}
    if parsed.shape == "single":
        return ngettext("%(n)s single text.", "%(n)s single texts.", n_items) % {"n": n_items}
    counted = ngettext(
        "%(n)s pair of target and candidate", "%(n)s pairs of target and candidate", n_items
    ) % {"n": n_items}
    if n_contexts:
        counted = ngettext(
            "%(items)s with %(n)s context", "%(items)s with %(n)s contexts", n_contexts
        ) % {"n": n_contexts, "items": counted}
    if n_groups := parsed.n_groups:
        counted = ngettext("%(items)s in %(n)s group", "%(items)s in %(n)s groups", n_groups) % {
            "n": n_groups,
            "items": counted,
        }
    return _("%(items)s.") % {"items": counted}


@study_page
@require_POST
def start(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """Import an upload in the background; the form says what to do with earlier items."""
    filename = request.POST.get("filename", "").replace("\x00", "")
    try:
        _refuse_opened(study)
        uploads.upload(study=study, name=name)
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "items")
    choices: dict[str, Literal["keep", "replace"]] = {"no": "keep", "yes": "replace"}
    try:
        columns = of_json(request.POST.get("columns", ""))
        try:
            job = imports.request(
                study=study,
                name=name,
                filename=filename,
                earlier=choices.get(request.POST.get("replace", "")),
                by=user_of(request),
                columns=columns,
            )
        except imports.EarlierItemsUndecidedError as error:
            return _preview(request, study, name, filename, columns, undecided=str(error.message))
    except AnnotationError:
        with refusals(request):
            raise
        return to(study, "items")
    log(request, study, _("Started to import %(file)s.") % {"file": filename})
    return to(study, "job", job.pk)
