"""Heads of requests that a parser would be slow to read are refused before any reads them."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.hostile_requests import header_requests
from config.heads import (
    LONGER_HEADERS,
    MAX_HEADER_BYTES,
    MAX_HEADER_LINES,
    READ_HEADERS,
    problem_of,
)

BEGINNING = b"GET / HTTP/1.1\r\n"
# Of the packages that see a request; and where ours read headers.
READERS = ("waitress", "django", "rest_framework", "whitenoise", "csp")
OURS = ("annotation", "config")
# Of answers, of mails, or of a server that is not used.
OF_ANSWERS = (
    b"access-control-allow-origin allow bad-request cache-control content-location date etag"
    b" expires from info last-modified location message-id not-found not-modified redirect"
    b" referrer-policy retry-after server server-error strict-transport-security subject success"
    b" to vary via www-authenticate x-frame-options x-hook-secret x-robots-tag x-view"
).split()


def head_of(*lines: bytes) -> bytes:
    return BEGINNING + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


@pytest.mark.parametrize(
    "lines",
    [
        [b"X:" + b" " * 33 + b"a"],
        [b"X: a" + b"\t " * 17],
        [b"Accept: a/b", b"\t;charset=punycode"],
        [b"Content-Type: multipart/form-data; boundary=b", b" ;charset=punycode"],
        [b"X: a"] * (MAX_HEADER_LINES + 1),
        [b"Content-Type: multipart/form-data; boundary=b;", b"Content-Type: ; charset=idna"],
        [b"X: " + b"x" * 8193],
    ],
    ids=["blanks", "tabs", "folded", "folded type", "many", "two types", "unread"],
)
def test_heads_that_are_slow_to_read_are_refused(lines: list[bytes]) -> None:
    assert problem_of(head_of(*lines))


@pytest.mark.parametrize("name", sorted(READ_HEADERS | set(LONGER_HEADERS)))
def test_a_header_that_somebody_reads_is_bounded_in_one_line_and_in_several(name: bytes) -> None:
    n_bytes = LONGER_HEADERS.get(name, MAX_HEADER_BYTES)
    part = b"%s: %s" % (name.title(), b"x" * (n_bytes // 2))

    assert problem_of(head_of(b"%s: %s" % (name, b"x" * (n_bytes + 1))))
    assert problem_of(head_of(part, part, part))
    assert not problem_of(head_of(b"%s:%s" % (name, b"x" * n_bytes)))


def test_heads_of_browsers_and_of_proxies_are_read() -> None:
    assert not problem_of(
        head_of(
            b"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari",
            b"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
            b"Accept-Language: de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7,cs;q=0.6",
            b"Content-Type: multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
            b"Cookie: sessionid=" + b"a" * 32 + b"; shibsession=" + b"b" * 4000,
            b"Referer: https://likeness.example.org/p/abc/?" + b"PID=1&" * 500,
            b"X-Client-Cert: " + b"MIIC" * 1000,
            b"X-Forwarded-For: 192.0.2.1, 198.51.100.7",
            b"X-Empty:",
        )
    )


def test_every_header_that_is_read_is_bounded() -> None:
    """A name that is new here is one to add to READ_HEADERS."""
    folders = [Path(import_module(name).__path__[0]) for name in (*READERS, *OURS)]
    files = [path for folder in folders for path in folder.rglob("*.py")]
    skipped = ("/test", "/gis/", "/core/management/", "/platforms/mturk/")
    read = set()
    for path in files:
        if any(part in str(path) for part in skipped):
            continue
        text = path.read_text()
        read |= set(re.findall(r"""["']HTTP_([A-Z_]+)["']""", text))
        read |= set(
            re.findall(
                r"""headers(?:\.get\(|\.pop\(|\[)\s*["'](?:HTTP_)?([\w-]+)["'](?!\] = )""", text
            )
        )
    names = {name.lower().replace("_", "-").encode() for name in read}

    assert b"accept" in names
    assert b"if-none-match" in names
    known = READ_HEADERS | set(LONGER_HEADERS) | set(OF_ANSWERS)
    assert names - known == set()


def test_the_sweep_sends_heads_that_are_let_through() -> None:
    """benchmarks/hostile_requests.py measures what reading them costs."""
    names = ("join", "api", "sign-in", "static", "nowhere")
    requests = list(header_requests(dict.fromkeys(names, b"/")))

    assert len(requests) > 3000
    assert [sent.label for sent in requests if problem_of(sent.content)] == []
