"""In which form a request wants its answer."""

from django.http import HttpRequest

from config.heads import MAX_HEADER_BYTES


def asks_for_json(request: HttpRequest) -> bool:
    """Whether a script asked, and not a browser on its way to a page."""
    if len(request.headers.get("Accept", "")) > MAX_HEADER_BYTES:
        # Django takes quadratic time to read it, and a web server may let it through.
        return False
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"
