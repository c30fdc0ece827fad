"""`checks.tsv` and what it holds, in the archive of any study that has checks."""

from annotation.basics.cells import as_json, iso
from annotation.core.exports.columns import ACTIVE_MS, PSEUDONYM, SOURCE, Column, section
from annotation.core.exports.members import Archive
from annotation.kinds.exports.answer_columns import CONDITION
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
            "Answers to attention checks, which are questions with a known answer. One row for"
            " each person and check. These answers are in no other table and do not count towards"
            f" any score. {CREDIT}",
            columns(),
        )
    ]


def columns() -> list[Column]:
    answer = (
        "a JSON object with the ids of `best` and `worst` in a best-worst study, a number in a"
        " rating study, the categories separated by vertical bars in a label study"
    )
    return [
        Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
        Column("source", SOURCE, lambda row: row.source),
        Column(
            "status",
            "whether the person's other answers of this phase count; the values are those of"
            " `judgments.tsv`, except `superseded`",
            lambda row: row.status,
        ),
        Column("phase", "number of the phase", lambda row: row.phase),
        Column("condition", CONDITION, lambda row: row.condition),
        Column("booklet", "number of the booklet", lambda row: row.booklet),
        Column("screen", "number of the screen in the booklet, from 1", lambda row: row.screen),
        Column(
            "check",
            "id of the item; in a best-worst study, of the pool whose items are compared",
            lambda row: row.answer.known.key,
        ),
        Column(
            "style",
            "`tutorial` (the annotator sees an explanation after answering), `loud` (the annotator"
            " is asked again after a wrong answer) or `silent` (the annotator is told nothing)",
            lambda row: row.answer.known.style,
        ),
        Column("expected", f"the known answer ({answer})", lambda row: row.expected),
        Column(
            "first_answer",
            "the answer to which the person got feedback first; without feedback, the last answer",
            lambda row: row.first,
        ),
        Column("last_answer", "the person's final answer", lambda row: row.last),
        Column(
            "credit",
            "how correct `first_answer` is, from 0 to 1",
            lambda row: row.answer.credit,
        ),
        Column(
            "n_tellings",
            "how often the person got feedback on an answer, at most 3 times",
            lambda row: len(row.answer.told_at),
        ),
        Column(
            "told_at",
            "when the person got feedback: a JSON list of moments (ISO 8601, UTC, milliseconds);"
            " empty if never",
            lambda row: (
                as_json([iso(at) for at in row.answer.told_at]) if row.answer.told_at else ""
            ),
        ),
        Column(
            "answered_at",
            "when the server stored the final answer (ISO 8601, UTC, milliseconds)",
            lambda row: iso(row.answer.last.answered_at),
        ),
        Column(
            "active_ms",
            ACTIVE_MS,
            lambda row: row.answer.last.active_ms,
        ),
    ]
