"""The audit log: who did what, in the words of a sentence that is said anew to readers.

Lines are written here alone, and by Django where an administrator changes accounts. No page
changes or deletes one.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.utils.functional import Promise

from annotation.basics.sentences import Sentence, stored
from annotation.basics.sentences import sentence as _
from annotation.models import Study

# Beside Django's own flags: somebody fetched data; something about an account.
DOWNLOAD, ACCOUNT = 4, 5
# How somebody came who did not come by a page.
API = "api"
_DOWNLOADED = _("Downloaded: %(file)s.")
_door: ContextVar[str] = ContextVar("door", default="")


@contextmanager
def through(door: str) -> Iterator[None]:
    """What is written meanwhile says by which door it was done."""
    token = _door.set(door)
    try:
        yield
    finally:
        _door.reset(token)


def write(*, study: Study, said: str | Promise, by: User | None, flag: int = CHANGE) -> None:
    """One line of a study; what the software did by itself has nobody to be named."""
    if by is not None:
        _write(study, said, by, flag)


def downloaded(*, study: Study, what: str, by: User) -> None:
    """Somebody fetched data of a study: who has a copy must be known when one is to be deleted."""
    _write(study, _DOWNLOADED % {"file": what}, by, DOWNLOAD)


def has_downloaded(*, study: Study, what: str, by: User) -> bool:
    """Whether it is written down that somebody has this."""
    lines = of_study(study).filter(user=by, action_flag=DOWNLOAD)
    said = stored(_DOWNLOADED % {"file": what})
    # By the API a line says so at its end.
    return lines.filter(change_message__startswith=said.removesuffix("}")).exists()


def write_of_account(*, user: User, said: str | Promise, by: User | None = None) -> None:
    """One line about an account: signing in, its password, its token. `by`: if somebody else."""
    _write(user, said, by or user, ACCOUNT)


def _write(about: Model, said: str | Promise, by: User, flag: int) -> None:
    LogEntry.objects.log_actions(
        user_id=by.pk,
        queryset=[about],
        action_flag=flag,
        change_message=_with_door(stored(said)),
        single_object=True,
    )


def _with_door(line: str) -> str:
    if not _door.get():
        return line
    data = json.loads(line if _is_stored(line) else stored(Sentence("%(text)s") % {"text": line}))
    # At the end: `latest` knows a sentence by its beginning.
    return json.dumps({**data, "via": _door.get()}, ensure_ascii=False)


def door_of(entry: LogEntry) -> str:
    """By which door it was done; empty for a page."""
    line = entry.change_message
    if not _is_stored(line) or '"via":' not in line:
        return ""
    try:
        return str(json.loads(line).get("via", ""))
    except ValueError:
        return ""


def _is_stored(line: str) -> bool:
    return line.startswith('{"say":')


def of_study(study: Study) -> QuerySet[LogEntry]:
    """All lines of a study."""
    return LogEntry.objects.filter(
        content_type__app_label="annotation",
        content_type__model="study",
        object_id=str(study.pk),
    )


def latest(study: Study, known: Collection[Sentence], *, n: int) -> Sequence[LogEntry]:
    """The last lines that say one of some sentences, whatever their values."""
    entries = of_study(study)
    found = entries.none()
    for sentence in known:
        # As `stored` begins one with its text.
        begin = f'{{"say": {json.dumps(sentence.singular, ensure_ascii=False)}'
        found |= entries.filter(change_message__startswith=begin)
    return list(found.select_related("user").order_by("-action_time", "-pk")[:n])
