"""Wrong codes, and ids of others, are not tried without end: by address, and for a study in all.

A person who is refused has named nothing that is theirs. Right codes pass always, so nobody keeps
others out by trying.
"""

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from annotation.core.pages.addresses import address_bucket
from annotation.core.services import throttle
from annotation.models import Listing


def count_wrong_code(request: HttpRequest, study_id: int) -> None:
    """Raise TooManyError if too many codes of this study were wrong in this minute."""
    _count(request, f"code/{study_id}", minutes=1)


def count_unproven_id(request: HttpRequest, study_id: int) -> None:
    """The same of a panel's ids without the code: what is said to them tells that they are known.

    Ids can be guessed, as codes cannot: these are counted for ten minutes.
    """
    _count(request, f"id/{study_id}", minutes=10)


def count_take_over(request: HttpRequest, listing: Listing, person_id: str) -> None:
    """Raise TooManyError if sittings of one person were taken over too often from an address.

    By address, too: nobody uses up what the person themselves may do.
    """
    text = f"{listing.study_id}/{address_bucket(request)}/{person_id}"
    name = salted_hmac("likeness.take_over", text, algorithm="sha256").hexdigest()[:32]
    limit = settings.TAKE_OVERS_PER_PERSON_PER_HOUR
    throttle.count_try(bucket=f"over/{name}", limit=limit, minutes=60)


def _count(request: HttpRequest, of_study: str, *, minutes: int) -> None:
    buckets = {
        f"{of_study}/{address_bucket(request)}": settings.CODE_TRIES_PER_ADDRESS,
        of_study: settings.CODE_TRIES_PER_STUDY,
    }
    for bucket, limit in buckets.items():
        throttle.refuse_if_tried_out(bucket=bucket, limit=limit, minutes=minutes)
    for bucket in buckets:
        throttle.count(bucket=bucket, minutes=minutes)
