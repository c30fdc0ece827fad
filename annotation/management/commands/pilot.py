"""`manage.py pilot STUDY N`: a part of a draft as a study of its own."""

from argparse import ArgumentParser
from typing import Any

from annotation.designs.services import pilots
from annotation.management.studies import StudyCommand, refusals


class Command(StudyCommand):
    help = "Draw a pilot of a draft: some of its dialogues, groups or items in a study of its own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("parts", type=int, help="how many are drawn")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            pilot = pilots.begin(study=study, n_parts=options["parts"])
        facts = {"study": study.slug, "pilot": pilot.slug, "items": pilot.items.count()}
        self.say(options, facts, f"{pilot.slug} is a pilot of {study.slug}.")
