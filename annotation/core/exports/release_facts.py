"""What the documents of a release are written from: its number, its authors, what changed."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Author:
    """Somebody to be cited, as the researcher wrote them."""

    name: str
    affiliation: str = ""
    # Sixteen digits in groups of four, the last may be X; without the address of the service.
    orcid: str = ""


@dataclass(frozen=True)
class Change:
    """One release, or one later event, as the change log tells it: English sentences."""

    # Of the release that it is told of.
    number: int
    at: datetime
    lines: tuple[str, ...]
    # Told of a release after it was made; it holds what it held.
    is_later: bool = False


@dataclass(frozen=True)
class ReleaseFacts:
    """A release as its documents name it; none of it is read from a clock or computed anew."""

    number: int
    made_at: datetime
    title: str
    # A paragraph; Markdown.
    summary: str
    authors: tuple[Author, ...]
    # By SPDX, such as CC-BY-4.0; empty where none was chosen: nobody may use the data then.
    licence: str = ""
    # Where the release will be found; both may be empty.
    url: str = ""
    doi: str = ""
    keywords: tuple[str, ...] = ()
    funding: str = ""
    contact: str = ""
    # This release first, then the earlier ones, latest first; what happened after one was made
    # stands before it.
    changes: tuple[Change, ...] = ()
    # What the researcher answered to questions of the datasheet, by the question's key.
    datasheet: dict[str, str] = field(default_factory=dict)
    # Else moments in its tables are days.
    exact_times: bool = False
    # Whether what annotators wrote beside their answers is in its tables.
    comments: bool = False
    # Whether its tables have the columns of the imported file that nobody was shown.
    metadata: bool = False

    @property
    def version(self) -> str:
        return f"{self.number}.0.0"
