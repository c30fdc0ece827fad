"""Kept comparisons of a leaderboard and its typical human, as rows for pages and files."""

import math
from collections.abc import Iterator
from typing import Any

from annotation.baselines.queries.report_provenance import about_items, about_people, stated
from annotation.models import BaselineReport
from scoring.baselines import latex_writing
from scoring.baselines.compared import (
    RATERS_AGAINST_RATERS,
    RATERS_AGAINST_VALUE,
    Comparison,
    compare,
)
from scoring.baselines.questions import Question
from scoring.decimals import in_words
from scoring.rounding import rounded_text

MIN_PRINTED_P = 0.001
COMPARISONS, TYPICAL_HUMAN = "comparisons", "typical_human"
_TESTS = {
    **latex_writing.TESTS,
    "one-sample": "Fisher's z, exact value",
    "fisher": "Fisher's z, other items",
    RATERS_AGAINST_VALUE: "t over raters",
    RATERS_AGAINST_RATERS: "t, two groups of raters",
}
COLUMNS_OF_COMPARISONS = {
    "subset": "the part of the items; `all` for all of them",
    "first": (
        "name of the first measure; or the typical human, which is the mean correlation of an"
        " annotator with the mean of the others"
    ),
    "second": "what the first one is compared with",
    "first_r": "Pearson's correlation of the first one with people's scores",
    "second_r": "Pearson's correlation of the second one with people's scores, or a stated value",
    "first_n": "number of items in the first correlation; for the typical human number of people",
    "second_n": "the same for the second correlation; empty if it is a stated value",
    "difference": "the first correlation minus the second one",
    "low": "lower end of the interval of the difference",
    "high": "upper end of this interval",
    "interval": (
        "method of the interval: `zou` (from Fisher's intervals of both correlations), `fisher`"
        " (Fisher's interval of the first correlation, minus the second one) or `t` (Student's t"
        " over people)"
    ),
    "level": "confidence level of the interval",
    "test": (
        "name of the test. `jackknife`, `meng`, `steiger`, `dunn-clark` and `williams` compare two"
        " measures on the same items; `fisher` compares with a correlation on other items;"
        " `one-sample` compares with an exact value; `t` compares the correlations of people with"
        " one value; `t-two-samples` compares two groups of people"
    ),
    "statistic": "test statistic: t if `df` has a value, otherwise z; above 0 if the first is"
    " higher",
    "df": "degrees of freedom of a t-test",
    "p_two_sided": "two-sided p-value of the test, not corrected for the number of comparisons",
    "decimals": (
        "number of decimals to which the measures were rounded first; empty if they were not"
        " rounded"
    ),
    "reason": "why cells of the row are empty",
}
COLUMNS_OF_TYPICAL_HUMAN = {
    "raters": "number of annotators whose ratings can be compared with the mean of the others",
    "mean": "mean of their Pearson correlations, called the typical human",
    "sd": "standard deviation of these correlations (n - 1 in the denominator)",
    "best": "highest of these correlations",
    "worst": "lowest of these correlations",
    "reason": "why cells of the row are empty",
}


def kept(report: BaselineReport) -> Iterator[Comparison]:
    """The stored comparisons, computed from the stored figures."""
    for question in report.parameters.get("comparisons", []):
        yield compare(report.figures, Question.of_dict(question))


def comparison_rows(report: BaselineReport) -> list[dict[str, Any]]:
    """Rows whose keys are `COLUMNS_OF_COMPARISONS`."""
    return [row_of(comparison, report) for comparison in kept(report)]


def row_of(comparison: Comparison, report: BaselineReport) -> dict[str, Any]:
    # `as_dict` returns plain types.
    cells: dict[str, Any] = comparison.as_dict()
    interval = cells.pop("interval")
    cells |= {
        "low": interval["low"],
        "high": interval["high"],
        "interval": interval["method"],
        "level": interval["level"],
        "decimals": report.figures.get("decimals"),
    }
    return {name: cells[name] for name in COLUMNS_OF_COMPARISONS}


def comparisons_latex(report: BaselineReport) -> str:
    """The comparisons as a paper prints them; what could not be tested has a dash."""
    has_parts = len(report.figures["subsets"]) > 1
    rows: list[list[object]] = []
    for comparison in kept(report):
        rows.append(
            [
                *([comparison.question.subset] if has_parts else []),
                comparison.names[0],
                comparison.names[1],
                _TESTS[comparison.test],
                _size(comparison, 0),
                comparison.values[0],
                _size(comparison, 1),
                comparison.values[1],
                comparison.difference,
                comparison.interval.low,
                comparison.interval.high,
                comparison.statistic,
                "" if comparison.df is None else f"{comparison.df:g}",
                p_text(comparison.p_two_sided),
            ]
        )
    texts = [*(["items"] if has_parts else []), "first", "second", "test"]
    numbers = ["n", "r", "n", "r", "difference", "from", "to", "z or t", "df", "p"]
    return latex_writing.booktabs(
        "Comparisons of Pearson's correlations with people's scores, first less second, with 95 %"
        f" intervals; n counts items or raters; p two-sided, not corrected."
        f" {_rounding(report)}{about_people(report)} {about_items(report)}",
        "tab:comparisons",
        [*texts, *numbers],
        rows,
        n_texts=len(texts),
        stated=stated(report),
    )


def _size(comparison: Comparison, side: int) -> str:
    n = comparison.sizes[side]
    return "exact" if n is None else f"{n:,} {comparison.counted[side]}"


def p_text(p: float | None) -> str | None:
    """A p-value with three decimals, as papers print it; None if there is none."""
    if p is None or math.isnan(p):
        return None
    return "< 0.001" if p < MIN_PRINTED_P else rounded_text(p, 3)


def typical_human_rows(report: BaselineReport) -> list[dict[str, Any]]:
    """Rows whose keys are `COLUMNS_OF_TYPICAL_HUMAN`; empty without such figures."""
    if (human := report.figures.get("typical_human")) is None:
        return []
    return [{**human, "raters": human["n"]}]


def typical_human_latex(report: BaselineReport) -> str:
    return latex_writing.booktabs(
        "Typical human: Pearson's correlation of each annotator's ratings with the mean of the"
        f" others'. {about_people(report)}",
        "tab:typical-human",
        ["annotators", "mean", "standard deviation", "best", "worst"],
        [
            [row[name] for name in ("raters", "mean", "sd", "best", "worst")]
            for row in typical_human_rows(report)
        ],
        n_texts=0,
        stated=stated(report),
    )


def _rounding(report: BaselineReport) -> str:
    decimals = report.figures.get("decimals")
    return "" if decimals is None else f"{in_words(decimals)} "
