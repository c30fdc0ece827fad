"""Letting people into the next part on a platform, when its pause is over by the server's clock.

Each is let in once, by an intent like any other; written to once they are; and shut out again when
the part closes for them.
"""

import logging

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from annotation.basics import clock
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Planned
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents
from annotation.crowds.services.decision_intents import ids_of
from annotation.models import Assignment, Intent, Listing, PhaseRun, Visit
from annotation.models.kinds import Outcome

logger = logging.getLogger("annotation.next_phases")

# Of a listing's options: what is written to whom the next part is open for.
INVITATION = "invitation"

_KIND = Intent.Kind
_OPEN = (Listing.State.PUBLISHED, Listing.State.PAUSED)
_CONFIRMED = Intent.State.CONFIRMED
_BY_LISTING = "listing "


def grant_due() -> int:
    """Plan what is due for all listings of later parts; return how many intents are new."""
    later = Listing.objects.filter(phase_number__gt=1, study__dry_run=False)
    n_new = 0
    for listing in later.exclude(state=Listing.State.DRAFT).order_by("pk"):
        try:
            n_new += _of_listing(listing)
        except Exception:
            # One by one: what is wrong with a listing shuts nobody out of the others.
            logger.exception("next part by listing %s", listing.pk)
    return n_new


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
    """Whose next part is open now, and who was never let in, or not since they were shut out.

    People who did not come until its end were shut out; a researcher may have let them in again.
    """
    now = clock.now()
    is_open = _runs_of(listing.phase_number).filter(
        Q(closes_at=None) | Q(closes_at__gt=now),
        opens_at__lte=now,
        completed_at=None,
        assignment__state__in=(Assignment.State.WAITING, Assignment.State.LAPSED),
    )
    # A refused one is not asked for again by itself, every minute; a person may.
    visits = _with_last(listing, _earlier_visits(listing)).filter(
        Q(last_kind=None) | Q(last_kind=_KIND.REVOKE, last_state=_CONFIRMED), Exists(is_open)
    )
    by_person = {visit.person_id: visit for visit in visits.order_by("-pk")}
    return list(by_person.values())


def _granted(listing: Listing, following: Intent.Kind) -> QuerySet[Visit]:
    """Who was let in for certain, and for whom nothing of the other kind was asked since."""
    granted = _of_entrance(listing).filter(
        visit=OuterRef("pk"), kind=_KIND.GRANT, state=_CONFIRMED
    )
    visits = Visit.objects.filter(Exists(granted), person__isnull=False)
    if following == _KIND.REVOKE:
        return _with_last(listing, visits).filter(Q(last_kind=_KIND.GRANT, last_state=_CONFIRMED))
    intents = Intent.objects.filter(visit=OuterRef("pk"), listing=listing, kind=following)
    return visits.filter(~Exists(intents))


def _of_entrance(listing: Listing) -> QuerySet[Intent]:
    """What lets people into a listing, and shuts them out again."""
    return Intent.objects.filter(
        listing=listing,
        kind__in=(_KIND.GRANT, _KIND.REVOKE),
        reason_code__startswith=_BY_LISTING,
    )


def _with_last(listing: Listing, visits: QuerySet[Visit]) -> QuerySet[Visit]:
    """With what was asked for their person last: to be let in, or shut out."""
    intents = (
        _of_entrance(listing).filter(visit__person=OuterRef("person")).order_by("-planned_at")
    )
    return visits.annotate(
        last_kind=Subquery(intents.values("kind")[:1]),
        last_state=Subquery(intents.values("state")[:1]),
    )


def _over(listing: Listing) -> Q:
    """The part is over for them, and they are not in the middle of it."""
    over = _runs_of(listing.phase_number).filter(closes_at__lte=clock.now())
    working = Visit.objects.filter(
        run__assignment=OuterRef("run__assignment"),
        run__phase__number=listing.phase_number,
        state=Visit.State.WORKING,
    )
    return Q(Exists(over)) & ~Q(Exists(working))


def _once(listing: Listing, visit: Visit, kind: Intent.Kind, **payload: str) -> int:
    """Plan it, unless another worker did meanwhile."""
    with transaction.atomic():
        lock_study(listing.study_id)
        earlier = Intent.objects.filter(listing=listing, visit__person=visit.person_id)
        if kind == _KIND.MESSAGE:
            if earlier.filter(kind=kind).exists():
                return 0
        elif _is_last(_of_entrance(listing) & earlier, kind):
            return 0
        n_before = earlier.filter(visit=visit, kind=kind).count()
        intents.plan(
            listing=listing,
            visit=visit,
            planned=Planned(
                kind,
                # Of the listing: the same visit may be let into two, and into one again.
                reason_code=f"{_BY_LISTING}{listing.number}"
                + (f" ({n_before + 1})" if n_before else ""),
                payload={**ids_of(visit), **payload},
            ),
        )
    return 1


def _is_last(intents: QuerySet[Intent], kind: Intent.Kind) -> bool:
    """Whether this was asked for last of the two, and the other not since."""
    return intents.order_by("-planned_at").values_list("kind", flat=True).first() == kind
