"""Addresses and tables in LaTeX."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from annotation.core.exports.markdown import one_line
from scoring.baselines.latex_writing import escape

# A figure, with an interval or not, a share, or an interval of two, as `figures` writes them.
_FIGURE = r"(?:–|-?\d[\d,]*(?:\.\d+)?(?:[ \N{NO-BREAK SPACE}]%)?)"
_FIGURES = re.compile(
    rf"{_FIGURE}(?: (?:to|\() ?{_FIGURE}\)?| \[{_FIGURE}, {_FIGURE}\])?",
)


def address(text: str) -> str:
    r"""A DOI or an address for BibTeX, whose styles hand it to \url."""
    return quote("".join(one_line(text).split()), safe="!$&'()*+,/:;=?@[]-._%#")


def table(
    caption: str,
    label: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    notes: Sequence[str] = (),
    layout: str = "",
) -> str:
    """A table of booktabs: the first column to the left, numbers to the right, notes below.

    `layout` gives the columns another layout, such as one that breaks long texts.
    """
    layout = layout or f"l{'r' * (len(header) - 1)}"
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape(caption)}}}",
        rf"  \label{{{label}}}",
        rf"  \begin{{tabular}}{{{layout}}}",
        r"    \toprule",
        f"    {_row(header)}",
        r"    \midrule",
        *(f"    {_row(row)}" for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par{{\footnotesize {escape(note)}}}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(text: str) -> str:
    """Figures with a true minus, and a dash for what is undefined, as `scoring` writes them."""
    if not _FIGURES.fullmatch(text):
        return escape(text)
    return escape(text).replace("-", "$-$").replace("–", "--")
