"""What experts decided on single items, in the archive of studies that allow it."""

from annotation.basics.cells import iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.kinds.exports.answer_columns import CONDITION
from annotation.kinds.exports.relabelled import BY
from annotation.kinds.queries import adjudications


def write(archive: Archive) -> None:
    archive.table(
        "adjudications.tsv",
        _columns(),
        adjudications.records(archive.study, archive.population),
    )


def sections(archive: Archive) -> list[str]:
    """What the README says of the file."""
    return [
        section(
            "adjudications.tsv",
            "An expert can decide what the final value of an item is. One row for each decision,"
            " in the order in which they were made, including decisions that were later replaced"
            " or undone. Decisions change no answer and no statistic. An export of simulated"
            " answers has no decisions.",
            _columns(),
        )
    ]


def _columns() -> list[Column]:
    return [
        Column("item", "id of the item", lambda row: row.item),
        Column("phase", "number of the phase", lambda row: row.phase),
        Column(
            "condition",
            CONDITION,
            lambda row: row.condition,
        ),
        Column(
            "value",
            "the decision: a rating, or the categories of the label separated by vertical bars",
            lambda row: row.value,
        ),
        Column(
            "reason",
            "why the expert decided so, in the expert's own words",
            lambda row: row.reason,
        ),
        Column("by", BY, lambda row: row.by),
        Column(
            "made_at",
            "when the decision was made (ISO 8601, UTC, milliseconds)",
            lambda row: iso(row.made_at),
        ),
        Column(
            "lifted_at",
            "when the decision was replaced or undone (ISO 8601, UTC, milliseconds); empty if it"
            " still holds",
            lambda row: iso(row.lifted_at),
        ),
    ]
