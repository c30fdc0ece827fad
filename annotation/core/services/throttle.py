"""Count tries in windows of time, in the database, so that every process counts the same."""

from collections.abc import Callable
from datetime import datetime, timedelta
from math import ceil

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.basics.errors import TooManyError
from annotation.basics.sentences import Said, ngettext
from annotation.models import Throttle


def too_many_attempts(minutes: int) -> Said:
    """What somebody is told who has to wait that long."""
    return ngettext(
        "Too many attempts. Please wait %(n)s minute and try again.",
        "Too many attempts. Please wait %(n)s minutes and try again.",
        minutes,
    ) % {"n": minutes}


def count_try(
    *,
    bucket: str,
    limit: int,
    minutes: int,
    message: Callable[[int], Said] = too_many_attempts,
) -> None:
    """Count one try in this window; raise TooManyError when it is one too many.

    `message`: the sentence for somebody who has to wait so many minutes.
    """
    if count(bucket=bucket, minutes=minutes) > limit:
        raise _too_many(minutes, message)


def refuse_if_tried_out(*, bucket: str, limit: int, minutes: int) -> None:
    """Raise TooManyError when all tries of this window are used up; counts nothing itself."""
    if n_tries(bucket=bucket, minutes=minutes) >= limit:
        raise _too_many(minutes, too_many_attempts)


def n_tries(*, bucket: str, minutes: int) -> int:
    """How many tries were counted in this window."""
    row = Throttle.objects.filter(bucket=bucket, window=_window(minutes)).first()
    return row.count if row else 0


def count(*, bucket: str, minutes: int) -> int:
    """Count one try, and return how many there were in this window."""
    row = Throttle.objects.filter(bucket=bucket, window=_window(minutes))
    with transaction.atomic():
        Throttle.objects.bulk_create(
            [Throttle(bucket=bucket, window=_window(minutes))], ignore_conflicts=True
        )
        row.update(count=F("count") + 1)
        return row.values_list("count", flat=True).get()


def write_one(*, bucket: str) -> None:
    """One row that counts nothing: where writing something else would tell."""
    Throttle.objects.bulk_create(
        [Throttle(bucket=bucket, window=timezone.now())], ignore_conflicts=True
    )


def _window(minutes: int) -> datetime:
    now = timezone.now()
    return now - timedelta(
        minutes=now.minute % minutes, seconds=now.second, microseconds=now.microsecond
    )


def seconds_left(minutes: int) -> int:
    """How long until the next window of so many minutes begins."""
    end = _window(minutes) + timedelta(minutes=minutes)
    return max(1, ceil((end - timezone.now()).total_seconds()))


def _too_many(minutes: int, message: Callable[[int], Said]) -> TooManyError:
    seconds = seconds_left(minutes)
    return TooManyError(message(ceil(seconds / 60)), retry_after=seconds)


def forget_old() -> None:
    Throttle.objects.filter(window__lt=timezone.now() - timedelta(days=1)).delete()
