"""Whether a worker is running: the sweep, which beat sends every few seconds, leaves a mark."""

from datetime import datetime, timedelta

from django.utils import timezone

from annotation.models import WorkerMark

ABSENT_AFTER = timedelta(seconds=45)


def seen() -> None:
    WorkerMark.objects.update_or_create(pk=1, defaults={"seen_at": timezone.now()})


def last_seen() -> datetime | None:
    return WorkerMark.objects.values_list("seen_at", flat=True).first()


def is_running() -> bool:
    mark = last_seen()
    return mark is not None and timezone.now() - mark < ABSENT_AFTER
