"""A stored leaderboard as the page shows it: one part of the items, sorted by one column."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import QueryDict
from django.utils.http import urlencode

from annotation.forms.baselines import subset_name
from annotation.models import BaselineReport, Study
from annotation.numbers import decimal, grouped
from annotation.queries import human_scores, leaderboards
from annotation.queries.human_scores import Source
from annotation.queries.leaderboards import Part, Row
from annotation.queries.measure_plots import COEFFICIENTS, correlation_plot
from annotation.queries.plots import Plot
from annotation.reported import in_words
from annotation.sentences import Said, ngettext
from annotation.sentences import sentence as _
from annotation.services.report_options import ReportOptions

# What is sorted by unless somebody asks for another column: the best measure stands first.
_USUAL = "-pearson"


@dataclass(frozen=True)
class Cell:
    """A coefficient with its interval, or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


@dataclass(frozen=True)
class ShownRow:
    row: Row

    @property
    def cells(self) -> list[Cell]:
        return cells_of(self.row)

    @property
    def seconds(self) -> str:
        return duration(self.row.seconds)


def cells_of(row: Row) -> list[Cell]:
    found = []
    for name in COEFFICIENTS:
        of = row.figures[name]
        reason = in_words(of["reason"]) if of["value"] is None else ""
        found.append(Cell(of["value"], of["low"], of["high"], reason))
    return found


def duration(seconds: float | None) -> str:
    """How long a computation took: to a tenth of a second while that says something."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return str(_("%(n)s s") % {"n": decimal(seconds, 1)})
    if seconds < 120:
        return str(_("%(n)s s") % {"n": round(seconds)})
    minutes = round(seconds / 60)
    return str(_("%(n)s min") % {"n": minutes})


def part_name(part: Part) -> str:
    """The items of a part in words."""
    if not part.by:
        return str(_("all items"))
    return f"{subset_name(part.by)}: {part_label(part)}"


def part_label(part: Part) -> str:
    return in_words(part.label) if part.label else str(_("unknown"))


def people_of(study: Study, report: BaselineReport | None) -> Source | None:
    """Whose scores measures are held against: the leaderboard's, else the study's own."""
    if report is not None:
        return options_of(report).people
    return human_scores.usual(study)


def options_of(report: BaselineReport) -> ReportOptions:
    return ReportOptions.of_json(report.parameters["options"])


@dataclass(frozen=True)
class Board:
    """A leaderboard, and what somebody asked to see of it."""

    report: BaselineReport
    parts: Sequence[Part]
    number: int
    sort: str
    chosen: tuple[str, str]

    @classmethod
    def of(cls, report: BaselineReport, asked: QueryDict) -> "Board":
        """Whatever the address says that cannot be is as if it were not said."""
        parts = leaderboards.rows_shown(report)
        number = asked.get("part", "")
        wanted = int(number[:6]) if number.isdecimal() else 0
        sort = asked.get("sort", _USUAL)
        return cls(
            report,
            parts,
            wanted if wanted < len(parts) else 0,
            sort if sort.removeprefix("-") in _columns() else _USUAL,
            (asked.get("first", ""), asked.get("second", "")),
        )

    @property
    def part(self) -> Part:
        return self.parts[self.number]

    @cached_property
    def options(self) -> ReportOptions:
        return options_of(self.report)

    @property
    def coefficient(self) -> str:
        """Of the plot: what the table is sorted by, if that is one."""
        name = self.sort.removeprefix("-")
        return name if name in COEFFICIENTS else "pearson"

    @property
    def query(self) -> str:
        return urlencode({"part": self.number, "sort": self.sort})

    @cached_property
    def rows(self) -> list[ShownRow]:
        return [ShownRow(row) for row in self._sorted]

    @cached_property
    def _sorted(self) -> list[Row]:
        name = self.sort.removeprefix("-")
        known = [row for row in self.part.rows if _value(row, name) is not None]
        unknown = [row for row in self.part.rows if _value(row, name) is None]
        known.sort(key=lambda row: _value(row, name), reverse=self.sort.startswith("-"))
        # Nothing is not less than anything: it comes last either way.
        return known + unknown

    @property
    def columns(self) -> list[tuple[Said, str, str]]:
        """Heading, where it leads, and how the table is sorted by it now."""
        return [
            (label, self._sorted_by(name), self._direction(name))
            for name, label in _columns().items()
        ]

    def _sorted_by(self, name: str) -> str:
        # A name is looked for from A on, a figure from the largest on.
        first = name if name == "name" else f"-{name}"
        other = f"-{name}" if name == "name" else name
        sort = other if self.sort == first else first
        return f"?{urlencode({'part': self.number, 'sort': sort})}#leaderboard-title"

    def _direction(self, name: str) -> str:
        if self.sort.removeprefix("-") != name:
            return ""
        return "descending" if self.sort.startswith("-") else "ascending"

    @property
    def part_groups(self) -> list[tuple[str, list[tuple[int, str]]]]:
        """The parts as a list to choose from, by what they divide the items by."""
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, part in enumerate(self.parts):
            label = part_label(part) if part.by else part_name(part)
            said = f"{label} ({grouped(part.n)})"
            groups.setdefault(part.by, []).append((number, said))
        return [(subset_name(by) if by else "", options) for by, options in groups.items()]

    @property
    def caption(self) -> str:
        said = ngettext("%(part)s: %(n)s item", "%(part)s: %(n)s items", self.part.n)
        return str(said % {"part": part_name(self.part), "n": grouped(self.part.n)})

    @property
    def people(self) -> str:
        return self.options.people.title if self.options.people else ""

    @property
    def facts(self) -> list[str]:
        options = self.options
        said: list[Said] = [_("People: %(people)s.") % {"people": self.people}]
        if options.where:
            said.append(
                _("Only items of which this is true: %(where)s.") % {"where": options.where}
            )
        said.append(self._intervals())
        return [str(one) for one in said]

    def _intervals(self) -> Said:
        return ""

    @cached_property
    def plot(self) -> Plot | None:
        shown = Part(self.part.by, self.part.label, self.part.n, self._sorted)
        return correlation_plot(
            shown,
            self.coefficient,
            people=self.people,
            level=self.options.level,
            ceiling=None,
        )


def _columns() -> dict[str, Said]:
    return {
        "name": _("Measure"),
        "n": "n",
        **COEFFICIENTS,
        "seconds": _("Time"),
    }


def _value(row: Row, name: str) -> Any:
    """What a column sorts by; None where there is nothing."""
    if name in COEFFICIENTS:
        return row.figures[name]["value"]
    return {"name": row.name.casefold(), "n": row.n, "seconds": row.seconds}[name]
