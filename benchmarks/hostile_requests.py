"""Processor time of requests that are made to be slow to read: a server of its own, on loopback.

    python -m benchmarks.hostile_requests [--only headers,queries,bodies] [--seconds 0.3]

Each header that something reads, query strings, paths and bodies are filled, as long as they may
be, with what parsers go through again and again: blanks, semicolons, backslashes, escapes,
nesting. They are sent to each kind of address that needs no sign-in, and to the API with a token.
The worst are measured twice more, of which the least counts. Exits with 1 where a request took
more processor time than `--seconds`.
"""

import argparse
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.servers import Installation
from config.heads import LONGER_HEADERS, MAX_HEADER_BYTES, MAX_HEADER_LINES, READ_HEADERS

N_WORST = 20
PATIENCE = 60
FORM, JSON = b"application/x-www-form-urlencoded", b"application/json"
FILES = b"multipart/form-data; boundary=b"
# No limit of a minute or an hour hides what the reading of a request costs.
UNLIMITED = dict.fromkeys(
    (
        "JOINS_PER_ADDRESS_PER_HOUR",
        "LAUNCHES_PER_ADDRESS_PER_HOUR",
        "CODE_TRIES_PER_ADDRESS",
        "CODE_TRIES_PER_STUDY",
        "LOGIN_TRIES_PER_ADDRESS",
        "ANSWERS_PER_MINUTE",
        "API_REQUESTS_PER_MINUTE",
    ),
    "1000000",
)
# A form of the researcher's site is read further with these two.
CSRF = b"a" * 32

# By name: what is repeated until a value is full.
FILLINGS: dict[str, bytes] = {
    "blanks": b"a" + b" " * 32,
    "tabs": b"a" + b"\t" * 32,
    "single blanks": b"a ",
    "commas": b",",
    "comma blank": b", ",
    "semicolons": b";",
    "semicolon blank": b"; ",
    "equals": b"=",
    "quotes": b'"',
    "backslashes": b"\\",
    "quote backslash": b'"\\',
    "escaped quotes": b'\\"',
    "backslash semicolon": b"\\;",
    "parameters": b";a=b",
    "quoted parameters": b';a="b"',
    "continued": b";a*0*=utf-8''%41",
    "percent": b"%",
    "escapes": b"%41",
    "escaped marks": b"%CC%95%CC%96",
    "non-ASCII": "\u00e9\u0316".encode(),
    "high bytes": b"\xff",
    "digits": b"9",
    "qualities": b"a;q=0.1,",
    "any": b"*/*,",
    "languages": b"a-b,",
    "dashes": b"-",
    "colons": b"a:",
    "dots": b"1.",
    "slashes": b"/",
    "brackets": b"[",
    "nested": b"(",
    "letters": b"a",
    "names": b"a=b; ",
    "tags": b'"a",',
    "weak tags": b'W/"a",',
    "ranges": b"1-2,",
    "dates": b"Mon, ",
    "underscores": b"_",
}
# What a value begins with, where its parser would not read far without.
BEGINNINGS: dict[bytes, tuple[bytes, ...]] = {
    b"accept": (b"", b'a/b;x="'),
    b"authorization": (b"", b"Token ", b"Basic "),
    b"content-type": (b"", b"multipart/form-data; ", b'multipart/form-data; boundary="'),
    b"cookie": (b"", b"csrftoken=", b"sessionid=", b"messages=", b'a="', b"likeness_browser="),
    b"host": (b"", b"localhost", b"["),
    b"origin": (b"", b"http://", b"http://["),
    b"referer": (b"", b"http://", b"http://["),
    b"range": (b"", b"bytes="),
    b"if-modified-since": (b"", b"Mon, 01 "),
    b"if-none-match": (b"", b'"', b'W/"'),
    b"transfer-encoding": (b"chunked,",),
}
# Others say how long the body is.
_NOT_FILLED = {b"content-length", b"expect"}
# What an address reads beyond the one that gets all headers.
READ_AT: dict[str, frozenset[bytes]] = {
    "api": frozenset(b"accept authorization content-type cookie x-forwarded-for".split()),
    "sign-in": frozenset(b"accept-language cookie host origin referer x-csrftoken".split()),
    "static": frozenset(
        b"accept-encoding if-modified-since if-none-match if-range range user-agent".split()
    ),
    "nowhere": frozenset(b"accept accept-language referer user-agent".split()),
}


@dataclass(frozen=True)
class Sent:
    """One request."""

    label: str
    path: bytes
    method: bytes = b"GET"
    headers: tuple[bytes, ...] = ()
    body: bytes = b""

    @property
    def content(self) -> bytes:
        lines = [b"%s %s HTTP/1.1" % (self.method, self.path), *self.headers]
        if not any(line.lower().startswith(b"host:") for line in self.headers):
            lines.insert(1, b"Host: localhost")
        if self.method == b"POST" and not any(
            line.lower().startswith(b"transfer-encoding:") for line in self.headers
        ):
            lines.append(b"Content-Length: %d" % len(self.body))
        if not any(line.lower().startswith(b"connection:") for line in self.headers):
            lines.append(b"Connection: close")
        return b"\r\n".join(lines) + b"\r\n\r\n" + self.body


@dataclass
class Cost:
    sent: Sent
    seconds: float
    status: str


class Target:
    """The server: what is sent to it, and the processor time that it took."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation

    def cost(self, sent: Sent) -> Cost:
        before = self._used()
        status = self._status(sent)
        # Threads go on for a moment after the answer.
        time.sleep(0.002)
        return Cost(sent, self._used() - before, status)

    def _status(self, sent: Sent) -> str:
        address = ("127.0.0.1", self.installation.port)
        with closing(socket.create_connection(address, timeout=PATIENCE)) as connection:
            head = b""
            with suppress(OSError):
                connection.sendall(sent.content)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65536):
                    head = (head + part)[:64]
        return head[9:12].decode("latin-1") or "none"

    def _used(self) -> float:
        """Seconds of all threads of the server's process, to the nanosecond."""
        assert self.installation.process is not None
        used = 0
        for task in Path(f"/proc/{self.installation.process.pid}/task").iterdir():
            with suppress(OSError):
                used += int((task / "schedstat").read_text().split()[0])
        return used / 1e9


def full(filling: bytes, n_bytes: int, beginning: bytes = b"") -> bytes:
    """As many repetitions as fit, and nothing that a server would strip at the end."""
    return (beginning + filling * (n_bytes // len(filling)))[: n_bytes - 1].rstrip(b" \t") + b"a"


def header_requests(addresses: dict[str, bytes]) -> Iterator[Sent]:
    names = sorted((READ_HEADERS | set(LONGER_HEADERS) | {b"x-unread"}) - _NOT_FILLED)
    for where in ("join", *READ_AT):
        for name in names:
            if name not in READ_AT.get(where, names):
                continue
            n_bytes = LONGER_HEADERS.get(name, MAX_HEADER_BYTES)
            if name == b"x-unread":
                n_bytes = 8 * 1024
            for kind, filling in FILLINGS.items():
                for beginning in BEGINNINGS.get(name, (b"",)):
                    value = full(filling, n_bytes, beginning)
                    label = f"{name.decode()}: {beginning.decode()}{kind}"
                    yield Sent(
                        f"{where}, {label}", addresses[where], headers=(name + b":" + value,)
                    )
        many = tuple(b"X%d: a" % n for n in range(MAX_HEADER_LINES - 2))
        yield Sent(f"{where}, many headers", addresses[where], headers=many)
        yield Sent(f"{where}, one header often", addresses[where], headers=(b"X: a",) * 98)


def query_requests(addresses: dict[str, bytes]) -> Iterator[Sent]:
    room = 7 * 1024
    fillings = {
        **{name: one for name, one in FILLINGS.items() if b" " not in one and b"\t" not in one},
        "parameters": b"a=b&",
        "names": b"a&",
        "ampersands": b"&",
        "escaped parameters": b"%61=%62&",
        "plus": b"+",
    }
    for where, path in addresses.items():
        for kind, filling in fillings.items():
            yield Sent(f"{where}, ?{kind}", path + b"?" + full(filling, room))
            for name in QUERY_NAMES.get(where, ()):
                yield Sent(
                    f"{where}, ?{name.decode()}={kind}",
                    path + b"?" + name + full(filling, room, b"="),
                )
    for beginning in (b"/", b"/a/", b"/j/", b"/p/", b"/admin/", b"/api/v1/", b"/static/", b"//"):
        for kind, filling in fillings.items():
            if b"?" not in filling:
                path = beginning + full(filling, room) + b"/"
                yield Sent(f"path {beginning.decode()}{kind}", path)


QUERY_NAMES: dict[str, tuple[bytes, ...]] = {
    "join": (b"invitation", b"simulated"),
    "launch": (b"workerId", b"assignmentId", b"hitId", b"turkSubmitTo", b"likeness"),
    "panel": (b"participant", b"session"),
    "screen": (b"from",),
    "sign-in": (b"next",),
    "api": (b"search", b"page", b"page_size", b"state"),
}


def forms(n_bytes: int) -> dict[str, bytes]:
    """Bodies of a form as long as they may be, by name."""
    room = n_bytes - 64

    def fill(filling: bytes, beginning: bytes = b"") -> bytes:
        return (beginning + filling * (room // len(filling)))[:room]

    return {
        "fields": b"&".join(b"f%d=a" % n for n in range(room // 9)),
        "999 fields": b"&".join(b"f%d=%s" % (n, b"%41" * 20) for n in range(999)),
        "one name": fill(b"a=b&"),
        "empty names": fill(b"=&"),
        "ampersands": fill(b"&"),
        "semicolons": fill(b";"),
        "equals": fill(b"="),
        "percent": fill(b"%"),
        "escapes": fill(b"%41"),
        "broken escapes": fill(b"%zz%4"),
        "no UTF-8": fill(b"%ff%c3"),
        "plus": fill(b"+"),
        "bytes": fill(b"\xff"),
        "NUL": fill(b"%00"),
        "marks": fill(b"%CC%95%CC%96"),
        "runs of marks": fill(b"%CC%95", b"a=")[: room // 2] + fill(b"%CC%96")[: room // 2],
        "line breaks": fill(b"%0D%0A"),
    }


def structures(n_bytes: int) -> dict[str, bytes]:
    """JSON as long as it may be, by name."""
    room = n_bytes - 64
    return {
        "lists": b"[" * room,
        "closed lists": b"[" * (room // 2) + b"]" * (room // 2),
        "objects": b'{"a":' * (room // 5),
        "number": b'{"title": ' + b"9" * (room - 12) + b"}",
        "4000 digits": b'{"title": [' + b",".join([b"9" * 4000] * (room // 4001)) + b"]}",
        "fraction": b'{"title": 0.' + b"1" * (room - 14) + b"}",
        "exponent": b'{"title": 1e' + b"9" * (room - 14) + b"}",
        "escapes": b'{"title": "' + b"\\u0315\\u0316" * (room // 12 - 1) + b'"}',
        "surrogates": b'{"title": "' + b"\\ud800" * (room // 6 - 2) + b'"}',
        "backslashes": b'{"title": "' + b"\\\\" * (room // 2 - 8) + b'"}',
        "one key": b'{"a":1' + b',"a":1' * (room // 6 - 2) + b"}",
        "keys": b"{" + b",".join(b'"k%d":1' % n for n in range(room // 12)) + b"}",
        "blanks": b" " * (room - 2) + b"{}",
        "no end": b'{"title": "' + b"a" * (room - 12),
        "numbers": b'{"title": [' + b"1," * (room // 2 - 8) + b"1]}",
    }


def parts(n_bytes: int) -> dict[str, bytes]:
    """Forms with files, by name."""

    def of(disposition: bytes, n: int = 900) -> bytes:
        part = b"--b\r\nContent-Disposition: form-data; " + disposition + b"\r\n\r\nx\r\n"
        return part * min(n, n_bytes // len(part)) + b"--b--"

    base64 = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n'
    base64 += b"Content-Transfer-Encoding: base64\r\n\r\n"
    return {
        "parts": of(b'name="a"'),
        "files": of(b'name="a"; filename="a"'),
        "nameless": of(b'filename="a"', 10**6),
        "semicolons": of(b";" * 900),
        "quoted": of(b'name="' + b";" * 900),
        "backslashes": of(b'name="' + b"\\" * 300 + b";" * 600),
        "twenty signs": of(b'name="' + b"\\" * 8 + b";" * 8 + b"a" * 900 + b'"'),
        "codec": of(b"name*=punycode''" + b"a" * 900),
        "UTF-8": of(b"name*=utf-8''" + b"%41" * 300),
        "separators": b"--b" * (n_bytes // 3),
        "blank lines": b"\r\n--b\r\n" * (n_bytes // 7),
        "no end": b"--b\r\n" + b"a" * (n_bytes - 10),
        "base64": base64 + b"a " * (n_bytes // 2 - 100) + b"\r\n--b--",
        "base64 of blanks": base64 + b" " * (n_bytes - 200) + b"\r\n--b--",
    }


def body_requests(addresses: dict[str, bytes], facts: dict[str, str]) -> Iterator[Sent]:
    token = b"Authorization: Token " + facts["token"].encode()
    cookie = b"Cookie: csrftoken=" + CSRF
    for where, address in addresses.items():
        path = address + CAME_BY.get(where, b"")
        n_bytes = (512 if where == "screen" else 128) * 1024
        more: tuple[bytes, ...] = (token,) if where == "api with token" else ()
        if path.startswith(b"/admin/"):
            more = (cookie,)
        for content_type, bodies in ((FORM, forms(n_bytes)), (JSON, structures(n_bytes))):
            headers = (b"Content-Type: " + content_type, *more)
            for kind, body in bodies.items():
                label = f"{where}, {content_type.decode().rpartition('/')[2]}: {kind}"
                yield Sent(label, path, b"POST", headers, body)
        for name in FIELDS.get(where, ()):
            for kind, body in forms(n_bytes).items():
                start = b"csrfmiddlewaretoken=" + CSRF + b"&" if cookie in more else b""
                value = body.replace(b"&", b"%26").replace(b"=", b"%3D")
                start += facts["form"].encode() + b"&" if where == "join" else b""
                full_body = (start + name + b"=" + value)[: n_bytes - 1]
                headers = (b"Content-Type: " + FORM, *more)
                yield Sent(f"{where}, {name.decode()}={kind}", path, b"POST", headers, full_body)
        for kind, body in parts(n_bytes).items():
            headers = (b"Content-Type: " + FILES, *more)
            yield Sent(f"{where}, files: {kind}", path, b"POST", headers, body)
        for kind, body in chunked().items():
            headers = (b"Content-Type: " + FORM, b"Transfer-Encoding: chunked", *more)
            yield Sent(f"{where}, chunks: {kind}", path, b"POST", headers, body)
    for kind, body in parts(4 * 1024 * 1024).items():
        headers = (b"Content-Type: " + FILES, token)
        yield Sent(f"upload, files: {kind}", facts["upload"].encode(), b"POST", headers, body)


# What a platform's address tells, without which a form is not read.
CAME_BY = {
    "launch": b"?workerId=W1&assignmentId=A1&hitId=H1",
    "panel": b"?participant=p1&session=s1",
}
FIELDS: dict[str, tuple[bytes, ...]] = {
    "join": (b"ticket", b"invitation", b"simulation", b"agree"),
    "return": (b"code",),
    "launch": (b"code", b"ticket", b"invitation"),
    "panel": (b"code", b"ticket", b"invitation"),
    "consent": (b"consent", b"agree"),
    "instructions": (b"answer",),
    "save": (b"shown", b"base", b"comment", b"idempotency_key"),
    "remind": (b"email",),
    "screen": (b"use", b"go"),
    "sign-in": (b"username", b"next", b"csrfmiddlewaretoken"),
    "password": (b"new_password1",),
}


def chunked() -> dict[str, bytes]:
    return {
        "single bytes": b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n",
        "extensions": b'1;a="' + b"a" * 8000 + b'"\r\na\r\n0\r\n\r\n',
        "many extensions": b"1" + b";a=b" * 2000 + b"\r\na\r\n0\r\n\r\n",
        "broken extension": b'1;a="' + b"\\a" * 30_000 + b"\r\na\r\n0\r\n\r\n",
        "long line": b"1" * 100_000,
        "trailer": b"0\r\n" + b"a:b\r\n" * 20_000 + b"\r\n",
    }


# -- The server ---------------------------------------------------------------------------------


def populate() -> dict[str, str]:
    """In a process of its own: studies with every way in, and a researcher with a token."""
    import django  # noqa: PLC0415

    django.setup()
    from django.utils import timezone  # noqa: PLC0415

    from annotation.answering import launch  # noqa: PLC0415
    from annotation.core.services import tokens  # noqa: PLC0415
    from annotation.models import Listing  # noqa: PLC0415
    from annotation.studies.services import studies  # noqa: PLC0415
    from tests.support import crowds, factories, remote_side  # noqa: PLC0415
    from tests.support.annotating import Participant  # noqa: PLC0415

    study = factories.make_open_study(dialogues=3)
    draft = factories.make_study(n_items=0, owner=study.owner)
    person = Participant(study)
    newcomer = factories.join(study)
    listing = remote_side.make_listing(state=Listing.State.PUBLISHED, published_at=timezone.now())
    panel = crowds.make_listing(factories.make_open_study(dialogues=1))
    ticket = launch.consent_ticket(study, studies.current_consent(study))
    made = tokens.make(user=study.owner, name="hostile", can_write=True)
    return {
        "join": f"/j/{study.join_token}/",
        "return": f"/j/{study.join_token}/return/",
        "form": f"ticket={ticket}&agree=on",
        "own": person.url(),
        "screen": person.url("s/1/"),
        "save": person.url(f"q/{person.questions()[0].pk}/"),
        "consent": person.url("consent/"),
        "submit": person.url("submit/"),
        "withdraw": f"/a/{newcomer.key}/data/",
        "instructions": f"/a/{newcomer.key}/instructions/",
        "remind": person.url("remind/"),
        "launch": f"/p/{listing.token}/",
        "panel": f"/p/{panel.token}/",
        "token": made.key,
        "upload": f"/api/v1/studies/{draft.slug}/items/",
    }


def addresses_of(facts: dict[str, str], static: bytes) -> dict[str, bytes]:
    ways = {
        name: path.encode()
        for name, path in facts.items()
        if path.startswith(("/j/", "/a/", "/p/"))
    }
    return ways | {
        "webhook": b"/webhooks/prolific/",
        "api": b"/api/v1/studies/",
        "api with token": b"/api/v1/studies/",
        "sign-in": b"/admin/login/",
        "password": b"/admin/password_change/",
        "static": static,
        "nowhere": b"/nowhere/",
    }


def measure(
    target: Target, requests: Iterable[Sent], *, tell: Callable[[str], None]
) -> list[Cost]:
    costs = []
    for n, sent in enumerate(requests, start=1):
        costs.append(target.cost(sent))
        if n % 500 == 0:
            worst = max(costs, key=lambda cost: cost.seconds)
            tell(f"{n} requests, the worst {worst.seconds:.2f} s: {worst.sent.label}")
    costs.sort(key=lambda cost: cost.seconds, reverse=True)
    for cost in costs[: 2 * N_WORST]:
        # What else the machine did at that moment is in no other measurement.
        again = [target.cost(cost.sent).seconds for _ in range(2)]
        cost.seconds = min(cost.seconds, *again)
    return sorted(costs, key=lambda cost: cost.seconds, reverse=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="headers,queries,bodies")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--populate", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.populate:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        print(json.dumps(populate()))
        return 0
    # Whoever ends this command ends its server, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(Path(folder), extra=UNLIMITED)
        try:
            for command in (("migrate", "-v0"), ("collectstatic", "--noinput", "-v0")):
                installation.run("manage.py", *command)
            installation.start()
            facts = installation.read("-m", "benchmarks.hostile_requests", "--populate")
            return sweep(installation, facts, options)
        finally:
            installation.stop()


def sweep(installation: Installation, facts: dict[str, str], options: argparse.Namespace) -> int:
    static = next((installation.folder / "static").rglob("*.css"))
    addresses = addresses_of(
        facts, b"/static/" + str(static.relative_to(installation.folder / "static")).encode()
    )
    target = Target(installation)
    kinds = {
        "headers": lambda: header_requests(addresses),
        "queries": lambda: query_requests(addresses),
        "bodies": lambda: body_requests(addresses, facts),
    }
    failed = False
    for kind in options.only.split(","):
        print(f"-- {kind}", flush=True)
        costs = measure(target, kinds[kind](), tell=lambda said: print(said, file=sys.stderr))
        for cost in costs[:N_WORST]:
            print(f"{cost.seconds:7.3f} s  {cost.status}  {cost.sent.label}", flush=True)
        failed = failed or costs[0].seconds > options.seconds
        codes = sorted({cost.status for cost in costs})
        print(f"{len(costs)} requests; statuses {', '.join(codes)}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
