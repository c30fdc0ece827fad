"""The audit log: who did what, in the words of a sentence that is said anew to readers.

Lines are written here alone. No page changes or deletes one.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.functional import Promise

from annotation.basics.sentences import Sentence, stored
from annotation.basics.sentences import sentence as _
from annotation.models import AuditEvent, Study

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


def write(
    *,
    study: Study,
    said: str | Promise,
    by: User | None,
    kind: AuditEvent.Kind = AuditEvent.Kind.CHANGED,
) -> None:
    """One line of a study; what the software did by itself has nobody to be named."""
    if by is not None:
        _write(said, by, kind, study=study, about=study)


def downloaded(*, study: Study, what: str, by: User) -> None:
    """Somebody fetched data of a study: who has a copy must be known when one is to be deleted."""
    message = _DOWNLOADED % {"file": what}
    _write(message, by, AuditEvent.Kind.DOWNLOADED, study=study, about=study)


def has_downloaded(*, study: Study, what: str, by: User) -> bool:
    """Whether it is written down that somebody has this."""
    lines = of_study(study).filter(by=by, kind=AuditEvent.Kind.DOWNLOADED)
    return lines.filter(said=stored(_DOWNLOADED % {"file": what})).exists()


def write_of_account(*, user: User, said: str | Promise, by: User | None = None) -> None:
    """One line about an account: signing in, its password, its token. `by`: if somebody else."""
    _write(said, by or user, AuditEvent.Kind.ACCOUNT, account=user, about=user)


def _write(
    message: str | Promise, by: User, kind: AuditEvent.Kind, *, about: object, **whose: Any
) -> None:
    AuditEvent.objects.create(
        by=by,
        kind=kind,
        about=str(about)[:200],
        said=stored(message),
        template=message.singular if isinstance(message, Sentence) else "",
        door=_door.get(),
        **whose,
    )


def of_study(study: Study) -> QuerySet[AuditEvent]:
    """All lines of a study."""
    return AuditEvent.objects.filter(study=study)


def latest(study: Study, known: Collection[Sentence], *, n: int) -> Sequence[AuditEvent]:
    """The last lines that say one of some sentences, whatever their values."""
    lines = of_study(study).filter(template__in=[sentence.singular for sentence in known])
    return list(lines.select_related("by")[:n])
