"""`make run`: what it prints of an account that is there already, and the beat it starts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.management.commands import serve
from config.beat import Scheduler
from config.celery import app
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def test_a_new_password_is_set_in_the_data_that_are_served(settings: Any, tmp_path: Path) -> None:
    make_user("researcher", is_superuser=True)
    command = ".venv/bin/python manage.py changepassword researcher)"

    settings.DATA = settings.BASE_DIR / "var"
    [usual] = serve._researcher("http://127.0.0.1:8000")
    settings.DATA = tmp_path / "of the crowd"
    [other] = serve._researcher("http://127.0.0.1:8000")

    assert usual.endswith(f": {command}")
    assert other.endswith(f": LIKENESS_DATA='{tmp_path}/of the crowd' {command}")


def test_the_beat_inside_goes_on_when_the_clock_is_put_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {}

    class Worker:
        def __init__(self, ready_callback: Callable[[None], None], **options: Any) -> None:
            self._ready_callback = ready_callback

        def start(self) -> None:
            self._ready_callback(None)

    class Service:
        def __init__(self, **options: Any) -> None:
            asked.update(options)

        def start(self, **options: Any) -> None:
            pass

    monkeypatch.setattr("celery.worker.WorkController", Worker)
    monkeypatch.setattr("celery.beat.Service", Service)
    # A new application would be the one to which later tests send their tasks.
    monkeypatch.setattr(serve, "make_app", lambda: app)
    serve._start_workers()

    assert asked["scheduler_cls"] is Scheduler
