"""Which network addresses anybody may be made to call: only those of the public internet.

A researcher types the address of a webhook, and the server calls it from inside its own network.
Nothing there may be reached that way: no neighbour, no loopback service, no metadata of a cloud.
"""

from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _

MAX_ADDRESS_LENGTH = 500
_HTTPS = 443
# What `is_global` lets through and is not for everybody: the relays of 6to4, and the address at
# which a cloud's machines find their host. Its other metadata are link-local or private.
_NOT_PUBLIC_4 = tuple(map(ip_network, ("192.88.99.0/24", "168.63.129.16/32", "192.0.0.0/24")))
# All that is handed out to networks. NAT64, addresses that hold one of IPv4, and those of one link
# or one site are outside of it.
_UNICAST_6 = ip_network("2000::/3")
# Inside of it: Teredo and its like, documentation, and 6to4, which hold addresses of IPv4.
_NOT_PUBLIC_6 = tuple(
    map(ip_network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48"))
)


class AddressError(AnnotationError):
    """Nothing is sent to this address."""


@dataclass(frozen=True)
class Target:
    """Where a webhook is: what was typed, taken apart."""

    is_https: bool
    host: str
    port: int
    # As it stands in the request: path and query.
    path: str
    # The operator has named this place: it may be inside the network, and speak plain http.
    is_allowed: bool

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (_HTTPS if self.is_https else 80) else f"{name}:{self.port}"


def is_public(address: str) -> bool:
    """Whether an address of IPv4 or IPv6 is on the public internet, and for one machine."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv4Address):
        return _is_public_4(ip)
    return _is_public_6(ip)


def _is_public_4(address: IPv4Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _NOT_PUBLIC_4)
    )


def _is_public_6(address: IPv6Address) -> bool:
    return (
        address.scope_id is None
        and address in _UNICAST_6
        and address.is_global
        and not any(address in network for network in _NOT_PUBLIC_6)
    )


def target_of(url: str, *, allowed: Collection[str] = ()) -> Target:
    """Take an address apart; raises AddressError with what is wrong about it.

    `allowed` are the origins that the operator named, such as "http://10.0.0.5:9000".
    """
    if len(url) > MAX_ADDRESS_LENGTH:
        raise AddressError(_("The address is too long. Use at most 500 characters."))
    if not url.isascii() or not url.isprintable() or " " in url:
        raise AddressError(
            _(
                "Write the address in ASCII characters without spaces. Encode other characters as "
                "%XX, or as xn-- in the host name."
            )
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise AddressError(
            _("This is not a web address. A web address begins with https://.")
        ) from None
    if parts.scheme not in {"https", "http"} or not host:
        raise AddressError(_("This is not a web address. A web address begins with https://."))
    if "@" in parts.netloc:
        raise AddressError(
            _(
                "Remove the user name and the password from the address. They are not needed, "
                "because messages are signed."
            )
        )
    is_https = parts.scheme == "https"
    port = port or (_HTTPS if is_https else 80)
    target = Target(
        is_https=is_https,
        host=host.rstrip("."),
        port=port,
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        is_allowed=origin(parts.scheme, host, port) in allowed,
    )
    if not target.is_allowed:
        _refuse_unless_public(target)
    return target


def origin(scheme: str, host: str, port: int) -> str:
    return f"{scheme}://{host.rstrip('.').lower()}:{port}"


def _refuse_unless_public(target: Target) -> None:
    if not target.is_https:
        raise AddressError(
            _("The address must begin with https://, because the messages are not public.")
        )
    if target.port != _HTTPS:
        raise AddressError(
            _(
                "Likeness uses only port 443, the standard port of https. Remove the port from "
                "the address."
            )
        )
    try:
        ip_address(target.host)
    except ValueError:
        return
    if not is_public(target.host):
        raise AddressError(
            _("This address is not on the public internet, so Likeness sends nothing there.")
        )
