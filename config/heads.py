"""What the head of a request may be: looked at in one pass, before anything else reads it.

Parsers of the server, of the framework and of Python's own library go through some heads again
and again, so that a few KiB from anybody would keep a processor busy for seconds or minutes.
"""

import re

_MAX_FIRST_LINE_BYTES = 8 * 1024
MAX_HEADER_LINES = 100
# Of all lines of one name together: waitress joins them.
MAX_HEADER_BYTES = 1024
# Headers that are longer in honest use, and that are read in one pass.
LONGER_HEADERS = {
    b"cookie": 16 * 1024,
    b"referer": 8 * 1024,
    b"user-agent": 2 * 1024,
    b"content-type": 256,
}
# Nobody reads other headers, and proxies put certificates and tokens into some.
MAX_UNREAD_HEADER_BYTES = 8 * 1024
# What waitress, Django, its REST framework, whitenoise and our own code read; a test looks whether
# an update of theirs reads another one.
READ_HEADERS = frozenset(
    b"""
    accept accept-encoding accept-language authorization connection content-disposition
    content-encoding content-length expect forwarded host if-match if-modified-since if-none-match
    if-range if-unmodified-since origin proxy range transfer-encoding upgrade x-csrftoken
    x-event-id x-forwarded-by x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto
    x-prolific-request-signature x-prolific-request-timestamp x-requested-with x-timestamp
    """.split()
)
# waitress looks for the end of a run of blanks from each blank anew.
_LONG_BLANK = re.compile(rb"[ \t]{33}")
# What browsers and programs call it; any other codec of Python's would be taken, too.
_CHARSETS = frozenset(("utf-8", "utf8", "us-ascii"))
_NO_TEXT = frozenset(range(32)) - {9, 10, 13} | {127}


def problem_of(head: bytes) -> str:
    """Why a head is refused; empty where it is not."""
    if _NO_TEXT.intersection(head):
        return "The head of the request has control characters."
    if _LONG_BLANK.search(head):
        return "The head of the request has a long run of blanks."
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    parts = first.split(b" ")
    if len(first) > _MAX_FIRST_LINE_BYTES:
        return "The address is too long."
    if len(parts) not in {2, 3} or not (parts[1].startswith(b"/") or parts[1] == b"*"):
        return "The first line of the request is not a method and a path."
    return _problem_of_headers(lines)


def _problem_of_headers(lines: list[bytes]) -> str:
    if len(lines) > MAX_HEADER_LINES:
        return "The request has too many headers."
    headers: dict[bytes, bytes] = {}
    for line in lines:
        if line.startswith((b" ", b"\t")):
            # Obsolete since RFC 7230; what is said below of one line would not hold for two.
            return "A header goes on in the next line."
        name, _colon, value = line.partition(b":")
        name = name.strip().lower()
        headers[name] = headers[name] + b", " + value if name in headers else value
    for name, value in headers.items():
        if len(value) > _max_bytes(name):
            return f"The header {name[:40].decode('latin-1')} is too long."
    if not _is_readable(headers.get(b"content-type", b"")):
        return "The content type names a charset other than UTF-8."
    return ""


def _max_bytes(name: bytes) -> int:
    if name in LONGER_HEADERS:
        return LONGER_HEADERS[name]
    return MAX_HEADER_BYTES if name in READ_HEADERS else MAX_UNREAD_HEADER_BYTES


def _is_readable(content_type: bytes) -> bool:
    for parameter in content_type.decode("latin-1").lower().split(";")[1:]:
        name, _sign, value = parameter.partition("=")
        if name.strip().startswith("charset") and value.strip(' \t"') not in _CHARSETS:
            return False
    return True
