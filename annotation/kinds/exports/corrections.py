"""What researchers corrected once answers were in: the same files in every kind of study."""

from annotation.basics.cells import as_json, iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import relabellings
from annotation.kinds.queries import adjudications
from annotation.models.kinds import QuestionKind

# Of these an expert may decide on single items.
ADJUDICATED_KINDS = frozenset({QuestionKind.RATING, QuestionKind.LABEL})

_BY = "`researcher 1` and so on: who it was, the same in both files; no names"


def write(archive: Archive) -> None:
    study = archive.study
    if study.kind in ADJUDICATED_KINDS:
        archive.table(
            "adjudications.tsv",
            _adjudications(),
            adjudications.records(study, archive.population),
        )
    write_relabelled(archive)


def write_relabelled(archive: Archive) -> None:
    archive.table("relabelled.tsv", _relabelled(), relabellings.records(archive.study))


def sections(kind: str) -> list[str]:
    """What the README says of these files."""
    if kind not in ADJUDICATED_KINDS:
        return [relabelled_section()]
    return [
        section(
            "adjudications.tsv",
            "What an expert decided on single items, in the order of the decisions; also decisions"
            " that were replaced or taken back. People's answers are untouched by it, and every"
            " statistic is of them alone. With simulated answers there are none.",
            _adjudications(),
        ),
        relabelled_section(),
    ]


def relabelled_section() -> str:
    return section(
        "relabelled.tsv",
        "What was changed of the items and their contexts after the import, in the order of the"
        " changes. The other files have the values as they are now; the design was made, and its"
        " certificate measured, with those of then.",
        _relabelled(),
    )


def _adjudications() -> list[Column]:
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
        Column("by", _BY, lambda row: row.by),
        Column("made_at", "when: ISO 8601, UTC, milliseconds", lambda row: iso(row.made_at)),
        Column(
            "lifted_at",
            "when it was replaced or taken back; empty while it stands",
            lambda row: iso(row.lifted_at),
        ),
    ]


def _relabelled() -> list[Column]:
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
        Column("by", _BY, lambda row: row.by),
        Column("made_at", "when: ISO 8601, UTC, milliseconds", lambda row: iso(row.made_at)),
    ]
