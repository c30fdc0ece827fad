"""One POST to an address that a researcher typed: to a checked machine, once, and not for long.

The name is looked up here, each of its addresses must be public, and the connection goes to the
very address that was checked: who controls a name's answers cannot change it in between. TLS is
verified against the name. No redirect is followed and no proxy of the environment is used; of the
answer only its number is read, so that nothing inside a network could be read this way either.
"""

import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from annotation.basics.errors import AnnotationError
from annotation.basics.public_addresses import Target, is_public
from annotation.basics.sentences import sentence as _
from annotation.basics.time_limits import CutOff

# For all of it: looking up, connecting, sending, and the answer.
MAX_SECONDS = 10.0
_MAX_ADDRESSES = 4
# So much of the answer is read at most, up to the line with its number.
_MAX_RESPONSE_BYTES = 8192
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: |\r?\n)")

# (family, address with its port) of a host, as `socket.connect` takes it.
Resolver = Callable[[str, int], Sequence[tuple[int, tuple[str, int]]]]


class NotDeliveredError(AnnotationError):
    """The receiver did not say that it has the message."""


def look_up(host: str, port: int) -> list[tuple[int, tuple[str, int]]]:
    """Every address of a host, in the order of the system's resolver."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # Of IPv6 there would be a flow and a scope behind: of a public address both are 0.
    return [(family, (str(address[0]), port)) for family, _t, _p, _c, address in addresses]


def post(
    target: Target,
    *,
    body: bytes,
    headers: Mapping[str, str],
    resolver: Resolver | None = None,
    context: ssl.SSLContext | None = None,
    seconds: float = MAX_SECONDS,
) -> int:
    """Send it, and return the number of the answer; raises NotDeliveredError in words."""
    until = time.monotonic() + seconds
    addresses = _checked(target, _resolved(target, resolver or look_up, until))
    try:
        connection = _Held(target, addresses, until, context)
        try:
            return connection.post(body, headers)
        finally:
            connection.close()
    except TimeoutError as error:
        raise _too_slow() from error
    except ssl.SSLCertVerificationError as error:
        raise NotDeliveredError(
            _("The certificate of %(host)s is not valid: %(why)s.")
            % {"host": target.host, "why": error.verify_message}
        ) from error
    except (OSError, ValueError) as error:
        if time.monotonic() >= until:
            raise _too_slow() from error
        raise NotDeliveredError(
            _("%(host)s could not be reached, or did not answer like a web server.")
            % {"host": target.host}
        ) from error


def _too_slow() -> NotDeliveredError:
    return NotDeliveredError(_("The recipient did not answer within ten seconds."))


def _resolved(
    target: Target, resolver: Resolver, until: float
) -> Sequence[tuple[int, tuple[str, int]]]:
    """A resolver has no time limit of its own; its thread is left behind."""
    answers: list[Sequence[tuple[int, tuple[str, int]]]] = []

    def ask() -> None:
        try:
            answers.append(resolver(target.host, target.port))
        except (OSError, UnicodeError):
            answers.append([])

    asking = threading.Thread(target=ask, name="look up", daemon=True)
    asking.start()
    asking.join(max(0.0, until - time.monotonic()))
    if not answers:
        raise _too_slow()
    if not answers[0]:
        raise NotDeliveredError(
            _("There is no host called %(host)s. Check the address.") % {"host": target.host}
        )
    return answers[0]


def _checked(
    target: Target, addresses: Sequence[tuple[int, tuple[str, int]]]
) -> Sequence[tuple[int, tuple[str, int]]]:
    """All of them, or none: a name with one address inside a network is not called at all."""
    if not target.is_allowed and not all(is_public(address) for _f, (address, _p) in addresses):
        raise NotDeliveredError(
            _(
                "%(host)s has an address that is not on the public internet, so Likeness sends "
                "nothing there."
            )
            % {"host": target.host}
        )
    return addresses[:_MAX_ADDRESSES]


class _Held:
    """A connection that is cut off when its time is over, wherever it is then."""

    def __init__(
        self,
        target: Target,
        addresses: Sequence[tuple[int, tuple[str, int]]],
        until: float,
        context: ssl.SSLContext | None,
    ) -> None:
        self._target = target
        self._until = until
        self._socket = self._connected(addresses)
        self._cut_off = CutOff(self._socket, seconds=until - time.monotonic())
        if target.is_https:
            try:
                # The handshake after the wrapping, so that it can be cut off as well.
                self._socket = (context or ssl.create_default_context()).wrap_socket(
                    self._socket, server_hostname=target.host, do_handshake_on_connect=False
                )
                self._socket.do_handshake()
            except BaseException:
                self.close()
                raise

    def _connected(self, addresses: Sequence[tuple[int, tuple[str, int]]]) -> socket.socket:
        problem: OSError = TimeoutError()
        for family, address in addresses:
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            held = socket.socket(family, socket.SOCK_STREAM)
            held.settimeout(left)
            try:
                # An address in numbers: nothing is looked up a second time.
                held.connect(address)
            except OSError as error:
                held.close()
                problem = error
            else:
                return held
        raise problem

    def post(self, body: bytes, headers: Mapping[str, str]) -> int:
        sent = {
            **headers,
            "Host": self._target.host_header,
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        lines = [f"POST {self._target.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in sent.items()]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        with self._socket.makefile("rb") as file:
            return _status(file)

    def close(self) -> None:
        self._cut_off.close()
        self._socket.close()


def _status(file: IO[bytes]) -> int:
    """The number of the answer; those before it (103, early hints) are passed over."""
    left = _MAX_RESPONSE_BYTES
    is_early = False
    while left > 0:
        line = file.readline(left)
        left -= len(line)
        if is_early:
            is_early = line.strip() != b""
            continue
        status = _STATUS.match(line)
        if not status:
            break
        if status[1][:1] != b"1":
            return int(status[1])
        is_early = True
    raise ValueError("no answer of HTTP")
