"""A figure as a file that stands alone: SVG and PNG for a paper, TSV with the data behind it."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse

from annotation.basics import drawing, tables
from annotation.basics.cells import Cell
from annotation.basics.plot import Plot
from annotation.core.pages.frame import refusals


def plot_file(request: HttpRequest, plot: Plot, kind: str, *, stem: str) -> HttpResponse | None:
    """The file; None if it cannot be drawn, and the request has a message that says why."""
    if kind == "svg":
        response = HttpResponse(drawing.svg_file(plot.svg), content_type="image/svg+xml")
    elif kind == "png":
        png = None
        with refusals(request):
            png = drawing.png_file(plot.svg)
        if png is None:
            return None
        response = HttpResponse(png, content_type="image/png")
    elif kind == "tsv":
        rows: list[Sequence[Cell]] = [[str(cell) for cell in plot.header], *plot.data]
        text = "".join(tables.lines(rows))
        response = HttpResponse(text, content_type="text/tab-separated-values; charset=utf-8")
    else:
        raise Http404
    response["Content-Disposition"] = f'attachment; filename="{stem}.{kind}"'
    return response
