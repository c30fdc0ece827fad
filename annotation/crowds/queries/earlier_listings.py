"""Published listings on the same account, whose people may be kept out or asked again."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.crowds.queries.listings import environment_of
from annotation.models import Listing, Study, Ticket

MAX_LISTINGS = 100


@dataclass(frozen=True)
class EarlierListing:
    """A listing by the platform's id of what was published first for it."""

    listing: Listing
    remote_id: str
    n_places: int
    # Of the same study, or of a pilot or an earlier round of it.
    is_related: bool

    @property
    def label(self) -> Said:
        return _("%(study)s, listing %(n)s (%(places)s places)") % {
            "study": str(self.listing.study.title),
            "n": self.listing.number,
            "places": self.n_places,
        }


def earlier_listings(listing: Listing, user: User) -> list[EarlierListing]:
    """The latest that the user may see, those of this study first.

    People of an earlier part of this study are those whom a later part lets in: it cannot
    keep them out, so they are not among them.
    """
    environment = environment_of(listing)
    tickets = (
        Ticket.objects.filter(
            Q(listing__endpoint="") | Q(listing__endpoint=environment.endpoint)
            if environment
            else Q(),
            platform=listing.platform,
            environment=listing.environment,
            listing__study__in=Study.objects.seen_by(user),
        )
        .exclude(listing=listing)
        .exclude(listing__study=listing.study_id, listing__phase_number__lt=listing.phase_number)
        .exclude(remote_id="")
        .select_related("listing__study")
        .order_by("pk")
    )
    by_listing: dict[int, list[Ticket]] = {}
    for ticket in tickets:
        by_listing.setdefault(ticket.listing_id, []).append(ticket)
    latest = sorted(by_listing.values(), key=lambda rows: rows[0].pk, reverse=True)[:MAX_LISTINGS]
    rows = [
        EarlierListing(
            first.listing,
            first.remote_id,
            sum(ticket.n_places for ticket in (first, *later)),
            is_related=_is_related(listing.study, first.listing.study),
        )
        for first, *later in latest
    ]
    return sorted(rows, key=lambda row: not row.is_related)


def _is_related(study: Study, other: Study) -> bool:
    ids = {study.pk, study.pilot_of_id, study.earlier_round_id} - {None}
    return bool(ids & {other.pk, other.pilot_of_id})
