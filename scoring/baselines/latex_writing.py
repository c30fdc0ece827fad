"""Cells, rows and plain tables in LaTeX: what every table of this package is written with."""

import math
import re
import unicodedata
from collections.abc import Sequence

from scoring.rounding import rounded_text

# Smaller ones are said to be below it.
MIN_PRINTED_P = 0.001
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # German and Czech letters are written with it where babel is loaded.
    '"': r"\symbol{34}",
    # Right after the end of a row these two would belong to its command.
    "[": "{[}",
    "*": "{*}",
    "`": "{`}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}

COEFFICIENTS = {
    "within_pearson": "$r$ within pools",
    "pearson": "Pearson's $r$",
    "spearman": "Spearman's $\\rho$",
    "kendall": "Kendall's $\\tau_b$",
}
TESTS = {
    "jackknife": "the jackknife over pools or items",
    "meng": "the test of Meng, Rosenthal and Rubin (1992)",
    "steiger": "Steiger's test (1980)",
    "dunn-clark": "the test of Dunn and Clark (1969)",
    "williams": "Williams's test (1959)",
}
INTERVALS = {
    "fisher": "by Fisher's $z$",
    "percentile": "by the bootstrap (percentiles)",
    "bca": "by the bootstrap (BCa)",
    "jackknife": "by the jackknife over pools or items",
}


def escape(text: str) -> str:
    """Write a text so that LaTeX prints it as it is; control characters become blanks."""
    escaped = "".join(_SPECIAL.get(character, character) for character in _on_one_line(text))
    # Two of these are printed as one longer dash or quote.
    return re.sub(r"([-,'])(?=\1)", r"\1{}", escaped)


def label_line(label: str) -> str:
    return rf"\label{{{label}}}" if label else ""


def p_cell(p: float | None) -> str:
    if _is_missing(p):
        return "--"
    assert p is not None
    return f"$<$ {MIN_PRINTED_P}" if p < MIN_PRINTED_P else rounded_text(p, 3)


def booktabs(
    caption: str,
    label: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    n_texts: int = 1,
    stated: Sequence[str] = (),
) -> str:
    """Write a plain table.

    Parameters
    ----------
    caption : str
    label : str
        By which a paper refers to it, such as tab:choices.
    header : sequence of str
        Above each column.
    rows : sequence of sequences
        Texts, whole numbers, floats (to three digits), or a float with its standard error or
        deviation, which is written in parentheses; None and nan are dashes.
    n_texts : int
        Columns on the left that hold texts.
    stated : sequence of str
        What it was computed from, as comments above the table.
    """
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{'l' * n_texts}{'r' * (len(header) - n_texts)}}}",
        r"\toprule",
        table_row([escape(head) for head in header]),
        r"\midrule",
        *(table_row([any_cell(cell) for cell in row]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return comment_lines(stated) + "\n".join(lines) + "\n"


def any_cell(cell: object) -> str:
    match cell:
        case (value, error):
            return (
                any_cell(value) if _is_missing(error) else f"{any_cell(value)} ({any_cell(error)})"
            )
        case int():
            return f"{cell:,}".replace("-", "$-$")
        case float() if not _is_missing(cell):
            return number_cell(cell)
    return "--" if _is_missing(cell) else escape(str(cell))


def _is_missing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def joined_caption(caption: str, about: str) -> str:
    return f"{caption} {escape(about)}" if about else caption


def comment_lines(lines: Sequence[str]) -> str:
    """Lines that LaTeX does not read, whatever is in them."""
    return "".join(f"% {_on_one_line(line)}\n" for line in lines)


def _on_one_line(text: str) -> str:
    plain = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") else character
        for character in text
    )
    return " ".join(plain.split())


def number_cell(value: float) -> str:
    text = rounded_text(value, 3)
    if float(text) == 0:
        return "0.000"
    return text.replace("-", "$-$")


def table_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


class Notes:
    """Reasons and numbers of items below the table, by letters."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def undefined(self, reason: str | None) -> str:
        """A dash, with the letter of its reason."""
        return rf"--\textsuperscript{{{self.letter(reason)}}}" if reason else "--"

    def letter(self, note: str) -> str:
        """The letter of a note, the same for the same one."""
        number = len(self._letters)
        # After z comes aa.
        letter = chr(97 + number % 26) * (1 + number // 26)
        return self._letters.setdefault(note, letter)

    def lines(self) -> list[str]:
        return [
            rf"\textsuperscript{{{letter}}} {escape(note)}."
            for note, letter in self._letters.items()
        ]
