"""How often people left the page and pasted, as a table of the download; never in a release."""

from annotation.core.exports.columns import PSEUDONYM, Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries.counted_answers import SOURCES
from annotation.people.queries import signs

NAME = "signs.tsv"
COLUMNS = [
    Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
    Column("n_answers", "answers for which the browser recorded this", lambda row: row.n),
    Column(
        "n_with_focus_lost",
        "answers during which the annotator left the page at least once",
        lambda row: row.n_with_focus_lost,
    ),
    Column(
        "n_with_paste",
        "answers with a comment into which something was pasted or dropped",
        lambda row: row.n_with_paste,
    ),
]
_ABOUT = (
    "One row for each annotator: during how many answers the person left the page, or pasted"
    " something into a comment. These counts prove nothing. There are harmless reasons, such as a"
    " screen reader, a dictionary, a phone call or a spelling checker."
)


def write(archive: Archive) -> None:
    """A row for each person whose browser counted."""
    if rows := _rows(archive):
        archive.table(NAME, COLUMNS, rows)


def sections(archive: Archive) -> list[str]:
    return [section(NAME, _ABOUT, COLUMNS)] if _rows(archive) else []


def _rows(archive: Archive) -> list[signs.Signs]:
    return [] if archive.release else signs.of_study(archive.study, SOURCES[archive.population])
