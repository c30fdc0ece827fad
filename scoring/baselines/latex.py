"""A report as a LaTeX table, from what its `as_dict` gave; it takes the package booktabs."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from scoring.baselines.latex_writing import (
    COEFFICIENTS,
    INTERVALS,
    TESTS,
    Notes,
    comment_lines,
    escape,
    joined_caption,
    label_line,
    number_cell,
    p_cell,
    table_row,
)
from scoring.baselines.overlaps import MIN_ITEMS
from scoring.baselines.tables import Report
from scoring.decimals import in_words
from scoring.jackknife import LEVEL
from scoring.measures.leaderboard import EVERYTHING

IntervalMethod: TypeAlias = Literal["fisher", "percentile", "bca"]


class _Column(NamedTuple):
    """What one column of the table shows."""

    head: str
    subset: Mapping[str, Any]
    coefficient: str
    # Whether a column of its p-values follows.
    has_p: bool = False


def latex_by_subset(
    report: Report,
    *,
    coefficient: str | None = None,
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
    coefficient : {"within_pearson", "pearson", "spearman", "kendall"}, optional
        By default the one that comes first in the leaderboard of all items.
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
    coefficient = coefficient or _headline(report["subsets"][0])
    _check(report, coefficient, interval)
    columns = [
        _Column(escape(subset["name"]), subset, coefficient) for subset in report["subsets"]
    ]
    caption = f"{COEFFICIENTS[coefficient]} of measures with people's scores, by subset."
    caption = joined_caption(caption, about)
    return comment_lines(stated) + _table(report, columns, caption, interval, alpha, label=label)


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
                for name in [
                    *(["within_pearson"] if _headline(subset_report) == "within_pearson" else []),
                    *report["coefficients"],
                ]
            ]
            caption = f"Correlation of measures with people's scores, {escape(subset)}."
            caption = joined_caption(caption, about)
            return comment_lines(stated) + _table(
                report, columns, caption, interval, alpha, label=label
            )
    names = ", ".join(each["name"] for each in report["subsets"])
    raise ValueError(f"the report has no subset {subset!r}, but {names}")


def _check(report: Report, coefficient: str, interval: IntervalMethod | None) -> None:
    known = [*dict.fromkeys([_headline(report["subsets"][0]), *report["coefficients"]])]
    if coefficient not in known:
        raise ValueError(f"coefficient must be one of {', '.join(known)}, not {coefficient!r}")
    if interval is not None and interval not in get_args(IntervalMethod):
        raise ValueError(
            f"interval must be one of {', '.join(get_args(IntervalMethod))}, not {interval!r}"
        )


def _table(
    report: Report,
    columns: Sequence[_Column],
    caption: str,
    interval: IntervalMethod | None,
    alpha: float,
    *,
    label: str,
) -> str:
    notes = Notes()
    body = [[escape(measure)] for measure in report["measures"]]
    for column in columns:
        for row, cell in zip(body, _cells(report, column, interval, alpha, notes), strict=True):
            row.append(cell)
        if column.has_p:
            rows = {row["measure"]: row for row in column.subset["rows"]}
            for row, measure in zip(body, report["measures"], strict=True):
                row.append(p_cell(_figures(rows[measure], column.coefficient)["p_value"]))
    last = [_ceiling_row(columns, notes, has_intervals=interval is not None)]
    if human := report.get("typical_human"):
        value = (
            notes.undefined(human["reason"])
            if human["mean"] is None
            else f"{number_cell(human['mean'])}"
            rf" {{\small [{number_cell(human['worst'])}, {number_cell(human['best'])}]}}"
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
        *([label_line(label)] if label else []),
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        table_row(heads),
        table_row(sizes),
        r"\midrule",
        *map(table_row, body),
        r"\midrule",
        *map(table_row, last),
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
    notes: Notes,
) -> list[str]:
    """The column's cell of each measure."""
    rows = {row["measure"]: row for row in column.subset["rows"]}
    correlations = {name: _figures(row, column.coefficient) for name, row in rows.items()}
    values = {name: correlations[name]["value"] for name in report["measures"]}
    # Two items correlate by 1 or -1; reports that are stored since long may have such figures.
    ranked = {
        name: value
        for name, value in values.items()
        if value is not None and rows[name]["n"] >= MIN_ITEMS
    }
    best = max(ranked.values(), default=None)
    leader = next((name for name, value in ranked.items() if value == best), "")
    n_scored = column.subset["n_items"] - column.subset["n_unscored"]
    cells = []
    for name, value in values.items():
        figures, n = correlations[name], rows[name]["n"]
        marks = []
        if value is None:
            cell = "--"
            marks += [notes.letter(figures["reason"])] if figures["reason"] else []
        elif name in ranked and value == best:
            cell = rf"\textbf{{{number_cell(value)}}}"
        else:
            cell = number_cell(value)
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
            cell += _in_brackets(reach, reach["reason"], notes)
        cells.append(cell)
    return cells


def _in_brackets(ends: Mapping[str, Any], reason: str | None, notes: Notes) -> str:
    """The interval behind a value; a dash with its reason if there is none."""
    if ends["low"] is None:
        text = notes.undefined(reason)
    else:
        text = f"{number_cell(ends['low'])}, {number_cell(ends['high'])}"
    return rf" {{\small [{text}]}}"


def _p(column: _Column, best: str, name: str) -> float | None:
    """p of the difference of the best measure and another; corrected where it is the headline's.

    1 if the other one is not below it on the items that both have.
    """
    coefficient = column.coefficient
    for pair in column.subset["differences"]:
        if {pair["first"], pair["second"]} != {best, name}:
            continue
        if coefficient == "within_pearson":
            of_pair, p = pair["within"]["pearson"], pair["within"]["pearson"]["p_value"]
        else:
            of_pair = pair["differences"][coefficient]
            p = pair["test"]["p_two_sided"] if coefficient == "pearson" else of_pair["p_value"]
        if _is_corrected(column):
            p = pair["p_corrected"]
        difference, sign = _float(of_pair["difference"]), 1 if pair["first"] == best else -1
        if p is not None and difference is not None and sign * difference <= 0:
            return 1.0
        return _float(p)
    return None


def _is_corrected(column: _Column) -> bool:
    """Whether p of the differences is corrected for all comparisons: the headline's alone is."""
    return column.coefficient == _headline(column.subset)


def _about_correction(columns: Sequence[_Column]) -> str:
    """Which p-values are corrected."""
    corrected = [column for column in columns if _is_corrected(column)]
    if not corrected:
        sentence = "The p-values behind it are not corrected for the number of comparisons."
    elif len(corrected) == len(columns):
        sentence = (
            "The p-values behind it are corrected by Holm for all comparisons of the same subset."
        )
    else:
        heads = ", ".join(column.head for column in corrected)
        sentence = (
            "In these columns, the p-values behind it are corrected by Holm for all comparisons of"
            f" the same subset: {heads}. The others are not."
        )
    if any(column.has_p for column in columns):
        sentence += " The column $p$ is of the correlation itself."
    return sentence


def _headline(subset: Mapping[str, Any]) -> str:
    """The coefficient that the noise ceiling is one of."""
    return "within_pearson" if subset["headline"] == "within_pools" else "pearson"


def _figures(row: Mapping[str, Any], coefficient: str) -> Mapping[str, Any]:
    """A measure's correlation, within pools, too, as those of all items have their figures."""
    if coefficient != "within_pearson":
        of_items: Mapping[str, Any] = row["correlations"][coefficient]
        return of_items
    within = row["within"]["pearson"]
    interval = {**within, "reason": within["interval_reason"]}
    return {**within, "p_value": None, "intervals": dict.fromkeys(INTERVALS, interval)}


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _ceiling_row(columns: Sequence[_Column], notes: Notes, *, has_intervals: bool) -> list[str]:
    cells = []
    for column in columns:
        ceiling = column.subset["ceiling"]
        if column.coefficient != _headline(column.subset):
            of_pools = _headline(column.subset) == "within_pearson"
            what = "within pools" if of_pools else ""
            reason = f"the noise ceiling is one of Pearson's correlation {what}"
            cells.append(notes.undefined(reason.rstrip()))
        elif ceiling["value"] is None:
            cells.append(notes.undefined(ceiling["reason"]))
        else:
            cell = number_cell(ceiling["value"])
            if has_intervals:
                cell += _in_brackets(ceiling, ceiling["interval_reason"], notes)
            cells.append(cell)
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
    if within := used & {"within_pearson"}:
        tests.append(f"for {_listed(within)} by the paired $t$ test over pools")
    if others := used - {"pearson", "within_pearson"}:
        by = TESTS["jackknife"]
        tests.append(f"for {_listed(others)} by {by}" if "pearson" in used else by)
    lines = [
        "Bold: the highest of its column.",
        rf"$\dagger$: not shown to be lower than it ($p$ at least {alpha:g} by"
        f" {', '.join(tests)}, or not lower on the items that both have). This does not mean"
        " that both are equally good.",
        _about_correction(columns),
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
        over_pools = any(column.subset["has_errors_over_pools"] for column in columns)
        if interval == "fisher":
            units, is_drawn = {"pools" if over_pools else "items"}, over_pools
        lines[-1] += f" over {' or '.join(sorted(units))}." if is_drawn else "."
        if "within_pearson" in used:
            units |= {"pools"}
            lines.append("Intervals within pools are by Student's $t$ over pools.")
        if units:
            lines.append(_about_units(units, columns))
    return lines


def _about_units(units: set[str], columns: Sequence[_Column]) -> str:
    """What the intervals of measures are for; that of the noise ceiling is another kind."""
    others = f"for other {' or '.join(sorted(units))} that the same people answer"
    has_ceiling = any(
        column.coefficient == _headline(column.subset)
        and column.subset["ceiling"].get("low") is not None
        for column in columns
    )
    if not has_ceiling:
        return f"Intervals of measures are {others}."
    return (
        f"Intervals of measures are {others}; that of the noise ceiling"
        f" ({100 * LEVEL:g}\\,\\%) is for these items and scores."
    )


def _listed(coefficients: set[str]) -> str:
    return " and ".join(COEFFICIENTS[name] for name in COEFFICIENTS if name in coefficients)
