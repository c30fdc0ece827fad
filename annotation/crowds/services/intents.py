"""What shall happen on a platform is written down, in the transaction that decides it.

A worker asks for it afterwards (`outbox`); what nobody can find out is settled by a person.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Planned
from annotation.core.queries import commitments
from annotation.core.services import audit_log
from annotation.core.services.locks import lock_study
from annotation.crowds.services import endpoints, spending
from annotation.models import Intent, Listing, Ticket, Visit

_STATE, _KIND = Intent.State, Intent.Kind
# What stops something is asked for in a dry run, too.
STOPPING = frozenset({_KIND.PAUSE, _KIND.CLOSE, _KIND.REVOKE})

DRY_RUN = _(
    "This study is in a dry run, so nothing is sent to a platform. Allow publishing and paying "
    "first."
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
    pays: Decimal = commitments.NOTHING,
    fee: Decimal = commitments.NOTHING,
    by: User | None = None,
    is_sequel: bool = False,
) -> Intent:
    """Write down what shall be asked for, in the transaction of the decision.

    The same asked for twice, as by a double click, is the first one. What follows from a step that
    was carried out is a sequel: it is planned in a dry run, too, and waits for its end. Raises
    BudgetError if it would go beyond the cap.
    """
    study = lock_study(listing.study_id)
    if study.dry_run and planned.kind not in STOPPING and not is_sequel:
        raise StateError(DRY_RUN)
    endpoints.keep(listing)
    reason_code, payload = planned.reason_code, dict(planned.payload)
    alike = Intent.objects.standing().filter(
        listing=listing, visit=visit, ticket=ticket, kind=planned.kind, reason_code=reason_code
    )
    commits = spending.in_cents(planned.commits)
    if standing := alike.first():
        # Not by what it commits, which the platform's own price may have corrected since.
        if (standing.payload, standing.pays) == (payload, pays):
            return standing
        raise AskedAlreadyError(
            _("You have already requested this with another text or amount: %(what)s.")
            % {"what": str(standing)}
        )
    before = commitments.committed(study, listing.currency) if _may_cost(planned) else None
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
        after = commitments.committed(study, listing.currency)
        cap = spending.cap_of(study, listing.currency)
        # A poll that ends in between releases money, and nothing is cheaper for that.
        if (commits or after > before) and after > cap:
            raise spending.BudgetError(
                _(
                    "This may cost %(more)s %(currency)s, but only %(left)s of the "
                    "study's cap of %(cap)s are left. Raise the cap first."
                )
                % {
                    "more": max(after - before, commits),
                    "currency": listing.currency,
                    "cap": cap,
                    "left": max(cap - before, commitments.NOTHING),
                }
            )
    return intent


def _may_cost(planned: Planned) -> bool:
    # To overturn a rejection takes back what was released by it.
    return bool(planned.commits) or planned.reason_code == Intent.OVERTURN


def _after_the_last(listing: Listing) -> datetime:
    """Now, and later than any other: intents of a listing stand in the order of their planning."""
    last = listing.intents.aggregate(last=Max("planned_at"))["last"]
    now = clock.now()
    return max(now, last + timedelta(microseconds=1)) if last else now


@transaction.atomic
def plan_again(*, intent: Intent, by: User) -> Intent:
    """Ask once more for what was refused, or given up by a person, with the same words.

    What was decided about a visit is decided anew: see `decisions.ask_again`.
    """
    refuse_unless_over(intent)
    again = plan(
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
    write_again(intent, by)
    return again


def refuse_unless_over(intent: Intent) -> None:
    if intent.state not in {_STATE.REFUSED, _STATE.GIVEN_UP}:
        raise StateError(_("You can repeat only a step that was refused or given up."))


def write_again(intent: Intent, by: User) -> None:
    """Let the history say who asked once more."""
    what = f"{intent.get_kind_display()} {intent.reason_code}".strip()
    sentence = _("Requested again: %(what)s.") % {"what": what}
    audit_log.write(study=intent.listing.study, message=sentence, by=by)


def read(intent_id: UUID) -> Intent:
    """An intent with all that sending it asks for."""
    return with_all(Intent.objects.all()).get(pk=intent_id)


def with_all(some: QuerySet[Intent]) -> QuerySet[Intent]:
    """Intents with all that is asked for when the platform is called."""
    return some.select_related("listing__study", "visit__person", "ticket", "requested_by")
