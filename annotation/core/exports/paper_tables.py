"""A table as a paper prints it, in LaTeX and in Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.core.exports import latex
from annotation.core.exports.markdown import inline


@dataclass(frozen=True)
class PaperTable:
    """`layout`: of the columns in LaTeX, if they are not a name and numbers."""

    caption: str
    label: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    layout: str = ""

    @property
    def tex(self) -> str:
        return latex.table(
            self.caption, self.label, self.header, self.rows, notes=self.notes, layout=self.layout
        )

    @property
    def markdown(self) -> str:
        """The caption, the table with numbers to the right, and the notes below."""
        lines = [
            f"**{inline(self.caption)}**",
            "",
            _line(self.header),
            f"| --- |{' ---: |' * (len(self.header) - 1)}",
            *map(_line, self.rows),
        ]
        for note in self.notes:
            lines += ["", inline(note)]
        return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(inline, cells))} |"
