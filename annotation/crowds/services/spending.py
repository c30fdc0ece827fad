"""What a study may spend, and what it may still have to: the cap, and the switch before it.

Committed is what all standing intents may cost at worst. Money is released, and may be spent
again, only where it is certain that nobody will be paid from it:

- what the platform refused, or a person settled as not having happened;
- of a ticket that has ended, after the longest time in which somebody may still hand in and a
  poll since then, the places beyond those whose visit may be paid. A visit that was returned, ran
  out of time or was rejected is not paid, unless an approval of it stands.

A place of a ticket that is open stays committed, whatever became of those who came: the platform
may hand it on. Shares are rounded down to the cent.
"""

from decimal import ROUND_DOWN, Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.services import audit_log
from annotation.core.services.locks import lock_study
from annotation.models import Budget, Intent, Study, Ticket, Visit
from annotation.models.kinds import Outcome

CENT = Decimal("0.01")
_FIRST_CAP = _("Cap set to %(cap)s %(currency)s; before, nothing could be spent.")
_RAISED = _("Cap raised from %(before)s to %(cap)s %(currency)s.")
_LOWERED = _("Cap lowered from %(before)s to %(cap)s %(currency)s.")
_DRY = _("This study is a dry run: nothing is published or paid.")
_WET = _("This study may publish and pay, up to its cap.")
# What the history says of who let money be spent.
SAID_OF_LIMITS = (_FIRST_CAP, _RAISED, _LOWERED, _DRY, _WET)
NOTHING = Decimal("0.00")
# The reason code of an approval that takes a rejection back.
OVERTURN = "overturn"
_UNPAID = (Visit.Remote.RETURNED, Visit.Remote.TIMED_OUT, Visit.Remote.REJECTED)


class BudgetError(AnnotationError):
    """It would cost more than the study may spend."""

    status = 409
    code = "over_budget"


@transaction.atomic
def set_cap(*, study: Study, currency: str, cap: Decimal, by: User | None) -> Budget:
    """Say how much a study may spend at most; raising and lowering are the same.

    A cap below what is committed already stops everything that costs more, and takes nothing back.
    """
    lock_study(study.pk)
    cap = in_cents(cap)
    if cap < 0:
        raise AnnotationError(_("A cap cannot be negative; 0 means that nothing may be spent."))
    before = Budget.objects.filter(study=study, currency=currency).first()
    budget, _made = Budget.objects.update_or_create(
        study=study, currency=currency, defaults={"cap": cap}
    )
    values = {"before": before.cap if before else "", "cap": cap, "currency": currency}
    if before is None:
        audit_log.write(study=study, said=_FIRST_CAP % values, by=by)
    elif before.cap != cap:
        said = _RAISED if cap > before.cap else _LOWERED
        audit_log.write(study=study, said=said % values, by=by)
    return budget


@transaction.atomic
def set_dry_run(*, study: Study, dry_run: bool, by: User | None) -> Study:
    """Let a study ask platforms for things, or keep it from that."""
    study = lock_study(study.pk)
    if study.dry_run == dry_run:
        return study
    study.dry_run = dry_run
    study.save(update_fields=["dry_run"])
    audit_log.write(study=study, said=_DRY if dry_run else _WET, by=by)
    return study


def cap_of(study: Study, currency: str) -> Decimal:
    """The cap; 0 where nobody has set one."""
    found = Budget.objects.filter(study=study, currency=currency).first()
    return found.cap if found else NOTHING


def committed(study: Study, currency: str) -> Decimal:
    """What everything that was asked for may cost at worst, less what is known to be released."""
    standing = Intent.objects.standing().filter(listing__study=study, currency=currency)
    return _sum(standing) - released(study, currency)


def left(study: Study, currency: str) -> Decimal:
    """What may still be committed; negative where the cap was lowered below what is."""
    return cap_of(study, currency) - committed(study, currency)


def released(study: Study, currency: str) -> Decimal:
    """What was committed for places of ended tickets that nobody will be paid for."""
    ended = Ticket.objects.filter(
        listing__study=study, listing__currency=currency, expires_at__isnull=False
    ).exclude(state=Ticket.State.OPEN)
    return sum((_released_of(ticket) for ticket in ended.select_related("listing")), NOTHING)


def _released_of(ticket: Ticket) -> Decimal:
    if not is_over(ticket):
        return NOTHING
    made = Intent.objects.filter(
        listing=ticket.listing_id,
        kind=Intent.Kind.PUBLISH,
        state=Intent.State.CONFIRMED,
        remote_id=ticket.remote_id,
    )
    if not ticket.n_places:
        return NOTHING
    n_unused = max(0, ticket.n_places - _n_payable(ticket))
    return (_sum(made) * n_unused / ticket.n_places).quantize(CENT, ROUND_DOWN)


def _sum(intents: QuerySet[Intent]) -> Decimal:
    # SQLite adds in binary; to the cent that is exact for any sum that is ever spent.
    total: Decimal = intents.aggregate(total=Sum("commits"))["total"] or NOTHING
    return total.quantize(CENT)


def is_over(ticket: Ticket) -> bool:
    """Whether nobody can hand in any more, and everything there was read since."""
    if ticket.state == Ticket.State.OPEN or ticket.expires_at is None:
        return False
    listing = ticket.listing
    until = ticket.expires_at + platform_of(listing.platform).hand_in_time(listing)
    return clock.now() >= until and listing.read_at is not None and listing.read_at >= until


def _n_payable(ticket: Ticket) -> int:
    """Visits that are paid or may be; one that the platform never showed, where work was done."""
    approval = Intent.objects.standing().filter(visit=OuterRef("pk"), kind=Intent.Kind.APPROVE)
    nothing_done = Q(state=Visit.State.ENDED) & ~Q(
        outcome__in=(Outcome.COMPLETED, Outcome.FAILED_CHECKS)
    )
    is_dead = Q(remote_state__in=_UNPAID) | Q(remote_state=Visit.Remote.UNSEEN) & (
        Q(state=Visit.State.CLOSED) | nothing_done
    )
    dead = is_dead & ~Q(Exists(approval.filter(reason_code=OVERTURN)))
    return ticket.visits.exclude(dead).count()


def in_cents(amount: Decimal) -> Decimal:
    """The same amount with two places; refused where that would change it."""
    if not amount.is_finite():
        raise AnnotationError(_("Write the amount as a number, such as 12.50."))
    cents = amount.quantize(CENT)
    if cents != amount:
        raise AnnotationError(
            _("%(amount)s has parts of a cent; write at most two digits after the point.")
            % {"amount": amount}
        )
    return cents
