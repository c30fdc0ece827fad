"""Where a platform sends people: this server's own address, as its operator says it."""

from urllib.parse import urlsplit

from django.conf import settings

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.models import Listing


def launch_address(listing: Listing) -> str:
    """Where people begin; the platform adds who they are."""
    return f"{settings.PUBLIC_URL}/p/{listing.token}/"


def address_obstacles() -> list[Said]:
    """Why a platform could not send anybody to this server."""
    if not settings.PUBLIC_URL:
        return [
            _(
                "This server does not know its public address. Its operator must set "
                "LIKENESS_PUBLIC_URL, for example to https://likeness.example.org."
            )
        ]
    if not _is_safe(settings.PUBLIC_URL):
        return [
            _(
                "Platforms only show pages that use https. The server's operator must "
                "set LIKENESS_PUBLIC_URL to an address that begins with https://."
            )
        ]
    return []


def _is_safe(address: str) -> bool:
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return host in {"localhost", "127.0.0.1", "::1"} or host.endswith(".localhost")
    return parts.scheme == "https" and bool(host)
