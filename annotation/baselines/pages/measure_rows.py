"""Rows of a leaderboard in words, for the pages that show some of them."""

from dataclasses import dataclass

from annotation.baselines.forms.measure_options import subset_name
from annotation.baselines.queries import baseline_subsets, human_scores
from annotation.baselines.queries.baseline_subsets import FALSE, TRUE
from annotation.baselines.queries.described_measures import device_name
from annotation.baselines.queries.leaderboards import Part, Row
from annotation.baselines.queries.measure_plots import COEFFICIENTS, WITHIN_POOLS
from annotation.baselines.queries.score_sources import Source
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics.numbers import duration, grouped, p_value
from annotation.basics.sentences import Said, in_words, translated
from annotation.basics.sentences import sentence as _
from annotation.models import BaselineReport, Study
from scoring.decimals import in_words as decimals_in_words

# Names of the parts that are computed; other parts have the name of their column.
_LABELS = {
    "shared word": _("texts share a word"),
    "no shared word": _("texts share no word"),
    "f1_eq_0": _("F1 is 0"),
    "f1_ne_0": _("F1 is not 0"),
    TRUE: _("true"),
    FALSE: _("false"),
}


@dataclass(frozen=True)
class Cell:
    """A coefficient with its interval, or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    # The two-sided p-value, after = or <; empty for rank correlations, and if there is none.
    p: str
    reason: str


@dataclass(frozen=True)
class ShownRow:
    row: Row
    # Whether the table has correlations within pools.
    within: bool = False

    @property
    def baseline(self) -> int | None:
        return self.row.baseline

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def n(self) -> int:
        return self.row.n

    @property
    def lacking(self) -> list[str]:
        """How many items with people's score do not count, by why."""
        sentences = []
        if n := self.row.n_without:
            sentences.append(_("%(n)s without a value") % {"n": grouped(n)})
        if n := self.row.n_trained_on:
            sentences.append(_("%(n)s used for training") % {"n": grouped(n)})
        return [str(sentence) for sentence in sentences]

    @property
    def why_no_interval(self) -> str:
        """Why its coefficients have no interval; empty if one of them has."""
        figures = [figure for figure in self.row.figures.values() if figure["value"] is not None]
        if any(figure["low"] is not None for figure in figures):
            return ""
        reason = next((why for figure in figures if (why := figure["interval_reason"])), None)
        return str(_("no interval: %(reason)s") % {"reason": in_words(reason)}) if reason else ""

    @property
    def device(self) -> str:
        return device_name(self.row.device)

    @property
    def cells(self) -> list[Cell]:
        return cells_of(self.row, within=self.within)

    @property
    def seconds(self) -> str:
        return duration(self.row.seconds)


def cells_of(row: Row, *, within: bool = False) -> list[Cell]:
    """`within`: the correlations within pools, too, which then stand first."""
    cells = []
    for name in [*(WITHIN_POOLS if within else ()), *COEFFICIENTS]:
        figure = row.figures[name]
        reason = in_words(figure["reason"]) if figure["value"] is None else ""
        p = figure["p_value"] if name == "pearson" else None
        shown_p = "" if p is None else p_value(p)
        if shown_p and not shown_p.startswith("<"):
            shown_p = f"= {shown_p}"
        cells.append(Cell(figure["value"], figure["low"], figure["high"], shown_p, reason))
    return cells


def rounding(report: BaselineReport) -> Said:
    """How measures were rounded before they were correlated; empty if they were not."""
    decimals = report.figures.get("decimals")
    if decimals is None:
        return ""
    return translated(decimals_in_words(decimals))


def part_name(part: Part) -> str:
    """The items of a part in words."""
    if not part.by:
        return str(_("all items"))
    if part.by in baseline_subsets.OF_TEXTS:
        return part_label(part)
    return f"{subset_name(part.by)}: {part_label(part)}"


def part_label(part: Part) -> str:
    if not part.label:
        return str(_("unknown"))
    is_computed = part.by in baseline_subsets.OF_TEXTS or part.label in {TRUE, FALSE}
    return str(_LABELS.get(part.label, part.label) if is_computed else part.label)


def people_of(study: Study, report: BaselineReport | None) -> Source | None:
    """Whose scores measures are held against: the leaderboard's, else the study's own."""
    if report is not None:
        return options_of(report).people
    return human_scores.usual(study)


def options_of(report: BaselineReport) -> ReportOptions:
    return ReportOptions.of_json(report.parameters["options"])
