"""Pairs for a rating study, drawn from two columns of texts, looked at before they are items."""

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods

from annotation import charts
from annotation.admin.pages import log, refusals, show, study_page, to, url, user_of
from annotation.errors import AnnotationError
from annotation.forms.sampling import SamplingForm
from annotation.models import Job, Study
from annotation.sentences import sentence as _
from annotation.services import imports, sampling


@study_page
@require_http_methods(["GET", "POST"])
def sample(request: HttpRequest, study: Study) -> HttpResponse:
    """The numbers; with `of` those of an earlier drawing, whose file may still be there."""
    of = request.POST.get("of", "") or request.GET.get("of", "")
    earlier = (
        sampling.jobs_of(study).filter(pk=int(of)).first()
        if of.isdecimal() and len(of) < 18
        else None
    )
    if request.method == "GET":
        said = earlier.parameters["sampled"] if earlier else None
        return _page(request, study, SamplingForm(initial=said), earlier)
    form = SamplingForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form, earlier)
    file = request.FILES.get("file")
    try:
        sampling.check_can_draw(study)
        if isinstance(file, UploadedFile):
            stored = imports.store_upload(
                study=study, file=file, filename=file.name or "texts", by=user_of(request)
            )
        elif earlier:
            imports.upload(study=study, name=earlier.parameters["path"])
            stored = earlier.parameters
        else:
            raise AnnotationError(_("Choose a file first."))
        job = sampling.request(study=study, upload=stored, asked=form.asked, by=user_of(request))
    except AnnotationError as error:
        return _page(request, study, form, earlier, [str(said) for said in error.said])
    log(request, study, _("Started to draw pairs from %(file)s.") % {"file": stored["filename"]})
    return to(study, "job", job.pk)


def _page(
    request: HttpRequest,
    study: Study,
    form: SamplingForm,
    earlier: Job | None,
    problems: list[str] | None = None,
) -> HttpResponse:
    return show(
        request,
        study,
        "sample.html",
        title=_("Sample pairs"),
        section="items",
        status=400 if problems or form.errors else 200,
        form=form,
        problems=problems or [],
        earlier=earlier,
        limit_bytes=settings.IMPORT_LIMIT_BYTES,
    )


@study_page
@require_GET
def sampled(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """What was drawn, how flat it is, and what was left out."""
    job = get_object_or_404(sampling.jobs_of(study), pk=job_id)
    figures = job.figures
    svg = take = None
    if figures:
        bins = figures["bins"]
        svg = charts.histogram(
            [bins[0]["low"], *(one["high"] for one in bins)],
            [one["n_drawn"] for one in bins],
            title=str(_("Pairs by similarity")),
            x_label=str(_("similarity")),
            y_label=str(_("pairs")),
            description=str(_("The table below has the same numbers.")),
        )
        query = urlencode({"filename": "pairs.tsv"})
        take = f"{url(study, 'import_preview', figures['table'])}?{query}"
    return show(
        request,
        study,
        "sampled.html",
        title=_("Sampled pairs"),
        section="items",
        job=job,
        figures=figures,
        share=figures and figures["n_pairs"] / len(figures["bins"]),
        svg=svg,
        take=take,
        again=f"{url(study, 'sample')}?of={job.pk}",
    )


@study_page
@require_GET
def table(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """The pairs as a file."""
    job = get_object_or_404(sampling.jobs_of(study), pk=job_id)
    with refusals(request):
        path = imports.upload(study=study, name=(job.figures or {}).get("table", ""))
        response = HttpResponse(
            path.read_bytes(), content_type="text/tab-separated-values; charset=utf-8"
        )
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-pairs.tsv"'
        return response
    return to(study, "sampled", job.pk)
