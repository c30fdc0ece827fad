"""Two correlations of a leaderboard compared: what is asked now, and what was kept for a paper."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from annotation.baselines.forms.comparing import CompareForm
from annotation.baselines.pages.leaderboard import Board
from annotation.baselines.pages.measure_rows import part_name
from annotation.baselines.queries import comparison_tables
from annotation.baselines.queries.measure_plots import OTHERS, TEST_NAMES
from annotation.baselines.services import kept_comparisons
from annotation.basics.chart_frame import written
from annotation.basics.errors import AnnotationError
from annotation.basics.numbers import grouped, number, p_value, signed
from annotation.basics.sentences import Said, in_words, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, refusals, study_page, url
from annotation.models import Study
from scoring.baselines.compared import (
    RATERS_AGAINST_RATERS,
    RATERS_AGAINST_VALUE,
    TYPICAL_HUMAN,
    Comparison,
)
from scoring.measures.difference_intervals import DEFINITIONS

_TESTS: dict[str, Said] = {
    "one-sample": _("Fisher's z, exact value"),
    "fisher": _("Fisher's z, different items"),
    RATERS_AGAINST_VALUE: _("t over raters"),
    RATERS_AGAINST_RATERS: _("t, two groups of raters"),
}


@dataclass(frozen=True)
class ShownComparison:
    """A comparison in the reader's language."""

    first: str
    second: str
    first_r: str
    second_r: str
    difference: str
    interval: str
    # The level of the interval in percent, and what it is about; empty without an interval.
    about_interval: str
    test: str
    statistic: str
    p: str
    reason: str
    part: str
    # Its number among the stored ones, by which it is removed; None if it is not stored.
    place: int | None = None


@dataclass(frozen=True)
class ComparisonSection:
    """The section about comparisons below a leaderboard."""

    form: CompareForm
    shown: ShownComparison | None
    stored: list[ShownComparison]
    problem: str
    definitions: list[str]
    # The choices of the form, which are sent again to store the comparison.
    choices: dict[str, str]
    is_stored: bool
    # False if nobody chose measures: then the page compares the two best ones.
    is_chosen: bool


def compared(board: Board, query: QueryDict) -> ComparisonSection:
    """The comparison that an address asks for, or that of the two best measures."""
    form = _form(board, query)
    comparison, problem = None, ""
    if form.is_valid():
        try:
            comparison = kept_comparisons.answered(board.report, form.question(_subset(board)))
        except AnnotationError as error:
            problem = error.message
    comparisons = list(comparison_tables.kept(board.report))
    part_of = {
        subset["name"]: part_name(part)
        for subset, part in zip(board.report.figures["subsets"], board.parts, strict=True)
    }
    return ComparisonSection(
        form,
        _shown(comparison, board, part_of) if comparison else None,
        [_shown(stored, board, part_of, place=place) for place, stored in enumerate(comparisons)],
        problem,
        _definitions([*([comparison] if comparison else []), *comparisons]),
        {name: form.data.get(name, "") for name in form.fields},
        comparison is not None
        and comparison.question in [stored.question for stored in comparisons],
        "first" in query,
    )


def _form(board: Board, query: QueryDict) -> CompareForm:
    data = {"test": board.options.test, **query.dict()}
    if "first" not in data:
        data["first"], data["second"] = board.chosen
    return CompareForm(
        board.names,
        # One measure alone: there is nothing to ask yet.
        data if data["first"] else None,
        has_raters=board.typical_human is not None,
        test=board.options.test,
    )


def _subset(board: Board) -> str:
    name: str = board.report.figures["subsets"][board.number]["name"]
    return name


def _shown(
    comparison: Comparison, board: Board, part_of: dict[str, str], *, place: int | None = None
) -> ShownComparison:
    figures: dict[str, Any] = comparison.as_dict()
    letter = "z" if comparison.df is None else f"t({comparison.df:g})"
    low, high = (figures["interval"][end] for end in ("low", "high"))
    return ShownComparison(
        _name(comparison.names[0]),
        _name(comparison.names[1]),
        _with_size(figures["first_r"], comparison.sizes[0], comparison.counted[0]),
        _with_size(figures["second_r"], comparison.sizes[1], comparison.counted[1]),
        signed(figures["difference"]),
        "–"
        if low is None
        else str(_("%(low)s to %(high)s") % {"low": number(low), "high": number(high)}),
        "" if low is None else _about_interval(comparison, board),
        str(_TESTS.get(comparison.test) or TEST_NAMES[comparison.test]),
        "–" if figures["statistic"] is None else f"{letter} = {number(figures['statistic'])}",
        "–" if figures["p_two_sided"] is None else p_value(figures["p_two_sided"]),
        in_words(comparison.reason),
        part_of[comparison.question.subset],
        place,
    )


def _about_interval(comparison: Comparison, board: Board) -> str:
    if comparison.test in {RATERS_AGAINST_VALUE, RATERS_AGAINST_RATERS}:
        other: Said = _("other raters")
    else:
        # Only the jackknife knows of pools; the other tests take each item on its own.
        is_over_pools = comparison.test == "jackknife" and _leaves_out_pools(comparison, board)
        other = str(OTHERS[is_over_pools])
    level = written(100 * comparison.interval.level)
    return str(_("%(level)s %%, %(other)s") % {"level": level, "other": str(other)})


def _leaves_out_pools(comparison: Comparison, board: Board) -> bool:
    return any(
        row["left_out"] == "pools"
        for subset in board.report.figures["subsets"]
        if subset["name"] == comparison.question.subset
        for row in subset["differences"]
        if {row["first"], row["second"]} == {*comparison.names}
    )


def _name(name: str) -> str:
    return str(_("typical human")) if name == TYPICAL_HUMAN else name


def _with_size(r: float | None, n: int | None, what: str) -> str:
    if n is None:
        return str(_("%(r)s (exact)") % {"r": number(r)})
    text = (
        ngettext("%(r)s (%(n)s rater)", "%(r)s (%(n)s raters)", n)
        if what == "raters"
        else ngettext("%(r)s (%(n)s item)", "%(r)s (%(n)s items)", n)
    )
    return str(text % {"r": number(r), "n": grouped(n)})


def _definitions(comparisons: list[Comparison]) -> list[str]:
    """The definitions of the shown figures, each once."""
    sentences = []
    for comparison in comparisons:
        if comparison.definition:
            sentences.append(comparison.definition)
        if comparison.interval.method in DEFINITIONS:
            sentences.append(DEFINITIONS[comparison.interval.method])
    return [in_words(text) for text in dict.fromkeys(sentences)]


@study_page
@require_POST
def change(request: HttpRequest, study: Study) -> HttpResponse:
    """Keep what was asked with its leaderboard, for the files; or remove what was kept."""
    board = Board.asked_for(study, request.POST)
    if board is None:
        raise Http404
    if (place := request.POST.get("remove", "")).isdecimal():
        kept_comparisons.remove(report=board.report, number=int(place[:6]))
        done(request, study, _("Removed the comparison."))
        return redirect(_address(study, board, {}))
    form = _form(board, request.POST)
    query = {name: request.POST.get(name, "") for name in form.fields}
    if form.is_valid():
        with refusals(request):
            kept_comparisons.keep(report=board.report, question=form.question(_subset(board)))
            done(request, study, _("Saved the comparison. Downloads and releases include it."))
    return redirect(_address(study, board, query))


def _address(study: Study, board: Board, query: dict[str, str]) -> str:
    more = f"&{urlencode(query)}" if query else ""
    return f"{url(study, 'baselines')}?{board.query}{more}#difference-title"
