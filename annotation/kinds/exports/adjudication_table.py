"""What experts decided on single items, in the archive of studies that allow it."""

from annotation.basics.cells import iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
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
            "What an expert decided on single items, in the order of the decisions; also decisions"
            " that were replaced or taken back. People's answers are untouched by it, and every"
            " statistic is of them alone. With simulated answers there are none.",
            _columns(),
        )
    ]


def _columns() -> list[Column]:
    return [
        Column("item", "id of the item", lambda row: row.item),
        Column("phase", "number of the phase", lambda row: row.phase),
        Column(
            "condition",
            "`context_free` (the texts alone) or `context_dependent`, of the phase",
            lambda row: row.condition,
        ),
        Column(
            "value",
            "the rating, a value of the scale; of labels the categories, parted by |",
            lambda row: row.value,
        ),
        Column("reason", "why, in the expert's words", lambda row: row.reason),
        Column("by", BY, lambda row: row.by),
        Column("made_at", "when: ISO 8601, UTC, milliseconds", lambda row: iso(row.made_at)),
        Column(
            "lifted_at",
            "when it was replaced or taken back; empty while it stands",
            lambda row: iso(row.lifted_at),
        ),
    ]
