"""`manage.py prolific_webhooks WORKSPACE`: subscribes to the events of a workspace."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from annotation.basics.errors import AnnotationError
from annotation.crowds.platforms.installations import PRODUCTION
from annotation.crowds.platforms.prolific.environments import installation
from annotation.crowds.platforms.prolific.subscriptions import EVENT_TYPES, subscribe


class Command(BaseCommand):
    help = (
        "Subscribe to Prolific's events of a workspace. This needs the workspace's secret in"
        " PROLIFIC_WEBHOOK_SECRET and the public address of Likeness in LIKENESS_PUBLIC_URL. You"
        " can repeat the command without harm."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Prolific's id of the workspace")
        parser.add_argument(
            "--environment",
            default=PRODUCTION,
            help="name of an endpoint in LIKENESS_PROLIFIC_ENDPOINTS (default: Prolific itself)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        environment = options["environment"]
        if not settings.PUBLIC_URL:
            raise CommandError("Set LIKENESS_PUBLIC_URL: Prolific must know where to send events.")
        named = [] if environment == PRODUCTION else [environment]
        target = settings.PUBLIC_URL + reverse("annotator:prolific-webhook", args=named)
        try:
            where = installation(environment)
            for event_type in EVENT_TYPES:
                made = subscribe(
                    where,
                    event_type=event_type,
                    target_url=target,
                    workspace=options["workspace"],
                )
                self.stdout.write(f"{made.event_type}\t{made.target_url}\t{made.id}")
        except AnnotationError as error:
            raise CommandError(error.message) from error
