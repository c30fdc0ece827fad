"""`manage.py endpoint_moved ENVIRONMENT`: the same installation now has another address."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.basics.errors import AnnotationError
from annotation.crowds.services import endpoints


class Command(BaseCommand):
    help = (
        "Give the listings of an environment the address that its name now points to. Do this only"
        " if the same installation, with the same HITs or studies, has moved. Likeness looks up"
        " uncertain steps at the new address, and can send a step again that it does not find"
        " there. Without --yes, the command only prints what would change."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "environment",
            help="name of the endpoint in LIKENESS_MTURK_ENDPOINTS, LIKENESS_PROLIFIC_ENDPOINTS or"
            " LIKENESS_CONNECT_ENDPOINTS",
        )
        parser.add_argument("--yes", action="store_true", help="change the addresses")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            moves = endpoints.moves(options["environment"])
        except AnnotationError as error:
            raise CommandError(error.message) from error
        for move in moves:
            listing = move.listing
            if options["yes"] and not endpoints.follow(move):
                continue
            self.stdout.write(
                f"{listing.study.slug}\tlisting {listing.number} ({listing.platform})"
                f"\t{move.before} -> {move.after}"
            )
        if not moves:
            self.stdout.write(
                "All listings already have the address of this name. There is nothing to change."
            )
        elif not options["yes"]:
            self.stdout.write(
                "Nothing was changed. If the same installation is at the new address, run this"
                " again with --yes."
            )
