"""The audit log, to be read: by person, kind, day, and words in the reader's own language."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.basics.sentences import read
from annotation.core.services import history
from annotation.core.services.history import ACCOUNT, DOWNLOAD
from annotation.models import Study

KINDS: dict[int, str | Promise] = {
    ADDITION: pgettext_lazy("log", "created"),
    CHANGE: pgettext_lazy("log", "changed"),
    DELETION: pgettext_lazy("log", "deleted"),
    DOWNLOAD: pgettext_lazy("log", "downloaded"),
    ACCOUNT: pgettext_lazy("log", "account"),
}
DOORS: dict[str, str | Promise] = {history.API: _("API")}
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
class Wanted:
    """Which lines; what is empty narrows nothing."""

    user: User | None = None
    study: Study | None = None
    kind: int | None = None
    first: date | None = None
    last: date | None = None
    words: str = ""


def of_study(study: Study) -> QuerySet[LogEntry]:
    return _ordered(history.of_study(study))


def of_everything(user: User) -> QuerySet[LogEntry]:
    """A superuser's: all of it. Everybody else's: what concerns their own account."""
    if user.is_superuser:
        return _ordered(LogEntry.objects.all())
    return _ordered(
        LogEntry.objects.filter(
            content_type__app_label="auth", content_type__model="user", object_id=str(user.pk)
        )
    )


def _ordered(entries: QuerySet[LogEntry]) -> QuerySet[LogEntry]:
    return entries.select_related("user", "content_type").order_by("-action_time", "-pk")


def chosen(entries: QuerySet[LogEntry], wanted: Wanted) -> Any:
    """Those wanted, the newest first: a queryset, or a list where words were looked for."""
    if wanted.user:
        entries = entries.filter(user=wanted.user)
    if wanted.study:
        entries = entries.filter(
            content_type__app_label="annotation",
            content_type__model="study",
            object_id=str(wanted.study.pk),
        )
    if wanted.kind:
        entries = entries.filter(action_flag=wanted.kind)
    if wanted.first:
        entries = entries.filter(action_time__gte=_midnight(wanted.first))
    if wanted.last:
        entries = entries.filter(action_time__lte=_midnight(wanted.last, time.max))
    if not wanted.words:
        return entries
    words = wanted.words.casefold().split()
    found = []
    for entry in entries[:MOST_SEARCHED].iterator():
        text = f"{entry.user.get_username()} {entry.object_repr} {_said(entry)}".casefold()
        if all(word in text for word in words):
            found.append(entry)
    return found


def _midnight(day: date, at: time = time.min) -> datetime:
    return timezone.make_aware(datetime.combine(day, at))


def lines(entries: Iterable[LogEntry]) -> Iterator[Line]:
    for entry in entries:
        door = history.door_of(entry)
        yield Line(
            at=entry.action_time,
            who=entry.user.get_username(),
            kind=str(KINDS.get(entry.action_flag, entry.action_flag)),
            door=str(DOORS.get(door, door)),
            about=entry.object_repr,
            said=_said(entry),
            study_id=_study_id(entry),
        )


def _study_id(entry: LogEntry) -> int | None:
    of = entry.content_type
    is_study = of is not None and (of.app_label, of.model) == ("annotation", "study")
    number = entry.object_id or ""
    return int(number) if is_study and number.isdecimal() else None


def _said(entry: LogEntry) -> str:
    if entry.change_message.startswith("["):
        # Django's own, of a change of an account.
        return str(entry.get_change_message())
    return read(entry.change_message)


def people(entries: QuerySet[LogEntry]) -> QuerySet[User]:
    """Who is named in some lines."""
    return User.objects.filter(pk__in=entries.order_by().values("user")).order_by("username")


def studies_of(lines: Iterable[Line]) -> set[int]:
    """Which studies of these lines are still there, to be gone to."""
    wanted = {line.study_id for line in lines if line.study_id is not None}
    return set(Study.objects.filter(pk__in=wanted).values_list("pk", flat=True))
