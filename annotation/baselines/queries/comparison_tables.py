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
    "subset": "part of the items, or `all`",
    "first": "a measure, or the typical human: raters' correlations with the mean of the others",
    "second": "what it is compared with",
    "first_r": "Pearson's correlation of the first with people; of raters their mean",
    "second_r": "that of the second, or the stated one",
    "first_n": "items of the correlation; of the typical human raters",
    "second_n": "the same of the second; empty where it is taken as exact",
    "difference": "first less second",
    "low": "lower end of the interval of the difference",
    "high": "upper end of it",
    "interval": (
        "`zou`: from Fisher's intervals of both; `fisher`: that of the first, shifted; `t`: by"
        " Student's t over raters"
    ),
    "level": "of the interval",
    "test": (
        "`jackknife`, `meng`, `steiger`, `dunn-clark`, `williams`: two measures on the same items;"
        " `fisher`: a correlation from elsewhere, of other items; `one-sample`: one that is"
        " taken as exact; `t`: raters' correlations against one; `t-two-samples`: against those of"
        " other raters, with one variance"
    ),
    "statistic": "z, or t where df is given; above 0 if the first is higher",
    "df": "degrees of freedom of a t test",
    "p_two_sided": "of the test, not corrected for the number of comparisons",
    "decimals": "to which measures were rounded before they were correlated; empty: not rounded",
    "reason": "why cells are empty",
}
COLUMNS_OF_TYPICAL_HUMAN = {
    "raters": "annotators whose ratings can be correlated with the mean of the others",
    "mean": "of their Pearson correlations: the typical human",
    "sd": "standard deviation over annotators, n - 1 in the denominator",
    "best": "the highest of them",
    "worst": "the lowest of them",
    "reason": "why cells are empty",
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
