"""One answer as another tool wrote it, and how such tools write texts, times and moments."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import MAXYEAR, UTC, datetime, timedelta, timezone
from itertools import islice
from typing import Any

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.problems import Problems

MAX_ACTIVE_MS = 2**31 - 1
# Texts of one task, and answers to it: the first tasks of a file are kept in memory.
MAX_TEXTS = 10_000
# Mechanical Turk writes "Mon Sep 07 10:12:13 PDT 2026".
_TURK = re.compile(r"\w{3} (\w{3} \d{1,2} \d\d:\d\d:\d\d) ([A-Z]{3,4}) (\d{4})")
_LAST = datetime(MAXYEAR, 1, 1, tzinfo=UTC).timestamp()
_ZONES = {"UTC": 0, "GMT": 0, "PDT": -7, "PST": -8}


@dataclass(frozen=True, slots=True)
class Entry:
    """What was shown, what was answered, and by whom."""

    line: int
    # Texts of the task by the names that the file gives them.
    shown: Mapping[str, str]
    # All choices of the answer to each question of the task.
    answers: Mapping[str, tuple[str, ...]]
    person: str
    active_ms: int | None = None
    answered_at: datetime | None = None


@dataclass
class Remarks:
    """What the researcher is told about a file besides its answers."""

    # Whether answers count that a requester rejected.
    with_rejected: bool = False
    # How many answers do not count, by the reason.
    left_out: Counter[str] = field(default_factory=Counter)
    # Who is in the file and answered nothing.
    without_answers: list[str] = field(default_factory=list)
    # Times that stand in the file and could not be read: the answer is kept without them.
    n_unread: int = 0
    # Line, field and value of the first of them.
    first_unread: tuple[int, str, str] | None = None

    def add_person_without_answers(self, name: str) -> None:
        self.without_answers.append(name)
        self.left_out["people"] += 1

    def milliseconds(self, line: int, name: str, seconds: Any) -> int | None:
        """None if there is no time, or none that somebody can have spent."""
        ms = _milliseconds(seconds)
        if ms is None:
            self._unread(line, name, seconds)
        return ms

    def moment(self, line: int, name: str, text: Any) -> datetime | None:
        """None if there is none, or it cannot be read; without a zone it is taken for UTC."""
        moment = _moment(text)
        if moment is None:
            self._unread(line, name, text)
        return moment

    def _unread(self, line: int, name: str, value: Any) -> None:
        if value is None or (isinstance(value, str) and not value.strip()):
            return
        self.n_unread += 1
        self.first_unread = self.first_unread or (line, name, str(value))


def checked(entry: Entry, problems: Problems) -> Entry:
    """The same entry. Raises ImportProblemsError if more belongs to it than to any task."""
    refuse_texts(entry.line, entry.shown, problems)
    if len(entry.answers) + sum(map(len, entry.answers.values())) > MAX_TEXTS:
        problems.refuse(
            entry.line,
            Problem(
                "too_large",
                _("the task has more than %(n)s answers from one person"),
                _("export the file again"),
            )
            % {"n": grouped(MAX_TEXTS)},
        )
    return entry


def refuse_texts(line: int, texts: Mapping[str, str], problems: Problems) -> None:
    if len(texts) > MAX_TEXTS:
        problems.refuse(
            line,
            Problem(
                "too_large",
                _("the task has more than %(n)s texts"),
                _("remove unnecessary fields"),
            )
            % {"n": grouped(MAX_TEXTS)},
        )


def texts_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a task by name; those of a list are numbered from 1.

    Where there are more than a task may have, as many as show it.
    """
    return dict(islice(_texts_of(data), MAX_TEXTS + 1))


def _texts_of(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, str(value)
        elif isinstance(value, list):
            for number, element in enumerate(value, start=1):
                if (text := _text_of(element)) is not None:
                    yield f"{name} {number}", text


def _text_of(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        # What tools that show lists call the text of a member.
        texts = (value.get(name) for name in ("text", "body", "html", "title"))
        return next((text for text in texts if isinstance(text, str)), None)
    return None


def _milliseconds(seconds: Any) -> int | None:
    try:
        ms = round(float(seconds) * 1000)
    except (TypeError, ValueError, OverflowError):
        return None
    return ms if 0 <= ms <= MAX_ACTIVE_MS else None


def _moment(text: Any) -> datetime | None:
    if isinstance(text, int | float) and not isinstance(text, bool):
        # Seconds since 1970.
        return datetime.fromtimestamp(text, UTC) if 0 < text < _LAST else None
    if not isinstance(text, str) or not text.strip():
        return None
    if turk_match := _TURK.fullmatch(text.strip()):
        day, zone, year = turk_match.groups()
        if zone not in _ZONES:
            return None
        try:
            at = datetime.strptime(f"{day} {year}", "%b %d %H:%M:%S %Y")
        except ValueError:
            return None
        return at.replace(tzinfo=timezone(timedelta(hours=_ZONES[zone])))
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    # Before 1970 nobody answered anything with these tools; beyond the last year no zone can say
    # what time it is.
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at if 1970 < at.year < MAXYEAR else None
