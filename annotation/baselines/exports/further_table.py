"""A table beside a leaderboard, as TSV and LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.core.exports.columns import Column, lines


@dataclass(frozen=True, eq=False)
class FurtherTable:
    """A record for each row; `latex` is the same as a paper prints it."""

    name: str
    about: str
    columns: list[Column]
    records: Sequence[Any]
    latex: str

    @property
    def tsv(self) -> str:
        return "".join(lines(self.columns, self.records))


def numbered(label: str, number: int) -> str:
    """The LaTeX label of one of several tables of a kind, numbered from 0."""
    return f"{label}-{number + 1}" if number else label
