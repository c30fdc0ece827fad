"""The outbox: what shall happen on a platform is written down, then asked for, then settled.

    planned -> sending -> confirmed | refused | ambiguous
    ambiguous -> (asking the platform) -> confirmed | planned again | refused | needs a decision

Planning is part of the transaction that decides. A worker sends after its commit: it takes the
intent by one UPDATE, commits that, and calls the platform in no transaction. If the worker dies,
the intent is found in `sending` with an old lease; whether the call was made is then found out by
asking, and never by calling once more.
"""

import logging
import time
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from random import uniform
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, stored
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Again, LookedUp, LookUpResult, Platform, Sent
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.core.services.locks import lock_study
from annotation.crowds.services import effects, endpoints, spending
from annotation.crowds.services.intent_order import stands_before
from annotation.crowds.services.intents import DRY_RUN, STOPPING, read
from annotation.crowds.services.platform_events import of_error, of_sent, record_call
from annotation.models import Intent, Visit

logger = logging.getLogger("annotation.outbox")

# One sweep occupies a worker no longer than this, and comes again seconds later.
AT_ONCE, MAX_SWEEP_SECONDS = 200, 30
# Longer than any call may take: a worker that holds an intent so long has died.
LEASE = timedelta(minutes=3)
# Platforms know a token for 24 hours; an hour is left for clocks that differ.
TOKEN_LIFE = timedelta(hours=23)
# What is not clear by then is left to a person.
GIVE_UP = timedelta(hours=24)
_MIN_WAIT, _MAX_WAIT = timedelta(seconds=5), timedelta(minutes=30)
# A worker that asks what became of an intent has so long before another one asks as well.
_ASKING = timedelta(minutes=3)

_MAX_CODE_LENGTH = 60

_STATE = Intent.State

_DIED = _(
    "The worker stopped while it was asking the platform. Likeness is finding out what happened."
)
_CAME_LATE = _(
    "After you gave this up, the platform confirmed that it happened. It "
    "was requested again in the meantime, so check there whether it "
    "happened twice."
)
_HAPPENED_BEFORE = _("The platform confirmed the earlier request late, so this one was not sent.")
_TOO_OLD = _("The platform has given no clear answer for a day.")
_NOT_AGAIN = _("It was not found on the platform, but a second request might do it twice.")


def send_due() -> int:
    """Send what is due and ask about what is in doubt; return how many were looked at."""
    find_dead()
    until = time.monotonic() + MAX_SWEEP_SECONDS
    n_done = 0
    ready = due(clock.shared_now()).order_by("planned_at", "id").values_list("pk", "state")
    for pk, state in list(ready[:AT_ONCE]):
        if time.monotonic() > until:
            break
        try:
            (settle if state == _STATE.AMBIGUOUS else send)(pk)
        except Exception:
            # It is in doubt now, and a person will see it; the others must not wait for it.
            logger.exception("intent %s", pk)
        n_done += 1
    return n_done


def due(now: datetime) -> QuerySet[Intent]:
    return Intent.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=now),
        state__in=(_STATE.PLANNED, _STATE.AMBIGUOUS),
    )


def find_dead() -> int:
    """What a worker that died left in `sending` is in doubt."""
    now = clock.shared_now()
    _correct_times_ahead(now)
    return Intent.objects.filter(state=_STATE.SENDING, last_sent_at__lte=now - LEASE).update(
        state=_STATE.AMBIGUOUS, lease=None, next_try_at=None, error=stored(_DIED)
    )


def _correct_times_ahead(now: datetime) -> None:
    """If the clock was put back, nothing may wait until it is again as late as it was."""
    unsettled = Intent.objects.filter(state__in=Intent.UNSETTLED)
    too_late = now + _MAX_WAIT + clock.MAX_DIFFERENCE
    unsettled.filter(next_try_at__gt=too_late).update(next_try_at=now)
    unsettled.filter(last_sent_at__gt=clock.latest()).update(last_sent_at=now)
    # Nobody knows how old its token is: if that matters, it is too old.
    unsettled.filter(first_sent_at__gt=clock.latest()).update(first_sent_at=now - TOKEN_LIFE)


def send(intent_id: UUID) -> None:
    """Ask the platform for a planned intent, if nobody else does and nothing stands before it."""
    lease = uuid4()
    if not take(intent_id, lease):
        return
    intent = read(intent_id)
    platform = platform_of(intent.listing.platform)
    if intent.attempts > 1 and not _may_be_sent_again(platform, intent):
        # It waited too long for its second try: the platform has forgotten its token.
        _leave_to_person(intent, _NOT_AGAIN, state=_STATE.SENDING)
        return
    try:
        endpoints.refuse_moved(intent.listing)
        sent = platform.send(intent, partial(_keep, intent, lease))
    except RefusedError as error:
        record_call(intent, "refused", of_error(error))
        if intent.attempts > 1:
            doubt(intent, lease, error.said[0])
        else:
            _refuse(intent, stored(error.said[0]), state=_STATE.SENDING, lease=lease)
    except UnavailableError as error:
        record_call(intent, "unavailable", of_error(error))
        put_off(intent, lease, error.said[0])
    except DoubtfulError as error:
        record_call(intent, "doubtful", of_error(error))
        doubt(intent, lease, error.said[0])
    except BaseException as error:
        # A mistake of ours, or the process is told to end: the call may have been made.
        record_call(intent, "failed", {"error": type(error).__name__})
        doubt(intent, lease, _DIED)
        raise
    else:
        record_call(intent, "sent", of_sent(sent))
        confirm(intent, sent)


@transaction.atomic
def _keep(intent: Intent, lease: UUID, remote_id: str, cost: Decimal | None = None) -> None:
    """What is known half-way, stored before the other half is asked for.

    Raises RefusedError if this worker was taken for dead meanwhile, or the price is above the cap.
    """
    study = lock_study(intent.listing.study_id)
    price = {} if cost is None else spending.at_price(intent, cost, study)
    held = Intent.objects.filter(pk=intent.pk, state=_STATE.SENDING, lease=lease)
    if not held.update(remote_id=remote_id, **price):
        raise RefusedError(_DIED)


def take(intent_id: UUID, lease: UUID) -> bool:
    """Hold it: the state decides in the UPDATE itself, so two workers never both send it."""
    now = clock.shared_now()
    ready = Intent.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=now), pk=intent_id, state=_STATE.PLANNED
    )
    first = Intent.objects.filter(pk=intent_id).select_related("listing__study").get()
    if stands_before(first).exists():
        return False
    if first.listing.study.dry_run and first.kind not in STOPPING:
        ready.update(next_try_at=now + timedelta(minutes=1), error=stored(DRY_RUN))
        return False
    taken = ready.update(
        state=_STATE.SENDING,
        lease=lease,
        attempts=F("attempts") + 1,
        first_sent_at=Coalesce("first_sent_at", Value(now)),
        last_sent_at=now,
        next_try_at=None,
    )
    return bool(taken)


def _may_be_sent_again(platform: Platform, intent: Intent) -> bool:
    """Whether sending it twice is sending it once."""
    assert intent.first_sent_at is not None  # constraint intent_sent_since
    age = clock.shared_now() - intent.first_sent_at
    match platform.again(intent):
        case Again.HARMLESS:
            return age < GIVE_UP
        case Again.IF_YOUNG:
            return age < TOKEN_LIFE
        case Again.NEVER:
            return False


# -- what came of it ------------------------------------------------------------------------------


@transaction.atomic
def confirm(intent: Intent, sent: Sent, **columns: Any) -> None:
    """It happened; another worker that holds it by now finds it settled."""
    lock_study(intent.listing.study_id)
    open_still = (_STATE.PLANNED, _STATE.SENDING, _STATE.AMBIGUOUS, _STATE.NEEDS_PERSON)
    if sent.remote_id:
        columns["remote_id"] = sent.remote_id
    elif sent.ticket:
        columns["remote_id"] = sent.ticket.remote_id
    confirmed = Intent.objects.filter(pk=intent.pk, state__in=open_still).update(
        state=_STATE.CONFIRMED,
        lease=None,
        next_try_at=None,
        settled_at=clock.shared_now(),
        error="",
        **columns,
    )
    if confirmed or _confirm_late(read(intent.pk), columns):
        effects.happened(read(intent.pk), sent)


def _confirm_late(intent: Intent, columns: dict[str, Any]) -> bool:
    """It happened after a person had said that it did not, or another answer had.

    If the same was asked for again since, both stand, and a person looks; one that was not sent
    yet is not sent any more. The caller holds the study's lock.
    """
    if intent.state not in {_STATE.REFUSED, _STATE.GIVEN_UP}:
        return False
    now = clock.shared_now()
    alike = Intent.objects.standing().filter(
        listing=intent.listing_id,
        visit=intent.visit_id,
        ticket=intent.ticket_id,
        kind=intent.kind,
        reason_code=intent.reason_code,
    )
    alike.filter(state=_STATE.PLANNED, attempts=0).update(
        state=_STATE.REFUSED, settled_at=now, next_try_at=None, error=stored(_HAPPENED_BEFORE)
    )
    if alike.exists():
        if intent.visit and platform_of(intent.listing.platform).again(intent) is Again.HARMLESS:
            # Twice is once there: what stands says so already.
            return False
        # The database keeps two of the same name apart.
        late = f"{intent.reason_code} late {intent.reference}".strip()
        columns |= {"reason_code": late[-_MAX_CODE_LENGTH:], "error": stored(_CAME_LATE)}
        if intent.visit_id:
            Visit.objects.filter(pk=intent.visit_id).update(doubt=stored(_CAME_LATE))
    Intent.objects.filter(pk=intent.pk).update(
        **{"error": "", **columns}, state=_STATE.CONFIRMED, lease=None, settled_at=now
    )
    return True


@transaction.atomic
def _refuse(intent: Intent, error: str, **held: Any) -> None:
    """It did not happen and shall not."""
    lock_study(intent.listing.study_id)
    refused = Intent.objects.filter(pk=intent.pk, **held).update(
        state=_STATE.REFUSED,
        lease=None,
        next_try_at=None,
        settled_at=clock.shared_now(),
        error=error,
    )
    if refused:
        effects.came_to_nothing(read(intent.pk))


def doubt(intent: Intent, lease: UUID, reason: Said) -> None:
    Intent.objects.filter(pk=intent.pk, state=_STATE.SENDING, lease=lease).update(
        state=_STATE.AMBIGUOUS,
        lease=None,
        next_try_at=clock.shared_now() + _jitter(_MIN_WAIT),
        error=stored(reason),
    )


def put_off(intent: Intent, lease: UUID, reason: Said) -> None:
    """The platform did nothing: the next try is a first one again, if this one was."""
    if intent.attempts > 1:
        doubt(intent, lease, reason)
        return
    now = clock.shared_now()
    tries = intent.events.filter(kind="send: unavailable")
    since = tries.earliest("pk").seen_at
    held = Intent.objects.filter(pk=intent.pk, state=_STATE.SENDING, lease=lease)
    if now - since >= GIVE_UP:
        held.update(state=_STATE.NEEDS_PERSON, lease=None, error=stored(reason))
        return
    wait = min(_MIN_WAIT * 2 ** min(tries.count(), 10), _MAX_WAIT)
    held.update(
        state=_STATE.PLANNED,
        lease=None,
        attempts=0,
        first_sent_at=None,
        next_try_at=now + _jitter(wait),
        error=stored(reason),
    )


def _leave_to_person(intent: Intent, reason: Said, *, state: str) -> None:
    Intent.objects.filter(pk=intent.pk, state=state, attempts=intent.attempts).update(
        state=_STATE.NEEDS_PERSON, lease=None, next_try_at=None, error=stored(reason)
    )


def settle(intent_id: UUID) -> None:
    """Ask the platform what became of an intent that is in doubt."""
    now = clock.shared_now()
    in_doubt = Intent.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=now), pk=intent_id, state=_STATE.AMBIGUOUS
    )
    if not in_doubt.update(next_try_at=now + _ASKING):
        return
    intent = read(intent_id)
    platform = platform_of(intent.listing.platform)
    try:
        endpoints.refuse_moved(intent.listing)
        looked_up = platform.look_up(intent)
    except AnnotationError as error:
        # It cannot be asked just now, or not without what the environment lacks.
        record_call(intent, "unavailable", of_error(error), call="look up")
        _wait(intent)
        return
    except Exception:
        # A mistake of ours must not keep it from a person for ever.
        _wait(intent)
        raise
    try:
        _conclude(platform, intent, looked_up)
    except Exception:
        # Of an answer that cannot be kept: a person reads it on the platform.
        _wait(intent)
        raise


def _conclude(platform: Platform, intent: Intent, looked_up: LookedUp) -> None:
    answer = {"found": looked_up.result.value, **of_sent(looked_up.sent)}
    record_call(intent, looked_up.result.value, answer, call="look up")
    match looked_up.result:
        case LookUpResult.DONE:
            confirm(intent, looked_up.sent)
        case LookUpResult.NOT_DONE:
            _not_done(platform, intent)
        case LookUpResult.UNKNOWN:
            _wait(intent)


def _not_done(platform: Platform, intent: Intent) -> None:
    """It certainly did not happen: refused, or sent again if that cannot do it twice."""
    # Another worker may have asked meanwhile, and sent it since.
    as_seen = {"state": _STATE.AMBIGUOUS, "attempts": intent.attempts}
    sendings = intent.events.filter(kind__startswith="send: ").order_by("-pk")
    if sendings.values_list("kind", flat=True).first() == "send: refused":
        _refuse(intent, intent.error, **as_seen)
    elif _may_be_sent_again(platform, intent):
        Intent.objects.filter(pk=intent.pk, **as_seen).update(
            state=_STATE.PLANNED, next_try_at=clock.shared_now() + _jitter(_back_off(intent))
        )
    else:
        _leave_to_person(intent, _NOT_AGAIN, state=_STATE.AMBIGUOUS)


def _wait(intent: Intent) -> None:
    """Ask again later, and not for ever: platforms show late what happened, but not a day late."""
    assert intent.last_sent_at is not None  # it was sent
    if clock.shared_now() - intent.last_sent_at >= GIVE_UP:
        _leave_to_person(intent, _TOO_OLD, state=_STATE.AMBIGUOUS)
        return
    Intent.objects.filter(pk=intent.pk, state=_STATE.AMBIGUOUS, attempts=intent.attempts).update(
        next_try_at=clock.shared_now() + _jitter(_back_off(intent))
    )


def _back_off(intent: Intent) -> timedelta:
    """As long again as it has been in doubt."""
    assert intent.first_sent_at is not None  # constraint intent_sent_since
    return min(max(clock.shared_now() - intent.first_sent_at, _MIN_WAIT), _MAX_WAIT)


def _jitter(wait: timedelta) -> timedelta:
    # Many that were put off together must not come back together.
    return wait * uniform(0.7, 1.0)  # noqa: S311 - no secret is drawn
