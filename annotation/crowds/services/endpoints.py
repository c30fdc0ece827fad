"""Where a listing is called: the address that its environment had when it was first asked for.

The operator may let a name lead elsewhere. What a listing has on the platform is not there then:
nothing that is looked up would be found, and nothing must be concluded from that.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import transaction

from annotation.basics import clock
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of, platforms
from annotation.core.platforms.errors import UnavailableError
from annotation.core.services.locks import lock_study
from annotation.models import Listing, PlatformEvent

_USUAL_PORTS = {"https": 443, "http": 80}


class MovedError(UnavailableError):
    """The environment's name leads to another address than the listing's: nothing was asked."""


@dataclass(frozen=True)
class Move:
    """A listing whose environment is called elsewhere by now."""

    listing: Listing
    before: str
    after: str


def one_spelling(address: str) -> str:
    """The same for addresses that lead to the same place; without what may be a password."""
    parts = urlsplit(address.strip())
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    is_usual = parts.port in {None, _USUAL_PORTS.get(scheme)}
    port = "" if is_usual else f":{parts.port}"
    return f"{scheme}://{host}{port}{parts.path.rstrip('/')}" if host else ""


def current(listing: Listing) -> str:
    """Where its environment is called now; empty: nowhere, or nobody names it any more."""
    for environment in platform_of(listing.platform).environments():
        if environment.name == listing.environment:
            return one_spelling(environment.endpoint)
    return ""


def keep(listing: Listing) -> None:
    """Write down where a listing is, before the first thing that is asked for it."""
    if not listing.endpoint and (address := current(listing)):
        Listing.objects.filter(pk=listing.pk, endpoint="").update(endpoint=address)
        listing.refresh_from_db(fields=["endpoint"])


def moved(listing: Listing) -> list[Said]:
    """Why nothing may be asked of the platform for it; nothing: it is where it was."""
    address = current(listing)
    if not listing.endpoint or not address or address == listing.endpoint:
        return []
    return [
        _(
            "This listing was published at %(before)s, but “%(name)s” now points to %(after)s, "
            "so Likeness sends nothing. The operator must set the old address again or, if the "
            "same service has moved there, run: manage.py endpoint_moved %(name)s"
        )
        % {"before": listing.endpoint, "after": address, "name": listing.environment}
    ]


def refuse_moved(listing: Listing) -> None:
    """Raises MovedError if the platform must not be asked; to be called before each time."""
    # A listing from before addresses were kept is taken to be where it is now.
    keep(listing)
    for problem in moved(listing):
        raise MovedError(problem)


def moves(environment: str) -> list[Move]:
    """The listings, of all platforms, that a name leads elsewhere for.

    Raises UnavailableError if nobody names such an environment.
    """
    keys = [
        platform.key
        for platform in platforms()
        if environment in {each.name for each in platform.environments()}
    ]
    if not environment or not keys:
        raise UnavailableError(
            _("This server has no environment %(name)s.") % {"name": environment}
        )
    listings = Listing.objects.filter(platform__in=keys, environment=environment).exclude(
        endpoint=""
    )
    rows = listings.select_related("study").order_by("pk")
    return [Move(row, row.endpoint, current(row)) for row in rows if moved(row)]


@transaction.atomic
def follow(move: Move) -> bool:
    """Take the new address for the listing's own: the same installation is there.

    Returns whether it was still at the old one.
    """
    lock_study(move.listing.study_id)
    there = Listing.objects.filter(pk=move.listing.pk, endpoint=move.before)
    if not there.update(endpoint=move.after):
        return False
    PlatformEvent.objects.create(
        listing=move.listing,
        source=PlatformEvent.Source.CALL,
        kind="endpoint moved",
        payload={"before": move.before, "after": move.after},
        seen_at=clock.now(),
    )
    return True
