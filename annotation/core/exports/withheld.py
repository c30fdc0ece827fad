"""What is left out of the tables of a release: free words, and columns nobody was shown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotation.basics.cells import Cell
from annotation.core.exports.columns import Column
from annotation.core.exports.release_facts import ReleaseFacts

# Researchers' reasons for opening a part early are about one person; the audit log keeps them.
_REASONS = ("phases.tsv", "reason")
# The metadata of items may be about the people who wrote or collected the texts.
_METADATA = {("items.tsv", "metadata"), ("items.tsv", "dialogue_metadata")}
_LEFT_OUT = "empty: left out of this release"


def withheld_columns(
    release: ReleaseFacts | None, table: str, columns: Sequence[Column]
) -> dict[int, Column]:
    """Columns of a table whose cells stay empty, by their place, with what is said of them."""
    if release is None:
        return {}
    return {
        place: replace(column, meaning=f"{_LEFT_OUT} ({column.meaning})")
        for place, column in enumerate(columns)
        if (column.is_comment and not release.comments)
        or ((table, column.name) in _METADATA and not release.metadata)
        or (table, column.name) == _REASONS
    }


def without(places: Iterable[int], rows: Iterable[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
    for row in rows:
        emptied = list(row)
        for place in places:
            emptied[place] = ""
        yield emptied
