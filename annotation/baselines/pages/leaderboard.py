"""A stored leaderboard as a page shows it: one part of the items, sorted by one column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import Http404, QueryDict
from django.utils.http import urlencode

from annotation.baselines.forms.measure_options import subset_name
from annotation.baselines.pages import leaderboard_facts
from annotation.baselines.pages.leaderboard_tables import (
    Ceiling,
    Ranking,
    StandIns,
    StoredLeaderboard,
    ceiling_of,
    cells_of_labels,
    rankings_of,
    stand_ins_of,
    stored_leaderboard,
)
from annotation.baselines.pages.measure_differences import Difference, difference
from annotation.baselines.pages.measure_rows import (
    ShownRow,
    options_of,
    part_label,
    part_name,
    rounding,
)
from annotation.baselines.queries import leaderboards, report_files
from annotation.baselines.queries.leaderboards import Part, Row
from annotation.baselines.queries.measure_figures import label_text
from annotation.baselines.queries.measure_plots import (
    COEFFICIENTS,
    FIGURES,
    WITHIN_POOLS,
    correlation_plot,
)
from annotation.baselines.queries.report_order import USUAL, sorted_rows
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics.numbers import grouped
from annotation.basics.plot import Plot
from annotation.basics.sentences import Said, in_words, ngettext
from annotation.basics.sentences import sentence as _
from annotation.models import BaselineReport, Study
from scoring.baselines import labelled_pairs
from scoring.measures import pool_ranking


@dataclass(frozen=True)
class Board:
    """A leaderboard, with the part, the order and the comparison that the address asks for."""

    report: BaselineReport
    parts: Sequence[Part]
    number: int
    sort: str
    address_parameters: Mapping[str, Any]

    @classmethod
    def of(cls, report: BaselineReport, query: QueryDict) -> "Board":
        """Parameters of the address that make no sense are ignored."""
        parts = leaderboards.rows_shown(report)
        number = query.get("part", "")
        wanted = int(number[:6]) if number.isdecimal() else 0
        sort = query.get("sort", USUAL)
        return cls(
            report,
            parts,
            wanted if wanted < len(parts) else 0,
            sort if sort.removeprefix("-") in _columns(within=True) else USUAL,
            query.dict(),
        )

    @classmethod
    def asked_for(cls, study: Study, query: QueryDict) -> "Board | None":
        """The leaderboard whose number the address gives, else the newest; None if there is none.

        Raises Http404 for an unknown number: readers would mistake another leaderboard for it.
        """
        number = query.get("report")
        if number is None:
            report = leaderboards.latest_report(study)
            return cls.of(report, query) if report else None
        reports = (
            study.baseline_reports.filter(pk=int(number[:18])) if number.isdecimal() else None
        )
        if reports is None or (report := reports.first()) is None:
            raise Http404
        return cls.of(report, query)

    @cached_property
    def stored(self) -> list[StoredLeaderboard]:
        """All leaderboards of the study, the newest first."""
        return [
            stored_leaderboard(report, self.report)
            for report in leaderboards.stored(self.report.study)
        ]

    @property
    def is_newest(self) -> bool:
        return self.stored[0].is_shown

    @property
    def part(self) -> Part:
        return self.parts[self.number]

    @cached_property
    def options(self) -> ReportOptions:
        return options_of(self.report)

    @property
    def coefficient(self) -> str:
        """The plot shows the coefficient by which the table is sorted, else the headline."""
        name = self.sort.removeprefix("-")
        return name if name in self.figures else self.part.headline

    @property
    def coefficient_of_parts(self) -> str:
        """The coefficient of the table by parts; within pools it has Pearson's alone."""
        return "within_pearson" if self.coefficient in WITHIN_POOLS else self.coefficient

    @property
    def coefficient_name(self) -> str:
        return str(FIGURES[self.coefficient_of_parts])

    @property
    def is_within_pools(self) -> bool:
        """Whether correlations within pools are the headline."""
        return self.part.headline in WITHIN_POOLS

    @property
    def figures(self) -> list[str]:
        """The names of the figures of the table, in its order."""
        return [*(WITHIN_POOLS if self.is_within_pools else ()), *COEFFICIENTS]

    @property
    def query(self) -> str:
        return self._address(self.sort)

    def _address(self, sort: str) -> str:
        query = {"report": str(self.report.pk), "part": str(self.number), "sort": sort}
        return urlencode(query)

    @cached_property
    def rows(self) -> list[ShownRow]:
        return [ShownRow(row, self.is_within_pools) for row in self._sorted]

    @cached_property
    def _sorted(self) -> list[Row]:
        return sorted_rows(self.part, self.sort)

    @property
    def columns(self) -> list[tuple[Said, str, str]]:
        """Heading, its link, and the direction in which the table is sorted by it."""
        return [
            (label, self._sorted_by(name), self._direction(name))
            for name, label in _columns(within=self.is_within_pools).items()
        ]

    def _sorted_by(self, name: str) -> str:
        # Names start in ascending order, figures in descending order.
        first = name if name == "name" else f"-{name}"
        other = f"-{name}" if name == "name" else name
        sort = other if self._sort == first else first
        return f"?{self._address(sort)}#leaderboard-title"

    def _direction(self, name: str) -> str:
        if self._sort.removeprefix("-") != name:
            return ""
        return "descending" if self._sort.startswith("-") else "ascending"

    @property
    def _sort(self) -> str:
        """The column by which the table is sorted, by its own name."""
        return f"-{self.part.headline}" if self.sort == USUAL else self.sort

    @property
    def part_groups(self) -> list[tuple[str, list[tuple[int, str]]]]:
        """The parts as a list to choose from, grouped by the column that divides the items."""
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, part in enumerate(self.parts):
            label = part_label(part) if part.by else part_name(part)
            label_with_n = f"{label} ({grouped(part.n)})"
            groups.setdefault(part.by, []).append((number, label_with_n))
        return [(subset_name(by) if by else "", options) for by, options in groups.items()]

    @property
    def caption(self) -> str:
        sentence = (
            ngettext("%(part)s: %(n)s item", "%(part)s: %(n)s items", self.part.n)
            if self.part.by
            else ngettext("The only item", "All %(n)s items", self.part.n)
        )
        return str(sentence % {"part": part_name(self.part), "n": grouped(self.part.n)})

    @property
    def people(self) -> str:
        return self.options.people.title if self.options.people else ""

    @property
    def facts(self) -> list[str]:
        return leaderboard_facts.facts(self.report, self.part, self._of_part)

    @property
    def tied(self) -> Sequence[str]:
        """The measures not shown to be worse than the best one; empty if it stands alone."""
        tied: Sequence[str] = self._of_part["tied_with_best"]
        return tied if len(tied) > 1 else []

    @property
    def best(self) -> str:
        """The measure than which those are not shown to be worse; empty if it stands alone."""
        headline = self._of_part["headline"]
        values = {
            row["measure"]: row["within" if headline == "within_pools" else "correlations"]
            for row in self._of_part["rows"]
            if row["measure"] in self.tied
        }
        return max(values, key=lambda name: values[name]["pearson"]["value"], default="")

    @property
    def few(self) -> str:
        return leaderboard_facts.warning_of_few_items(self.part)

    @property
    def why_no_intervals(self) -> str:
        """Why no measure has an interval; empty if one has."""
        figures = [figure for row in self.part.rows for figure in row.figures.values()]
        if any(figure["low"] is not None for figure in figures):
            return ""
        return next((why for row in self.rows if (why := row.why_no_interval)), "")

    @property
    def _of_part(self) -> Mapping[str, Any]:
        """The figures of this part, as the report stores them."""
        figures: Mapping[str, Any] = self.report.figures["subsets"][self.number]
        return figures

    @property
    def ceiling(self) -> Ceiling:
        return ceiling_of(self._of_part)

    @property
    def ceilings(self) -> list[Ceiling | None]:
        """For each figure of the table: the ceiling if it is one of that, else None."""
        return [self.ceiling if name == self.part.headline else None for name in self.figures]

    @property
    def humans(self) -> list[Mapping[str, Any] | None]:
        """For each figure of the table: the typical human if it is one of that, else None."""
        return [self.typical_human if name == "pearson" else None for name in self.figures]

    @property
    def pools_sentence(self) -> str:
        return leaderboard_facts.pools_sentence(self._of_part) if self.is_within_pools else ""

    @property
    def typical_human(self) -> Mapping[str, Any] | None:
        """How well raters agree with the others, if the raters are known."""
        human: Mapping[str, Any] | None = self.report.figures.get("typical_human")
        return human and {**human, "reason": in_words(human["reason"])}

    @property
    def names(self) -> list[str]:
        return [row.name for row in self._sorted]

    @cached_property
    def chosen(self) -> tuple[str, str]:
        """The two measures to compare: the first two of the table, unless others were chosen."""
        pair = (
            self.address_parameters.get("first", ""),
            self.address_parameters.get("second", ""),
        )
        if {*pair} <= {*self.names}:
            return pair
        if any(pair):
            # The chosen measures are not in this leaderboard, which has no resamples of them.
            return ("", "")
        return (self.names[0], self.names[1]) if len(self.names) > 1 else ("", "")

    @cached_property
    def difference(self) -> Difference | None:
        return difference(self.report.figures, self._of_part, *self.chosen)

    @property
    def baselines(self) -> set[int]:
        """Keys of the measures in the leaderboard."""
        return {measure["baseline"] for measure in self.report.parameters["measures"]}

    @property
    def outdated(self) -> list[str]:
        return [str(sentence) for sentence in leaderboards.why_outdated(self.report)]

    @property
    def definitions(self) -> list[str]:
        """The sentences of the page that cite references."""
        of_difference = self.difference.definitions if self.difference else []
        definitions = self.report.figures["definitions"]
        if "typical_human" in definitions:
            of_difference = [*of_difference, definitions["typical_human"]]
        of_pools = [self.within_pools_definition] if self.within_pools else []
        if self.is_within_pools:
            of_pools.append(self.within_definition)
        of_labels = [self.labels_definition] if self.labels else []
        if self.stand_ins:
            of_labels.append(self.stand_ins.definition)
        return [self.ceiling.definition, *of_difference, *of_pools, *of_labels]

    @cached_property
    def stand_ins(self) -> StandIns | None:
        """Whether measures may answer in place of people."""
        return stand_ins_of(self.report.figures, self._there)

    @cached_property
    def _there(self) -> set[int]:
        """Keys of the measures that were not removed."""
        return set(self.report.study.baselines.values_list("pk", flat=True))

    @cached_property
    def within_pools(self) -> list[Ranking]:
        """How well each measure ranks the items of a pool, best first; empty without pools."""
        return rankings_of(self._of_part, self._there)

    @cached_property
    def labelled_pairs(self) -> list[tuple[str, list[str]]]:
        """The name and the cells of each part of the items; empty if no pair has a label."""
        return [
            (part_name(part), cells_of_labels(pairs))
            for part, subset in zip(self.parts, self.report.figures["subsets"], strict=True)
            if (pairs := subset.get("labelled_pairs"))
        ]

    @property
    def labels(self) -> list[str]:
        pairs = self.report.figures["subsets"][0].get("labelled_pairs")
        return [label_text(label["label"]) for label in pairs["labels"]] if pairs else []

    @property
    def labels_definition(self) -> str:
        return in_words(labelled_pairs.DEFINITION)

    @property
    def within_pools_definition(self) -> str:
        return in_words(pool_ranking.DEFINITION)

    @property
    def within_definition(self) -> str:
        """What correlations within pools are."""
        return in_words(self.report.figures["definitions"]["within"])

    def latex(self) -> str:
        """The table as shown, or one coefficient with a column for each part of the items."""
        if self.address_parameters.get("columns") == "parts":
            return report_files.latex_of_parts(
                self.report,
                coefficient=self.coefficient_of_parts,
                number=self.number,
                sort=self.sort,
            )
        return report_files.latex_of_part(self.report, number=self.number, sort=self.sort)

    def tsv(self) -> str:
        """Every figure of every part of the items, in the order of the page."""
        return report_files.tsv(self.report, number=self.number, sort=self.sort)

    @cached_property
    def plot(self) -> Plot | None:
        part = self.part
        # The ceiling is one of the headline's correlation only.
        ceiling = None
        if self.ceiling.value is not None and self.coefficient == part.headline:
            ceiling = (self.ceiling.value, self.ceiling.low, self.ceiling.high)
        return correlation_plot(
            replace(part, rows=self._sorted),
            self.coefficient,
            part=part_name(part) if part.by else "",
            people=self.people,
            level=self.options.level,
            ceiling=ceiling,
            rounding=str(rounding(self.report)),
        )


def _columns(*, within: bool) -> dict[str, Said]:
    return {
        "name": _("Measure"),
        "n": "n",
        **{name: str(label) for name, label in (FIGURES if within else COEFFICIENTS).items()},
        "seconds": _("Time"),
    }
