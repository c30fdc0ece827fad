"""A report as a LaTeX table, from what its `as_dict` gave; it takes the package booktabs."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from scoring.baselines.overlaps import FEWEST_ITEMS
from scoring.baselines.tables import Report
from scoring.decimals import in_words
from scoring.measures.leaderboard import EVERYTHING
from scoring.rounding import rounded_text

IntervalMethod: TypeAlias = Literal["fisher", "percentile", "bca"]

COEFFICIENTS = {
    "pearson": "Pearson's $r$",
    "spearman": "Spearman's $\\rho$",
    "kendall": "Kendall's $\\tau_b$",
}
TESTS = {
    "meng": "the test of Meng, Rosenthal and Rubin (1992)",
    "steiger": "Steiger's test (1980)",
    "dunn-clark": "the test of Dunn and Clark (1969)",
    "williams": "Williams's test (1959)",
}
INTERVALS = {
    "fisher": "by Fisher's $z$",
    "percentile": "by the bootstrap (percentiles)",
    "bca": "by the bootstrap (BCa)",
}

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


class _Column(NamedTuple):
    """What one column of the table shows."""

    head: str
    subset: Mapping[str, Any]
    coefficient: str
    # Whether a column of its p-values follows.
    has_p: bool = False


def escape(text: str) -> str:
    """Write a text so that LaTeX prints it as it is; control characters become blanks."""
    escaped = "".join(_SPECIAL.get(character, character) for character in _on_one_line(text))
    # Two of these are printed as one longer dash or quote.
    return re.sub(r"([-,'])(?=\1)", r"\1{}", escaped)


def latex_by_subset(
    report: Report,
    *,
    coefficient: str = "pearson",
    interval: IntervalMethod | None = None,
    alpha: float = 0.05,
    about: str = "",
    label: str = "",
    stated: Sequence[str] = (),
) -> str:
    """Write measures x subsets.

    Parameters
    ----------
    report : dict
        Of `BaselineReport.as_dict`.
    coefficient : {"pearson", "spearman", "kendall"}
    interval : {"fisher", "percentile", "bca"}, optional
        Shown behind each value.
    alpha : float
        Measures whose p against the best one is not below it are marked.
    about : str
        Whose scores of which items they are, as a part of the caption.
    label : str
        What `\\ref` calls the table by; empty: it has no label.
    stated : sequence of str
        What it was computed from, as comments above the table.

    Raises
    ------
    ValueError
        If the report has no such coefficient, or the interval is unknown.
    """
    _check(report, coefficient, interval)
    columns = [
        _Column(escape(subset["name"]), subset, coefficient) for subset in report["subsets"]
    ]
    caption = f"{COEFFICIENTS[coefficient]} of measures with people's scores, by subset."
    caption = _joined(caption, about)
    return _comments(stated) + _table(report, columns, caption, interval, alpha, label=label)


def latex_of_subset(
    report: Report,
    *,
    subset: str = EVERYTHING,
    interval: IntervalMethod | None = None,
    alpha: float = 0.05,
    about: str = "",
    label: str = "",
    stated: Sequence[str] = (),
) -> str:
    """Write measures x coefficients of one subset, with p of Pearson's.

    Parameters
    ----------
    report : dict
        Of `BaselineReport.as_dict`.
    subset : str
        Its name.
    interval, alpha, about, label, stated
        As in `latex_by_subset`.

    Raises
    ------
    ValueError
        If the report has no such subset, or the interval is unknown.
    """
    _check(report, "pearson", interval)
    for subset_report in report["subsets"]:
        if subset_report["name"] == subset:
            columns = [
                _Column(COEFFICIENTS[name], subset_report, name, has_p=name == "pearson")
                for name in report["coefficients"]
            ]
            caption = f"Correlation of measures with people's scores, {escape(subset)}."
            caption = _joined(caption, about)
            return _comments(stated) + _table(
                report, columns, caption, interval, alpha, label=label
            )
    names = ", ".join(each["name"] for each in report["subsets"])
    raise ValueError(f"the report has no subset {subset!r}, but {names}")


def latex_of_differences(
    report: Report, *, about: str = "", label: str = "", stated: Sequence[str] = ()
) -> str:
    """Write every two measures on all items; the table may break over pages (longtable).

    Parameters
    ----------
    report : dict
        Of `BaselineReport.as_dict`.
    about, label, stated
        As in `latex_by_subset`.
    """
    everything = report["subsets"][0]
    methods = {_drawn_interval(pair)[0]: None for pair in everything["differences"]}
    intervals = " or ".join(INTERVALS[method].removeprefix("by ") for method in methods if method)
    caption = "Differences of Pearson's correlations with people's scores, first less second"
    if intervals:
        caption += f", with {100 * report['level']:g} % intervals by {intervals}"
    caption += (
        f"; p two-sided by {TESTS[report['test']]}, not corrected for the number of comparisons."
    )
    if report.get("decimals") is not None:
        caption += f" {in_words(report['decimals'])}"
    head = _row(
        ["first", "second", "$n$", "$r$, first", "$r$, second", "difference", "from", "to", "$p$"]
    )
    lines = [
        r"% \usepackage{booktabs,longtable}",
        r"\begin{longtable}{llrrrrrrr}",
        rf"\caption{{{_joined(escape(caption), about)}}}{_label(label)}\\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
    ]
    for pair in everything["differences"]:
        differences, (_method, low, high) = pair["differences"]["pearson"], _drawn_interval(pair)
        numbers = [
            differences["first"],
            differences["second"],
            differences["difference"],
            low,
            high,
        ]
        lines.append(
            _row(
                [
                    *(escape(pair[end]) for end in ("first", "second")),
                    str(pair["n"]),
                    *(_cell(number) for number in numbers),
                    _p_cell(pair["test"]["p_two_sided"]),
                ]
            )
        )
    lines.append(r"\end{longtable}")
    return _comments(stated) + "\n".join(lines) + "\n"


def _drawn_interval(pair: Mapping[str, Any]) -> tuple[str, float | None, float | None]:
    """The best interval there is of a difference of Pearson's, and how it was made."""
    intervals = pair["differences"]["pearson"]["intervals"]
    for method in ("bca", "percentile"):
        ends = intervals.get(method, {})
        if ends.get("low") is not None:
            return method, ends["low"], ends["high"]
    return "", None, None


def _label(label: str) -> str:
    return rf"\label{{{label}}}" if label else ""


def _p_cell(p: float | None) -> str:
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
        _row([escape(head) for head in header]),
        r"\midrule",
        *(_row([_cell(cell) for cell in row]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return _comments(stated) + "\n".join(lines) + "\n"


def _cell(cell: object) -> str:
    match cell:
        case (value, error):
            return _cell(value) if _is_missing(error) else f"{_cell(value)} ({_cell(error)})"
        case int():
            return f"{cell:,}".replace("-", "$-$")
        case float() if not _is_missing(cell):
            return _number(cell)
    return "--" if _is_missing(cell) else escape(str(cell))


def _is_missing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _joined(caption: str, about: str) -> str:
    return f"{caption} {escape(about)}" if about else caption


def _comments(lines: Sequence[str]) -> str:
    """Lines that LaTeX does not read, whatever is in them."""
    return "".join(f"% {_on_one_line(line)}\n" for line in lines)


def _on_one_line(text: str) -> str:
    plain = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") else character
        for character in text
    )
    return " ".join(plain.split())


def _check(report: Report, coefficient: str, interval: IntervalMethod | None) -> None:
    if coefficient not in report["coefficients"]:
        raise ValueError(
            f"coefficient must be one of {', '.join(report['coefficients'])}, not {coefficient!r}"
        )
    if interval is not None and interval not in get_args(IntervalMethod):
        raise ValueError(
            f"interval must be one of {', '.join(get_args(IntervalMethod))}, not {interval!r}"
        )


class _Notes:
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


def _table(
    report: Report,
    columns: Sequence[_Column],
    caption: str,
    interval: IntervalMethod | None,
    alpha: float,
    *,
    label: str,
) -> str:
    notes = _Notes()
    body = [[escape(measure)] for measure in report["measures"]]
    for column in columns:
        for row, cell in zip(body, _cells(report, column, interval, alpha, notes), strict=True):
            row.append(cell)
        if column.has_p:
            correlations = {row["measure"]: row["correlations"] for row in column.subset["rows"]}
            for row, measure in zip(body, report["measures"], strict=True):
                row.append(_p_cell(correlations[measure][column.coefficient]["p_value"]))
    last = [_ceiling_row(columns, notes)]
    if human := report.get("typical_human"):
        value = (
            notes.undefined(human["reason"])
            if human["mean"] is None
            else f"{_number(human['mean'])}"
            rf" {{\small [{_number(human['worst'])}, {_number(human['best'])}]}}"
        )
        # It is one figure of the whole, and of Pearson's correlation as the ceiling is.
        whole = [c.subset["name"] == EVERYTHING and c.coefficient == "pearson" for c in columns]
        if any(whole):
            cells = [value if is_of_whole else "" for is_of_whole in whole]
            last.append(["typical human", *_beside_p(columns, cells)])
    heads = ["measure", *_beside_p(columns, [column.head for column in columns], "$p$")]
    counts = [str(c.subset["n_items"] - c.subset["n_unscored"]) for c in columns]
    sizes = ["$n$", *_beside_p(columns, counts)]
    has_untested = any(r"\ddagger" in cell for row in body for cell in row)
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        *([_label(label)] if label else []),
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        _row(heads),
        _row(sizes),
        r"\midrule",
        *map(_row, body),
        r"\midrule",
        *map(_row, last),
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\smallskip",
        r"{\footnotesize",
        *_legend(report, columns, interval, alpha, has_untested=has_untested, last=last),
        *notes.lines(),
        r"\par}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _beside_p(columns: Sequence[_Column], cells: Sequence[str], of_p: str = "") -> list[str]:
    """The cells of a row, with one for the p-values of each column that has some."""
    padded = []
    for column, cell in zip(columns, cells, strict=True):
        padded += [cell, of_p] if column.has_p else [cell]
    return padded


def _cells(
    report: Report,
    column: _Column,
    interval: IntervalMethod | None,
    alpha: float,
    notes: _Notes,
) -> list[str]:
    """The column's cell of each measure."""
    rows = {row["measure"]: row for row in column.subset["rows"]}
    correlations = {name: row["correlations"] for name, row in rows.items()}
    values = {name: correlations[name][column.coefficient]["value"] for name in report["measures"]}
    # Two items correlate by 1 or -1; reports that are stored since long may have such figures.
    ranked = {
        name: value
        for name, value in values.items()
        if value is not None and rows[name]["n"] >= FEWEST_ITEMS
    }
    best = max(ranked.values(), default=None)
    leader = next((name for name, value in ranked.items() if value == best), "")
    n_scored = column.subset["n_items"] - column.subset["n_unscored"]
    cells = []
    for name, value in values.items():
        figures, n = correlations[name][column.coefficient], rows[name]["n"]
        marks = []
        if value is None:
            cell = "--"
            marks += [notes.letter(figures["reason"])] if figures["reason"] else []
        elif name in ranked and value == best:
            cell = rf"\textbf{{{_number(value)}}}"
        else:
            cell = _number(value)
            p = _p(column, leader, name)
            # Not to be told from the best one, or not to be compared with it.
            mark = r"\ddagger" if p is None else r"\dagger" if p >= alpha else ""
            marks += [f"${mark}$"] if mark else []
        if n != n_scored:
            marks.append(notes.letter(f"on {n} of the {n_scored} items; the others have no value"))
        cell += rf"\textsuperscript{{{','.join(marks)}}}" if marks else ""
        if value is not None and interval is not None:
            reach = figures["intervals"].get(interval) or {
                "low": None,
                "high": None,
                "reason": None,
            }
            ends = (
                notes.undefined(reach["reason"])
                if reach["low"] is None
                else f"{_number(reach['low'])}, {_number(reach['high'])}"
            )
            cell += rf" {{\small [{ends}]}}"
        cells.append(cell)
    return cells


def _p(column: _Column, first: str, second: str) -> float | None:
    """p of the difference of two measures: by the test for Pearson's, else by the bootstrap."""
    for pair in column.subset["differences"]:
        if {pair["first"], pair["second"]} == {first, second}:
            if column.coefficient == "pearson":
                return _float(pair["test"]["p_two_sided"])
            return _float(pair["differences"][column.coefficient]["p_value"])
    return None


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _ceiling_row(columns: Sequence[_Column], notes: _Notes) -> list[str]:
    cells = []
    for column in columns:
        ceiling = column.subset["ceiling"]
        if column.coefficient != "pearson":
            cells.append(notes.undefined("the noise ceiling is one of Pearson's correlation"))
        elif ceiling["value"] is None:
            cells.append(notes.undefined(ceiling["reason"]))
        else:
            cells.append(_number(ceiling["value"]))
    return ["noise ceiling", *_beside_p(columns, cells)]


def _legend(
    report: Report,
    columns: Sequence[_Column],
    interval: IntervalMethod | None,
    alpha: float,
    *,
    has_untested: bool,
    last: Sequence[Sequence[str]],
) -> list[str]:
    used = {column.coefficient for column in columns}
    tests = []
    if "pearson" in used:
        tests.append(TESTS[report["test"]])
    if used - {"pearson"}:
        by = "the paired bootstrap"
        tests.append(f"for {_listed(used - {'pearson'})} by {by}" if "pearson" in used else by)
    lines = [
        "Bold: the highest of its column.",
        rf"$\dagger$: does not differ from it at $p < {alpha:g}$ by {', '.join(tests)}; not "
        "corrected for the number of comparisons.",
    ]
    if report.get("decimals") is not None:
        lines.append(in_words(report["decimals"]))
    if any(row[0] == "typical human" for row in last):
        lines.append(
            "Typical human: mean over annotators of the correlation with the mean of the others, "
            "in brackets the worst and the best of them."
        )
    if has_untested:
        lines.append(r"$\ddagger$: the difference could not be tested.")
    if interval is not None:
        lines.append(
            f"In brackets: {100 * report['level']:g}\\,\\% interval {INTERVALS[interval]}"
        )
        units = {
            row.get("resampled") or column.subset["resampled"]
            for column in columns
            for row in column.subset["rows"]
        } - {None}
        is_drawn = units and interval != "fisher"
        lines[-1] += f" over {' or '.join(sorted(units))}." if is_drawn else "."
    return lines


def _listed(coefficients: set[str]) -> str:
    return " and ".join(COEFFICIENTS[name] for name in COEFFICIENTS if name in coefficients)


def _number(value: float) -> str:
    text = rounded_text(value, 3)
    if float(text) == 0:
        return "0.000"
    return text.replace("-", "$-$")


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
