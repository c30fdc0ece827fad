"""A stored leaderboard as the page shows it: one part of the items, sorted by one column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import Http404, QueryDict
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.timezone import localtime

from annotation.baselines.forms.measure_options import subset_name
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
from annotation.baselines.queries.measure_figures import RANKINGS, WITH_POOLS, label_text
from annotation.baselines.queries.measure_plots import COEFFICIENTS, correlation_plot
from annotation.baselines.queries.report_order import USUAL, sorted_rows
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics.charts import written
from annotation.basics.numbers import grouped, percent
from annotation.basics.numbers import number as shown_number
from annotation.basics.plot import Plot
from annotation.basics.sentences import Said, in_words, ngettext
from annotation.basics.sentences import sentence as _
from annotation.models import BaselineReport, Study
from scoring.baselines import labelled_pairs
from scoring.measures import pool_ranking

# Below so many items the intervals are so wide that measures stand in a row by chance.
MIN_ITEMS_FOR_RANKS = 30


@dataclass(frozen=True)
class Ceiling:
    """How well any measure could do, or why that is not known."""

    value: float | None
    reason: str
    definition: str


@dataclass(frozen=True)
class Ranking:
    """How well a measure ranks the items of each pool."""

    # None: it was removed since, or is in no leaderboard.
    baseline: int | None
    name: str
    # Of each of `RANKINGS` the number of pools, where it has a column, mean and standard error.
    figures: Sequence[tuple[int | None, float | None, float | None]]
    reason: str


@dataclass(frozen=True)
class StoredLeaderboard:
    """One of the leaderboards that a study has, as a list names it."""

    number: int
    when: str
    description: str
    is_shown: bool


@dataclass(frozen=True)
class Board:
    """A leaderboard, and what somebody asked to see of it."""

    report: BaselineReport
    parts: Sequence[Part]
    number: int
    sort: str
    address_parameters: Mapping[str, Any]

    @classmethod
    def of(cls, report: BaselineReport, query: QueryDict) -> "Board":
        """Whatever the address says that cannot be is as if it were not said."""
        parts = leaderboards.rows_shown(report)
        number = query.get("part", "")
        wanted = int(number[:6]) if number.isdecimal() else 0
        sort = query.get("sort", USUAL)
        return cls(
            report,
            parts,
            wanted if wanted < len(parts) else 0,
            sort if sort.removeprefix("-") in _columns() else USUAL,
            query.dict(),
        )

    @classmethod
    def asked_for(cls, study: Study, query: QueryDict) -> "Board | None":
        """The one whose number the address says, else the newest; None before the first.

        Raises Http404 for a number of none: figures of another one would be taken for its.
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
        return [_stored(report, self.report) for report in leaderboards.stored(self.report.study)]

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
        """Of the plot: what the table is sorted by, if that is one."""
        name = self.sort.removeprefix("-")
        return name if name in COEFFICIENTS else "pearson"

    @property
    def coefficient_name(self) -> str:
        return COEFFICIENTS[self.coefficient]

    @property
    def query(self) -> str:
        return self._address(self.sort)

    def _address(self, sort: str) -> str:
        query = {"report": str(self.report.pk), "part": str(self.number), "sort": sort}
        return urlencode(query)

    @cached_property
    def rows(self) -> list[ShownRow]:
        return [ShownRow(row) for row in self._sorted]

    @cached_property
    def _sorted(self) -> list[Row]:
        return sorted_rows(self.part.rows, self.sort)

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
        return f"?{self._address(sort)}#leaderboard-title"

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
            label_with_n = f"{label} ({grouped(part.n)})"
            groups.setdefault(part.by, []).append((number, label_with_n))
        return [(subset_name(by) if by else "", options) for by, options in groups.items()]

    @property
    def caption(self) -> str:
        sentence = ngettext("%(part)s: %(n)s item", "%(part)s: %(n)s items", self.part.n)
        return str(sentence % {"part": part_name(self.part), "n": grouped(self.part.n)})

    @property
    def people(self) -> str:
        return self.options.people.title if self.options.people else ""

    @property
    def facts(self) -> list[str]:
        options = self.options
        sentences: list[Said] = [_("People: %(people)s.") % {"people": self.people}]
        if options.where:
            sentences.append(
                _("Only items of which this is true: %(where)s.") % {"where": options.where}
            )
        if left_out := self.report.parameters.get("n_left_out"):
            out = ngettext(
                "The condition leaves out %(n)s item.",
                "The condition leaves out %(n)s items.",
                left_out,
            )
            sentences.append(out % {"n": grouped(left_out)})
        if self.part.n_unscored:
            unscored = ngettext(
                "%(n)s item has no score from people.",
                "%(n)s items have no score from people.",
                self.part.n_unscored,
            )
            sentences.append(unscored % {"n": grouped(self.part.n_unscored)})
        if decimals := rounding(self.report):
            sentences.append(decimals)
        for name, n in self.report.parameters.get("lacking", {}).items():
            lack = ngettext(
                "%(n)s item has no %(name)s, which the condition asks for.",
                "%(n)s items have no %(name)s, which the condition asks for.",
                n,
            )
            sentences.append(lack % {"n": grouped(n), "name": name})
        when = date_format(localtime(self.report.computed_at), "DATETIME_FORMAT")
        sentences.append(
            _("Computed %(when)s by version %(version)s; seed %(seed)s.")
            % {
                "when": when,
                "version": self.report.code_version,
                "seed": self.report.parameters["seed"],
            }
        )
        return [str(sentence) for sentence in [*sentences, *self._intervals()]]

    @property
    def few(self) -> str:
        """What so few items mean; empty where there are enough."""
        fewest = min([self.part.n, *(row.n for row in self.part.rows if row.n)])
        if fewest >= MIN_ITEMS_FOR_RANKS:
            return ""
        sentence = _(
            "Fewer than %(n)s items: the intervals are wide, and with other items the measures may"
            " stand in another order."
        )
        return str(sentence % {"n": MIN_ITEMS_FOR_RANKS})

    @property
    def _of_part(self) -> Mapping[str, Any]:
        """The figures of this part as the report has them."""
        figures: Mapping[str, Any] = self.report.figures["subsets"][self.number]
        return figures

    def _intervals(self) -> list[Said]:
        """How the intervals were drawn."""
        figures, level = self._of_part, written(100 * self.options.level)
        if figures["resampled"] is None:
            return [_("Intervals: %(level)s %%, by Fisher's transformation.") % {"level": level}]
        values = {
            "level": level,
            "n": grouped(figures["n_resamples"]),
            "units": grouped(figures["n_units"]),
        }
        if figures["resampled"] == "pools":
            return [
                _(
                    "Intervals: %(level)s %%, from %(n)s resamples of the bootstrap; whole pools"
                    " were drawn again, %(units)s of them, since the items of one belong together."
                )
                % values
            ]
        return [
            _(
                "Intervals: %(level)s %%, from %(n)s resamples of the bootstrap; items were drawn"
                " again, %(units)s of them."
            )
            % values
        ]

    @property
    def ceiling(self) -> Ceiling:
        ceiling = self._of_part["ceiling"]
        reason = in_words(ceiling["reason"]) if ceiling["value"] is None else ""
        return Ceiling(ceiling["value"], reason, in_words(ceiling.get("definition", "")))

    @property
    def typical_human(self) -> Mapping[str, Any] | None:
        """How well raters agree with the others: of all items, and where they are known."""
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
            # Something else is compared, which no resamples were drawn for.
            return ("", "")
        return (self.names[0], self.names[1]) if len(self.names) > 1 else ("", "")

    @cached_property
    def difference(self) -> Difference | None:
        return difference(self.report.figures, self._of_part, *self.chosen)

    @property
    def baselines(self) -> set[int]:
        """The measures that are in it."""
        return {measure["baseline"] for measure in self.report.parameters["measures"]}

    @property
    def outdated(self) -> list[str]:
        return [str(sentence) for sentence in leaderboards.why_outdated(self.report)]

    @property
    def definitions(self) -> list[str]:
        """The sentences of the page that name references."""
        of_difference = self.difference.definitions if self.difference else []
        definitions = self.report.figures["definitions"]
        if "typical_human" in definitions:
            of_difference = [*of_difference, definitions["typical_human"]]
        of_pools = [self.within_pools_definition] if self.within_pools else []
        of_labels = [self.labels_definition] if self.labels else []
        return [self.ceiling.definition, *of_difference, *of_pools, *of_labels]

    @cached_property
    def within_pools(self) -> list[Ranking]:
        """How well each measure ranks the items of a pool, the best first; empty without pools."""
        there = set(self.report.study.baselines.values_list("pk", flat=True))
        rankings = [
            Ranking(
                row["baseline"] if row["baseline"] in there else None,
                row["measure"],
                [
                    (
                        row[name]["n"] if name in WITH_POOLS else None,
                        row[name]["value"],
                        row[name]["standard_error"],
                    )
                    for name in RANKINGS
                ],
                in_words(row["reason"]),
            )
            for row in self._of_part.get("within_pools", [])
        ]
        return sorted(rankings, key=lambda ranking: -(ranking.figures[1][1] or 0.0))

    @cached_property
    def labelled_pairs(self) -> list[tuple[str, list[str]]]:
        """Of each part of the items its name and the cells of a row; empty without labels."""
        return [
            (part_name(part), _cells_of_labels(pairs))
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

    def latex(self) -> str:
        """The table as it is shown; or of one coefficient, a column for each part of the items."""
        if self.address_parameters.get("columns") == "parts":
            return report_files.latex_of_parts(
                self.report, coefficient=self.coefficient, number=self.number, sort=self.sort
            )
        return report_files.latex_of_part(self.report, number=self.number, sort=self.sort)

    def tsv(self) -> str:
        """Every figure, each part of the items in the order in which its page shows it."""
        return report_files.tsv(self.report, number=self.number, sort=self.sort)

    @cached_property
    def plot(self) -> Plot | None:
        part = self.part
        # A ceiling is one of Pearson's correlation.
        ceiling = self.ceiling.value if self.coefficient == "pearson" else None
        return correlation_plot(
            replace(part, rows=self._sorted),
            self.coefficient,
            part=part_name(part) if part.by else "",
            people=self.people,
            level=self.options.level,
            ceiling=ceiling,
            rounding=str(rounding(self.report)),
        )


def _cells_of_labels(pairs: Mapping[str, Any]) -> list[str]:
    """Pairs, labelled pairs, the share of each label, overlap, characters and words."""
    counts = [grouped(pairs[name]) for name in ("n", "n_labelled")]
    overlap = [grouped(pairs[name]) for name in ("n_overlapping", "n_without_overlap")]
    lengths = [shown_number(pairs[unit] and pairs[unit][2], 1) for unit in ("characters", "words")]
    return [*counts, *(percent(label["share"]) for label in pairs["labels"]), *overlap, *lengths]


def _columns() -> dict[str, Said]:
    return {
        "name": _("Measure"),
        "n": "n",
        **COEFFICIENTS,
        "seconds": _("Time"),
    }


def _stored(report: BaselineReport, shown: BaselineReport) -> StoredLeaderboard:
    options = options_of(report)
    parts: list[str] = [options.people.title if options.people else ""]
    if options.where:
        parts.append(
            str(_("Only items of which this is true: %(where)s.") % {"where": options.where})
        )
    return StoredLeaderboard(
        report.pk,
        date_format(localtime(report.computed_at), "DATETIME_FORMAT"),
        "; ".join(parts),
        report.pk == shown.pk,
    )
