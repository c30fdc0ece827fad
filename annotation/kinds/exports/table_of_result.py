"""One table of a result as a paper prints it and as programs read it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.basics.cells import Cell
from annotation.basics.numbers import p_value
from annotation.core.exports.columns import Column, rows_of
from annotation.core.exports.figures import notes_on_people, number
from annotation.core.exports.paper_tables import PaperTable

# Of a figure that never has an interval.
NOT_COMPUTED: Mapping[str, Any] = {"reason": "no interval of this figure is computed"}
# One note for all of them: most figures of some tables are such.
_WITHOUT = "No interval is computed for the other values."


@dataclass(frozen=True)
class ResultTable:
    """Records with every digit; `printed` is the same as a paper prints it."""

    # The name of its file, without an ending.
    name: str
    about: str
    columns: list[Column]
    records: Sequence[Any]
    printed: PaperTable

    @property
    def latex(self) -> str:
        return self.printed.tex

    @property
    def rows(self) -> list[Sequence[Cell]]:
        """The cells of each record, in the order of the columns."""
        return list(rows_of(self.columns, self.records))


def result_table(
    name: str,
    about: str,
    columns: list[Column],
    records: Sequence[Any],
    *,
    printed: Sequence[str],
    caption: str,
    notes: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    p_values: Sequence[str] = (),
) -> ResultTable:
    """A table whose LaTeX has the columns in `printed`, and numbers with three decimals.

    `words` are what it says instead of names that programs read, of columns and in cells;
    `p_values` are the columns that have such.
    """
    words = words or {}
    names = [column.name for column in columns]
    places = [names.index(column) for column in printed]
    return ResultTable(
        name,
        about,
        columns,
        records,
        PaperTable(
            caption,
            f"tab:{name.replace('_', '-')}",
            [words.get(column, column.replace("_", " ")) for column in printed],
            [
                [
                    _printed(row[place], words, is_p_value=column in p_values)
                    for column, place in zip(printed, places, strict=True)
                ]
                for row in rows_of(columns, records)
            ],
            notes=notes,
        ),
    )


def _printed(cell: Cell, words: Mapping[str, str], *, is_p_value: bool) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, str):
        return words.get(cell, cell)
    return p_value(cell) if is_p_value and cell is not None else number(cell)


def number_column(name: str, meaning: str, value: Callable[[Any], Cell]) -> Column:
    """A column of numbers, also where every cell is empty."""
    return Column(name, meaning, value, is_number=True)


def interval_columns(interval: Callable[[Any], Mapping[str, Any]]) -> list[Column]:
    """The ends of a stored interval, what it is over, and why it is missing or of some only."""
    return [
        number_column(
            "low",
            "lower end of the 95 % interval of the value, if it has one",
            lambda row: interval(row).get("low"),
        ),
        number_column("high", "upper end of this interval", lambda row: interval(row).get("high")),
        Column(
            "interval_over",
            "what the interval generalises to, such as `people and pools`. If `people` is missing,"
            " the interval is only valid for the people who answered",
            lambda row: _over(interval(row)),
        ),
        Column(
            "interval_note",
            "why there is no interval, why it does not generalise to other people, or how it was"
            " computed",
            lambda row: _about(interval(row)),
        ),
    ]


def _over(interval: Mapping[str, Any]) -> str:
    has_ends = interval.get("low") is not None
    return str(interval.get("over") or "") if has_ends else ""


def _about(interval: Mapping[str, Any]) -> str:
    return next((str(interval[n]) for n in ("reason", "note", "method") if interval.get(n)), "")


def interval_notes(intervals: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """The same as notes below a table, each once for all figures that it is said of.

    `intervals`: each with the name of its figure.
    """
    intervals = list(intervals)
    others: dict[str, list[str]] = {}
    for name, interval in intervals:
        if interval is NOT_COMPUTED:
            continue
        if interval.get("low") is None and interval.get("reason"):
            others.setdefault(f"no interval, because {interval['reason']}", []).append(name)
        elif interval.get("method"):
            others.setdefault(f"interval {interval['method']}", []).append(name)
    return [
        *("".join(map(str, sentence)) for sentence in notes_on_people(*intervals)),
        *(f"{'; '.join(names)}: {text}." for text, names in others.items()),
        *([_WITHOUT] if any(interval is NOT_COMPUTED for _name, interval in intervals) else []),
    ]


def reason_column(figures: Callable[[Any], Mapping[str, Any]]) -> Column:
    """Why cells are empty, as the figures of a record say it."""
    return Column(
        "reason", "why cells of the row are empty", lambda row: figures(row)["reason"] or ""
    )
