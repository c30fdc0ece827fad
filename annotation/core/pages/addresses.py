"""Whom a throttle counts: the network address of a request, never stored as it is."""

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from config.addresses import household, sender_address


def client_address(request: HttpRequest) -> str:
    """The address that the outermost trusted proxy saw."""
    return sender_address(
        request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    )


def address_bucket(request: HttpRequest) -> str:
    """A name for the address that says nothing about it."""
    address = household(client_address(request))
    return salted_hmac("likeness.address", address, algorithm="sha256").hexdigest()[:32]
