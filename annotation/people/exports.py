"""How often people left the page and pasted, as a table of the download; never in a release."""

from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries.counted_answers import SOURCES
from annotation.people.queries import signs

NAME = "signs.tsv"
COLUMNS = [
    Column("annotator", "pseudonym, as in `judgments.tsv`", lambda row: row.pseudonym),
    Column("n_answers", "answers during which the browser counted", lambda row: row.n),
    Column(
        "n_with_focus_lost",
        "answers during which the page lost the focus at least once",
        lambda row: row.n_with_focus_lost,
    ),
    Column(
        "n_with_paste",
        "answers with something pasted or dropped into the comment",
        lambda row: row.n_with_paste,
    ),
]
_ABOUT = (
    "In how many answers people left the page, or pasted into a comment. No proof of anything: a"
    " screen reader, a dictionary, a phone call or a tool for spelling does it, too."
)


def write(archive: Archive) -> None:
    """A row for each person whose browser counted."""
    if rows := _rows(archive):
        archive.table(NAME, COLUMNS, rows)


def sections(archive: Archive) -> list[str]:
    return [section(NAME, _ABOUT, COLUMNS)] if _rows(archive) else []


def _rows(archive: Archive) -> list[signs.Signs]:
    return [] if archive.release else signs.of_study(archive.study, SOURCES[archive.population])
