"""LaTeX of the differences of every two measures of a report."""

from collections.abc import Sequence

from scoring.baselines.latex_writing import (
    INTERVALS,
    TESTS,
    any_cell,
    comment_lines,
    escape,
    joined_caption,
    label_line,
    p_cell,
    table_row,
)
from scoring.baselines.tables import Report
from scoring.decimals import in_words


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
    caption = (
        "Differences of Pearson's correlations with people's scores, first less second, with"
        f" {100 * report['level']:g} % intervals {INTERVALS['jackknife']}; p two-sided by"
        f" {TESTS[report['test']]}, not corrected for the number of comparisons."
    )
    if report.get("decimals") is not None:
        caption += f" {in_words(report['decimals'])}"
    head = table_row(
        ["first", "second", "$n$", "$r$, first", "$r$, second", "difference", "from", "to", "$p$"]
    )
    lines = [
        r"% \usepackage{booktabs,longtable}",
        r"\begin{longtable}{llrrrrrrr}",
        rf"\caption{{{joined_caption(escape(caption), about)}}}{label_line(label)}\\",
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
        differences = pair["differences"]["pearson"]
        numbers = [
            differences["first"],
            differences["second"],
            differences["difference"],
            differences["interval"]["low"],
            differences["interval"]["high"],
        ]
        lines.append(
            table_row(
                [
                    *(escape(pair[end]) for end in ("first", "second")),
                    str(pair["n"]),
                    *(any_cell(number) for number in numbers),
                    p_cell(pair["test"]["p_two_sided"]),
                ]
            )
        )
    lines.append(r"\end{longtable}")
    return comment_lines(stated) + "\n".join(lines) + "\n"
