"""Who looks whether a worker is running: the web server, for no worker could say that of itself.

One thread in each process that serves pages looks once a minute, and touches no page: nobody waits
for it. Where neither runs, `manage.py check_worker` from cron is left.
"""

import logging
import threading
import time

from django.db import DatabaseError, close_old_connections

from annotation.core.services import workers
from annotation.monitoring.services import alert_conditions, alert_sending

logger = logging.getLogger("annotation.alerts")

EVERY_SECONDS = 60.0


def start() -> None:
    """Begin to look, in the background, until the process ends."""
    threading.Thread(target=_watch, name="worker watch", daemon=True).start()


def _watch() -> None:
    while True:
        time.sleep(EVERY_SECONDS)
        try:
            look()
        except DatabaseError as error:
            # A database that is away comes back, and is then asked again.
            logger.warning("the worker could not be looked for: %s", type(error).__name__)
        finally:
            close_old_connections()


def look() -> None:
    """Raise the alert if no worker is, and send what no worker sends."""
    if workers.is_running(alert_conditions.WORKER_SILENT):
        return
    alert_conditions.look_for_worker()
    alert_sending.send_due()
