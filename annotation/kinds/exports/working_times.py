"""How long people worked: the same file in every kind of study."""

from decimal import Decimal
from typing import NamedTuple

from annotation.core.exports.columns import PSEUDONYM, SOURCE, Column, section
from annotation.core.exports.members import Archive
from annotation.core.queries import median_times
from annotation.core.queries.counted_answers import counted_judgments
from annotation.core.queries.median_times import WorkingTime
from scoring.rounding import rounded_text

NAME = "working_times.tsv"

WHAT_IT_IS = (
    "Working time is the active time that browsers measured for each question. Time is active"
    " while the page is visible and in focus, and the person has pressed, moved or scrolled"
    " something within the last 30 seconds. It ends with the last change of the answer."
    " Instructions, attention checks, pauses, and answers that do not count are not included."
)


class _PersonRecord(NamedTuple):
    """An annotator of counted answers."""

    pseudonym: str
    source: str
    time: WorkingTime


def write(archive: Archive) -> None:
    """One row for each annotator of counted answers."""
    times = median_times.working_times(counted_judgments(archive.design, archive.population))
    people = archive.study.annotators.order_by("pseudonym").values_list(
        "pk", "pseudonym", "source"
    )
    archive.table(
        NAME,
        _columns(),
        (
            _PersonRecord(pseudonym, source, time)
            for pk, pseudonym, source in people.iterator()
            if (time := times.get(pk))
        ),
    )


def sections(archive: Archive) -> list[str]:
    """What the README says of the file, with how long all worked together."""
    times = median_times.of_counted(archive.design, archive.population)
    return [
        section(
            NAME,
            "One row for each annotator: how long the person worked on the answers that count."
            f" {in_words(times)} {WHAT_IT_IS}",
            _columns(),
        )
    ]


def in_words(times: WorkingTime) -> str:
    if times.hours is None or times.median_seconds is None:
        return "No browser measured the time of these answers, so the working time is not known."
    return (
        f"Together, they worked {Decimal(rounded_text(times.hours, 2)):,f} hours, with a median of"
        f" {rounded_text(times.median_seconds, 1)} seconds per answer. The time of"
        f" {times.n_timed:,} of {times.n_answers:,} answers is known."
    )


def _columns() -> list[Column]:
    return [
        Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
        Column("source", SOURCE, lambda row: row.source),
        Column("answers", "number of answers that count", lambda row: row.time.n_answers),
        Column(
            "timed_answers",
            "number of these answers whose active time is known",
            lambda row: row.time.n_timed,
        ),
        Column(
            "median_seconds",
            "median active time per answer in seconds",
            lambda row: row.time.median_seconds,
            is_number=True,
        ),
        Column(
            "hours",
            "total active time of these answers in hours",
            lambda row: row.time.hours,
            is_number=True,
        ),
    ]
