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
    "people": "whose scores the measures are compared with",
    "where": "the condition that items have to fulfil to be included; empty if all are included",
    "subset": "the part of the items; `all` for all of them",
    "measure": "name of the measure, as in the first line of `baselines.tsv`",
    "first": "name of the first measure",
    "second": "name of the second measure",
    "n": "number of items that have a score from people and all values",
    "n_missing": "number of items of the subset that lack one of these values",
    "pools": "number of pools in the correlations within pools",
    "pools_left_out": "number of pools that were left out, because they have fewer than three"
    " items with both values, or because all values are equal",
    "headline": "the main correlation, by which measures are ranked: `within_pools` if people only"
    " compared items of the same pool and there are several pools, otherwise `all_items`",
    "is_tied_with_best": "1 if the measure is the best one, or is not shown to be worse than it"
    " (corrected p-value of at least .05, not tested, or not lower on the items that both have);"
    " otherwise 0. This does not mean equally good",
    "p_value": "two-sided p-value of the difference between the two main correlations",
    "p_corrected": "`p_value`, corrected for all comparisons of the subset by Holm's method",
    "ceiling": "noise ceiling: the main correlation (Pearson) that the opinion of very many other"
    " people would reach on average",
    "ceiling_low": "lower end of the 95 % interval of the noise ceiling",
    "ceiling_high": "upper end of this interval",
    "ceiling_source": "what the noise ceiling was computed from",
    "resampled": "what the bootstrap resampled: `pools` or `items`",
    "n_resamples": "number of bootstrap resamples",
    "left_out": "what the jackknife left out in turn for the intervals of differences: `pools` or"
    " `items`",
    "between": "Pearson's correlation between the two measures on these items",
    "decimals": "number of decimals to which the measures were rounded first; empty if they were"
    " not rounded",
    "test": "name of the test of the difference between the two Pearson correlations",
    "statistic": "test statistic",
    "df": "degrees of freedom of the test; empty if it has none",
    "p_two_sided": "two-sided p-value of the test",
    "p_lower": "one-sided p-value of the test, for a lower correlation of the first measure",
    "p_upper": "one-sided p-value of the test, for a higher correlation of the first measure",
    "reason": "why cells of the row are empty",
    "revision": "version of the language model behind the measure, if there is one",
    "device": "device that computed the measure; empty if its values were computed elsewhere",
    "seconds": "computing time in seconds",
}
_ENDINGS = {
    "p": "two-sided p-value of {coefficient}; for a difference, by the jackknife",
    "first": "{coefficient} of the first measure with people's scores",
    "second": "{coefficient} of the second measure with people's scores",
    "difference": "{coefficient}: the first measure's minus the second one's",
    "low": "lower end of the interval of {coefficient}{method}",
    "high": "upper end of the interval of {coefficient}{method}",
}
_METHODS = {
    "": "",
    "fisher": ", by Fisher's transformation",
    "percentile": ", by the bootstrap with percentiles",
    "bca": ", by the bias-corrected and accelerated bootstrap (BCa)",
}
_COEFFICIENTS = {
    "pearson": "Pearson's correlation",
    "spearman": "Spearman's correlation",
    "kendall": "Kendall's tau-b",
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
                "A leaderboard: how well automatic measures of similarity agree with the scores of"
                " people. One row for each measure, part of the items and kind of people's"
                " scores. It has Pearson's, Spearman's and Kendall's correlation, each with its"
                " p-value and intervals. If several leaderboards exist for the same scores and"
                " the same part, the table contains the newest one. How it was computed:"
            )
            for report in dict.fromkeys(report for report, _number in self.leaderboards()):
                about += _sentences(stated(report))
            names = report_files.names(self.reports[0])
            yield LEADERBOARD, about, [_column(name) for name in names], self._leaderboard_rows()
        if self.report is not None:
            about = (
                "Differences between the measures of the newest leaderboard"
                f" ({self.report.parameters['people']}). One row for each part of the items and"
                " each two measures, computed on the items that have values of both. How it was"
                " computed:"
                f"{_sentences(stated(self.report))}"
            )
            names = difference_names(self.report.figures)
            rows = difference_rows(self.report.figures)
            yield DIFFERENCES, about, [_column(name) for name in names], rows
        for further in further_tables.of_study(self.study, self.report, self.withheld):
            yield f"{further.name}.tsv", further.about, further.columns, further.records
        if self.measures:
            columns = [Column("id", "id of the item", self.pairs.keys.__getitem__)]
            columns += [
                Column(
                    measure.name,
                    _described(measure),
                    _value_of(measure),
                    is_named_by_others=True,
                )
                for measure in self.measures
            ]
            about = (
                "The values of the automatic measures. One row for each item, one column for each"
                " measure. A cell is empty if the measure has no value for the item."
            )
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
        return f"{_COEFFICIENTS[coefficient]} with people's scores"
    method, _mark, ending = ending.rpartition("_")
    return _ENDINGS[ending].format(coefficient=_COEFFICIENTS[coefficient], method=_METHODS[method])


def _meaning_within(name: str) -> str:
    coefficient, _mark, ending = name.partition("_")
    if not ending:
        return f"{_COEFFICIENTS[coefficient]} within each pool, averaged over pools"
    meaning = {
        "low": "lower end of its interval",
        "high": "upper end of its interval",
        "difference": "the first correlation minus the second one, averaged over pools",
        "p": "two-sided p-value of the paired t-test over pools",
    }[ending]
    return f"{_COEFFICIENTS[coefficient]} within pools: {meaning}"


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
    parts = [
        f"the measure {measure.measure}",
        *(f"{name}: {value}" for name, value in measure.settings.items()),
    ]
    if measure.revision:
        parts.append(f"revision {measure.revision}")
    return " ".join("; ".join(parts).replace("|", "/").split())
