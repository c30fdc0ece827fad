"""What was changed of items and contexts after the import: the same file in every study."""

from annotation.basics.cells import as_json, iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import relabellings

BY = "`researcher 1` and so on: who it was, the same in both files; no names"


def write(archive: Archive) -> None:
    archive.table("relabelled.tsv", _columns(), relabellings.records(archive.study))


def sections(archive: Archive) -> list[str]:
    """What the README says of the file."""
    return [
        section(
            "relabelled.tsv",
            "What was changed of the items and their contexts after the import, in the order of"
            " the changes. The other files have the values as they are now; the design was made,"
            " and its certificate measured, with those of then.",
            _columns(),
        )
    ]


def _columns() -> list[Column]:
    return [
        Column("of", "`item` or `context`", lambda row: row.of),
        Column("id", "its id", lambda row: row.key),
        Column(
            "field",
            "what was changed: `domain`, `source`, `intended_class`, or a name",
            lambda row: row.field,
        ),
        Column(
            "before",
            "the value before, as JSON; empty if there was none",
            lambda row: "" if row.before is None else as_json(row.before),
        ),
        Column(
            "after",
            "the value after, as JSON; empty if it was removed",
            lambda row: "" if row.after is None else as_json(row.after),
        ),
        Column("reason", "why, in the researcher's words", lambda row: row.reason),
        Column("by", BY, lambda row: row.by),
        Column("made_at", "when: ISO 8601, UTC, milliseconds", lambda row: iso(row.made_at)),
    ]
