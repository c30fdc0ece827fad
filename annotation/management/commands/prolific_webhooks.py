"""`manage.py prolific_webhooks WORKSPACE`: have Prolific tell us when something happens."""

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
        "Subscribe to Prolific's events of a workspace. The workspace's secret must be in the"
        " environment (PROLIFIC_WEBHOOK_SECRET), and LIKENESS_PUBLIC_URL says where we are"
        " reached. Doing it again is harmless."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Prolific's id of the workspace")
        parser.add_argument(
            "--environment",
            default=PRODUCTION,
            help="the name of an endpoint in LIKENESS_PROLIFIC_ENDPOINTS; without it Prolific's",
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
