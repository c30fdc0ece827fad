"""What browsers are told of the built documentation, which no view of ours answers."""

from wsgiref.headers import Headers

# The theme has scripts and styles inside its pages, and they are our own.
_POLICY = (
    "default-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none';"
    " base-uri 'none'; form-action 'self'"
)


def add_headers(headers: Headers, path: str, url: str) -> None:
    if url.startswith("/help/"):
        headers["X-Frame-Options"] = "DENY"
        headers["Content-Security-Policy"] = _POLICY
