"""From which network address a request comes, as far as the proxies in front are trusted."""

import ipaddress
from functools import lru_cache

from django.conf import settings


def sender_address(peer: str, forwarded_for: str) -> str:
    """The address that the outermost trusted proxy saw.

    Each proxy appends the address it was called from to the header X-Forwarded-For, so entries are
    counted from the right; what stands further left was written by whoever sent the request.
    """
    n_proxies = settings.TRUSTED_PROXIES
    if not n_proxies:
        return peer
    entries = forwarded_for.rsplit(",", n_proxies)
    if len(entries) < n_proxies:
        return peer
    return entries[-n_proxies].strip() or peer


@lru_cache(maxsize=1024)
def household(address: str) -> str:
    """What counts as one address: of IPv6, all that one household has."""
    try:
        parsed = ipaddress.ip_address(_without_port(address))
    except ValueError:
        return address
    # An IPv4 address in IPv6 clothes is still one address, not the /56 that all of them share.
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    if parsed.version == 6:
        # One household has all of a /64, many a /56; counting single ones would count nothing.
        return str(ipaddress.ip_network((parsed, 56), strict=False))
    return str(parsed)


def _without_port(address: str) -> str:
    """Some proxies write 203.0.113.9:5123 or [2001:db8::1]:5123."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    host, _, port = address.partition(":")
    return host if "." in host and port.isdecimal() else address
