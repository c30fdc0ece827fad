"""`manage.py check_worker`: for cron, which sends a mail if this fails."""

import json
import sys
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from annotation.core.services import workers
from annotation.monitoring.services import alert_conditions, alert_sending


class Command(BaseCommand):
    help = (
        "Check whether both workers are running: the one for short jobs and the one for jobs that"
        " can take hours. The exit status is 0 if both are running, otherwise 1. If the worker for"
        " short jobs is missing, this command raises an alert in every study that is open, paused"
        " or closed, and sends the alerts that are due. Run it from cron every five minutes:"
        " nothing else notices when neither the worker nor the web server is running."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--minutes",
            type=int,
            default=5,
            help="how long a worker may be silent before it counts as missing (default: 5; a"
            " worker for long jobs gives a sign of life every half minute)",
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        within = timedelta(minutes=options["minutes"])
        is_running, is_long_running = workers.is_running(within), workers.is_long_running(within)
        if options["json"]:
            status = _as_json(is_running, workers.SHORT)
            status["long_worker"] = _as_json(is_long_running, workers.LONG)
            self.stdout.write(json.dumps(status))
        else:
            if is_running:
                self.stdout.write("A worker is running.")
            else:
                self.stderr.write(f"No worker is running; {_last_seen(workers.SHORT)}.")
            if is_long_running:
                self.stdout.write("A worker for long jobs is running.")
            else:
                self.stderr.write(
                    f"No worker for long jobs is running (--queues {settings.LONG_QUEUE}):"
                    f" measures and training jobs wait; {_last_seen(workers.LONG)}."
                )
        if not is_running:
            alert_conditions.look_for_worker()
            alert_sending.send_due()
        if not (is_running and is_long_running):
            sys.exit(1)


def _as_json(is_running: bool, mark: int) -> dict[str, Any]:
    seen = workers.last_seen(mark)
    return {"running": is_running, "last_seen": seen.isoformat() if seen else None}


def _last_seen(mark: int) -> str:
    seen = workers.last_seen(mark)
    return f"last seen {seen.isoformat(timespec='seconds')}" if seen else "none has been seen yet"
