"""Tables of numbers on pages of results."""

from dataclasses import dataclass

from annotation.kinds.best_worst.queries.figures import Text


@dataclass(frozen=True)
class Table:
    """Rows of text; a row's remark says why something of it is missing."""

    name: Text
    header: list[Text]
    rows: list[tuple[Text, list[str]]]
    # Explanations of the rows, or of missing cells: (name, text, whether something is missing).
    remarks: list[tuple[Text, str, bool]]
    # The name of its TSV and LaTeX files; empty if it has none.
    file: str = ""
