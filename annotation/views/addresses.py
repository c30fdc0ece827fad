"""Whom a throttle counts: the network address of a request, never stored as it is."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def client_address(request: HttpRequest) -> str:
    """The address that the outermost trusted proxy saw.

    Each proxy appends the address it was called from, so entries are counted from the right;
    what stands further left was written by whoever sent the request.
    """
    direct: str = request.META.get("REMOTE_ADDR", "")
    if not settings.TRUSTED_PROXIES:
        return direct
    forwarded = [a.strip() for a in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    if len(forwarded) < settings.TRUSTED_PROXIES:
        return direct
    return forwarded[-settings.TRUSTED_PROXIES] or direct


def address_bucket(request: HttpRequest) -> str:
    """A name for the address that says nothing about it."""
    address = client_address(request)
    try:
        read = ipaddress.ip_address(_without_port(address))
    except ValueError:
        pass
    else:
        # An IPv4 address in IPv6 clothes is still one address, not the /56 that all of them share.
        read = getattr(read, "ipv4_mapped", None) or read
        address = str(read)
        if read.version == 6:
            # One household has all of a /64, many a /56; counting single ones would count nothing.
            address = str(ipaddress.ip_network((read, 56), strict=False))
    return salted_hmac("likeness.address", address, algorithm="sha256").hexdigest()[:32]


def _without_port(address: str) -> str:
    """Some proxies write 203.0.113.9:5123 or [2001:db8::1]:5123."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    host, _, port = address.partition(":")
    return host if "." in host and port.isdecimal() else address
