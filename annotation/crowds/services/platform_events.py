"""What a platform said is kept as it said it, in the words that a column takes."""

import json
from math import isfinite
from typing import Any

from annotation.basics import clock
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
