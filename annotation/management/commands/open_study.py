"""Open a study: let people in, and freeze the design the first time."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from annotation.errors import StateError
from annotation.management.studies import StudyCommand, refusals
from annotation.presets import placeholders
from annotation.services import contacts, studies


class Command(StudyCommand):
    help = "Open a study, or let people in again. The first time, this freezes its design."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--contact",
            metavar="'NAME, E-MAIL'",
            help="whom people can ask: stands in the consent text then, where a plan's text has"
            " square brackets",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals(), transaction.atomic():
            if options["contact"] is not None:
                study = contacts.fill_in(study=study, contact=options["contact"])
            try:
                contacts.refuse_unfilled(study)
            except StateError as error:
                raise CommandError(f"{error.message} Or give --contact 'Name, e-mail'.") from error
            study = studies.open_study(study=study)
        missing = placeholders(studies.current_consent(study).text)
        for one in missing:
            self.stderr.write(f"Still to be filled in, in the consent text: {one}")
        facts = {"study": study.slug, "state": study.state, "to_be_filled_in": missing}
        self.say(options, facts, f"{study.slug} is open.")
