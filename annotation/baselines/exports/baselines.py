"""Measures beside people's scores, in the archive of a study that has some."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from annotation.baselines.exports import further_tables
from annotation.baselines.queries import leaderboards, report_files
from annotation.baselines.queries.report_provenance import stated
from annotation.basics.cells import Cell
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs, read_pairs
from annotation.kinds.registry import kind_of
from annotation.models import Baseline, BaselineReport, Study
from scoring.baselines.tables import difference_names, difference_rows

LEADERBOARD, DIFFERENCES, VALUES = "leaderboard.tsv", "differences.tsv", "baselines.tsv"
_TEXTS = {
    *("people", "where", "subset", "measure", "first", "second"),
    *("headline", "ceiling_source", "resampled", "test", "reason", "revision", "device"),
}
_MEANINGS = {
    "people": "whose scores",
    "where": "the condition of which only the items were taken that fulfil it; empty: all items",
    "subset": "part of the items, or `all`",
    "measure": "its name, as in the head of `baselines.tsv`",
    "first": "a measure",
    "second": "the measure that it is compared with",
    "n": "items with people's score and every value",
    "n_missing": "items of the subset without one of them",
    "pools": "pools that the correlations within pools are of",
    "pools_left_out": "pools without three items that have both values and differ in them",
    "headline": "the correlation that counts: `within_pools` if people's scores compare the items"
    " of a pool with each other and there are several pools, otherwise `all_items`",
    "is_tied_with_best": "1 for the best measure, and for measures that are not below it on the"
    " items of both with a corrected p below .05 (also if that was not tested); else 0",
    "p_value": "two-sided, of the difference of the correlations that count",
    "p_corrected": "the same, corrected by Holm for all comparisons of the subset",
    "ceiling": "noise ceiling: the correlation that counts, of a perfect measure (Pearson's)",
    "ceiling_low": "lower end of its 95 % interval",
    "ceiling_high": "upper end of its 95 % interval",
    "ceiling_source": "what the ceiling was taken from",
    "resampled": "what the bootstrap drew again: `pools` or `items`",
    "n_resamples": "how often",
    "left_out": "what was left out in turn for the intervals of differences: `pools` or `items`",
    "between": "Pearson's correlation of both measures with each other on these items",
    "decimals": "to which measures were rounded before they were correlated; empty: not rounded",
    "test": "of the difference of Pearson's coefficients",
    "statistic": "of the test",
    "df": "degrees of freedom of the test, if it has some",
    "p_two_sided": "of the test",
    "p_lower": "of the test, for the first being lower",
    "p_upper": "of the test, for the first being higher",
    "reason": "why cells are empty",
    "revision": "of the measure's model, if it has one",
    "device": "that computed the measure; empty if its values were computed elsewhere",
    "seconds": "that computing it took",
}
_ENDINGS = {
    "p": "two-sided p-value; of a difference by the jackknife",
    "first": "coefficient of the first measure",
    "second": "coefficient of the second measure",
    "difference": "first less second",
    "low": "lower end of the interval, by the method named before if there are several",
    "high": "upper end of the interval, by the method named before if there are several",
}


@dataclass(frozen=True)
class StoredMeasures:
    """The stored measures and reports of a study that fit its current items and scores.

    `withheld`: further columns of the imported file that are left out, with each leaderboard that
    chooses or divides the items by one of them.
    """

    study: Study
    withheld: Collection[str] = ()

    @classmethod
    def of(cls, archive: Archive) -> "StoredMeasures":
        release = archive.release
        if release is None or release.metadata:
            return cls(archive.study)
        columns = kind_of(archive.study).releases.further_columns(archive.study)
        return cls(archive.study, frozenset(columns))

    @cached_property
    def pairs(self) -> StudyPairs:
        return read_pairs(self.study)

    @cached_property
    def measures(self) -> list[Baseline]:
        if not self.study.baselines.exists():
            return []
        baselines = self.study.baselines.filter(digest=self.pairs.digest)
        return list(baselines.order_by("pk"))

    @cached_property
    def report(self) -> BaselineReport | None:
        """One that is of yesterday's scores is none of this data set."""
        report = leaderboards.latest_report(self.study)
        return report if report is not None and self._is_shown(report) else None

    @cached_property
    def reports(self) -> list[BaselineReport]:
        """Every leaderboard that is of today's scores, the newest first."""
        reports = self.study.baseline_reports.order_by("-pk")
        return [report for report in reports if self._is_shown(report)]

    def _is_shown(self, report: BaselineReport) -> bool:
        if leaderboards.is_outdated(report):
            return False
        return leaderboards.columns_used(report).isdisjoint(self.withheld)

    def leaderboards(self) -> Iterator[tuple[BaselineReport, int]]:
        """The number of each part of each of them; of the same scores and items the newest alone.

        Rounding, seed, resamples and what the noise ceiling is from make no other leaderboard.
        """
        seen = set()
        for report in self.reports:
            options = report.parameters["options"]
            people = options["people"]
            scores = (people["from"], people.get("phase"), people.get("by"), people.get("name"))
            where = report_files.in_one_line(options.get("where", ""))
            for number, part in enumerate(report.parameters["subsets"]):
                identity = (scores, where, part["by"], part["label"])
                if identity not in seen:
                    seen.add(identity)
                    yield report, number

    def tables(self) -> Iterator[tuple[str, str, list[Column], Iterable[Any]]]:
        """Name, what it is, columns and records of each file that there is."""
        if self.reports:
            about = (
                "How well each measure finds people's scores, by whose scores they are and by"
                " subset. Pearson's, Spearman's and Kendall's coefficient, each with its p-value"
                " and intervals. Of the same scores and subset the newest leaderboard."
            )
            for report in dict.fromkeys(report for report, _number in self.leaderboards()):
                about += _sentences(stated(report))
            names = report_files.names(self.reports[0])
            yield LEADERBOARD, about, [_column(name) for name in names], self._leaderboard_rows()
        if self.report is not None:
            about = (
                "Every two measures of every subset of the newest leaderboard"
                f" ({self.report.parameters['people']}), on the items that have both."
                f"{_sentences(stated(self.report))}"
            )
            names = difference_names(self.report.figures)
            rows = difference_rows(self.report.figures)
            yield DIFFERENCES, about, [_column(name) for name in names], rows
        for further in further_tables.of_study(self.study, self.report, self.withheld):
            yield f"{further.name}.tsv", further.about, further.columns, further.records
        if self.measures:
            columns = [Column("id", "of the item", self.pairs.keys.__getitem__)]
            columns += [
                Column(
                    measure.name,
                    _described(measure),
                    _value_of(measure),
                    is_named_by_others=True,
                )
                for measure in self.measures
            ]
            about = "The value of each measure for each item; empty where it has none."
            # The records are the places of the items.
            yield VALUES, about, columns, range(len(self.pairs))

    def _leaderboard_rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the parts that `leaderboards` names."""
        parts: dict[BaselineReport, set[str]] = {}
        for report, number in self.leaderboards():
            name = report.figures["subsets"][number]["name"]
            parts.setdefault(report, set()).add(name)
        for report, names in parts.items():
            yield from (row for row in report_files.rows(report) if row["subset"] in names)


def write(archive: Archive) -> None:
    """Write the files if there are measures; simulated answers have none."""
    if archive.population == "people":
        for name, _about, columns, records in StoredMeasures.of(archive).tables():
            archive.table(name, columns, records)


def sections(archive: Archive) -> list[str]:
    """The sections of `README.md` about these files."""
    if archive.population != "people":
        return []
    return [
        section(name, about, columns)
        for name, about, columns, _records in StoredMeasures.of(archive).tables()
    ]


def _column(name: str) -> Column:
    """A column of a leaderboard or its differences, whose rows have their cells by name."""
    return Column(name, _meaning(name), _text_of(name) if name in _TEXTS else itemgetter(name))


def _meaning(name: str) -> str:
    if name in _MEANINGS:
        return _MEANINGS[name]
    if name.startswith("within_"):
        return _meaning_within(name.removeprefix("within_"))
    coefficient, _mark, ending = name.partition("_")
    if not ending:
        return "the coefficient; of Kendall tau-b"
    return f"of {coefficient}: {_ENDINGS[ending.rpartition('_')[2]]}"


def _meaning_within(name: str) -> str:
    coefficient, _mark, ending = name.partition("_")
    if not ending:
        return f"mean over pools of the correlation within each pool ({coefficient})"
    meaning = {
        "low": "lower end of its interval over pools",
        "high": "upper end of its interval over pools",
        "difference": "mean over pools of the first less the second",
        "p": "two-sided p-value by the paired t-test over pools",
    }[ending]
    return f"within pools, of {coefficient}: {meaning}"


def _text_of(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: "" if row[name] is None else str(row[name])


def _value_of(baseline: Baseline) -> Callable[[int], Cell]:
    """The value of a measure for the item at a place."""
    values = baseline.array
    return lambda place: None if np.isnan(values[place]) else float(values[place])


def _sentences(sentences: Sequence[str]) -> str:
    """What the figures were computed from, as a list in Markdown of plain lines."""
    return "\n\n" + "\n".join(f"- {' '.join(text.split())}" for text in sentences)


def _described(measure: Baseline) -> str:
    """The settings that its values depend on, in one cell of a Markdown table."""
    parts = [measure.measure, *(f"{name}: {value}" for name, value in measure.settings.items())]
    if measure.revision:
        parts.append(f"revision {measure.revision}")
    return " ".join("; ".join(parts).replace("|", "/").split())
