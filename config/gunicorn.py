"""What gunicorn is told and does: `--config python:config.gunicorn`.

Its workers serve by config/webserver.py; it looks for what a server lacks, and for a worker.
"""

import gc
import os
import signal
from importlib import import_module
from typing import Any

from django.conf import settings
from django.template import engines

# With two threads each they need 32 of PostgreSQL's 100 connections.
MAX_WORKERS = 16


def _number(name: str, *, default: int) -> int:
    """What is no number is refused by config/checks.py, in a sentence."""
    value = os.environ.get(name, "")
    return int(value) if value.isdecimal() else default


worker_class = "config.webserver.BoundedWorker"
workers = _number("WEB_WORKERS", default=min(MAX_WORKERS, max(2, len(os.sched_getaffinity(0)))))
threads = _number("WEB_THREADS", default=2)
# Connections that the system keeps ready while all threads are busy.
backlog = 1024
# Before its workers are forked, which then share it and serve at once. Where a server lacks
# something, config/wsgi.py ends this process first.
preload_app = True


def when_ready(server: Any) -> None:
    _share_what_is_loaded()


def pre_fork(server: Any, worker: Any) -> None:
    """Load the researchers' pages once the first worker answers annotators.

    The other workers share what is loaded here. The first one, which does not, makes room for
    another one when it has answered what it was asked.
    """
    if worker.age == 2:
        import_module(settings.ROOT_URLCONF)
        engines.all()
        _share_what_is_loaded()
        server.kill_workers(signal.SIGTERM)


def _share_what_is_loaded() -> None:
    # It stays to the end; left alone by the collector, its memory stays shared.
    gc.collect()
    gc.freeze()


def post_worker_init(worker: Any) -> None:
    # Only now: a thread does not outlive the fork.
    from annotation.monitoring.services import worker_watch  # noqa: PLC0415 - Django is set up by now

    worker_watch.start()
