"""`manage.py check_platform prolific|mturk|connect`: checks what Likeness assumes of a"
" platform."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.basics.errors import AnnotationError
from annotation.crowds.platforms.connect import environments as connect
from annotation.crowds.platforms.connect.trial import Trial as ConnectTrial
from annotation.crowds.platforms.installations import PRODUCTION
from annotation.crowds.platforms.mturk import environments as mturk
from annotation.crowds.platforms.mturk.trial import Trial as MTurkTrial
from annotation.crowds.platforms.prolific import environments as prolific
from annotation.crowds.platforms.prolific.trial import Trial as ProlificTrial

_WORDS = {True: "holds", False: "DOES NOT HOLD", None: "not tried"}


class Command(BaseCommand):
    help = (
        "Check what Likeness assumes about a platform, with the account whose credentials are in"
        " the environment. The check costs nothing, and workers see nothing of it. It creates"
        " drafts on Prolific and CloudResearch Connect, and on Mechanical Turk a qualification"
        " and, outside production, one HIT. It then removes them as far as the platform allows."
        " Run it once before the first study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "platform", choices=["prolific", "mturk", "connect"], help="platform to check"
        )
        parser.add_argument(
            "--environment",
            default=PRODUCTION,
            help=(
                "name of an endpoint in LIKENESS_PROLIFIC_ENDPOINTS, LIKENESS_MTURK_ENDPOINTS or"
                " LIKENESS_CONNECT_ENDPOINTS, or sandbox for that of Mechanical Turk (default:"
                " the platform itself)"
            ),
        )
        parser.add_argument(
            "--workspace",
            default="",
            help="id of a Prolific workspace; needed to check participant groups",
        )
        parser.add_argument(
            "--email",
            default="",
            help="e-mail address that Prolific does not know yet; needed to check a test study,"
            " which costs nothing. The test participant and the study stay on Prolific",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            trial = _trial(**options)
        except AnnotationError as error:
            raise CommandError(error.message) from error
        n_wrong = 0
        for result in trial.results():
            n_wrong += result.holds is False
            answer = f" ({result.answer})" if result.answer else ""
            self.stdout.write(f"{_WORDS[result.holds]:<14}{result.assumption}{answer}")
        if n_wrong:
            raise CommandError(
                f"Assumptions that do not hold: {n_wrong}. Tell the maintainers before you publish"
                " a study; all assumptions are in annotation/crowds/platforms/assumptions.py."
            )


def _trial(
    platform: str, environment: str, workspace: str, email: str, **_others: Any
) -> ProlificTrial | MTurkTrial | ConnectTrial:
    """Raises AnnotationError without credentials: their absence is no assumption that fails."""
    if platform == "mturk":
        return MTurkTrial(mturk.installation(environment))
    if platform == "connect":
        here = connect.installation(environment)
        _token = here.token
        return ConnectTrial(here)
    where = prolific.installation(environment)
    _token = where.token
    return ProlificTrial(where, workspace=workspace, email=email)
