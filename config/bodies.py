"""How many bytes a request may carry. The web server asks before it reads a body."""

import re

# Of whoever is not signed in. Every page but one needs a few KB.
BODY_LIMIT = 128 * 1024
# A screen without JavaScript sends the answers and comments of all its questions at once, and so
# does a page of questions about people.
SCREEN_BODY_LIMIT = 512 * 1024
_SCREEN = re.compile(r"/a/[^/]+/(?:s/\d+|about/[a-z]+)/")

# In the WSGI environment of a request whose body was not read: why it was not.
REFUSED = "likeness.refused"
UNKNOWN_SENDER, TOO_LARGE = "unknown sender", "too large"
TOO_MANY_AT_ONCE, SERVER_BUSY = "too many at once", "server busy"
WRONG_TYPE, UNREADABLE_PARTS = "wrong type", "unreadable parts"


def anonymous_limit(path: str) -> int:
    """What somebody who is not signed in may send to this address."""
    return SCREEN_BODY_LIMIT if _SCREEN.fullmatch(path) else BODY_LIMIT
