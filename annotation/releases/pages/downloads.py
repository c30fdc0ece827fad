"""Step 8: everything about a study as one ZIP."""

from collections.abc import Mapping
from typing import Any, cast, get_args

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.basics.errors import AnnotationError, StateError
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.frame import hand_out, log, refusals, show, study_page, to, user_of
from annotation.core.pages.navigation import Text
from annotation.core.queries import counted_answers, progress
from annotation.core.queries.comments import n_comments
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.further_columns import listed
from annotation.core.services import jobs
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.forms.export_options import ExportOptionsForm
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study
from annotation.releases.exports import archive as archives
from annotation.releases.queries.left_out import further_columns
from annotation.releases.services import downloads
from annotation.results import exports as label_studio
from annotation.results.pages import results
from annotation.results.queries import outdated


@study_page
@require_GET
def download(request: HttpRequest, study: Study) -> HttpResponse:
    design = study.designs.order_by("-number").first()
    job = study.jobs.filter(kind=Job.Kind.EXPORT).order_by("-pk").first()
    people, simulated = _offer(study, "people"), _offer(study, "simulated")
    primary: Population = "simulated" if simulated["n"] and not people["n"] else "people"
    return show(
        request,
        study,
        "releases/download.html",
        title=_("Download"),
        section="download",
        is_table=study.is_imported_table,
        has_files=study.is_imported_table or bool(design and design.is_made),
        part=kind_of(study).releases,
        has_label_studio=kind_of(study).results.label_studio is not None,
        has_corrections=study.adjudications.exists() or study.relabellings.exists(),
        people=people,
        simulated=simulated,
        primary=primary,
        n_simulated_booklets=progress.n_simulated_booklets(study) if primary == "simulated" else 0,
        api_url=request.build_absolute_uri(f"/api/v1/studies/{study.slug}/export/"),
        job=job_pages.described(request, study, job)
        if job and job.state != Job.State.DONE
        else None,
        n_comments=n_comments(study),
        further_columns=listed(further_columns(study)),
    )


def _offer(study: Study, population: Population) -> dict[str, Any]:
    """How the answers of one population can be had: at once, or prepared in the background."""
    n = counted_answers.n_standing(study.design, population)
    result = results.latest(study, population)
    files = downloads.prepared(study, population)
    return {
        # As every page counts: an answer that was changed is one answer.
        "n": n,
        "population": population,
        # The files have the scores that are stored, be they outdated or not.
        "outdated": outdated.since(result, population) if result else "",
        "is_large": n > 0 and _is_large(study, population),
        "prepared": [file for file in files if not file.label_studio],
        "for_label_studio": [file for file in files if file.label_studio],
        "form": _blank_form(study, population),
        "names": _names(study, population, has_answers=n > 0),
    }


def _names(study: Study, population: Population, *, has_answers: bool) -> dict[str, Text]:
    """What is in the exact files and in the copy for spreadsheets, as their buttons say it."""
    if population == "simulated":
        return {
            "exact": _("Download simulated answers (exact files)"),
            "spreadsheet": _("Download simulated answers for spreadsheets"),
        }
    is_without_answers = not (has_answers or study.is_imported_table)
    if is_without_answers and kind_of(study).releases.has_items_before_answers:
        return {
            "exact": _("Download items and design (exact files)"),
            "spreadsheet": _("Download items and design for spreadsheets"),
        }
    return {"exact": _("Download exact files"), "spreadsheet": _("Download for spreadsheets")}


def _is_large(study: Study, population: Population) -> bool:
    """Whether so many answers are in the files, which have the earlier versions, too."""
    least: int = settings.EXPORT_IN_BACKGROUND_FROM
    # How many more there are is not counted.
    return counted_answers.judgments_of(study, population)[:least].count() >= least


def _blank_form(study: Study, population: Population) -> ExportOptionsForm | None:
    """One for each population on the page, with ids of its own."""
    form_class = kind_of(study).releases.options_form
    if form_class is None or study.is_imported_table:
        return None
    return form_class(initial=ExportOptions().as_dict(), auto_id=f"{population}-%s")


@study_page
@require_GET
def archive(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Reading only, so a plain link may fetch it. Real and simulated answers never share one."""
    population = _population(request, study, request.GET.get("population", "people"))
    if population is None:
        return to(study, "download")
    options = _options(request, study, request.GET)
    if options is None:
        return to(study, "download")
    spreadsheet = request.GET.get("spreadsheet") == "1"
    with refusals(request):
        file = archives.temporary_archive(
            study, population, spreadsheet=spreadsheet, options=options
        )
        name = _filename(study, population, spreadsheet=spreadsheet)
        return hand_out(request, study, FileResponse(file, as_attachment=True, filename=name))
    return to(study, "download")


@study_page
@require_GET
def for_label_studio(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The counted answers of people, as tasks of Label Studio."""
    population = _population(request, study, request.GET.get("population", "people"))
    if population is None:
        return to(study, "download")
    with refusals(request):
        file = archives.temporary_file(lambda file: label_studio.write(study, population, file))
        name = _filename(study, population, label_studio=True)
        return hand_out(request, study, FileResponse(file, as_attachment=True, filename=name))
    return to(study, "download")


@study_page
@require_POST
def prepare(request: HttpRequest, study: Study) -> HttpResponse:
    """Write a large export in the background."""
    population = _population(request, study, request.POST.get("population", "people"))
    if population is None:
        return to(study, "download")
    if request.POST.get("label_studio") == "1":
        wanted = downloads.parameters(population, label_studio=True)
    else:
        options = _options(request, study, request.POST)
        if options is None:
            return to(study, "download")
        has_form = kind_of(study).releases.options_form is not None
        wanted = downloads.parameters(
            population,
            spreadsheet=request.POST.get("spreadsheet") == "1",
            options=options if has_form else None,
        )
    job = jobs.start(study=study, kind=Job.Kind.EXPORT, parameters=wanted, by=user_of(request))
    with refusals(request):
        # It may be finished by now, and say more than it was told.
        if any(job.parameters.get(name) != value for name, value in wanted.items()):
            raise AnnotationError(
                _("Another file is still being prepared. Wait until it is finished.")
            )
        log(request, study, _("Preparing the download."))
    return to(study, "job", job.pk)


@study_page
@require_GET
def prepared(request: HttpRequest, study: Study, job_id: int) -> HttpResponseBase:
    """The file that a job wrote."""
    for population in get_args(Population):
        for download in downloads.prepared(study, population):
            if download.job.pk == job_id:
                name = _filename(
                    study,
                    population,
                    spreadsheet=download.spreadsheet,
                    label_studio=download.label_studio,
                )
                file = FileResponse(download.path.open("rb"), as_attachment=True, filename=name)
                return hand_out(request, study, file)
    with refusals(request):
        raise AnnotationError(_("This file has been deleted. Prepare it again."))
    return to(study, "download")


def _population(request: HttpRequest, study: Study, wanted: str) -> Population | None:
    """Whose answers are asked for; None, and a message, where there is nothing to hand out."""
    with refusals(request):
        if wanted not in get_args(Population):
            raise AnnotationError(_("Choose people's answers or simulated answers."))
        if not (study.is_imported_table or study.design.is_made):
            raise StateError(_("There is no design yet, so there is nothing to download."))
        return cast(Population, wanted)
    return None


def _options(request: HttpRequest, study: Study, given: Mapping[str, Any]) -> ExportOptions | None:
    """What the form says; None, and a message, if that cannot be."""
    form_class = kind_of(study).releases.options_form
    if form_class is None:
        return ExportOptions()
    form = form_class(given)
    with refusals(request):
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            raise AnnotationError(f"{form.fields[name].label}: {errors[0]}")
        return form.options
    return None


def _filename(
    study: Study, population: Population, *, spreadsheet: bool = False, label_studio: bool = False
) -> str:
    parts = [study.slug, *(["simulated"] if population == "simulated" else [])]
    parts += ["spreadsheet"] if spreadsheet else []
    parts += ["label-studio"] if label_studio else []
    return f"{'-'.join(parts)}.zip"
