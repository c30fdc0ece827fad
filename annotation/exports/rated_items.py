"""The items of a rating study with mean and standard deviation, as a table in LaTeX."""

from collections.abc import Iterator, Sequence

from annotation.exports.documents.figures import number
from annotation.exports.documents.latex import escaped
from annotation.queries.item_records import ShownItem
from annotation.queries.rating_exporting import RatedStudy, known
from annotation.queries.rating_texts import RatedItems

NAME = "items.tex"
# What a release says of it.
DOCUMENTS = {
    NAME: "the items of the main block with their scores as a table for a paper (longtable)"
}


def latex(of: RatedStudy, shown: Sequence[ShownItem] | None = None) -> Iterator[str]:
    """Id, both texts, and of each phase mean, standard deviation and number of the ratings.

    `shown`: the items of the main block, where they have been read already.
    """
    phases = of.read.phases
    several = len(phases) > 1
    head = ["item", "first text", "second text"]
    for phase in phases:
        mark = f" ({phase.number})" if several else ""
        head += [f"mean{mark}", f"sd{mark}", f"n{mark}"]
    columns = "l" + r"p{.3\linewidth}" * 2 + "r" * (3 * len(phases))
    yield "% Needs \\usepackage{booktabs,longtable}. In UTF-8.\n"
    yield f"\\begin{{longtable}}{{{columns}}}\n"
    yield (
        "\\caption{Items of the main block: mean, standard deviation (n - 1 in the denominator)"
        " and number of their ratings.}\\label{tab:items}\\\\\n"
    )
    titles = " & ".join(escaped(title) for title in head)
    yield f"\\toprule\n{titles} \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n"
    for item in _shown(of) if shown is None else shown:
        cells = [item.key, *item.texts]
        for scores in of.figures.scores:
            mean, sd = known(scores.mean[item.number]), known(scores.sd[item.number])
            cells += [number(mean, 2), number(sd, 2), str(int(scores.n[item.number]))]
        yield " & ".join(escaped(cell) for cell in cells) + " \\\\\n"
    yield "\\end{longtable}\n"


def _shown(of: RatedStudy) -> list[ShownItem]:
    items = RatedItems(of, n_sentences=0)
    for _item in items.listed():
        pass
    return items.shown
