"""`manage.py check_worker`: for cron, which writes to whoever reads its mail when this fails."""

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
        "Say whether the workers are running, the one for short jobs and the one for what may take"
        " hours. Exit code 0: both; 1: one is missing. Where the first is, the alert of it is"
        " raised in every study that is watched, and what waits to be sent is sent, by this"
        " process. Run it from cron every five minutes: it is the only watcher that sees when"
        " neither the worker nor the web server runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--minutes",
            type=int,
            default=5,
            help="how long a worker may have been silent (default: 5; the one for long jobs is"
            " asked every half minute)",
        )
        parser.add_argument("--json", action="store_true", help="for scripts")

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
                    f" measures and trainings wait; {_last_seen(workers.LONG)}."
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
    return f"last seen {seen.isoformat(timespec='seconds')}" if seen else "none was seen"
