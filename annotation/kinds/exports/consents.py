"""What everybody said to each version of the consent text, and when: in every kind of study."""

from annotation.basics.cells import iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import consents


def write(archive: Archive) -> None:
    archive.table("consents.tsv", _columns(), consents.records(archive.study, archive.population))


def sections(archive: Archive) -> list[str]:
    """What the README says of the file."""
    return [
        section(
            "consents.tsv",
            "Which version of the consent text people agreed to, and when; by pseudonym. Whoever"
            " agreed to several, sitting by sitting or because they were asked anew, has a row for"
            " each. Whoever was asked anew and did not agree stopped there: their answers stand"
            " under the version of the row before. Who withdrew, and whose answers were imported,"
            " has none.",
            _columns(),
        )
    ]


def _columns() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`", lambda row: row.pseudonym),
        Column(
            "version",
            "number of the text: a changed text is a new version",
            lambda row: row.version,
        ),
        Column("agreed_at", "when: ISO 8601, UTC, milliseconds", lambda row: iso(row.agreed_at)),
        Column(
            "declined_at",
            "when they said that they do not agree; empty: they never did",
            lambda row: iso(row.declined_at),
        ),
    ]
