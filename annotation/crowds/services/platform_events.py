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
    said: dict[str, Any] = {"remote_id": sent.remote_id, "answer": dict(sent.answer)}
    if sent.ticket:
        said["ticket"] = {"remote_id": sent.ticket.remote_id, "n_places": sent.ticket.n_places}
    return said


def plain(said: Any) -> Any:
    """As JSON keeps it: times and amounts become texts, and so does what no column takes."""
    return _storable(json.loads(json.dumps(said, default=str)))


def _storable(said: Any) -> Any:
    if isinstance(said, dict):
        return {_storable(key): _storable(value) for key, value in said.items()}
    if isinstance(said, list):
        return [_storable(one) for one in said]
    if isinstance(said, str):
        # PostgreSQL keeps no NUL and no half of a surrogate pair.
        return said.replace("\x00", "\ufffd").encode(errors="replace").decode()
    if isinstance(said, float) and not isfinite(said):
        return str(said)
    return said
