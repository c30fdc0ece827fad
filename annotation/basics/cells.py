"""What a table holds in one place, and how moments and structures are written there."""

import json
from datetime import UTC, datetime
from typing import Any

Cell = str | int | float | None


def iso(moment: datetime | None) -> str | None:
    """In UTC, to the millisecond."""
    if moment is None:
        return None
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
