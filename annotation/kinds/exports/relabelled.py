"""What was changed of items and contexts after the import: the same file in every study."""

from annotation.basics.cells import as_json, iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import relabellings
from annotation.core.queries.relabellings import RelabellingRecord
from annotation.core.shown_items import ABOVE

BY = (
    "who did it: `researcher 1` and so on, without names. The same number is the same person in"
    " every file"
)


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
            "Corrections of the items and their contexts after the import, such as a changed"
            " domain. One row for each changed value, in the order of the changes. All other"
            " files contain the new values. But the design and its certificate were made with the"
            " values of that time. If a release leaves out some columns of the imported file,"
            " `before` and `after` are empty for these columns.",
            _columns(),
        )
    ]


def _columns() -> list[Column]:
    return [
        Column("of", "what was corrected: an `item` or a `context`", lambda row: row.of),
        Column("id", "id of the item or context", lambda row: row.key),
        Column(
            "field",
            "the changed field: `domain`, `source`, `intended_class`, or another column of the"
            " file",
            lambda row: row.field,
        ),
        Column(
            "before",
            "the old value, as JSON; empty if there was none",
            lambda row: "" if row.before is None else as_json(row.before),
        ),
        Column(
            "after",
            "the new value, as JSON; empty if the value was removed",
            lambda row: "" if row.after is None else as_json(row.after),
        ),
        Column(
            "reason", "why it was changed, in the researcher's own words", lambda row: row.reason
        ),
        Column("by", BY, lambda row: row.by),
        Column(
            "made_at",
            "when it was changed (ISO 8601, UTC, milliseconds)",
            lambda row: iso(row.made_at),
        ),
    ]
