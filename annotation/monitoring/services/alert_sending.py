"""Messages of alerts: sent at least once, tried again for a day, then given up where all can see.

A message is claimed by moving its next try ahead, and sent outside any transaction, in one of a
few threads: a receiver that is slow keeps one of them busy, and no other receiver waiting. The
database is asked by the calling thread alone. Who is killed between sending and storing that has
sent it: it goes out once more, with the same id, by which the receiver knows it.
"""

import logging
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db.models import F, Q

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, stored
from annotation.basics.sentences import sentence as _
from annotation.models import AlertDelivery
from annotation.models.alerts import AlertDeliveryQuerySet
from annotation.monitoring.services import alert_messages

logger = logging.getLogger("annotation.alerts")

# So many are on their way at once, no two of them to one channel.
AT_ONCE = 8
# A sweep begins nothing after the first of these, and waits for nothing after the second: what is
# under way then is tried again.
LAST_START_SECONDS = 15.0
MAX_SWEEP_SECONDS = 30.0
# What was claimed and not stored in this time is sent again.
CLAIM = timedelta(minutes=5)
GIVE_UP = timedelta(days=1)
# Minutes from one try to the next; the last one counts for all that follow.
PAUSES = (1, 5, 15, 60, 240)


@dataclass
class _Sweep:
    """One pass over what is due: channels that may be written to, and what is on its way."""

    due: AlertDeliveryQuerySet
    ready: deque[deque[UUID]]
    under_way: dict[Future[None], tuple[AlertDelivery, deque[UUID]]] = field(default_factory=dict)
    n_sent: int = 0


def send_due() -> int:
    """Send what is due, and return how much was; a channel that fails keeps no other waiting."""
    _correct_times_ahead()
    due = AlertDelivery.objects.due(clock.shared_now())
    by_channel: dict[int, deque[UUID]] = {}
    # News first: what has failed before will most likely fail, and slowly.
    rows = due.order_by("attempts", "next_try_at", "pk").values_list("pk", "channel_id")
    for pk, channel_id in rows:
        by_channel.setdefault(channel_id, deque()).append(pk)
    if not by_channel:
        return 0
    sweep = _Sweep(due, deque(by_channel.values()))
    began = time.monotonic()
    pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="alert")
    try:
        while True:
            while (
                sweep.ready
                and len(sweep.under_way) < AT_ONCE
                and time.monotonic() < began + LAST_START_SECONDS
            ):
                _begin(sweep, pool)
            if not sweep.under_way:
                return sweep.n_sent
            left = began + MAX_SWEEP_SECONDS - time.monotonic()
            done, _not_done = wait(sweep.under_way, max(0.0, left), FIRST_COMPLETED)
            if not done:
                break
            for future in done:
                _end(sweep, future)
        for delivery, _rest in sweep.under_way.values():
            _try_later(delivery, _("Sending took too long."))
        return sweep.n_sent
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _correct_times_ahead() -> None:
    """If the clock was put back, no message waits until it is again as late as it was."""
    now, latest = clock.shared_now(), clock.latest()
    is_ahead = Q(attempts=0, next_try_at__gt=latest)
    for attempts, minutes in enumerate(PAUSES, 1):
        tried = Q(attempts__gte=attempts) if minutes == PAUSES[-1] else Q(attempts=attempts)
        longest_wait = max(CLAIM, timedelta(minutes=minutes))
        is_ahead |= tried & Q(next_try_at__gt=latest + longest_wait)
    waiting = AlertDelivery.objects.filter(state=AlertDelivery.State.WAITING)
    waiting.filter(is_ahead).update(next_try_at=now)
    waiting.filter(created_at__gt=latest).update(created_at=now)


def _begin(sweep: _Sweep, pool: ThreadPoolExecutor) -> None:
    """Claim the next message of the next channel, and send it on its way."""
    of_channel = sweep.ready.popleft()
    pk = of_channel.popleft()
    claim = {"next_try_at": clock.shared_now() + CLAIM, "attempts": F("attempts") + 1}
    if not sweep.due.filter(pk=pk).update(**claim):
        _go_on(sweep, of_channel)  # somebody else has it
        return
    delivery = AlertDelivery.objects.select_related(
        "channel__study", "channel__user", "channel__created_by", "alert"
    ).get(pk=pk)
    if delivery.attempts > 1 and clock.shared_now() > delivery.created_at + GIVE_UP:
        # Nobody is told of yesterday's worries as if they were today's.
        _give_up(delivery, delivery.error or _("Sending failed for a day."))
        _go_on(sweep, of_channel)
        return
    try:
        send = alert_messages.prepared(delivery)
    except AnnotationError as error:
        _failed(delivery, error)
    else:
        sweep.under_way[pool.submit(send)] = (delivery, of_channel)


def _end(sweep: _Sweep, future: Future[None]) -> None:
    """Store what became of a message; after a failure its channel is left alone in this sweep."""
    delivery, of_channel = sweep.under_way.pop(future)
    try:
        future.result()
    except AnnotationError as error:
        _failed(delivery, error)
        return
    AlertDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        state=AlertDelivery.State.SENT, sent_at=clock.shared_now(), error=""
    )
    sweep.n_sent += 1
    _go_on(sweep, of_channel)


def _go_on(sweep: _Sweep, of_channel: deque[UUID]) -> None:
    if of_channel:
        sweep.ready.append(of_channel)


def _failed(delivery: AlertDelivery, error: AnnotationError) -> None:
    if isinstance(error, alert_messages.NeverError):
        _give_up(delivery, error.said[0])
    else:
        _try_later(delivery, error.said[0])


def _try_later(delivery: AlertDelivery, why: Said) -> None:
    now = clock.shared_now()
    pause = timedelta(minutes=PAUSES[min(delivery.attempts, len(PAUSES)) - 1])
    if now + pause > delivery.created_at + GIVE_UP:
        _give_up(delivery, why)
        return
    AlertDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        next_try_at=now + pause, error=stored(why)
    )


def _give_up(delivery: AlertDelivery, why: Said) -> None:
    # No address in the log: who may see the study sees the reason on its page.
    logger.warning("message %s was given up after %s tries", delivery.pk, delivery.attempts)
    AlertDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        state=AlertDelivery.State.GIVEN_UP, error=why if why == delivery.error else stored(why)
    )
