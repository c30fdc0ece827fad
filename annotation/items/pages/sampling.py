"""Pairs for a rating study, drawn from two columns of texts, looked at before they are items."""

from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import translation
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import log, refusals, show, study_page, to, url, user_of
from annotation.core.pages.plot_files import plot_file
from annotation.core.queries import model_folders
from annotation.items.forms.sampling import SamplingForm
from annotation.items.queries import sampling_plots
from annotation.items.services import imports, sampling_jobs
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study

Held = dict[str, str]


@study_page
@require_http_methods(["GET", "POST"])
def sample(request: HttpRequest, study: Study) -> HttpResponse:
    """The numbers; with `of` those of an earlier drawing, whose file may still be there.

    A file that was sent is kept, whatever is wrong with the numbers, and named by `held`.
    """
    models = model_folders.encoders(user_of(request))
    of = request.POST.get("of", "") or request.GET.get("of", "")
    earlier = (
        sampling_jobs.jobs_of(study).filter(pk=int(of)).first()
        if of.isdecimal() and len(of) < 18
        else None
    )
    if request.method == "GET":
        said = earlier.parameters["sampled"] if earlier else {}
        # A model of before is proposed where there was one.
        said = {name: value for name, value in said.items() if name != "model" or value}
        form = SamplingForm(initial=said, models=models, has_hub=settings.HUB)
        return _page(request, study, form, _of_earlier(study, earlier))
    form = SamplingForm(request.POST, models=models, has_hub=settings.HUB)
    held = None
    problems: list[str] = []
    try:
        sampling_jobs.refuse(study)
        held = _held(request, study, earlier)
    except AnnotationError as error:
        problems = [str(said) for said in error.said]
    if not form.is_valid() or held is None:
        return _page(request, study, form, held, problems)
    try:
        job = sampling_jobs.request(
            study=study,
            name=held["path"],
            filename=held["filename"],
            asked=form.asked,
            by=user_of(request),
        )
    except AnnotationError as error:
        return _page(request, study, form, held, [str(said) for said in error.said])
    log(request, study, _("Started to draw pairs from %(file)s.") % {"file": held["filename"]})
    return to(study, "job", job.pk)


def _held(request: HttpRequest, study: Study, earlier: Job | None) -> Held:
    """The file that was sent now; or else the one that is kept here.

    Raises AnnotationError where there is none, or none any more.
    """
    file = request.FILES.get("file")
    if isinstance(file, UploadedFile):
        return imports.store_upload(
            study=study, file=file, filename=file.name or "texts", by=user_of(request)
        )
    if name := request.POST.get("held", ""):
        imports.upload(study=study, name=name)
        filename = Path(request.POST.get("filename", "")).name[:200]
        return {"path": name, "filename": filename or "texts"}
    if earlier is None:
        raise AnnotationError(_("Choose a file first."))
    imports.upload(study=study, name=earlier.parameters["path"])
    return {name: earlier.parameters[name] for name in ("path", "filename")}


def _of_earlier(study: Study, earlier: Job | None) -> Held | None:
    """The file of a drawing, while it is kept."""
    if earlier is None or not _is_kept(study, earlier.parameters["path"]):
        return None
    return {name: earlier.parameters[name] for name in ("path", "filename")}


def _is_kept(study: Study, name: str) -> bool:
    try:
        imports.upload(study=study, name=name)
    except AnnotationError:
        return False
    return True


def _page(
    request: HttpRequest,
    study: Study,
    form: SamplingForm,
    held: Held | None,
    problems: list[str] | None = None,
) -> HttpResponse:
    return show(
        request,
        study,
        "items/sample.html",
        title=_("Sample pairs"),
        section="items",
        status=400 if problems or form.errors else 200,
        kind=kind_of(study),
        form=form,
        problems=problems or [],
        held=held,
        models=model_folders.encoders(user_of(request)),
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
    )


@study_page
@require_GET
def sampled(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """What was drawn, how flat it is, and what was left out."""
    job = get_object_or_404(sampling_jobs.jobs_of(study), pk=job_id)
    figures = job.figures
    take = None
    # An import takes the table away, and two days do.
    if figures and _is_kept(study, figures["table"]):
        query = urlencode({"filename": "pairs.tsv"})
        take = f"{url(study, 'import_preview', figures['table'])}?{query}"
    return show(
        request,
        study,
        "items/sampled.html",
        title=_("Sampled pairs"),
        section="items",
        job=job,
        figures=figures,
        share=figures and figures["n_pairs"] / len(figures["bins"]),
        plot=sampling_plots.similarity_plot(figures) if figures else None,
        take=take,
        again=f"{url(study, 'sample')}?of={job.pk}",
    )


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, job_id: int, name: str, kind: str) -> HttpResponse:
    """The histogram as a file, and the numbers behind it."""
    job = get_object_or_404(sampling_jobs.jobs_of(study), pk=job_id)
    if not job.figures:
        raise Http404
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        found = sampling_plots.similarity_plot(job.figures)
    if name != found.key:
        raise Http404
    made = plot_file(request, found, kind, stem=f"{study.slug}-pairs-{name}")
    return made or to(study, "sampled", job.pk)


@study_page
@require_GET
def table(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """The pairs as a file."""
    job = get_object_or_404(sampling_jobs.jobs_of(study), pk=job_id)
    with refusals(request):
        path = imports.upload(study=study, name=(job.figures or {}).get("table", ""))
        response = HttpResponse(
            path.read_bytes(), content_type="text/tab-separated-values; charset=utf-8"
        )
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-pairs.tsv"'
        return response
    return to(study, "sampled", job.pk)
