"""What each of gunicorn's processes does beside serving: it looks whether a worker is running."""

from typing import Any


def post_worker_init(worker: Any) -> None:
    # Not in the process that they are forked from, which has no database connection.
    from annotation.services import worker_watch  # noqa: PLC0415 - Django is set up by now

    worker_watch.start()
