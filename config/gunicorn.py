"""What gunicorn is told and does: `--config python:config.gunicorn`.

Its workers serve by config/webserver.py; it looks for what a server lacks, and for a worker.
"""

import gc
from typing import Any

worker_class = "config.webserver.BoundedWorker"
# Connections that the system keeps ready while all threads are busy.
backlog = 1024
# Before its workers are forked, which then share it and serve at once. Where a server lacks
# something, config/wsgi.py ends this process first.
preload_app = True


def when_ready(server: Any) -> None:
    # What is loaded by now stays to the end; left alone by the collector, it stays shared.
    gc.collect()
    gc.freeze()


def post_worker_init(worker: Any) -> None:
    # Only now: a thread does not outlive the fork.
    from annotation.monitoring.services import worker_watch  # noqa: PLC0415 - Django is set up by now

    worker_watch.start()
