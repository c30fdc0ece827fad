"""The top-up that raises what a listing's people earn by the hour, and whom it goes to."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef

from annotation.core.platforms import platform_of
from annotation.crowds.queries import wages
from annotation.crowds.queries.wages import Wage
from annotation.models import Intent, Listing, Visit

# The reason of these bonuses: a visit gets one for it, and never a second.
REASON = "wage"


@dataclass(frozen=True)
class Proposal:
    """The same for everybody who did the work and has not had it.

    Parameters
    ----------
    each, fee : Decimal
        To each person, and what the platform takes for that.
    n_before : int
        Visits for which it was asked for before.
    n_waiting : int
        Visits in doubt, or that the platform has not shown yet: who they were is not known.
    """

    floor: Decimal
    each: Decimal
    fee: Decimal
    visits: Sequence[Visit]
    n_before: int
    n_waiting: int

    @property
    def total(self) -> Decimal:
        return len(self.visits) * (self.each + self.fee)


def earned(listing: Listing) -> Wage | None:
    """What people earned by our clock; None if nobody did, or the platform pays nothing."""
    if not platform_of(listing.platform).capabilities.is_paid:
        return None
    return wages.wages(listing).here


def proposal(listing: Listing, *, floor: Decimal) -> Proposal | None:
    """What raises the median to the floor; None: nobody was timed."""
    top_up = wages.top_up(listing, floor=floor)
    if top_up is None:
        return None
    had = Intent.objects.standing().filter(
        visit=OuterRef("pk"), kind=Intent.Kind.BONUS, reason_code=REASON
    )
    done = wages.visits_done(listing).annotate(had=Exists(had))
    owed = done.filter(had=False)
    shown = owed.exclude(remote_state=Visit.Remote.UNSEEN).filter(
        verified_at__isnull=False, doubt=""
    )
    visits = list(shown.select_related("run__assignment__annotator").order_by("pk"))
    return Proposal(
        floor=floor,
        each=top_up.each,
        fee=platform_of(listing.platform).fee(listing, top_up.each, is_bonus=True),
        visits=visits,
        n_before=done.filter(had=True).count(),
        n_waiting=owed.count() - len(visits),
    )
