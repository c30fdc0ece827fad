"""`manage.py mark_imported STUDY`: its values were collected elsewhere."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.studies import StudyCommand, refusals
from annotation.studies.services import imported_studies


class Command(StudyCommand):
    help = "Mark a draft as imported: its values were collected elsewhere; nobody can answer it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--undo", action="store_true", help="make the study a draft again")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            study = (imported_studies.unmark if options["undo"] else imported_studies.mark)(
                study=study
            )
        facts = {"study": study.slug, "state": study.state}
        self.say(options, facts, f"{study.slug} is {study.get_state_display()}.")
