"""What gunicorn is told and does: `--config python:config.gunicorn`.

Its workers serve by config/webserver.py; it looks for what a server lacks, and for a worker.
"""

import os
import subprocess
import sys
from typing import Any

CHECKED = "LIKENESS_CHECKED"

worker_class = "config.webserver.BoundedWorker"
# Connections that the system keeps ready while all threads are busy.
backlog = 1024


def on_starting(server: Any) -> None:
    """End before a worker is forked where something is missing: each would say so again.

    In a process of its own: modules imported in this one would be those of all workers, also
    after a reload.
    """
    status = subprocess.run([sys.executable, "-c", "import config.wsgi"], check=False).returncode
    if status:
        # gunicorn leaves the file of --pid behind, and the number may be another process's soon.
        if server.pidfile:
            server.pidfile.unlink()
        sys.exit(status)
    # A worker forked later starts although the database is away just then; it will be back.
    os.environ[CHECKED] = "1"


def post_worker_init(worker: Any) -> None:
    # Not in the process that they are forked from, which has no database connection.
    from annotation.monitoring.services import worker_watch  # noqa: PLC0415 - Django is set up by now

    worker_watch.start()
