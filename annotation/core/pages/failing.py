"""What went wrong in a way nobody foresaw: a page for people, JSON for programs.

A full disk, or a database that somebody else holds, is no fault of the software: it is answered
with 503, and trying again later helps.
"""

import sys
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from annotation.basics.full_disk import RETRY_AFTER_SECONDS, is_database_held, is_disk_full
from annotation.core.pages.negotiation import asks_for_json
from config import bodies


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500. It is called while the exception is being handled."""
    error = sys.exc_info()[1]
    if is_disk_full(error) or is_database_held(error):
        response = _answer(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            _("The server cannot store anything at the moment. Please try again later."),
        )
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    return _answer(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        _("Something went wrong. The server's log has the details."),
    )


def unread_body(request: HttpRequest, reason: str) -> HttpResponse:
    """Answer a request that carried more than the web server read."""
    if reason == bodies.WRONG_TYPE:
        sentence = _(
            "You must be signed in to send files. Nothing was saved. Sign in and send it again."
        )
        return _answer(request, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, sentence, page="413.html")
    if reason == bodies.UNREADABLE_PARTS:
        sentence = _(
            "The form has too many parts, or a file with an unusual name. Nothing was "
            "saved. Rename the file and send it again."
        )
        return _answer(request, HTTPStatus.BAD_REQUEST, sentence, page="413.html")
    if reason == bodies.SERVER_BUSY:
        response = _answer(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            _("The server is receiving several large files. Nothing was saved. Try again soon."),
            page="413.html",
        )
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    if reason == bodies.TOO_MANY_AT_ONCE:
        response = _answer(
            request,
            HTTPStatus.TOO_MANY_REQUESTS,
            _(
                "Your other large files are still being uploaded, so this one was not "
                "saved. Send it again when they are done."
            ),
            page="413.html",
        )
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    if reason == bodies.TOO_LARGE:
        sentence = _(
            "You can send at most %(n)s MiB at once. Nothing was saved. Send it in parts."
        ) % {"n": settings.IMPORT_LIMIT_BYTES // 2**20}
    else:
        sentence = _(
            "You must be signed in to send more than %(n)s KiB. Nothing was saved. "
            "Sign in and send it again."
        ) % {"n": bodies.anonymous_limit(request.path_info) // 1024}
    return _answer(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence, page="413.html")


def many_at_once(request: HttpRequest) -> HttpResponse:
    """Answer somebody of whom as many requests are in work as may be; a page comes by itself."""
    response = _answer(
        request,
        HTTPStatus.TOO_MANY_REQUESTS,
        _("Several of your pages are still loading. Please wait a few seconds."),
    )
    response["Retry-After"] = "3"
    if request.method == "GET":
        response["Refresh"] = "3"
    return response


def _answer(
    request: HttpRequest, status: HTTPStatus, sentence: str, *, page: str = ""
) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        # As Python names the status: "internal_server_error", for example.
        body = {"code": status.name.lower(), "detail": sentence}
        return JsonResponse(body, status=status)
    if asks_for_json(request):
        return JsonResponse({"error": sentence}, status=status)
    # Without the request: what a context processor asks the database might fail again.
    context = {"was_sent": request.method == "POST", "sentence": sentence}
    return HttpResponse(render_to_string(page or f"{status:d}.html", context), status=status)
