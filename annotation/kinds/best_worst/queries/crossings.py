"""Every statistic of a best-worst result by source and number of turns, as the job stored it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics.numbers import grouped, number, percent
from annotation.basics.sentences import in_words
from annotation.core.queries.summaries import Summary, in_order, interval_of, value_of
from annotation.kinds.queries.interval_words import about_interval, with_ends
from annotation.kinds.queries.said_once import said_once

GROUP = "source x turns"
# The counts of answers that a table starts with.
COUNTS = ("n_pools", "n_tuples", "n_judgments")
# The names of `scoring.Summary.figures`; a page shows the others when asked.
MAIN = (
    "split_half.random.spearman",
    "split_half.fixed.spearman",
    "strong_agreement.best",
    "strong_agreement.worst",
    "alpha.joint.slot",
    "alpha.best.slot",
    "alpha.worst.slot",
)
FURTHER = (
    "split_half.random.pearson",
    "split_half.fixed.pearson",
    "alpha.stacked.slot",
    *(
        f"alpha.{on}.{coding}"
        for coding in ("uniform", "item")
        for on in ("joint", "best", "worst", "stacked")
    ),
)
STATISTICS = (*MAIN, *FURTHER)

# Source and number of turns as they were imported, empty if unknown; None: all of them.
Place = tuple[str | None, str | None]


@dataclass(frozen=True)
class Cell:
    """One figure of some answers, or the reason why there is none, in the active language."""

    value: float | None
    reason: str = ""
    # How far the figure of a split-half varies over splits.
    sd: float | None = None
    # A remark without which the figure would mislead.
    note: str = ""
    # As it is stored; empty of a figure that never has one.
    interval: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Crossing:
    """What is stored of each source and number of turns, with the margins."""

    sources: list[str]
    turns: list[str]
    summaries: Mapping[Place, Summary]
    # The means over the cells, by weighting and statistic.
    means: Mapping[str, Mapping[str, Any]]

    @property
    def columns(self) -> list[str | None]:
        """The last one: all. One column alone is all."""
        return [*self.turns, *([None] if len(self.turns) > 1 else [])]

    @property
    def rows(self) -> list[str | None]:
        return [*self.sources, *([None] if len(self.sources) > 1 else [])]

    def places(self) -> Iterator[Place]:
        """All cells, also those without a dialogue, and the margins, row by row."""
        for source in self.rows:
            for turns in self.columns:
                yield source, turns

    def count(self, name: str, place: Place) -> int | None:
        """None if a result from before it was counted does not say."""
        if place not in self.summaries:
            return 0
        n: int | None = self.summaries[place].get(name)
        return n

    def cell(self, statistic: str, place: Place) -> Cell:
        if place not in self.summaries:
            return Cell(None, _("this source has no dialogue with this number of turns"))
        summary = self.summaries[place]
        kind, name, *path = statistic.split(".")
        statistic_values = summary[kind][name]
        sd, note = None, statistic_values.get("note")
        if kind == "alpha":
            statistic_values = statistic_values[path[0]]
            note = statistic_values.get("warning")
        value = value_of(summary, statistic)
        if kind == "split_half":
            sd = statistic_values[path[0]]["sd"]
        if value is None:
            return Cell(None, in_words(statistic_values["reason"]))
        interval = interval_of(summary, statistic) or {}
        return Cell(value, sd=sd, note=in_words(note), interval=interval)

    def mean(self, statistic: str, weighting: str) -> Cell:
        """Over the cells that have the figure."""
        average = self.means[weighting][statistic]
        if average["value"] is None:
            return Cell(None, in_words(average["reason"]))
        note = ""
        if average["without"]:
            note = _("%(n)s of %(total)s groups") % {
                "n": average["n_cells"],
                "total": average["n_cells"] + len(average["without"]),
            }
        interval = {"reason": average["interval_reason"]}
        return Cell(average["value"], note=note, interval=interval)

    def about_intervals(self, keys: Sequence[str]) -> list[tuple[list[tuple[str, str]], str]]:
        """What intervals are over, or why they are missing, with place and statistic of each."""
        return said_once(
            ((place_name(place), key), about)
            for place in self.places()
            for key in keys
            if (about := about_interval(self.cell(key, place).interval))
        )


def crossing(statistics: Mapping[str, Any]) -> Crossing | None:
    """None if all dialogues are of one source and one number of turns."""
    groups = statistics.get("groups", {})
    if GROUP not in groups:
        return None
    stored = groups[GROUP]
    summaries: dict[Place, Summary] = {(None, None): statistics["overall"]}
    by_source: dict[str, Summary] = {}
    by_turns: dict[str, Summary] = {}
    for label, summary in stored["cells"].items():
        source, _separator, turns = label.rpartition(" / ")
        summaries[source, turns] = summary
        # One source alone, or one number of turns, is all: it is not stored a second time.
        by_source[source] = _margin(groups, "source", source) or statistics["overall"]
        by_turns[turns] = _margin(groups, "turns", turns) or statistics["overall"]
    summaries |= {(source, None): summary for source, summary in by_source.items()}
    summaries |= {(None, turns): summary for turns, summary in by_turns.items()}
    return Crossing(
        list(in_order(by_source)), list(in_order(by_turns)), summaries, stored["means"]
    )


def _margin(groups: Mapping[str, Any], name: str, label: str) -> Summary | None:
    summary: Summary | None = groups.get(name, {}).get("cells", {}).get(label)
    return summary


# -- In words -----------------------------------------------------------------------------------


def name_of(statistic: str) -> str:
    """A statistic, or a count, in the active language."""
    counts = {
        "n_pools": _("Dialogues"),
        "n_tuples": _("Tuples answered"),
        "n_judgments": _("Answers"),
    }
    if statistic in counts:
        return counts[statistic]
    kind, name, *path = statistic.split(".")
    if kind == "strong_agreement":
        return {"best": _("Strong agreement, best"), "worst": _("Strong agreement, worst")}[name]
    if kind == "split_half":
        halves = {
            "random": _("Split-half reliability, random halves"),
            "fixed": _("Split-half reliability, as in GiCCS"),
        }
        return f"{halves[name]}, {path[0].capitalize()}"
    on = {
        "joint": _("Alpha, best and worst together"),
        "best": _("Alpha, best"),
        "worst": _("Alpha, worst"),
        "stacked": _("Alpha, best and worst as separate units"),
    }
    codings = {
        "slot": _("slot coding"),
        "item": _("item coding (chance level is not 0)"),
        "uniform": _("uniform chance (Bennett's S)"),
    }
    return f"{on[name]}, {codings[path[0]]}"


def is_share(statistic: str) -> bool:
    return statistic.startswith("strong_agreement.")


def source_name(source: str | None) -> str:
    return _("all sources") if source is None else source or _("unknown")


def turns_name(turns: str | None) -> str:
    if turns is None:
        return _("all")
    return _("%(n)s turns") % {"n": turns} if turns else _("unknown")


def place_name(place: Place) -> str:
    source, turns = place
    return f"{source_name(source)}, {turns_name(turns)}"


@dataclass(frozen=True)
class ShownCell:
    text: str
    reason: str = ""


@dataclass(frozen=True)
class ShownTable:
    """One statistic as a page shows it: a row for each source, a column for each length."""

    key: str
    name: str
    rows: list[tuple[str, list[ShownCell]]]


@dataclass(frozen=True)
class IntervalRemark:
    """What some intervals are over, or why they are missing."""

    places: str
    statistics: str
    text: str


@dataclass(frozen=True)
class ShownCrossing:
    header: list[str]
    main: list[ShownTable]
    further: list[ShownTable]
    main_remarks: list[IntervalRemark]
    further_remarks: list[IntervalRemark]


def shown(statistics: Mapping[str, Any]) -> ShownCrossing | None:
    """The tables of a page; None as of `crossing`."""
    crossed = crossing(statistics)
    if crossed is None:
        return None
    return ShownCrossing(
        [turns_name(turns) for turns in crossed.columns],
        [_table(crossed, key) for key in (*COUNTS, *MAIN)],
        [_table(crossed, key) for key in FURTHER],
        _remarks(crossed, MAIN),
        _remarks(crossed, FURTHER),
    )


def _remarks(table: Crossing, keys: Sequence[str]) -> list[IntervalRemark]:
    return [
        IntervalRemark(
            "; ".join(dict.fromkeys(place for place, _key in named)),
            "; ".join(dict.fromkeys(name_of(key) for _place, key in named)),
            text,
        )
        for named, text in table.about_intervals(keys)
    ]


def _table(table: Crossing, key: str) -> ShownTable:
    rows = [
        (source_name(source), [_shown(table, key, (source, turns)) for turns in table.columns])
        for source in table.rows
    ]
    if key not in COUNTS:
        mean = table.mean(key, "cells")
        text = _value(key, mean.value)
        text = f"{text} ({mean.note})" if mean.note else text
        empty = [ShownCell("")] * (len(table.columns) - 1)
        rows.append((_("mean of the groups, unweighted"), [*empty, ShownCell(text, mean.reason)]))
    return ShownTable(key, name_of(key), rows)


def _shown(table: Crossing, key: str, place: Place) -> ShownCell:
    if key in COUNTS:
        n = table.count(key, place)
        return ShownCell("–" if n is None else grouped(n))
    cell = table.cell(key, place)
    return ShownCell(with_ends(_value(key, cell.value), cell.interval), cell.reason)


def _value(key: str, value: float | None) -> str:
    return percent(value) if is_share(key) else number(value)
