"""Tables of a best-worst result for a paper, as TSV and LaTeX: scores, and source x turns."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from annotation.basics import tables
from annotation.basics.sentences import in_words
from annotation.core.exports import latex
from annotation.core.exports.columns import Column, cells, section
from annotation.core.exports.figures import number, percent
from annotation.core.exports.members import Archive
from annotation.kinds.best_worst.queries import crossings
from annotation.kinds.best_worst.queries.crossings import Crossing, Place, crossing
from annotation.kinds.exports.table_of_result import NOT_COMPUTED, interval_columns
from annotation.kinds.queries.interval_words import with_ends

Statistics = Mapping[str, Any]

# What a release says of the files in LaTeX.
DOCUMENTS = {
    "score_distribution.tex": "the distribution of scores, as a LaTeX table for a paper",
    "statistics_by_source_and_turns.tex": (
        "agreement and reliability by source and number of turns, as LaTeX tables for a paper"
    ),
}
DISTRIBUTION = "score_distribution"
CROSSING = "statistics_by_source_and_turns"
_HEAD = "% Needs \\usepackage{booktabs}. In UTF-8.\n"


def write(archive: Archive, statistics: Statistics) -> None:
    """Both tables, as far as the result has them; `statistics` are of the exported answers."""
    if statistics.get("distribution"):
        archive.table(f"{DISTRIBUTION}.tsv", distribution_columns(), intervals(statistics))
        archive.member(f"{DISTRIBUTION}.tex", [distribution_tex(statistics)])
    if table := crossing(statistics):
        archive.table(f"{CROSSING}.tsv", crossing_columns(), crossing_records(table))
        archive.member(f"{CROSSING}.tex", [crossing_tex(table)])


def sections(statistics: Statistics | None) -> list[str]:
    """What the README says of the files that `write` makes."""
    parts = []
    if statistics and statistics.get("distribution"):
        parts.append(
            section(
                f"{DISTRIBUTION}.tsv",
                "How many items have which score, for scores from 0 to 1."
                f" `{DISTRIBUTION}.tex` is the same table in LaTeX; it requires the package"
                " booktabs.",
                distribution_columns(),
            )
        )
    if statistics and crossing(statistics):
        parts.append(
            section(
                f"{CROSSING}.tsv",
                "Statistics of parts of the data: by source, and by the number of turns of the"
                " dialogues. One row for each part and statistic. `study.json` has the definition"
                f" of each statistic. `{CROSSING}.tex` has the same figures as LaTeX tables, which"
                " require the package booktabs.",
                crossing_columns(),
            )
        )
    return parts


def file(statistics: Statistics, name: str, kind: str) -> str | None:
    """One of the four files; None if the result does not have it. In English."""
    header: list[Column]
    records: Iterator[Interval] | Iterator[CrossingRecord]
    if name == DISTRIBUTION and statistics.get("distribution"):
        if kind == "tex":
            return distribution_tex(statistics)
        header, records = distribution_columns(), intervals(statistics)
    elif name == CROSSING and (table := crossing(statistics)):
        if kind == "tex":
            return crossing_tex(table)
        header, records = crossing_columns(), crossing_records(table)
    else:
        return None
    return "".join(tables.lines([[column.name for column in header], *cells(header, records)]))


# -- Scores from 0 to 1 -------------------------------------------------------------------------


def distribution_columns() -> list[Column]:
    return [
        Column(
            "from",
            "lower end of an interval of scores; a score that equals it belongs to the interval",
            lambda row: row.low,
        ),
        Column(
            "to",
            "upper end of the interval; a score that equals it belongs to the next interval,"
            " except 1, which belongs to the last",
            lambda row: row.high,
        ),
        Column("items", "number of items with a score in the interval", lambda row: row.n_items),
        Column("share", "share of all items with a score", lambda row: row.share),
    ]


class Interval(NamedTuple):
    """An interval of rescaled scores, and the items in it."""

    low: float
    high: float
    n_items: int
    share: float | None


def intervals(statistics: Statistics) -> Iterator[Interval]:
    counts = statistics["distribution"]
    total = sum(counts)
    for k, n in enumerate(counts):
        yield Interval(k / len(counts), (k + 1) / len(counts), n, n / total if total else None)


def distribution_tex(statistics: Statistics) -> str:
    rows = [
        (f"{number(low, 1)} to {number(high, 1)}", f"{n:,}", percent(share))
        for low, high, n, share in intervals(statistics)
    ]
    return f"{_HEAD}\n" + latex.table(
        "Items by score, for scores from 0 to 1. Each interval contains its lower end; the last"
        " one contains both ends.",
        "tab:score-distribution",
        ["score", "items", "share"],
        rows,
    )


# -- Source x number of turns -------------------------------------------------------------------


def crossing_columns() -> list[Column]:
    return [
        Column(
            "part",
            "what the row is about: `cell` (one source and one number of turns), `source` (one"
            " source), `turns` (one number of turns), `all` (all answers), `mean_of_cells` (mean"
            " of the cells that have the figure) or `mean_by_answers` (the same, weighted by the"
            " number of answers)",
            lambda row: row.part,
        ),
        Column(
            "source",
            "source of the dialogues; empty if unknown or several",
            lambda row: row.source or "",
        ),
        Column(
            "turns",
            "number of turns of the dialogues; empty if unknown or several",
            lambda row: int(row.turns) if row.turns else None,
        ),
        Column(
            "dialogues",
            "number of dialogues from which at least one item was shown",
            lambda row: row.counts["n_pools"],
        ),
        Column(
            "tuples",
            "number of tuples with at least one answer",
            lambda row: row.counts["n_tuples"],
        ),
        Column("answers", "number of answers that count", lambda row: row.counts["n_judgments"]),
        Column(
            "items",
            "number of items in tuples with at least one answer",
            lambda row: row.counts["n_items"],
        ),
        Column(
            "statistic",
            "name of the statistic, which is its path in `statistics` of `study.json`: for example"
            " `split_half.random.spearman` or `alpha.joint.slot`",
            lambda row: row.statistic,
        ),
        Column("value", "value of the statistic", lambda row: row.value, is_number=True),
        Column(
            "sd",
            "standard deviation over splits; only for split-half reliability",
            lambda row: row.sd,
            is_number=True,
        ),
        *interval_columns(lambda row: row.interval),
        Column("reason", "why there is no value", lambda row: row.reason),
        Column("note", "what to know before you use the value", lambda row: row.note),
    ]


_COUNTS = ("n_pools", "n_tuples", "n_judgments", "n_items")


class CrossingRecord(NamedTuple):
    """One statistic of one source and number of turns; None and no source: of all."""

    part: str
    source: str | None
    turns: str | None
    counts: dict[str, int | None]
    statistic: str
    value: float | None
    sd: float | None
    reason: str
    note: str
    interval: Statistics


def crossing_records(table: Crossing) -> Iterator[CrossingRecord]:
    for place in table.places():
        counts = {name: table.count(name, place) for name in _COUNTS}
        for statistic in crossings.STATISTICS:
            cell = table.cell(statistic, place)
            yield CrossingRecord(
                _part(table, place),
                *place,
                counts=counts,
                statistic=statistic,
                value=cell.value,
                sd=cell.sd,
                reason=cell.reason,
                note=cell.note,
                interval=cell.interval or ({} if cell.value is None else NOT_COMPUTED),
            )
    counts = {name: table.count(name, (None, None)) for name in _COUNTS}
    for part, weighting in (("mean_of_cells", "cells"), ("mean_by_answers", "judgments")):
        for statistic in crossings.STATISTICS:
            mean = table.mean(statistic, weighting)
            yield CrossingRecord(
                part,
                None,
                None,
                counts=counts,
                statistic=statistic,
                value=mean.value,
                sd=None,
                reason=mean.reason,
                note=mean.note,
                interval=mean.interval,
            )


def _part(table: Crossing, place: Place) -> str:
    source, turns = place
    if source is None:
        return "all" if turns is None else "turns"
    return "source" if turns is None else "cell"


def crossing_tex(table: Crossing) -> str:
    """One table for each statistic: sources below one another, numbers of turns side by side."""
    keys = (*crossings.COUNTS, *crossings.STATISTICS)
    contents = "".join(
        f"% {_IN_GICCS[number]}: {', '.join(_label(key) for key in keys if key in of_paper)}.\n"
        for number, of_paper in _OF_GICCS.items()
    )
    return f"{_HEAD}{contents}\n" + "\n".join(_table(table, key) for key in keys)


# The statistics that GiCCS prints; its coding of alpha is not named, the others stand below.
_OF_GICCS = {
    1: ("alpha.joint.slot", "strong_agreement.best", "strong_agreement.worst"),
    3: ("split_half.fixed.spearman", "split_half.fixed.pearson"),
}
_IN_GICCS = {1: "As Table 1 of GiCCS, agreement", 3: "As Table 3 of GiCCS, split-half"}


def _label(key: str) -> str:
    return f"tab:source-turns-{key.replace('.', '-').replace('_', '-')}"


def _table(table: Crossing, key: str) -> str:
    is_statistic = key not in crossings.COUNTS
    rows = [
        [crossings.source_name(source), *(_text(table, key, (source, t)) for t in table.columns)]
        for source in table.rows
    ]
    notes: list[str] = []
    about = table.about_intervals([key] if is_statistic else [])
    if is_statistic:
        mean = table.mean(key, "cells")
        text = _value(key, mean.value) + (f" ({mean.note})" if mean.note else "")
        empty = [""] * (len(table.columns) - 1)
        rows.append(["mean of the groups, unweighted", *empty, text])
        notes = _why_missing(table, key)
    if about:
        notes += [
            f"{why} Groups: {'; '.join(place for place, _key in named)}." for named, why in about
        ]
        if why := mean.interval.get("reason"):
            notes.append(f"Mean of the groups: {in_words(why)}.")
    return latex.table(
        f"{crossings.name_of(key)}, by source and number of turns"
        + (", with 95 % intervals." if about else "."),
        _label(key),
        ["source", *(crossings.turns_name(turns) for turns in table.columns)],
        rows,
        notes=notes,
    )


def _text(table: Crossing, key: str, place: Place) -> str:
    if key in crossings.COUNTS:
        n = table.count(key, place)
        return "–" if n is None else f"{n:,}"
    cell = table.cell(key, place)
    return with_ends(_value(key, cell.value), cell.interval)


def _why_missing(table: Crossing, key: str) -> list[str]:
    """Each reason once, with the places that lack the figure."""
    places: dict[str, list[str]] = {}
    for place in table.places():
        cell = table.cell(key, place)
        if cell.value is None:
            places.setdefault(cell.reason, []).append(crossings.place_name(place))
    return [f"{'; '.join(named)}: {reason}." for reason, named in places.items()]


def _value(key: str, value: float | None) -> str:
    return percent(value) if crossings.is_share(key) else number(value)
