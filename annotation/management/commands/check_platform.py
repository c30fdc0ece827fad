"""`manage.py check_platform prolific`: whether a platform is as Likeness assumes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.basics.errors import AnnotationError
from annotation.crowds.platforms.prolific.environments import PRODUCTION, installation
from annotation.crowds.platforms.prolific.trial import Trial

_WORDS = {True: "holds", False: "DOES NOT HOLD", None: "not tried"}


class Command(BaseCommand):
    help = (
        "Try what Likeness assumes of a platform, with the account whose token is in the"
        " environment (PROLIFIC_TOKEN): it makes drafts, which cost nothing and which nobody"
        " sees, and removes them again. Run it once before the first study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("platform", choices=["prolific"])
        parser.add_argument(
            "--environment",
            default=PRODUCTION,
            help="the name of an endpoint in LIKENESS_PROLIFIC_ENDPOINTS; without it Prolific's",
        )
        parser.add_argument("--workspace", default="", help="to try participant groups in it")
        parser.add_argument(
            "--email", default="", help="of a test participant, for a study that costs nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            where = installation(options["environment"])
            _token = where.token  # its absence is no assumption that fails
        except AnnotationError as error:
            raise CommandError(error.message) from error
        n_wrong = 0
        trial = Trial(where, workspace=options["workspace"], email=options["email"])
        for result in trial.results():
            n_wrong += result.holds is False
            answer = f" ({result.answer})" if result.answer else ""
            self.stdout.write(f"{_WORDS[result.holds]:<14}{result.assumption}{answer}")
        if n_wrong:
            raise CommandError(
                f"Assumptions that do not hold: {n_wrong}. Tell the maintainers before you publish"
                " a study; all assumptions are in annotation/crowds/platforms/assumptions.py."
            )
