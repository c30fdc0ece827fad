"""The outbox: what shall happen on a platform is written down, then asked for, then settled.

    planned -> sending -> confirmed | refused | ambiguous
    ambiguous -> (asking the platform) -> confirmed | planned again | refused | needs a person

Planning is part of the transaction that decides. A worker sends after its commit: it takes the
intent by one UPDATE, commits that, and calls the platform in no transaction. If the worker dies,
the intent is found in `sending` with an old lease; whether the call was made is then found out by
asking, and never by calling once more.
"""

import json
import logging
import time
from datetime import datetime, timedelta
from decimal import Decimal
from math import isfinite
from random import uniform
from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation import clock
from annotation.errors import AnnotationError, StateError
from annotation.models import Intent, Listing, PlatformEvent, Ticket, Visit
from annotation.platforms import platform_of
from annotation.platforms.base import (
    Again,
    DoubtfulError,
    Found,
    LookedUp,
    Planned,
    Platform,
    RefusedError,
    Sent,
    UnavailableError,
)
from annotation.sentences import Said, stored
from annotation.sentences import sentence as _
from annotation.services import effects, spending
from annotation.services.locks import lock_study

logger = logging.getLogger("annotation.intents")

AT_ONCE = 200
# One sweep occupies a worker no longer than this, and comes again seconds later.
LONGEST_SWEEP_SECONDS = 30
# Longer than any call may take: whoever holds an intent so long has died.
LEASE = timedelta(minutes=3)
# Platforms know a token for 24 hours; an hour is left for clocks that differ.
TOKEN_LIFE = timedelta(hours=23)
# What is not clear by then is left to a person.
GIVE_UP = timedelta(hours=24)
_SHORTEST_WAIT, _LONGEST_WAIT = timedelta(seconds=5), timedelta(minutes=30)
# A worker that asks what became of an intent has so long before another one asks as well.
_ASKING = timedelta(minutes=3)

_STATE, _KIND = Intent.State, Intent.Kind
# What stops something is asked for in a dry run, too.
STOPPING = frozenset({_KIND.PAUSE, _KIND.CLOSE, _KIND.REVOKE})
_OF_TICKETS = (_KIND.PAUSE, _KIND.RESUME, _KIND.CLOSE)

DRY_RUN = _(
    "This study is in its dry run: nothing is asked of a platform. Switch the dry run off first."
)
_DIED = _("The worker died while it asked; what became of it is being found out.")
_TOO_OLD = _(
    "The platform gave no clear answer for a day. Look there whether it happened, and say so here."
)
_NOT_AGAIN = _(
    "It was not found on the platform, and asking again might do it twice. Look there whether it"
    " happened, and say so here."
)


class AskedAlreadyError(StateError):
    """The same was asked for before, with other words or another amount."""


@transaction.atomic
def plan(
    *,
    listing: Listing,
    planned: Planned,
    visit: Visit | None = None,
    ticket: Ticket | None = None,
    pays: Decimal = spending.NOTHING,
    fee: Decimal = spending.NOTHING,
    by: User | None = None,
) -> Intent:
    """Write down what shall be asked for, in the transaction of the decision.

    The same asked for twice, as by a double click, is the first one. Raises BudgetError where it
    would go beyond the cap.
    """
    study = lock_study(listing.study_id)
    if study.dry_run and planned.kind not in STOPPING:
        raise StateError(DRY_RUN)
    reason_code, payload = planned.reason_code, dict(planned.payload)
    alike = Intent.objects.standing().filter(
        listing=listing, visit=visit, ticket=ticket, kind=planned.kind, reason_code=reason_code
    )
    commits = spending.in_cents(planned.commits)
    if standing := alike.first():
        if (standing.payload, standing.commits) == (payload, commits):
            return standing
        raise AskedAlreadyError(
            _("This was asked for before, with other words or another amount: %(what)s.")
            % {"what": str(standing)}
        )
    before = spending.committed(study, listing.currency) if _may_cost(planned) else None
    intent = Intent.objects.create(
        listing=listing,
        visit=visit,
        ticket=ticket,
        kind=planned.kind,
        reason_code=reason_code,
        payload=payload,
        currency=listing.currency,
        commits=commits,
        pays=spending.in_cents(pays),
        fee=spending.in_cents(fee),
        planned_at=_after_the_last(listing),
        requested_by=by,
    )
    if before is not None:
        after = spending.committed(study, listing.currency)
        cap = spending.cap_of(study, listing.currency)
        if after > before and after > cap:
            raise spending.BudgetError(
                _(
                    "This may cost %(more)s %(currency)s; of the study's cap of %(cap)s,"
                    " %(left)s are left. Raise the cap first."
                )
                % {
                    "more": after - before,
                    "currency": listing.currency,
                    "cap": cap,
                    "left": max(cap - before, spending.NOTHING),
                }
            )
    return intent


def _may_cost(planned: Planned) -> bool:
    # To overturn a rejection takes back what was released by it.
    return bool(planned.commits) or planned.reason_code == spending.OVERTURN


def _after_the_last(listing: Listing) -> datetime:
    """Now, and later than any other: intents of a listing stand in the order of their planning."""
    last = listing.intents.aggregate(last=Max("planned_at"))["last"]
    now = clock.now()
    return max(now, last + timedelta(microseconds=1)) if last else now


def plan_again(*, intent: Intent, by: User) -> Intent:
    """Ask once more for what was refused, or given up by a person, with the same words."""
    if intent.state not in {_STATE.REFUSED, _STATE.GIVEN_UP}:
        raise StateError(_("Only what was refused or given up can be asked for again."))
    return plan(
        listing=intent.listing,
        planned=Planned(
            kind=_KIND(intent.kind),
            reason_code=intent.reason_code,
            payload=intent.payload,
            commits=intent.commits,
        ),
        visit=intent.visit,
        ticket=intent.ticket,
        pays=intent.pays,
        fee=intent.fee,
        by=by,
    )


# -- sending ------------------------------------------------------------------------------------


def send_due() -> int:
    """Send what is due and ask about what is in doubt; return how many were looked at."""
    find_dead()
    until = time.monotonic() + LONGEST_SWEEP_SECONDS
    n_done = 0
    due = _due(clock.now()).order_by("planned_at", "id").values_list("pk", "state")
    for pk, state in list(due[:AT_ONCE]):
        if time.monotonic() > until:
            break
        try:
            (settle if state == _STATE.AMBIGUOUS else send)(pk)
        except Exception:
            # It is in doubt now, and a person will see it; the others must not wait for it.
            logger.exception("intent %s", pk)
        n_done += 1
    return n_done


def _due(now: datetime) -> QuerySet[Intent]:
    return Intent.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=now),
        state__in=(_STATE.PLANNED, _STATE.AMBIGUOUS),
    )


def find_dead() -> int:
    """What a worker that died left in `sending` is in doubt."""
    now = clock.now()
    return Intent.objects.filter(state=_STATE.SENDING, last_sent_at__lte=now - LEASE).update(
        state=_STATE.AMBIGUOUS, lease=None, next_try_at=None, error=stored(_DIED)
    )


def send(intent_id: UUID) -> None:
    """Ask the platform for a planned intent, if nobody else does and nothing stands before it."""
    lease = uuid4()
    if not _take(intent_id, lease):
        return
    intent = _read(intent_id)
    platform = platform_of(intent.listing.platform)
    if intent.attempts > 1 and not _may_be_sent_again(platform, intent):
        # It waited too long for its second try: the platform has forgotten its token.
        _leave_to_person(intent, _NOT_AGAIN, state=_STATE.SENDING)
        return
    try:
        sent = platform.send(intent, lambda remote_id: _keep(intent, lease, remote_id))
    except RefusedError as error:
        _record(intent, "refused", _of_error(error))
        if intent.attempts > 1:
            _doubt(intent, lease, error.said[0])
        else:
            _refuse(intent, stored(error.said[0]), state=_STATE.SENDING, lease=lease)
    except UnavailableError as error:
        _record(intent, "unavailable", _of_error(error))
        _put_off(intent, lease, error.said[0])
    except DoubtfulError as error:
        _record(intent, "doubtful", _of_error(error))
        _doubt(intent, lease, error.said[0])
    except BaseException as error:
        # A mistake of ours, or the process is told to end: the call may have been made.
        _record(intent, "failed", {"error": type(error).__name__})
        _doubt(intent, lease, _DIED)
        raise
    else:
        _record(intent, "sent", _of_sent(sent))
        _confirm(intent, sent)


def _keep(intent: Intent, lease: UUID, remote_id: str) -> None:
    """What is known half-way, stored before the other half is asked for.

    Raises RefusedError where this worker was taken for dead meanwhile: then it asks for no more.
    """
    held = Intent.objects.filter(pk=intent.pk, state=_STATE.SENDING, lease=lease)
    if not held.update(remote_id=remote_id):
        raise RefusedError(_DIED)


def _take(intent_id: UUID, lease: UUID) -> bool:
    """Hold it: the state decides in the UPDATE itself, so two workers never both send it."""
    now = clock.now()
    ready = Intent.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=now), pk=intent_id, state=_STATE.PLANNED
    )
    first = Intent.objects.filter(pk=intent_id).select_related("listing__study").get()
    if _stands_behind(first).exists():
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


def _stands_behind(intent: Intent) -> QuerySet[Intent]:
    """What must be settled before: steps of publishing, and of opening and shutting a ticket."""
    earlier = Intent.objects.filter(listing=intent.listing_id, planned_at__lt=intent.planned_at)
    if intent.kind == _KIND.PUBLISH:
        return earlier.filter(
            kind=_KIND.PUBLISH, state__in=(*Intent.UNSETTLED, _STATE.NEEDS_PERSON)
        )
    if intent.kind in _OF_TICKETS:
        # A person's delay must not keep anybody from closing.
        return earlier.filter(
            ticket=intent.ticket_id, kind__in=_OF_TICKETS, state__in=Intent.UNSETTLED
        )
    return Intent.objects.none()


def _may_be_sent_again(platform: Platform, intent: Intent) -> bool:
    """Whether sending it twice is sending it once."""
    assert intent.first_sent_at is not None  # constraint intent_sent_since
    age = clock.now() - intent.first_sent_at
    match platform.again(intent):
        case Again.HARMLESS:
            return age < GIVE_UP
        case Again.IF_YOUNG:
            return age < TOKEN_LIFE
        case Again.NEVER:
            return False


# -- what came of it ----------------------------------------------------------------------------


@transaction.atomic
def _confirm(intent: Intent, sent: Sent, **columns: Any) -> None:
    """It happened; whoever else holds it by now finds it settled."""
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
        settled_at=clock.now(),
        error="",
        **columns,
    )
    if confirmed:
        effects.happened(_read(intent.pk), sent)


@transaction.atomic
def _refuse(intent: Intent, error: str, **held: Any) -> None:
    """It did not happen and shall not."""
    lock_study(intent.listing.study_id)
    refused = Intent.objects.filter(pk=intent.pk, **held).update(
        state=_STATE.REFUSED,
        lease=None,
        next_try_at=None,
        settled_at=clock.now(),
        error=error,
    )
    if refused:
        effects.came_to_nothing(_read(intent.pk))


def _doubt(intent: Intent, lease: UUID, said: Said) -> None:
    Intent.objects.filter(pk=intent.pk, state=_STATE.SENDING, lease=lease).update(
        state=_STATE.AMBIGUOUS,
        lease=None,
        next_try_at=clock.now() + _jitter(_SHORTEST_WAIT),
        error=stored(said),
    )


def _put_off(intent: Intent, lease: UUID, said: Said) -> None:
    """The platform did nothing: the next try is a first one again, if this one was."""
    if intent.attempts > 1:
        _doubt(intent, lease, said)
        return
    now = clock.now()
    tries = intent.events.filter(kind="send: unavailable")
    since = tries.earliest("pk").seen_at
    held = Intent.objects.filter(pk=intent.pk, state=_STATE.SENDING, lease=lease)
    if now - since >= GIVE_UP:
        held.update(state=_STATE.NEEDS_PERSON, lease=None, error=stored(said))
        return
    wait = min(_SHORTEST_WAIT * 2 ** min(tries.count(), 10), _LONGEST_WAIT)
    held.update(
        state=_STATE.PLANNED,
        lease=None,
        attempts=0,
        first_sent_at=None,
        next_try_at=now + _jitter(wait),
        error=stored(said),
    )


def _leave_to_person(intent: Intent, said: Said, *, state: str) -> None:
    Intent.objects.filter(pk=intent.pk, state=state, attempts=intent.attempts).update(
        state=_STATE.NEEDS_PERSON, lease=None, next_try_at=None, error=stored(said)
    )


def settle(intent_id: UUID) -> None:
    """Ask the platform what became of an intent that is in doubt."""
    now = clock.now()
    in_doubt = Intent.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=now), pk=intent_id, state=_STATE.AMBIGUOUS
    )
    if not in_doubt.update(next_try_at=now + _ASKING):
        return
    intent = _read(intent_id)
    platform = platform_of(intent.listing.platform)
    try:
        looked_up = platform.look_up(intent)
    except AnnotationError as error:
        # It cannot be asked just now, or not without what the environment lacks.
        _record(intent, "unavailable", _of_error(error), call="look up")
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
    answer = {"found": looked_up.found.value, **_of_sent(looked_up.sent)}
    _record(intent, looked_up.found.value, answer, call="look up")
    match looked_up.found:
        case Found.DONE:
            _confirm(intent, looked_up.sent)
        case Found.NOT_DONE:
            _not_done(platform, intent)
        case Found.UNKNOWN:
            _wait(intent)


def _not_done(platform: Platform, intent: Intent) -> None:
    """It certainly did not happen: refused, or sent again where that cannot do it twice."""
    # Another worker may have asked meanwhile, and sent it since.
    as_seen = {"state": _STATE.AMBIGUOUS, "attempts": intent.attempts}
    last = intent.events.filter(kind__startswith="send: ").order_by("-pk").first()
    if last and last.kind == "send: refused":
        _refuse(intent, intent.error, **as_seen)
    elif _may_be_sent_again(platform, intent):
        Intent.objects.filter(pk=intent.pk, **as_seen).update(
            state=_STATE.PLANNED, next_try_at=clock.now() + _jitter(_back_off(intent))
        )
    else:
        _leave_to_person(intent, _NOT_AGAIN, state=_STATE.AMBIGUOUS)


def _wait(intent: Intent) -> None:
    """Ask again later, and not for ever: platforms show late what happened, but not a day late."""
    assert intent.last_sent_at is not None  # it was sent
    if clock.now() - intent.last_sent_at >= GIVE_UP:
        _leave_to_person(intent, _TOO_OLD, state=_STATE.AMBIGUOUS)
        return
    Intent.objects.filter(pk=intent.pk, state=_STATE.AMBIGUOUS, attempts=intent.attempts).update(
        next_try_at=clock.now() + _jitter(_back_off(intent))
    )


def _back_off(intent: Intent) -> timedelta:
    """As long again as it has been in doubt."""
    assert intent.first_sent_at is not None  # constraint intent_sent_since
    return min(max(clock.now() - intent.first_sent_at, _SHORTEST_WAIT), _LONGEST_WAIT)


def _jitter(wait: timedelta) -> timedelta:
    # Many that were put off together must not come back together.
    return wait * uniform(0.7, 1.0)  # noqa: S311 - no secret is drawn


# -- by a person --------------------------------------------------------------------------------


def settle_by_hand(
    *, intent: Intent, happened: bool, note: str, by: User, remote_id: str = ""
) -> Intent:
    """A person looked at the platform and says whether it happened; their word is kept.

    `remote_id`: of what was published, where the platform's answer did not tell it.
    """
    if not note.strip():
        raise AnnotationError(_("Say how you know: the note is kept with the entry."))
    if "\x00" in note:
        raise AnnotationError(_("The note has a character that cannot be stored (NUL)."))
    word = f"{by.get_username()}: {note.strip()}"
    with transaction.atomic():
        lock_study(intent.listing.study_id)
        intent = Intent.objects.select_for_update(no_key=True).get(pk=intent.pk)
        if intent.state != _STATE.NEEDS_PERSON:
            raise StateError(_("This entry does not wait for a person; look at it again."))
        if happened:
            _confirm(intent, _by_hand(intent, remote_id.strip()), note=word)
        else:
            Intent.objects.filter(pk=intent.pk).update(
                state=_STATE.GIVEN_UP, settled_at=clock.now(), lease=None, note=word
            )
            effects.came_to_nothing(_read(intent.pk))
    return _read(intent.pk)


def _by_hand(intent: Intent, remote_id: str) -> Sent:
    if intent.kind != _KIND.PUBLISH:
        return Sent(remote_id=remote_id)
    found = remote_id or intent.remote_id
    if not found:
        raise AnnotationError(_("Give the platform's own id of what was published."))
    if _is_of_another(intent, found):
        raise AnnotationError(
            _("%(id)s is known here already, as another entry's. Look once more for this one.")
            % {"id": found}
        )
    # Without its ticket nobody could come by it, and nobody could close it.
    ticket = platform_of(intent.listing.platform).made_by_hand(intent, found)
    return Sent(remote_id=found, ticket=ticket)


def _is_of_another(intent: Intent, remote_id: str) -> bool:
    listing = intent.listing
    others = Intent.objects.filter(
        listing__platform=listing.platform,
        listing__environment=listing.environment,
        kind=_KIND.PUBLISH,
        state=_STATE.CONFIRMED,
        remote_id=remote_id,
    )
    # A draft and its publication are steps of one thing.
    return others.exclude(listing=listing).exists() or (
        Ticket.objects.filter(
            platform=listing.platform, environment=listing.environment, remote_id=remote_id
        ).exists()
    )


def look_again(*, intent: Intent) -> Intent:
    """Ask the platform once more about what waits for a person."""
    asked = Intent.objects.filter(pk=intent.pk, state=_STATE.NEEDS_PERSON).update(
        state=_STATE.AMBIGUOUS, next_try_at=None
    )
    if not asked:
        raise StateError(_("This entry does not wait for a person; look at it again."))
    return _read(intent.pk)


# -- what is kept of it -------------------------------------------------------------------------


def _read(intent_id: UUID) -> Intent:
    related = ("listing__study", "visit__person", "ticket", "requested_by")
    return Intent.objects.select_related(*related).get(pk=intent_id)


def _record(intent: Intent, kind: str, payload: dict[str, Any], *, call: str = "send") -> None:
    """Keep what the platform said, before anything is concluded from it."""
    PlatformEvent.objects.create(
        listing_id=intent.listing_id,
        visit_id=intent.visit_id,
        intent=intent,
        source=PlatformEvent.Source.CALL,
        kind=f"{call}: {kind}",
        payload=plain(payload),
        seen_at=clock.now(),
    )


def _of_error(error: AnnotationError) -> dict[str, Any]:
    return {"error": type(error).__name__, "said": stored(error.said[0])}


def _of_sent(sent: Sent) -> dict[str, Any]:
    said: dict[str, Any] = {"remote_id": sent.remote_id, "answer": dict(sent.answer)}
    if sent.ticket:
        said["ticket"] = {"remote_id": sent.ticket.remote_id, "n_places": sent.ticket.n_places}
    return said


def plain(said: Any) -> Any:
    """As JSON keeps it: times and amounts become texts, and so does what no column takes."""
    return _storable(json.loads(json.dumps(said, default=str)))


def _storable(said: Any) -> Any:
    if isinstance(said, dict):
        return {_storable(key): _storable(value) for key, value in said.items()}
    if isinstance(said, list):
        return [_storable(one) for one in said]
    if isinstance(said, str):
        # PostgreSQL keeps no NUL and no half of a surrogate pair.
        return said.replace("\x00", "\ufffd").encode(errors="replace").decode()
    if isinstance(said, float) and not isfinite(said):
        return str(said)
    return said
