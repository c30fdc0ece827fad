"""Best-worst answers from a table with the columns Item1 ... ItemK, BestItem and WorstItem."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import IntArray
from scoring.best_worst.judgments import BestWorst, tuples_by_set
from scoring.command.tables import Table, read_table
from shell import InputError

# Names of the column that says who answered; the first that is there.
PEOPLE = ("Annotator", "WorkerId")


@dataclass(frozen=True, eq=False)
class NamedAnswers:
    """A batch of answers, and what its numbers stand for.

    Parameters
    ----------
    batch : BestWorst
        One judgment for each row.
    items : list of str, length n_items
        Name of each item, in the order in which the rows show them.
    annotators : list of str
        Name of each annotator, in the order of their first rows; empty if no column names them.
    """

    batch: BestWorst
    items: list[str]
    annotators: list[str]


def read_answers(name: str, *, needs_people: bool = False) -> NamedAnswers:
    """Read answers from a file, or from the standard input where the name is a dash.

    Raises
    ------
    InputError
        If a column is missing, or a row shows an empty item or one item twice, picks an item that
        it does not show, or picks one item as both best and worst. If people are needed, and no
        column names them or a row does not.
    """
    table = read_table(name)
    shown_in = [table.place(column) for column in _item_columns(table)]
    best_in, worst_in = table.place("BestItem"), table.place("WorstItem")

    number: dict[str, int] = {}
    shown, best, worst = [], [], []
    for line, row in zip(table.lines, table.rows, strict=True):
        items = [row[i] for i in shown_in]
        _check(items, row[best_in], row[worst_in], line=line)
        shown.append([number.setdefault(item, len(number)) for item in items])
        best.append(number[row[best_in]])
        worst.append(number[row[worst_in]])

    annotators, annotator = _people(table, is_needed=needs_people)
    batch = tuples_by_set(
        np.array(shown), np.array(best), np.array(worst), n_items=len(number), annotator=annotator
    )
    return NamedAnswers(batch, list(number), annotators)


def _item_columns(table: Table) -> list[str]:
    """Item1, Item2 and so on, as many as there are without a gap."""
    k = 0
    while f"Item{k + 1}" in table.columns:
        k += 1
    beyond = [
        column
        for column in table.columns
        if column.startswith("Item") and column[4:].isdecimal() and int(column[4:]) > k
    ]
    # Naming the one that is missing: the first of the gap, or of the two that are the least.
    if beyond or k < 2:
        table.place(f"Item{k + 1}")
    return [f"Item{number}" for number in range(1, k + 1)]


def _check(items: list[str], best: str, worst: str, *, line: int) -> None:
    if len(set(items)) < len(items) or not all(item.strip() for item in items):
        for place, item in enumerate(items, start=1):
            if not item.strip():
                raise InputError(f"line {line}: Item{place} is empty")
            if (first := items.index(item) + 1) < place:
                raise InputError(f"line {line}: Item{first} and Item{place} are both {item!r}")
    for name, pick in (("BestItem", best), ("WorstItem", worst)):
        if pick not in items:
            raise InputError(
                f"line {line}: {name} {pick!r} is not one of the {len(items)} items shown "
                f"({', '.join(map(repr, items))})"
            )
    if best == worst:
        raise InputError(f"line {line}: {best!r} is both the best and the worst item")


def _people(table: Table, *, is_needed: bool) -> tuple[list[str], IntArray | None]:
    column = next((name for name in PEOPLE if name in table.columns), None)
    if not is_needed and (column is None or not all(map(str.strip, table.cells(column)))):
        return [], None
    if column is None:
        raise InputError(
            f"line 1: no column {' or '.join(map(repr, PEOPLE))}, which says who answered; the "
            f"columns are {', '.join(table.columns)}"
        )
    table.refuse_empty(column)
    number: dict[str, int] = {}
    annotator = [number.setdefault(cell, len(number)) for cell in table.cells(column)]
    return list(number), np.array(annotator)
