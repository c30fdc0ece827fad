"""The audit log, to be read: by person, kind, day, and words in the reader's own language."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.basics.sentences import read
from annotation.models import AuditEvent, Study

DOORS: dict[str, str | Promise] = {AuditEvent.API: _("API")}
# Words are looked for in what a line says today, which the database does not know.
MOST_SEARCHED = 20_000


@dataclass(frozen=True)
class Line:
    """One line as it is shown and downloaded."""

    at: datetime
    who: str
    kind: str
    door: str
    about: str
    said: str
    # The study that it is about, which may be deleted by now; None: an account.
    study_id: int | None


@dataclass(frozen=True)
class LogFilter:
    """Which lines; what is empty narrows nothing."""

    user: User | None = None
    study: Study | None = None
    kind: str = ""
    first: date | None = None
    last: date | None = None
    words: str = ""


def of_study(study: Study) -> QuerySet[AuditEvent]:
    return _with_names(AuditEvent.objects.filter(study=study))


def of_everything(user: User) -> QuerySet[AuditEvent]:
    """A superuser's: all of it. Everybody else's: what concerns their own account."""
    if user.is_superuser:
        return _with_names(AuditEvent.objects.all())
    return _with_names(AuditEvent.objects.filter(account=user))


def _with_names(events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
    return events.select_related("by")


def chosen(events: QuerySet[AuditEvent], wanted: LogFilter) -> Any:
    """Those wanted, the newest first: a queryset, or a list where words were looked for."""
    if wanted.user:
        events = events.filter(by=wanted.user)
    if wanted.study:
        events = events.filter(study=wanted.study)
    if wanted.kind:
        events = events.filter(kind=wanted.kind)
    if wanted.first:
        events = events.filter(at__gte=_midnight(wanted.first))
    if wanted.last:
        events = events.filter(at__lte=_midnight(wanted.last, time.max))
    if not wanted.words:
        return events
    words = wanted.words.casefold().split()
    matching = []
    for event in events[:MOST_SEARCHED].iterator():
        text = f"{event.by.get_username()} {event.about} {read(event.said)}".casefold()
        if all(word in text for word in words):
            matching.append(event)
    return matching


def _midnight(day: date, at: time = time.min) -> datetime:
    return timezone.make_aware(datetime.combine(day, at))


def lines(events: Iterable[AuditEvent]) -> Iterator[Line]:
    for event in events:
        yield Line(
            at=event.at,
            who=event.by.get_username(),
            kind=event.get_kind_display(),
            door=str(DOORS.get(event.door, event.door)),
            about=event.about,
            said=read(event.said),
            study_id=event.study_id,
        )


def people(events: QuerySet[AuditEvent]) -> QuerySet[User]:
    """Who is named in some lines."""
    return User.objects.filter(pk__in=events.order_by().values("by")).order_by("username")


def studies_of(lines: Iterable[Line]) -> set[int]:
    """Which studies of these lines are still there, to be gone to."""
    wanted = {line.study_id for line in lines if line.study_id is not None}
    return set(Study.objects.filter(pk__in=wanted).values_list("pk", flat=True))
