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
from annotation.baselines.queries.measure_plots import TEST_NAMES
from annotation.baselines.services import kept_comparisons
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
    "one-sample": _("Fisher’s z, exact value"),
    "fisher": _("Fisher’s z, other items"),
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
    test: str
    statistic: str
    p: str
    reason: str
    part: str
    # Of a kept one, by which it is removed.
    place: int | None = None


@dataclass(frozen=True)
class Compared:
    """What the page shows below a leaderboard."""

    form: CompareForm
    shown: ShownComparison | None
    kept: list[ShownComparison]
    problem: str
    definitions: list[str]
    # What was asked, to be sent again where it is kept.
    asked: dict[str, str]
    is_kept: bool
    # Whether somebody asked, or the page compares the two best measures of itself.
    is_asked: bool


def compared(board: Board, asked: QueryDict) -> Compared:
    """The comparison that an address asks for, or that of the two best measures."""
    form = _form(board, asked)
    comparison, problem = None, ""
    if form.is_valid():
        try:
            comparison = kept_comparisons.answered(board.report, form.question(_subset(board)))
        except AnnotationError as error:
            problem = error.message
    kept = list(comparison_tables.kept(board.report))
    part_of = {
        subset["name"]: part_name(part)
        for subset, part in zip(board.report.figures["subsets"], board.parts, strict=True)
    }
    return Compared(
        form,
        _shown(comparison, part_of) if comparison else None,
        [_shown(one, part_of, place=place) for place, one in enumerate(kept)],
        problem,
        _definitions([*([comparison] if comparison else []), *kept]),
        {name: form.data.get(name, "") for name in form.fields},
        comparison is not None and comparison.question in [one.question for one in kept],
        "first" in asked,
    )


def _form(board: Board, asked: QueryDict) -> CompareForm:
    data = {"test": board.options.test, **asked.dict()}
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
    of: Comparison, part_of: dict[str, str], *, place: int | None = None
) -> ShownComparison:
    figures: dict[str, Any] = of.as_dict()
    letter = "z" if of.df is None else f"t({of.df:g})"
    low, high = (figures["interval"][end] for end in ("low", "high"))
    return ShownComparison(
        _name(of.names[0]),
        _name(of.names[1]),
        _with_size(figures["first_r"], of.sizes[0], of.counted[0]),
        _with_size(figures["second_r"], of.sizes[1], of.counted[1]),
        signed(figures["difference"]),
        "–"
        if low is None
        else str(_("%(low)s to %(high)s") % {"low": number(low), "high": number(high)}),
        str(_TESTS.get(of.test) or TEST_NAMES[of.test]),
        "–" if figures["statistic"] is None else f"{letter} = {number(figures['statistic'])}",
        "–" if figures["p_two_sided"] is None else p_value(figures["p_two_sided"]),
        in_words(of.reason),
        part_of[of.question.subset],
        place,
    )


def _name(name: str) -> str:
    return str(_("typical human")) if name == TYPICAL_HUMAN else name


def _with_size(r: float | None, n: int | None, what: str) -> str:
    if n is None:
        return str(_("%(r)s (exact)") % {"r": number(r)})
    said = (
        ngettext("%(r)s (%(n)s rater)", "%(r)s (%(n)s raters)", n)
        if what == "raters"
        else ngettext("%(r)s (%(n)s item)", "%(r)s (%(n)s items)", n)
    )
    return str(said % {"r": number(r), "n": grouped(n)})


def _definitions(comparisons: list[Comparison]) -> list[str]:
    """What was computed, each once."""
    said = []
    for one in comparisons:
        if one.definition:
            said.append(one.definition)
        if one.interval.method in DEFINITIONS:
            said.append(DEFINITIONS[one.interval.method])
    return [in_words(text) for text in dict.fromkeys(said)]


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
    asked = {name: request.POST.get(name, "") for name in form.fields}
    if form.is_valid():
        with refusals(request):
            kept_comparisons.keep(report=board.report, question=form.question(_subset(board)))
            done(request, study, _("Kept the comparison: it is in the downloads and releases."))
    return redirect(_address(study, board, asked))


def _address(study: Study, board: Board, asked: dict[str, str]) -> str:
    more = f"&{urlencode(asked)}" if asked else ""
    return f"{url(study, 'baselines')}?{board.query}{more}#difference-title"
