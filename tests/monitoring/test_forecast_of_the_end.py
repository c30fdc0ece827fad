"""When a study will be complete, as the live page says it."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.monitoring.pages.end_of_collection import end_in_words

EARLIEST = datetime(2026, 11, 29, 6, 17, tzinfo=UTC)


def _figures(latest: datetime | None) -> Any:
    return SimpleNamespace(end=SimpleNamespace(reason="", earliest=EARLIEST, latest=latest))


@pytest.mark.parametrize(
    ("latest", "has_minutes"),
    [
        (EARLIEST + timedelta(hours=5), True),
        (EARLIEST + timedelta(days=6), False),
        (None, False),
    ],
)
def test_minutes_are_given_only_for_a_short_range(
    latest: datetime | None, has_minutes: bool
) -> None:
    sentence = end_in_words(_figures(latest))

    assert "2026-11-29" in sentence
    assert ("06:17" in sentence) == has_minutes
