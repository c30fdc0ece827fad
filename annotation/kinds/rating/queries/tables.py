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
    # Whether the page shows it only to those who ask for it.
    is_folded: bool = False

    @property
    def texts(self) -> list[str]:
        """What may name a reference."""
        return [text for _name, text, _is_missing in self.remarks]
