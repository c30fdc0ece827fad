"""Tables and figures of a result as files: TSV with every digit, and LaTeX."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from django.utils import translation

from annotation.basics.plot import Plot
from annotation.core.exports.columns import Column, lines, section
from annotation.core.exports.members import Archive
from annotation.core.queries import relabellings
from annotation.kinds.exports.table_of_result import ResultTable
from annotation.kinds.queries.study_facts import current_result
from annotation.models import Result

_HEAD = "% Needs \\usepackage{booktabs}. In UTF-8.\n"


def file(tables: Sequence[ResultTable], name: str, ending: str) -> str | None:
    """One table as `tsv` or `tex`; None if it is not among them."""
    table = next((candidate for candidate in tables if candidate.name == name), None)
    if table is None:
        return None
    if ending == "tex":
        return f"{_HEAD}\n{table.latex}"
    return "".join(lines(table.columns, table.records))


# -- In an archive ------------------------------------------------------------------------------


@dataclass(frozen=True)
class CurrentResult:
    """What there is of the result that was computed from the answers of an archive."""

    tables: list[ResultTable]
    plots: list[Plot]

    @classmethod
    def of(
        cls,
        archive: Archive,
        tables_of: Callable[[Mapping[str, Any]], list[ResultTable]],
        plots_of: Callable[[Result], list[Plot]],
    ) -> "CurrentResult":
        result = current_result(archive.design, archive.population)
        if result is None or relabellings.is_relabelled_since(result):
            return cls([], [])
        with translation.override("en"):
            return cls(tables_of(result.statistics), plots_of(result))

    def write(self, archive: Archive) -> None:
        """Write every table and the data behind every figure."""
        for table in self.tables:
            archive.table(f"{table.name}.tsv", table.columns, table.records)
        for plot in self.plots:
            archive.table(figure_file(plot), _columns(plot), plot.data)

    def sections(self) -> list[str]:
        """What the README says of these files."""
        parts = [section(f"{table.name}.tsv", table.about, table.columns) for table in self.tables]
        parts += [
            section(
                figure_file(plot),
                f"The data behind the figure “{plot.title}”. {plot.caption}",
                _columns(plot),
            )
            for plot in self.plots
        ]
        return parts


def figure_file(plot: Plot) -> str:
    return f"figure_{plot.key.replace('-', '_')}.tsv"


_MEANINGS = {
    "to": "upper end of the interval; a value that equals it belongs to the next interval",
    "class": "the class that the pair or item was chosen for",
    "test": "name of the test",
    "items": "number of items",
    "pairs": "number of pairs",
    "people": "number of people",
    "ratings": "number of ratings",
    "Pearson": "Pearson's correlation; empty if undefined",
    "RMSE": "root of the mean squared difference",
}


def _columns(plot: Plot) -> list[Column]:
    """Of the rows of a figure, which stand below its header on its page, too."""
    return [
        Column(str(name), _meaning(str(name)), itemgetter(place))
        for place, name in enumerate(plot.header)
    ]


def _meaning(name: str) -> str:
    if " from" in name:
        return "lower end of the interval; a value that equals it belongs to the interval"
    return _MEANINGS.get(name, f"{name}, as in the figure")
