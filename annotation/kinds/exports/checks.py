"""`checks.tsv` and what it holds, in the archive of any study that has checks."""

from annotation.basics.cells import as_json, iso
from annotation.core.exports.columns import Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries.run_status import STATUSES
from annotation.kinds.queries import check_answers
from scoring.checks import CREDIT


def write(archive: Archive) -> None:
    """Write the file, where the study has checks."""
    if archive.study.checks.exists():
        archive.table(
            "checks.tsv", columns(), check_answers.records(archive.design, archive.population)
        )


def sections(archive: Archive) -> list[str]:
    """What `README.md` says of the file, if it is there."""
    if not archive.study.checks.exists():
        return []
    return [
        section(
            "checks.tsv",
            "Answers to questions whose answer is known, each person's to each check. They are in"
            f" no other table and in no score. {CREDIT}",
            columns(),
        )
    ]


def columns() -> list[Column]:
    statuses = "; ".join(
        f"`{name}`: {meaning}" for name, meaning in STATUSES.items() if name != "superseded"
    )
    answer = (
        "best-worst: a JSON object with the ids of `best` and `worst`; rating: a number; labels:"
        " the categories with | between them"
    )
    return [
        Column(
            "annotator",
            "pseudonym, drawn at random; the same person in every row",
            lambda row: row.pseudonym,
        ),
        Column("source", "`real`, `imported` or `simulated`", lambda row: row.source),
        Column("status", statuses.replace("scored", "counted"), lambda row: row.status),
        Column("phase", "number of the phase", lambda row: row.phase),
        Column("condition", "`context_free` or `context_dependent`", lambda row: row.condition),
        Column("booklet", "number of the booklet", lambda row: row.booklet),
        Column("screen", "number of the screen in the booklet, from 1", lambda row: row.screen),
        Column(
            "check",
            "id of the item, or of the pool whose items are compared",
            lambda row: row.answer.known.key,
        ),
        Column(
            "style",
            "`tutorial`: explained after the answer; `loud`: a wrong answer was asked for again;"
            " `silent`: only noted",
            lambda row: row.answer.known.style,
        ),
        Column("expected", f"the known answer ({answer})", lambda row: row.expected),
        Column(
            "first_answer",
            "the answer that got the first feedback; if none did, the last answer",
            lambda row: row.first,
        ),
        Column("last_answer", "the answer that stands", lambda row: row.last),
        Column(
            "credit",
            "how right the first answer is, from 0 to 1",
            lambda row: row.answer.credit,
        ),
        Column(
            "n_tellings",
            "how often they were told of an answer: at most 3",
            lambda row: len(row.answer.told_at),
        ),
        Column(
            "told_at",
            "when: a JSON list; empty if they were told of none",
            lambda row: (
                as_json([iso(at) for at in row.answer.told_at]) if row.answer.told_at else ""
            ),
        ),
        Column(
            "answered_at",
            "when the last answer was stored, by the server's clock",
            lambda row: iso(row.answer.last.answered_at),
        ),
        Column(
            "active_ms",
            "milliseconds in which the page was in use, as the browser counted them; empty if it"
            " did not",
            lambda row: row.answer.last.active_ms,
        ),
    ]
