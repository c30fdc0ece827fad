"""In which form a request wants its answer."""

from django.http import HttpRequest


def asks_for_json(request: HttpRequest) -> bool:
    """Whether a script asked, and not a browser on its way to a page."""
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"
