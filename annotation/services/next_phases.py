"""Letting people into the next part on a platform, when its pause is over by the server's clock.

Each is let in once, by an intent like any other; written to once they are; and shut out again when
the part closes for them.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation import clock
from annotation.models import Assignment, Intent, Listing, PhaseRun, Visit
from annotation.models.kinds import Outcome
from annotation.platforms import platform_of
from annotation.platforms.base import Planned
from annotation.services import intents
from annotation.services.decisions import ids_of
from annotation.services.locks import lock_study

# Of a listing's options: what is written to whom the next part is open for.
INVITATION = "invitation"

_KIND = Intent.Kind
_OPEN = (Listing.State.PUBLISHED, Listing.State.PAUSED)


def grant_due() -> int:
    """Plan what is due for all listings of later parts; return how many intents are new."""
    later = Listing.objects.filter(phase_number__gt=1, study__dry_run=False)
    return sum(
        _of_listing(listing) for listing in later.exclude(state=Listing.State.DRAFT).order_by("pk")
    )


def _of_listing(listing: Listing) -> int:
    can = platform_of(listing.platform).capabilities
    if not can.is_paid:
        return 0  # there is nobody to ask
    n_new = 0
    if listing.state in _OPEN:
        for visit in _due(listing):
            n_new += _once(listing, visit, _KIND.GRANT)
        invitation = str(listing.options.get(INVITATION, "")).strip()
        if invitation and can.can_message:
            for visit in _granted(listing, _KIND.MESSAGE):
                n_new += _once(listing, visit, _KIND.MESSAGE, message=invitation)
    for visit in _granted(listing, _KIND.REVOKE).filter(_over(listing)):
        n_new += _once(listing, visit, _KIND.REVOKE)
    return n_new


def _earlier_visits(listing: Listing) -> QuerySet[Visit]:
    """Those who completed the part before, on the same platform, and who are vouched for."""
    return Visit.objects.filter(
        listing__study=listing.study_id,
        platform=listing.platform,
        environment=listing.environment,
        run__phase__number=listing.phase_number - 1,
        run__completed_at__isnull=False,
        verified_at__isnull=False,
        state=Visit.State.ENDED,
        outcome=Outcome.COMPLETED,
        person__isnull=False,
    ).exclude(remote_state=Visit.Remote.REJECTED)


def _runs_of(phase_number: int) -> QuerySet[PhaseRun]:
    return PhaseRun.objects.filter(
        assignment=OuterRef("run__assignment"), phase__number=phase_number
    )


def _due(listing: Listing) -> list[Visit]:
    """Whose next part is open now, and who was never let in."""
    now = clock.now()
    is_open = _runs_of(listing.phase_number).filter(
        Q(closes_at=None) | Q(closes_at__gt=now),
        opens_at__lte=now,
        completed_at=None,
        assignment__state=Assignment.State.WAITING,
    )
    # A refused one is not asked for again by itself, every minute; a person may.
    asked = Intent.objects.filter(
        listing=listing, kind=_KIND.GRANT, visit__person=OuterRef("person")
    )
    found = _earlier_visits(listing).filter(Exists(is_open), ~Exists(asked))
    by_person = {visit.person_id: visit for visit in found.order_by("-pk")}
    return list(by_person.values())


def _granted(listing: Listing, following: Intent.Kind) -> QuerySet[Visit]:
    """Who was let in for certain, and for whom nothing of the other kind was asked."""
    granted = Intent.objects.filter(
        visit=OuterRef("pk"),
        listing=listing,
        kind=_KIND.GRANT,
        # Platforms also write down who took part, by the same kind of intent.
        reason_code=_reason(listing),
        state=Intent.State.CONFIRMED,
    )
    asked = Intent.objects.filter(visit=OuterRef("pk"), listing=listing, kind=following)
    return Visit.objects.filter(Exists(granted), ~Exists(asked), person__isnull=False)


def _over(listing: Listing) -> Q:
    """The part is over for them, and they are not in the middle of it."""
    over = _runs_of(listing.phase_number).filter(closes_at__lte=clock.now())
    working = Visit.objects.filter(
        run__assignment=OuterRef("run__assignment"),
        run__phase__number=listing.phase_number,
        state=Visit.State.WORKING,
    )
    return Q(Exists(over)) & ~Q(Exists(working))


def _reason(listing: Listing) -> str:
    # The same visit may be let into two.
    return f"listing {listing.number}"


def _once(listing: Listing, visit: Visit, kind: Intent.Kind, **payload: str) -> int:
    """Plan it, unless another worker did meanwhile."""
    with transaction.atomic():
        lock_study(listing.study_id)
        asked = Intent.objects.filter(listing=listing, kind=kind, visit__person=visit.person_id)
        if asked.exists():
            return 0
        intents.plan(
            listing=listing,
            visit=visit,
            planned=Planned(
                kind,
                reason_code=_reason(listing),
                payload={**ids_of(visit), **payload},
            ),
        )
    return 1
