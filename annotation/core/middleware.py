"""By which door a request comes in, and what it may bring along.

The audit log says of what the API did that the API did it.
"""

from collections.abc import Callable
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponseBase, parse_cookie
from django.utils.cache import patch_cache_control

from annotation.core.pages import failing
from annotation.core.services import audit_log, tokens
from annotation.models import AuditEvent
from config import bodies

# Without a slash at the end: Django adds the one that somebody forgets.
_RESEARCHERS_PATHS = ("/admin", "/api")


def long_body_sender(cookies: str, authorization: str) -> int | None:
    """The account of the researcher whose headers these are, who may send more than a form.

    The web server asks before it reads a long body: no middleware has run.
    """
    request = HttpRequest()
    request.COOKIES = parse_cookie(cookies)
    close_old_connections()
    try:
        if researcher := tokens.researcher_of(authorization):
            return researcher.pk
        key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if not key:
            return None
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
        user = get_user(request)
        return user.pk if user.is_active and user.is_staff else None
    finally:
        close_old_connections()


class UnreadBody:
    """Middleware: answers a request whose body the web server did not read.

    The annotator's pages refuse by the same limits, each in its study's language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        reason = request.META.get(bodies.REFUSED)
        if not reason or request.path_info.startswith(("/a/", "/j/", "/p/")):
            return self.get_response(request)
        return failing.unread_body(request, reason)


class AnnotatorsDoor:
    """Middleware: pages that no researcher asks for know the addresses of annotators alone.

    A web process loads the researchers' pages and the API, with all that these compute, when the
    first of them is asked for.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # The first page of the server leads to the researchers' pages.
        if request.path_info != "/" and not request.path_info.startswith(_RESEARCHERS_PATHS):
            request.urlconf = "config.annotator_urls"
        return self.get_response(request)


class ApiDoor:
    """Middleware: whatever is written while the API answers, a program of a researcher did.

    What it answers is kept by no cache: it is about people, and for the caller alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith("/api/"):
            return self.get_response(request)
        with audit_log.through(AuditEvent.API):
            response = self.get_response(request)
        patch_cache_control(response, private=True, no_store=True)
        return response
