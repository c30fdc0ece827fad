"""What went wrong in a way nobody foresaw: a page for people, JSON for programs.

A full disk is no fault of the software: it is answered with 503, and trying again later helps.
"""

import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from annotation.full_disk import RETRY_AFTER_SECONDS, is_disk_full
from annotation.views.pages import asks_for_json


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500. It is called while the exception is being handled."""
    if is_disk_full(sys.exc_info()[1]):
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
        _("Something went wrong that should not; the server's log says what."),
    )


def _answer(request: HttpRequest, status: HTTPStatus, sentence: str) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return JsonResponse({"detail": sentence}, status=status)
    if asks_for_json(request):
        return JsonResponse({"error": sentence}, status=status)
    # Without the request: what a context processor asks the database might fail again.
    return HttpResponse(
        render_to_string(f"{status:d}.html", {"was_sent": request.method == "POST"}), status=status
    )
