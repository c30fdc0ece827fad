"""A report as TSV, from what its `as_dict` gave: nothing else is stored, and nothing else is read.

Tab-delimited, RFC 4180 quoting, lines end in a line feed; numbers have all their digits, and an
empty cell is a figure that is not defined, whose reason is in the last column.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

# What came out of JSON, checked by nobody but us.
Report: TypeAlias = Mapping[str, Any]

INTERVALS = ("fisher", "percentile", "bca")
OF_DIFFERENCE = ("percentile", "bca")


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
        the ends of each interval; the subset's noise ceiling and what it is from; what was
        resampled and how often; decimals to which measures were rounded first, empty if they were
        not; reason, every one for an empty cell.
    """
    columns = ["subset", "measure", "n", "n_missing"]
    for coefficient in report["coefficients"]:
        columns += [coefficient, f"{coefficient}_p", *_ends(coefficient, INTERVALS)]
    columns += ["ceiling", "ceiling_source", "resampled", "n_resamples", "decimals", "reason"]
    rows = []
    for subset in report["subsets"]:
        ceiling = subset["ceiling"]
        for row in subset["rows"]:
            cells = [subset["name"], row["measure"], row["n"], row["n_missing"]]
            reasons = _Reasons()
            for coefficient in report["coefficients"]:
                one = row["correlations"][coefficient]
                cells += [one["value"], one["p_value"]]
                cells += reasons.ends(one, INTERVALS, of=coefficient)
            reasons.add(ceiling["reason"], of="ceiling")
            cells += [ceiling["value"], ceiling.get("source"), *_resampled(subset, row)]
            rows.append([*cells, report.get("decimals"), reasons.text])
    return _tsv(columns, rows)


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
        both, their difference, p by the paired bootstrap and the ends of each interval; Pearson's
        correlation between both measures; what was resampled and how often; decimals to which
        measures were rounded first; reason, every one for an empty cell.
    """
    columns = ["subset", "first", "second", "n", "n_missing", "test", "statistic", "df"]
    columns += ["p_two_sided", "p_lower", "p_upper"]
    for coefficient in report["coefficients"]:
        columns += [f"{coefficient}_{name}" for name in ("first", "second", "difference", "p")]
        columns += _ends(coefficient, OF_DIFFERENCE)
    columns += ["between", "resampled", "n_resamples", "decimals", "reason"]
    rows = []
    for subset in report["subsets"]:
        for pair in subset["differences"]:
            test = pair["test"]
            cells = [subset["name"], *(pair[x] for x in ("first", "second", "n", "n_missing"))]
            cells += [test[name] for name in columns[5:11]]
            reasons = _Reasons()
            reasons.add(test["reason"])
            for coefficient in report["coefficients"]:
                one = pair["differences"][coefficient]
                cells += [one[name] for name in ("first", "second", "difference", "p_value")]
                cells += reasons.ends(one, OF_DIFFERENCE, of=coefficient)
                if not one["reason"]:
                    reasons.add(one.get("p_reason"), of=f"{coefficient}, p")
            # A report that is stored since long lacks it.
            cells += [pair.get("between"), *_resampled(subset, pair), report.get("decimals")]
            rows.append([*cells, reasons.text])
    return _tsv(columns, rows)


class _Reasons:
    """The reasons of a row, each once."""

    def __init__(self) -> None:
        self._said: dict[str, None] = {}

    @property
    def text(self) -> str:
        return "; ".join(self._said)

    def add(self, reason: str | None, *, of: str = "") -> None:
        if reason:
            self._said[f"{of}: {reason}" if of else reason] = None

    def ends(
        self, figures: Mapping[str, Any], methods: Sequence[str], *, of: str
    ) -> list[float | None]:
        """Both ends of each interval; why there is no figure, or no interval, is kept."""
        self.add(figures["reason"])
        ends = []
        for method in methods:
            interval = figures["intervals"].get(method, {"low": None, "high": None})
            ends += [interval["low"], interval["high"]]
            if not figures["reason"]:
                self.add(interval.get("reason"), of=f"{of}, {method}")
        return ends


def _ends(coefficient: str, methods: Sequence[str]) -> list[str]:
    return [f"{coefficient}_{method}_{end}" for method in methods for end in ("low", "high")]


def _resampled(subset: Mapping[str, Any], row: Mapping[str, Any]) -> list[Any]:
    # A row without a figure does not say it, nor does one of a report that is stored since long.
    return [row.get("resampled") or subset["resampled"], subset["n_resamples"]]


def _tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, delimiter="\t", lineterminator="\n")
    writer.writerow(columns)
    # Floats are written as repr writes them, None as an empty cell.
    writer.writerows(rows)
    return file.getvalue()
