"""`manage.py check_worker`: for cron, which writes to whoever reads its mail when this fails."""

import json
import sys
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.services import alert_conditions, alert_sending, workers


class Command(BaseCommand):
    help = (
        "Say whether a worker is running. Exit code 0: yes; 1: no. When there is none, the alert"
        " of it is raised in every study that is watched, and what waits to be sent is sent, by"
        " this process. Run it from cron every five minutes: it is the only watcher that sees"
        " when neither the worker nor the web server runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--minutes",
            type=int,
            default=5,
            help="how long a worker may have been silent (default: 5)",
        )
        parser.add_argument("--json", action="store_true", help="for scripts")

    def handle(self, *args: Any, **options: Any) -> None:
        seen = workers.last_seen()
        is_running = workers.is_running(timedelta(minutes=options["minutes"]))
        if options["json"]:
            figures = {"running": is_running, "last_seen": seen.isoformat() if seen else None}
            self.stdout.write(json.dumps(figures))
        elif is_running:
            self.stdout.write("A worker is running.")
        else:
            last = f"last seen {seen.isoformat(timespec='seconds')}" if seen else "none was seen"
            self.stdout.write(f"No worker is running; {last}.")
        if not is_running:
            alert_conditions.look_for_worker()
            alert_sending.send_due()
            sys.exit(1)
