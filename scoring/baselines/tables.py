"""A report as TSV, from what its `as_dict` gave: nothing else is stored, and nothing else is read.

Tab-delimited, RFC 4180 quoting, lines end in a line feed; numbers have all their digits, and an
empty cell is a figure that is not defined, whose reason is in the last column.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

# What came out of JSON, checked by nobody but us.
Report: TypeAlias = Mapping[str, Any]

INTERVALS = ("fisher", "percentile", "bca")
WITHIN = ("pearson", "spearman")
_ENDS = ("low", "high")


def correlations_tsv(report: Report) -> str:
    """Write a row for each subset and measure.

    Parameters
    ----------
    report : dict
        Of `BaselineReport.as_dict`.

    Returns
    -------
    str
        Columns: subset, measure, n, n_missing; of pearson, spearman and kendall the value, p and
        the ends of each interval; of both correlations within pools the value and the ends of its
        interval, the pools that count and those left out; which correlation is the headline, and
        whether the measure is not shown to be worse than the best one; the subset's noise ceiling
        with its interval and what it is from; what was resampled and how often; decimals to which
        measures were rounded first, empty if they were not; reason, every one for an empty cell.
    """
    return _tsv(correlation_names(report), correlation_rows(report))


def correlation_names(report: Report) -> list[str]:
    """The columns of `correlations_tsv`, in their order."""
    names = ["subset", "measure", "n", "n_missing"]
    for coefficient in report["coefficients"]:
        names += [coefficient, f"{coefficient}_p", *_ends(coefficient, INTERVALS)]
    for coefficient in WITHIN:
        names += [f"within_{coefficient}", *(f"within_{coefficient}_{end}" for end in _ENDS)]
    names += ["pools", "pools_left_out", "headline", "is_tied_with_best"]
    names += ["ceiling", "ceiling_low", "ceiling_high", "ceiling_source"]
    return [*names, "resampled", "n_resamples", "decimals", "reason"]


def correlation_rows(report: Report) -> Iterator[dict[str, Any]]:
    """The rows of `correlations_tsv`: each cell by the name of its column."""
    for subset in report["subsets"]:
        ceiling = subset["ceiling"]
        for row in subset["rows"]:
            cells = {"subset": subset["name"]}
            cells |= {name: row[name] for name in ("measure", "n", "n_missing")}
            reasons = _Reasons()
            for coefficient in report["coefficients"]:
                correlation = row["correlations"][coefficient]
                cells |= {
                    coefficient: correlation["value"],
                    f"{coefficient}_p": correlation["p_value"],
                }
                cells |= reasons.ends(correlation, INTERVALS, prefix=coefficient)
                reasons.add(correlation["p_reason"], prefix=f"{coefficient}, p")
            cells |= _within(row["within"], reasons)
            reasons.add(ceiling["reason"], prefix="ceiling")
            reasons.add(ceiling.get("interval_reason"), prefix="ceiling, interval")
            yield {
                **cells,
                "headline": subset["headline"],
                "is_tied_with_best": int(row["measure"] in subset["tied_with_best"]),
                "ceiling": ceiling["value"],
                "ceiling_low": ceiling.get("low"),
                "ceiling_high": ceiling.get("high"),
                "ceiling_source": ceiling.get("source"),
                **_resampled(subset, row),
                "decimals": report.get("decimals"),
                "reason": reasons.text,
            }


def _within(within: Mapping[str, Any], reasons: "_Reasons") -> dict[str, Any]:
    """The cells of a row's correlations within pools; empty ones without pools."""
    cells: dict[str, Any] = {"pools": None, "pools_left_out": None}
    for name in WITHIN:
        figures = within.get(name, {})
        cells[f"within_{name}"] = figures.get("value")
        cells |= {f"within_{name}_{end}": figures.get(end) for end in _ENDS}
        reasons.add(figures.get("reason") or figures.get("interval_reason"), prefix="within pools")
    if "pearson" in within:
        cells["pools"] = within["pearson"]["n_pools"]
        cells["pools_left_out"] = within["pearson"]["n_left_out"]
    return cells


def differences_tsv(report: Report) -> str:
    """Write a row for each subset and every two measures.

    Parameters
    ----------
    report : dict
        Of `BaselineReport.as_dict`.

    Returns
    -------
    str
        Columns: subset, first, second, n, n_missing; the test of Pearson's coefficients with its
        statistic, df and p; of pearson, spearman and kendall both values on the items that have
        both, their difference, p by the jackknife and the ends of its interval; of both
        correlations within pools their difference, p and the ends of its interval; p of the
        headline, and corrected for all comparisons of the subset; Pearson's
        correlation between both measures; what was left out in turn; decimals to which
        measures were rounded first; reason, every one for an empty cell.
    """
    return _tsv(difference_names(report), difference_rows(report))


def difference_names(report: Report) -> list[str]:
    """The columns of `differences_tsv`, in their order."""
    names = ["subset", *_OF_PAIR, *_OF_TEST]
    for coefficient in report["coefficients"]:
        names += [f"{coefficient}_{name}" for name in _OF_DIFFERENCE]
    for coefficient in WITHIN:
        names += [f"within_{coefficient}_{name}" for name in ("difference", "p", *_ENDS)]
    return [
        *names,
        "p_value",
        "p_corrected",
        "between",
        "left_out",
        "decimals",
        "reason",
    ]


def difference_rows(report: Report) -> Iterator[dict[str, Any]]:
    """The rows of `differences_tsv`: each cell by the name of its column."""
    for subset in report["subsets"]:
        for pair in subset["differences"]:
            test = pair["test"]
            cells = {"subset": subset["name"]}
            cells |= {name: pair[name] for name in _OF_PAIR}
            cells |= {name: test[name] for name in _OF_TEST}
            reasons = _Reasons()
            reasons.add(test["reason"])
            for coefficient in report["coefficients"]:
                difference = pair["differences"][coefficient]
                interval = difference["interval"]
                figures = {**difference, **interval, "p": difference["p_value"]}
                cells |= {f"{coefficient}_{name}": figures[name] for name in _OF_DIFFERENCE}
                reasons.add(difference["reason"])
                if not difference["reason"]:
                    reasons.add(interval["reason"], prefix=coefficient)
            for name in WITHIN:
                figures = pair["within"].get(name, {})
                cells[f"within_{name}_difference"] = figures.get("difference")
                cells[f"within_{name}_p"] = figures.get("p_value")
                cells |= {f"within_{name}_{end}": figures.get(end) for end in _ENDS}
                reasons.add(figures.get("reason"), prefix="within pools")
            yield {
                **cells,
                "p_value": pair["p_value"],
                "p_corrected": pair["p_corrected"],
                # A report that is stored since long lacks it.
                "between": pair.get("between"),
                "left_out": pair["left_out"],
                "decimals": report.get("decimals"),
                "reason": reasons.text,
            }


_OF_PAIR = ("first", "second", "n", "n_missing")
_OF_DIFFERENCE = ("first", "second", "difference", "p", *_ENDS)
_OF_TEST = ("test", "statistic", "df", "p_two_sided", "p_lower", "p_upper")


class _Reasons:
    """The reasons of a row, each once."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}

    @property
    def text(self) -> str:
        return "; ".join(self._said)

    def add(self, reason: str | None, *, prefix: str = "") -> None:
        if reason:
            self._said[f"{prefix}: {reason}" if prefix else reason] = None

    def ends(
        self, figures: Mapping[str, Any], methods: Sequence[str], *, prefix: str
    ) -> dict[str, float | None]:
        """Both ends of each interval by column; why there is no figure, or none, is kept."""
        self.add(figures["reason"])
        ends: dict[str, float | None] = {}
        for method in methods:
            interval = figures["intervals"].get(method, {"low": None, "high": None})
            ends |= {f"{prefix}_{method}_{end}": interval[end] for end in ("low", "high")}
            if not figures["reason"]:
                self.add(interval.get("reason"), prefix=f"{prefix}, {method}")
        return ends


def _ends(coefficient: str, methods: Sequence[str]) -> list[str]:
    return [f"{coefficient}_{method}_{end}" for method in methods for end in ("low", "high")]


def _resampled(subset: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    # A row without a figure does not say it, nor does one of a report that is stored since long.
    return {
        "resampled": row.get("resampled") or subset["resampled"],
        "n_resamples": subset["n_resamples"],
    }


def _tsv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, delimiter="\t", lineterminator="\n")
    writer.writerow(names)
    # Floats are written as repr writes them, None as an empty cell.
    writer.writerows([row[name] for name in names] for row in rows)
    return file.getvalue()
