"""What everybody said to each version of the consent text, and when: in every kind of study."""

from annotation.basics.cells import iso
from annotation.core.exports.columns import PSEUDONYM, Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import consents


def write(archive: Archive) -> None:
    archive.table("consents.tsv", _columns(), consents.records(archive.study, archive.population))


def sections(archive: Archive) -> list[str]:
    """What the README says of the file."""
    return [
        section(
            "consents.tsv",
            "One row for each person and version of the consent text that the person agreed to or"
            " declined. A person who declined a new version stopped there. The answers that this"
            " person had already given stay under the version agreed to before. There are no rows"
            " for people who withdrew, and none for people whose answers were imported.",
            _columns(),
        )
    ]


def _columns() -> list[Column]:
    return [
        Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
        Column(
            "version",
            "number of the version; every change of the consent text is a new version",
            lambda row: row.version,
        ),
        Column(
            "agreed_at",
            "when the person agreed (ISO 8601, UTC, milliseconds)",
            lambda row: iso(row.agreed_at),
        ),
        Column(
            "declined_at",
            "when the person declined (ISO 8601, UTC, milliseconds); empty if never",
            lambda row: iso(row.declined_at),
        ),
    ]
