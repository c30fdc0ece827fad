"""The items of a rating study with mean and standard deviation, as a table in LaTeX."""

from collections.abc import Callable, Iterator, Sequence

from annotation.core.exports.figures import number
from annotation.kinds.queries.item_records import ShownItem
from annotation.kinds.rating.queries.exporting import RatedStudy, known
from annotation.kinds.rating.queries.texts import RatedItems
from scoring import UnitScores
from scoring.baselines.latex_writing import escape

NAME = "items.tex"
# The description of the file in a release.
DOCUMENTS = {NAME: "the items of the main block with their scores, as a LaTeX table for a paper"}


def latex(rated: RatedStudy, shown: Sequence[ShownItem] | None = None) -> Iterator[str]:
    """Id, both texts, and of each phase mean, standard deviation and number of the ratings.

    `shown`: the items of the main block, where they have been read already.
    """
    columns = _columns(rated)
    widths = "l" + r"p{.3\linewidth}" * 2 + "r" * (len(columns) - 3)
    yield "% Needs \\usepackage{booktabs,longtable}. In UTF-8.\n"
    yield f"\\begin{{longtable}}{{{widths}}}\n"
    yield (
        "\\caption{Items of the main block: mean, standard deviation (n - 1 in the denominator)"
        " and number of their ratings.}\\label{tab:items}\\\\\n"
    )
    titles = " & ".join(escape(title) for title, _value in columns)
    yield f"\\toprule\n{titles} \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n"
    for item in _shown(rated) if shown is None else shown:
        yield " & ".join(escape(value(item)) for _title, value in columns) + " \\\\\n"
    yield "\\end{longtable}\n"


def _columns(rated: RatedStudy) -> list[tuple[str, Callable[[ShownItem], str]]]:
    """The title of each column, and what it prints of an item."""
    columns: list[tuple[str, Callable[[ShownItem], str]]] = [
        ("item", lambda item: item.key),
        ("first text", lambda item: item.texts[0]),
        ("second text", lambda item: item.texts[1]),
    ]
    phases = rated.read.phases
    for phase, scores in zip(phases, rated.figures.scores, strict=True):
        mark = f" ({phase.number})" if len(phases) > 1 else ""
        columns += _figures(mark, scores)
    return columns


def _figures(mark: str, scores: UnitScores) -> list[tuple[str, Callable[[ShownItem], str]]]:
    return [
        (f"mean{mark}", lambda item: number(known(scores.mean[item.number]), 2)),
        (f"sd{mark}", lambda item: number(known(scores.sd[item.number]), 2)),
        (f"n{mark}", lambda item: str(int(scores.n[item.number]))),
    ]


def _shown(rated: RatedStudy) -> list[ShownItem]:
    items = RatedItems(rated, n_sentences=0)
    for _item in items.listed():
        pass
    return items.shown
