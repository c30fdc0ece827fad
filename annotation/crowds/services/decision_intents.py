"""What decisions about a visit share: conditions, costs and the intents that are planned."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said, stored
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Planned
from annotation.core.platforms.capabilities import Capabilities
from annotation.core.queries import commitments
from annotation.core.services import release_events
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents, spending
from annotation.models import Exclusion, Intent, Listing, Visit

_KIND, _REMOTE = Intent.Kind, Visit.Remote

# So long after its answer a decision may not be shown yet.
_SHOWN_LATE = timedelta(minutes=15)
UNDONE = _("The rejection was undone on the platform: decide about this submission again.")
NOT_SHOWN = _("The platform has not shown this submission yet. Wait until it does.")


def locked_visit(visit: Visit) -> Visit:
    """The visit as it is now; the study's lock keeps two decisions about it apart."""
    if visit.listing_id is None:
        raise StateError(_("This visit belongs to no listing, so there is nothing to decide."))
    lock_study(Listing.objects.values_list("study", flat=True).get(pk=visit.listing_id))
    return Visit.objects.select_related(
        "listing__study", "person", "ticket", "run__assignment"
    ).get(pk=visit.pk)


def _listing_of(visit: Visit) -> Listing:
    assert visit.listing is not None  # `locked_visit` refuses others
    return visit.listing


def capabilities_of(visit: Visit) -> Capabilities:
    """What the platform of a visit can do."""
    return platform_of(visit.platform).capabilities


def refuse_unless_submitted(visit: Visit) -> None:
    """Raise StateError if the platform does not wait for a decision about it."""
    if visit.remote_state == _REMOTE.SUBMITTED:
        return
    if visit.remote_state in {_REMOTE.UNSEEN, _REMOTE.ACTIVE}:
        raise StateError(NOT_SHOWN)
    raise StateError(
        _("The platform has already decided on this submission: %(state)s.")
        % {"state": _REMOTE(visit.remote_state).label}
    )


def is_planned(visit: Visit, kind: Intent.Kind) -> bool:
    """Whether the platform is, or was, asked for this with a visit."""
    return Intent.objects.standing().filter(visit=visit, kind=kind).exists()


def give_up_undone_rejection(visit: Visit) -> None:
    """A rejection that the platform shows no more, long after it was confirmed, was undone there.

    Our own overturning is another intent, and leaves it as it is.
    """
    read_at = _listing_of(visit).read_at
    if visit.remote_state != _REMOTE.SUBMITTED or read_at is None:
        return
    visit.intents.filter(
        kind=_KIND.REJECT, state=Intent.State.CONFIRMED, settled_at__lte=read_at - _SHOWN_LATE
    ).update(state=Intent.State.GIVEN_UP, error=stored(UNDONE))


def refuse_compensated(visit: Visit) -> None:
    """The platform may show late what somebody was compensated for: it would be paid twice."""
    paid = Intent.objects.standing().filter(visit=visit, kind=_KIND.COMPENSATE).first()
    if paid:
        raise StateError(
            _(
                "A compensation of %(amount)s %(currency)s has already been ordered for this "
                "visit. Tick the box if you want to pay the reward as well."
            )
            % {"amount": paid.pays, "currency": paid.currency}
        )


def exclude_from_scores(visit: Visit, reason: str, by: User | None) -> None:
    """Leave somebody who came by a visit out of the data, for a reason, as *People* does."""
    assert by is not None  # no rule of a listing leaves anybody out
    if visit.run is None:
        raise StateError(_("This visit has no answers to leave out."))
    reason = required_text(reason, _("Give a reason. It is stored with the exclusion."))
    annotator = visit.run.assignment.annotator
    if not annotator.exclusions.in_force().exists():
        release_events.excluded([annotator], reason=reason, now=clock.now())
        Exclusion.objects.create(annotator=annotator, reason=reason, by=by)


def reward_of(visit: Visit) -> Decimal:
    """The reward of a visit's listing."""
    return _listing_of(visit).reward


def unforeseen_cost(visit: Visit, *, reason_code: str) -> Decimal:
    """What paying for it costs beyond the places that were asked for, and foreseen with them.

    A platform may show more submissions than places; each of those must fit below the cap.
    """
    approvals = Intent.objects.standing().filter(kind=_KIND.APPROVE)
    if before := approvals.filter(visit=visit, reason_code=reason_code).first():
        return before.commits
    listing = _listing_of(visit)
    paid = Q(remote_state=_REMOTE.APPROVED) | Q(Exists(approvals.filter(visit=OuterRef("pk"))))
    if listing.visits.filter(paid).exclude(pk=visit.pk).count() < listing.n_places:
        return commitments.NOTHING
    fee = platform_of(visit.platform).fee(listing, listing.reward, is_bonus=False)
    return listing.reward + fee


def refuse_overspent(visit: Visit) -> None:
    """Money that was free, and may be spent on others by now, is not spent again unseen."""
    listing = _listing_of(visit)
    missing = -spending.left(listing.study, listing.currency)
    if missing > 0 and visit.came_after_release:
        raise spending.BudgetError(
            _(
                "This submission came after the money for it was released. Raise the study's cap "
                "by %(missing)s %(currency)s to pay it."
            )
            % {"missing": missing, "currency": listing.currency}
        )


def required_text(written: str, empty: Said) -> str:
    """The text without blanks around it. Raises AnnotationError if nothing is left."""
    if not written.strip():
        raise AnnotationError(empty)
    if "\x00" in written:
        raise AnnotationError(_("This text contains a character that cannot be stored (NUL)."))
    return written.strip()


def plan_payment(
    visit: Visit, kind: Intent.Kind, amount: Decimal, code: str, message: str, *, by: User
) -> Intent:
    """Plan a payment beside the reward, with a message to the person who is paid."""
    amount = spending.in_cents(amount)
    if amount <= 0:
        raise AnnotationError(_("The amount must be above 0."))
    words = required_text(message, _("Say what it is for. The person reads it."))
    fee = platform_of(visit.platform).fee(_listing_of(visit), amount, is_bonus=True)
    return plan_intent(
        visit,
        kind,
        reason_code=code,
        payload={"amount": str(amount), "message": words},
        commits=amount + fee,
        pays=amount,
        fee=fee,
        by=by,
    )


def plan_intent(
    visit: Visit,
    kind: Intent.Kind,
    *,
    payload: dict[str, Any],
    by: User | None,
    reason_code: str = "",
    commits: Decimal = commitments.NOTHING,
    pays: Decimal = commitments.NOTHING,
    fee: Decimal | None = None,
) -> Intent:
    """Plan what the platform is asked for with a visit."""
    if fee is None:
        platform, listing = platform_of(visit.platform), _listing_of(visit)
        fee = platform.fee(listing, pays, is_bonus=False) if pays else commitments.NOTHING
    return intents.plan(
        listing=_listing_of(visit),
        planned=Planned(
            kind, reason_code=reason_code, payload={**ids_of(visit), **payload}, commits=commits
        ),
        visit=visit,
        pays=pays,
        fee=fee,
        by=by,
    )


def ask_what_follows(visit: Visit) -> None:
    """What a platform is asked for once work is vouched for, such as no further task for them."""
    listing = visit.listing
    if listing is None or visit.person is None or listing.study.dry_run:
        return
    for step in platform_of(visit.platform).plan_verified(visit):
        planned = replace(step, payload={**ids_of(visit), **step.payload})
        intents.plan(listing=listing, visit=visit, planned=planned)


def ids_of(visit: Visit) -> dict[str, str]:
    """By which the platform knows a visit."""
    if visit.person is None:
        raise StateError(
            _("The person's id is no longer stored, so nothing can be requested for them.")
        )
    return {
        "submission_id": visit.submission_id,
        "person_id": visit.person.platform_id,
        "ticket_id": visit.ticket.remote_id if visit.ticket else "",
    }
