"""What was changed of items and contexts after the import: the same file in every study."""

from annotation.basics.cells import as_json, iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import relabellings
from annotation.core.queries.relabellings import RelabellingRecord
from annotation.core.shown_items import ABOVE

BY = "`researcher 1` and so on: who it was, the same in both files; no names"


def write(archive: Archive) -> None:
    records = relabellings.records(archive.study)
    if archive.release and not archive.release.metadata:
        records = map(_without_metadata, records)
    archive.table("relabelled.tsv", _columns(), records)


def _without_metadata(record: RelabellingRecord) -> RelabellingRecord:
    """What a release leaves out of the items is left out here, too."""
    if record.field in (*relabellings.SPLITTING, ABOVE):
        return record
    return record._replace(before=None, after=None)


def sections(archive: Archive) -> list[str]:
    """What the README says of the file."""
    return [
        section(
            "relabelled.tsv",
            "What was changed of the items and their contexts after the import, in the order of"
            " the changes. The other files have the values as they are now; the design was made,"
            " and its certificate measured, with those of then. A release that leaves out the"
            " further columns of the imported file has no values of theirs here either.",
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
