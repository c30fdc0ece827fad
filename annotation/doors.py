"""By which door a request comes in: the audit log says of what the API did that the API did it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from annotation.services import history


class ApiDoor:
    """Middleware: whatever is written while the API answers, a program of a researcher did."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith("/api/"):
            return self.get_response(request)
        with history.through(history.API):
            return self.get_response(request)
