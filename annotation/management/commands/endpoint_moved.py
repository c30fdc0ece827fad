"""`manage.py endpoint_moved ENVIRONMENT`: the same installation answers at another address now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.basics.errors import AnnotationError
from annotation.crowds.services import endpoints


class Command(BaseCommand):
    help = (
        "Take the address that an environment's name leads to now for that of its listings. Only"
        " where the same installation, with the same HITs or studies, has moved: steps in doubt"
        " are looked up there, and may be sent again where they are not found. Without --yes it"
        " only says what would change."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "environment",
            help="the name in LIKENESS_MTURK_ENDPOINTS or a variable like it",
        )
        parser.add_argument("--yes", action="store_true", help="change it")

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
            self.stdout.write("All listings are where this name leads to; nothing to change.")
        elif not options["yes"]:
            self.stdout.write(
                "Nothing was changed. If the same installation is at the new address, run this"
                " again with --yes."
            )
