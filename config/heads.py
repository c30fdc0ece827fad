"""What the head of a request may be: looked at in one pass, before anything else reads it.

Patterns of the server and of the framework go through some heads again and again: a few bytes from
anybody would keep a processor busy for minutes.
"""

_LONGEST_FIRST_LINE = 8 * 1024
_LONGEST_TYPE = 256
# What browsers and programs call it; any other codec of Python's would be taken, too.
_CHARSETS = frozenset(("utf-8", "utf8", "us-ascii"))
_NO_TEXT = frozenset(range(32)) - {9, 10, 13} | {127}


def problem_of(head: bytes) -> str:
    """Why a head is refused; empty where it is not."""
    if _NO_TEXT.intersection(head):
        return "The head of the request has control characters."
    first, *lines = head.split(b"\r\n")
    parts = first.split(b" ")
    if len(first) > _LONGEST_FIRST_LINE:
        return "The address is too long."
    if len(parts) not in {2, 3} or not (parts[1].startswith(b"/") or parts[1] == b"*"):
        return "The first line of the request is not a method and a path."
    for line in lines:
        name, _colon, value = line.partition(b":")
        if name.strip().lower() == b"content-type" and not _is_readable(value):
            return "The content type is too long, or names a charset other than UTF-8."
    return ""


def _is_readable(content_type: bytes) -> bool:
    if len(content_type) > _LONGEST_TYPE:
        return False
    for parameter in content_type.decode("latin-1").lower().split(";")[1:]:
        name, _sign, value = parameter.partition("=")
        if name.strip().startswith("charset") and value.strip(' \t"') not in _CHARSETS:
            return False
    return True
