"""What a platform said is kept as it said it, in the words that a column takes."""

import json
from math import isfinite
from typing import Any

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import stored
from annotation.core.platforms.base import Sent
from annotation.models import Intent, PlatformEvent


def record_call(intent: Intent, kind: str, payload: dict[str, Any], *, call: str = "send") -> None:
    """Keep what the platform said, before anything is concluded from it."""
    PlatformEvent.objects.create(
        listing_id=intent.listing_id,
        visit_id=intent.visit_id,
        intent=intent,
        source=PlatformEvent.Source.CALL,
        kind=f"{call}: {kind}",
        payload=plain(payload),
        seen_at=clock.now(),
    )


def of_error(error: AnnotationError) -> dict[str, Any]:
    """What is kept of a call that failed."""
    return {"error": type(error).__name__, "said": stored(error.said[0])}


def of_sent(sent: Sent) -> dict[str, Any]:
    """What is kept of a call that was answered."""
    content: dict[str, Any] = {"remote_id": sent.remote_id, "answer": dict(sent.answer)}
    if sent.ticket:
        content["ticket"] = {"remote_id": sent.ticket.remote_id, "n_places": sent.ticket.n_places}
    return content


def plain(content: Any) -> Any:
    """As JSON keeps it: times and amounts become texts, and so does what no column takes."""
    return _storable(json.loads(json.dumps(content, default=str)))


def _storable(content: Any) -> Any:
    if isinstance(content, dict):
        return {_storable(key): _storable(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_storable(each) for each in content]
    if isinstance(content, str):
        # PostgreSQL keeps no NUL and no half of a surrogate pair.
        return content.replace("\x00", "\ufffd").encode(errors="replace").decode()
    if isinstance(content, float) and not isfinite(content):
        return str(content)
    return content
