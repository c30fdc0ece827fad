"""Baselines as files: the leaderboard, its differences, its plots, and the values themselves."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import translation
from django.views.decorators.http import require_GET

from annotation.baselines.exports import further_tables
from annotation.baselines.pages.leaderboard import Board
from annotation.baselines.pages.measure_rows import people_of
from annotation.baselines.queries import human_scores, leaderboards, report_provenance
from annotation.baselines.queries.comparable_measures import compares_over_items
from annotation.baselines.queries.measure_figures import with_current_figures
from annotation.baselines.queries.measure_plots import boxes_plot, layers_plot, scatter_plot
from annotation.basics.cells import Cell
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.plot import Plot
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import Column, lines
from annotation.core.pages.frame import hand_out, refusals, study_page, to, url
from annotation.core.pages.plot_files import plot_file
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.models import Baseline, Study
from scoring.arrays import FloatArray
from scoring.baselines.tables import differences_tsv

_TYPES = {
    "tsv": "text/tab-separated-values",
    "tex": "application/x-tex",
    "md": "text/markdown",
}


@study_page
@require_GET
def table(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """The leaderboard: every figure as TSV, what was asked for in LaTeX, or what they are of."""
    if kind not in {"tsv", "tex", "md"}:
        raise Http404
    board = _board(request, study)
    if board is None:
        return to(study, "baselines")
    if kind == "md":
        return _file(study, "baselines-readme.md", report_provenance.readme(board.report))
    text = board.tsv() if kind == "tsv" else board.latex()
    return _file(study, f"baselines.{kind}", text)


@study_page
@require_GET
def further(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """One of the tables beside the leaderboard, or that of the trained models."""
    if name not in further_tables.NAMES or kind not in {"tsv", "tex"}:
        raise Http404
    with refusals(request):
        board = Board.asked_for(study, request.GET)
        table = further_tables.named(study, name, board.report if board else None)
        if table is None:
            raise StateError(_("This table is still empty. Compute its figures first."))
        text = table.tsv if kind == "tsv" else table.latex
        return _file(study, f"{name.replace('_', '-')}.{kind}", text)
    return to(study, "baselines")


@study_page
@require_GET
def differences(request: HttpRequest, study: Study) -> HttpResponse:
    """Every two measures of every part of the items."""
    board = _board(request, study)
    if board is None:
        return to(study, "baselines")
    return _file(study, "baseline-differences.tsv", differences_tsv(board.report.figures))


@study_page
@require_GET
def values(request: HttpRequest, study: Study) -> HttpResponse:
    """A line for each item: its id, people's score, and a column for each measure."""
    measures = leaderboards.baselines(study)
    with refusals(request):
        if not measures:
            raise StateError(_("There is no measure yet. Compute or upload one first."))
        text = "".join(_values(study, measures, request.GET.get("texts") == "1"))
        return hand_out(request, study, _file(study, "baseline-values.tsv", text))
    return to(study, "baselines")


def _values(study: Study, measures: Sequence[Baseline], has_texts: bool) -> Iterator[str]:
    """The records are the places of the items."""
    pairs = read_pairs(study)
    today = [measure for measure in measures if measure.digest == pairs.digest]
    texts = [
        Column("target", "the first text", lambda place: pairs.pairs[place].first),
        Column("candidate", "the second text", lambda place: pairs.pairs[place].second),
    ]
    columns = [
        Column("id", "of the item", pairs.keys.__getitem__),
        *(texts if has_texts else []),
        Column("people", "what people said", _number_at(_people(study, len(pairs)))),
        *(Column(measure.name, "of the measure", _number_at(measure.array)) for measure in today),
    ]
    return lines(columns, range(len(pairs)))


def _number_at(values: FloatArray) -> Callable[[int], Cell]:
    """The value of an item as a cell; empty if there is none."""
    return lambda place: None if np.isnan(values[place]) else float(values[place])


def _people(study: Study, n: int) -> FloatArray:
    """People's scores of the n items; nan for items without a score."""
    report = leaderboards.latest_report(study)
    source = people_of(study, report)
    if source is not None:
        try:
            return human_scores.read(study, source).scores
        except AnnotationError:
            # The values are shown even if people's scores cannot be read now.
            pass
    return np.full(n, np.nan)


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, name: str, kind: str) -> HttpResponse:
    """One figure, as a file that stands alone."""
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        drawing = _plot(request, study, name)
    if drawing is None:
        raise Http404
    made = plot_file(request, drawing, kind, stem=f"{study.slug}-{name}")
    return made or redirect(url(study, "baselines"))


def _plot(request: HttpRequest, study: Study, name: str) -> Plot | None:
    if name == "correlations":
        board = Board.asked_for(study, request.GET)
        return board.plot if board else None
    report = leaderboards.latest_report(study)
    kind, _mark, number = name.partition("-")
    if kind not in {"scatter", "layers", "boxes"} or not number.isdecimal():
        return None
    row = get_object_or_404(study.baselines, pk=int(number[:18]))
    (baseline,) = with_current_figures([row])
    if kind == "layers":
        return layers_plot(baseline)
    if kind == "boxes":
        return boxes_plot(baseline.pk, baseline.name, report) if report else None
    source = people_of(study, report)
    if source is None or not compares_over_items(baseline):
        return None
    try:
        points = leaderboards.points(study, baseline, source, report=report)
    except AnnotationError:
        return None
    return scatter_plot(baseline.pk, baseline.name, points, people=source.title)


def _board(request: HttpRequest, study: Study) -> Board | None:
    """The leaderboard; None, with a message to the user, if there is none yet."""
    with refusals(request):
        board = Board.asked_for(study, request.GET)
        if board is None:
            raise StateError(_("There is no leaderboard yet. Compute one first."))
        return board
    return None


def _file(study: Study, name: str, text: str) -> HttpResponse:
    kind = _TYPES[name.rpartition(".")[2]]
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{name}"'
    return response
