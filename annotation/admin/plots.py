"""The figures of a result as files: SVG and PNG for a paper, TSV with the data behind them."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.views.decorators.http import require_GET

from annotation import drawing
from annotation.admin.pages import refusals, study_page, url
from annotation.admin.results import latest, population_of
from annotation.exports import tables
from annotation.models import Study
from annotation.queries import groups
from annotation.queries.exporting import Cell


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """One figure of the latest result; what the page shows, as a file that stands alone."""
    population = population_of(request)
    result = latest(study, population)
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        found = {one.key: one for one in groups.every_plot(result)} if result else {}
    if name not in found:
        raise Http404
    one = found[name]
    if kind == "svg":
        response = HttpResponse(drawing.svg_file(one.svg), content_type="image/svg+xml")
    elif kind == "png":
        png = None
        with refusals(request):
            png = drawing.png_file(one.svg)
        if png is None:
            return redirect(f"{url(study, 'results')}?population={population}")
        response = HttpResponse(png, content_type="image/png")
    elif kind == "tsv":
        rows: list[Sequence[Cell]] = [[str(cell) for cell in one.header], *one.data]
        text = "".join(tables.lines(rows))
        response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    else:
        raise Http404
    parts = [study.slug, *(["simulated"] if population == "simulated" else []), name]
    response["Content-Disposition"] = f'attachment; filename="{"-".join(parts)}.{kind}"'
    return response
