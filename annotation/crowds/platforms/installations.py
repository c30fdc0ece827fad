"""What holds for every paid platform's installations, whichever API they speak."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import LaunchError, RefusedError
from annotation.crowds.platforms.addresses import address_obstacles
from annotation.models import Listing

MAX_PLACES = 100_000
T = TypeVar("T")


def not_set(names: Sequence[str]) -> Said:
    return _(
        "The server's environment lacks %(names)s. The operator must set what "
        "is missing and restart the server."
    ) % {"names": ", ".join(names)}


def obstacles(listing: Listing, *, missing: Sequence[str]) -> list[Said]:
    """What keeps a listing from being published anywhere; `missing`: environment variables."""
    sentences: list[Said] = [not_set(missing)] if missing else []
    sentences += address_obstacles()
    if not 1 <= listing.n_places <= MAX_PLACES:
        sentences.append(_("Ask for between 1 and 100000 places."))
    return sentences


def of_launch(find: Callable[[str], T], listing: Listing) -> T:
    """The installation that somebody came by. Raises LaunchError if it was taken away."""
    try:
        return find(listing.environment)
    except RefusedError as error:
        raise LaunchError(_("This study is no longer open.")) from error
