"""How many places of a study a listing on a platform can still promise."""

from django.db.models import Count, Q

from annotation.core.queries import progress
from annotation.models import Listing, PhaseRun, Visit
from annotation.models.kinds import Source

_OUT = (Listing.State.PUBLISHING, Listing.State.PUBLISHED, Listing.State.PAUSED)
# Sittings that the platform offers to somebody else again.
_OFFERED_AGAIN = (Visit.Remote.RETURNED, Visit.Remote.TIMED_OUT)


def free_for(listing: Listing) -> int:
    """Places that nobody holds and no listing of the same part has promised; never negative."""
    study = listing.study
    places = progress.places(study).get(Source.REAL, progress.Places())
    free = places.free
    if listing.phase_number > 1:
        # Later parts are answered by people who have their place.
        free = places.total - _n_completed(listing)
    return max(0, free - _n_promised(listing))


def _n_completed(listing: Listing) -> int:
    completed = PhaseRun.objects.filter(
        phase__design__study=listing.study_id, phase__number=listing.phase_number, is_counted=True
    )
    return completed.filter(place__source=Source.REAL).count()


def _n_promised(listing: Listing) -> int:
    """Visits that listings of this part still ask for; those that came hold a place themselves."""
    came = Count("visits", filter=~Q(visits__remote_state__in=_OFFERED_AGAIN))
    out = Listing.objects.filter(
        study=listing.study_id, phase_number=listing.phase_number, state__in=_OUT
    )
    return sum(max(0, ticket.n_places - ticket.n_came) for ticket in out.annotate(n_came=came))
