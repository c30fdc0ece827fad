"""Which types of bodies are read, and from whom; and what the parts of a form with files may be.

Django parses the head of each part with the parser that Python has for mails. It takes quadratic
time for semicolons and quotes, decodes any codec that a part names, and does not count the parts
that have a file but no name.
"""

import re
from typing import BinaryIO

# Read from anybody. Nothing else is parsed on the annotators' pages, which send no files.
_SIMPLE_TYPES = frozenset(("", "application/x-www-form-urlencoded", "application/json"))
# Below these a researcher may have signed in.
_RESEARCHERS_PATHS = ("/admin/", "/api/")

# The boundary as browsers and programs write it.
_FORM_WITH_FILES = re.compile(
    r"multipart/form-data; ?boundary=(\"?)([\w'()+,./:=?-]{1,100})\1(?:; ?charset=\"?utf-8\"?)?",
    re.ASCII | re.IGNORECASE,
)
MAX_PARTS = 1000
# As Django has it; browsers write 100 bytes and the name of the file.
MAX_PART_HEAD_BYTES = 1024
# More than a name of a file has.
MAX_PART_SIGNS = 20
_BLOCK_BYTES = 1024 * 1024


def is_simple(content_type: str) -> bool:
    """Whether reading the body is safe whoever sent it."""
    return content_type.partition(";")[0].strip().lower() in _SIMPLE_TYPES


def is_for_researchers(path: str) -> bool:
    return path.startswith(_RESEARCHERS_PATHS)


def has_readable_parts(body: BinaryIO, content_type: str) -> bool:
    """Whether a form with files can be parsed in a moment; the body is read from its start."""
    if not content_type.lower().startswith("multipart/"):
        return True
    if not (form := _FORM_WITH_FILES.fullmatch(content_type)):
        return False
    separator = b"--" + form[2].encode()
    margin = len(separator) + MAX_PART_HEAD_BYTES
    # What stands before the first separator is parsed as a part, too.
    block, begins, n_parts, is_last = separator, 0, 0, False
    while not is_last:
        more = body.read(_BLOCK_BYTES)
        block, is_last = block + more, not more
        while (at := block.find(separator, begins)) >= 0:
            if at + margin > len(block) and not is_last:
                break
            begins = at + len(separator)
            n_parts += 1
            if n_parts > MAX_PARTS or not _is_readable(block[begins : at + margin]):
                return False
        start = max(begins, at if at >= 0 else len(block) - len(separator))
        block, begins = block[start:], 0
    return True


def _is_readable(part: bytes) -> bool:
    """Whether the head of a part, and what may follow it, is one that browsers write."""
    head, end, _rest = part.partition(b"\r\n\r\n")
    if not end:
        # The end of the body, or no head at all: nothing is parsed, or Django refuses it.
        return True
    if sum(head.count(sign) for sign in (b";", b"\\", b'"')) > MAX_PART_SIGNS:
        return False
    for piece in head.split(b";"):
        name, sign, value = piece.partition(b"=")
        # A value in a codec of its own, or in several pieces.
        if sign and b"*" in name and not value.strip(b' \t"').lower().startswith(b"utf-8'"):
            return False
    return True
