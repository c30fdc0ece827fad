"""How many processes and threads gunicorn is told to have."""

import os
from importlib import import_module, reload

import pytest


@pytest.mark.parametrize(
    ("processors", "wanted", "workers"),
    [(1, "", 2), (8, "", 8), (64, "", 16), (8, "3", 3), (8, "40", 40), (8, "many", 8)],
)
def test_as_many_processes_as_processors_unless_the_operator_says(
    processors: int, wanted: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(processors)))
    monkeypatch.setenv("WEB_WORKERS", wanted)
    monkeypatch.setenv("WEB_THREADS", "7")

    settings = reload(import_module("config.gunicorn"))

    assert (settings.workers, settings.threads) == (workers, 7)
