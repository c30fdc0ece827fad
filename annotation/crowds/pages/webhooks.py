"""Where platforms send what happened: no page, no session, nobody but a signature to trust."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.basics.errors import AnnotationError
from annotation.core.platforms.errors import RefusedError
from annotation.crowds.platforms.installations import PRODUCTION
from annotation.crowds.platforms.prolific import webhooks as prolific_webhooks
from annotation.crowds.platforms.prolific.environments import installation
from annotation.crowds.services import webhooks
from annotation.models.kinds import CrowdPlatform

_MAX_BODY_BYTES = 64 * 1024
# What leaves room in the row's column for the names of platform and environment.
_MAX_ID_LENGTH, _MAX_KIND_LENGTH = 50, 60


@csrf_exempt  # the signature over the body is the only authority; no cookie is read here
@require_POST
def prolific(request: HttpRequest, environment: str = PRODUCTION) -> HttpResponse:
    """An event of Prolific's; anything but 2xx has it sent again later."""
    if _length(request) > _MAX_BODY_BYTES:
        return _said(_("The request is too long for an event."), status=413)
    try:
        where = installation(environment)
        body = request.body
        prolific_webhooks.check_signature(where, request.headers, body)
    except RefusedError as error:
        return _said(error.message, status=404)
    except AnnotationError as error:
        return _said(error.message, status=error.status)
    event_id = request.headers.get(prolific_webhooks.EVENT_ID, "")
    event = _read(body)
    if event is None or not 1 <= len(event_id) <= _MAX_ID_LENGTH or not event_id.isprintable():
        return _said(_("The request is not a readable event."), status=400)
    kind, about = prolific_webhooks.told_of(event)
    webhooks.record(
        platform=CrowdPlatform.PROLIFIC,
        environment=environment,
        event_id=event_id,
        signature=request.headers[prolific_webhooks.SIGNATURE],
        kind=kind[:_MAX_KIND_LENGTH],
        about=about,
        payload={
            **event,
            "happened_at": request.headers.get(prolific_webhooks.HAPPENED_AT, "")[:40],
        },
    )
    return _said("ok", status=200)


def _length(request: HttpRequest) -> int:
    """What the sender announces; without it the server reads nothing."""
    try:
        announced = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        announced = 0
    return max(announced, 0)


def _read(body: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(body, parse_constant=_refuse)
        # PostgreSQL keeps no NUL and no half of a surrogate pair.
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or "\\u0000" in json.dumps(content):
        return None
    return content


def _refuse(constant: str) -> None:
    """NaN and its like are no JSON, and no column takes them."""
    raise ValueError(constant)


def _said(text: str, *, status: int) -> HttpResponse:
    response = HttpResponse(f"{text}\n", status=status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response
