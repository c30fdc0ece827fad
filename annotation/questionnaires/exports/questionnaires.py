"""What people answered about themselves, as a table; a release has what was chosen for it."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from annotation.basics.cells import iso
from annotation.basics.person_questions import MATRIX, NUMBER, PersonQuestion
from annotation.core.exports.columns import PSEUDONYM, Column, section
from annotation.core.exports.markdown import inline
from annotation.core.exports.members import Archive
from annotation.core.queries.counted_answers import SOURCES, n_answers_by_person
from annotation.models import Annotator, QuestionnaireReply
from annotation.questionnaires.queries import definitions, published, yaml_files

NAME, CODEBOOK = "questionnaire.tsv", "questionnaires.yaml"


class _PersonRecord(NamedTuple):
    """Somebody with all that they answered about themselves, by name of the column."""

    pseudonym: str
    values: dict[str, str]
    declined: list[str]
    is_screened_out: bool
    completed_at: str | None


def write(archive: Archive) -> None:
    """A row for each person, and the questions as they were asked."""
    columns = _columns(archive)
    if not columns:
        return
    records = _published(archive) if archive.release else _records(archive)
    archive.table(NAME, columns, records)
    archive.member(CODEBOOK, [yaml_files.written(definitions.of(archive.study))])


def sections(archive: Archive) -> list[str]:
    columns = _columns(archive)
    if not columns:
        return []
    about = (
        "One row for each person: the answers to questions about themselves. If people chose from"
        f" options, the cell contains the code of the option. `{CODEBOOK}` contains the questions,"
        " and the text of the option behind each code. Several codes in one cell are separated by"
        f" `{published.SEPARATOR}`. A question with several rows has one column for each row."
    )
    if archive.release:
        about += (
            " The table contains only people whose answers count. To protect them, at"
            f" least {published.MIN_PEOPLE} people share every value of a"
            f" column. Rare values are replaced by `{published.MERGED}` or left empty, and numbers"
            " are replaced by ranges."
        )
    return [section(NAME, about, columns)]


def _columns(archive: Archive) -> list[Column]:
    """Those of the file; none if it is not there."""
    questions = definitions.of(archive.study).questions
    if archive.release:
        questions = [question for question in questions if question.is_published]
    if not questions:
        return []
    answers = [
        Column(
            name,
            _meaning(question, place),
            _value_of(name),
            is_number=question.kind == NUMBER and not archive.release,
            is_named_by_others=True,
        )
        for question in questions
        for place, name in enumerate(question.columns)
    ]
    annotator = Column("annotator", PSEUDONYM, lambda row: row.pseudonym)
    if archive.release:
        return [annotator, *answers]
    return [
        annotator,
        *answers,
        Column(
            "declined",
            "the columns of the questions that the person preferred not to answer",
            lambda row: published.SEPARATOR.join(row.declined),
        ),
        Column(
            "screened_out",
            "1 if an answer to these questions ended the study for the person; otherwise 0",
            lambda row: int(row.is_screened_out),
        ),
        Column(
            "completed_at",
            "when the person completed the last questionnaire (ISO 8601, UTC, milliseconds)",
            lambda row: row.completed_at,
        ),
    ]


def _value_of(name: str) -> Callable[[_PersonRecord], str]:
    return lambda row: row.values.get(name, "")


def _meaning(question: PersonQuestion, place: int) -> str:
    text = inline(question.text)
    if question.kind == MATRIX:
        text = f"{text} {inline(question.rows[place].text)}"
    if question.options:
        codes = "; ".join(f"`{each.code}`: {inline(each.text)}" for each in question.options)
        return f"{text} ({codes})"
    return text


def _records(archive: Archive) -> Iterator[_PersonRecord]:
    """Everybody who completed one, by pseudonym."""
    replies = (
        QuestionnaireReply.objects.filter(
            annotator__study=archive.study,
            annotator__source__in=SOURCES[archive.population],
            completed_at__isnull=False,
        )
        .select_related("annotator")
        .order_by("annotator__pseudonym", "completed_at")
    )
    every = definitions.of(archive.study).questions
    for annotator, theirs in groupby(replies.iterator(), lambda reply: reply.annotator):
        yield _record(annotator, list(theirs), every)


def _record(
    annotator: Annotator, replies: list[QuestionnaireReply], questions: list[PersonQuestion]
) -> _PersonRecord:
    values: dict[str, str] = {}
    for reply in replies:
        for question in questions:
            value = reply.values.get(question.key)
            if isinstance(value, dict):
                values |= {f"{question.key}_{row}": code for row, code in value.items()}
            elif value is not None:
                values[question.key] = published.as_cell(value)
    return _PersonRecord(
        annotator.pseudonym,
        values,
        sorted(key for reply in replies for key in reply.declined),
        any(reply.screened_out for reply in replies),
        iso(replies[-1].completed_at),
    )


def _published(archive: Archive) -> Iterator[_PersonRecord]:
    """As a release says it, by pseudonym."""
    study, population = archive.study, archive.population
    counted = n_answers_by_person(study.design, population)
    names = study.annotators.order_by("pseudonym").values_list("pk", "pseudonym")
    people = {pk: pseudonym for pk, pseudonym in names if pk in counted}
    columns = published.columns(study, people, population)
    for person, pseudonym in people.items():
        yield _PersonRecord(
            pseudonym,
            {column.name: column.cells[person] for column in columns},
            [],
            is_screened_out=False,
            completed_at="",
        )
