"""When a study will be complete, as the live page says it."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.monitoring.pages.end_of_collection import end_in_words
from annotation.monitoring.queries import live as live_figures
from scoring.pace import Pace
from tests.support.factories import make_open_study

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


@pytest.mark.django_db
def test_an_end_that_is_more_than_a_year_away_has_no_date(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_open_study()
    never = Pace(float("inf"), float("inf"), 1.0)
    monkeypatch.setattr(live_figures, "hours_to_go", lambda *_, **__: never)
    places: Any = SimpleNamespace(total=10, done=5, free=5)
    tally: Any = SimpleNamespace(
        began_at=EARLIEST - timedelta(days=3), counted_at=EARLIEST, completed=[]
    )

    end = live_figures._end(study, study.design, places, tally)

    assert (end.reason, end.earliest, end.latest) == ("never", None, None)
    shown: Any = SimpleNamespace(end=end)
    assert "year" in end_in_words(shown)
