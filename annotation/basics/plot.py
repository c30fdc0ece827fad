"""A figure as pages and papers show it."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.safestring import SafeString

from annotation.basics.numbers import number

Text = str | Promise


@dataclass(frozen=True)
class Plot:
    """A figure as a paper prints it: the drawing, its caption, and the data behind it."""

    # What its files and its address are called by.
    key: str
    title: str
    caption: str
    svg: SafeString
    header: list[Text]
    # As the file has them: every digit, nothing if there is no value.
    data: list[list[str | int | float | None]]
    digits: int = 3
    # Rows that the page has; the file has all.
    most_rows: int | None = None

    @property
    def rows(self) -> list[list[str]]:
        """As the page has them."""
        return [
            [
                str(cell) if isinstance(cell, str | int) else number(cell, self.digits)
                for cell in row
            ]
            for row in self.data[: self.most_rows]
        ]

    @property
    def n_more(self) -> int:
        """Rows that only the file has."""
        return len(self.data) - len(self.data[: self.most_rows])
