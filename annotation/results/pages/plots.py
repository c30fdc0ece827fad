"""The figures and tables of a result as files: SVG, PNG and LaTeX for a paper, TSV to read."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.views.decorators.http import require_GET

from annotation.core.pages.frame import hand_out, refusals, study_page, to, url
from annotation.core.pages.plot_files import plot_file
from annotation.core.pages.populations import population_of
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.results.pages.results import latest


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """One figure of the latest result; what the page shows, as a file that stands alone."""
    population = population_of(request)
    result = latest(study, population)
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        plots = (
            {drawing.key: drawing for drawing in kind_of(study).results.plots(result)}
            if result
            else {}
        )
    if name not in plots:
        raise Http404
    parts = [study.slug, *(["simulated"] if population == "simulated" else []), name]
    made = plot_file(request, plots[name], kind, stem="-".join(parts))
    return made or redirect(f"{url(study, 'results')}?population={population}")


_TYPES = {"tsv": "text/tab-separated-values", "tex": "application/x-tex"}


@study_page
@require_GET
def table(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """One table of the latest result, as the export has it."""
    population = population_of(request)
    result = latest(study, population)
    if kind not in _TYPES or result is None:
        raise Http404
    text = kind_of(study).results.table_file(result, name, kind)
    if text is None:
        raise Http404
    parts = [study.slug, *(["simulated"] if population == "simulated" else []), name]
    response = HttpResponse(text, content_type=f"{_TYPES[kind]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{"-".join(parts)}.{kind}"'
    return response


@study_page
@require_GET
def items_latex(request: HttpRequest, study: Study) -> HttpResponse:
    """Every item with its figures, as a paper prints them, where the study has such a table."""
    with refusals(request):
        lines = kind_of(study).results.items_latex(study, population_of(request))
        if lines is None:
            return to(study, "result_items")
        response = HttpResponse("".join(lines), content_type="application/x-tex; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{study.slug}-items.tex"'
        return hand_out(request, study, response)
    return to(study, "result_items")
