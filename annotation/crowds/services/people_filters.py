"""Filters of people, picked for a listing in draft."""

from django.db import transaction

from annotation.core.platforms import platform_of
from annotation.core.platforms.people_filters import PeopleFilter, Selection
from annotation.core.services.locks import lock_study
from annotation.crowds.services import listings
from annotation.models import Listing


@transaction.atomic
def choose(*, listing: Listing, people_filter: PeopleFilter, selection: Selection) -> Listing:
    """Add a filter, in place of what was chosen of it before. Raises FrozenError."""
    row = _locked(listing)
    options = platform_of(row.platform).with_filter(row, people_filter, selection)
    return listings.edit(listing=row, values={"options": options})


@transaction.atomic
def remove(*, listing: Listing, key: str) -> Listing:
    """Let in people whatever that filter says of them. Raises FrozenError."""
    row = _locked(listing)
    options = platform_of(row.platform).without_filter(row, key)
    return listings.edit(listing=row, values={"options": options})


def _locked(listing: Listing) -> Listing:
    """As it is now: a colleague may have picked another filter meanwhile."""
    lock_study(listing.study_id)
    return Listing.objects.get(pk=listing.pk)
