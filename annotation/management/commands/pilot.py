"""`manage.py pilot STUDY N`: copies a random part of a draft to a study of its own."""

from argparse import ArgumentParser
from typing import Any

from annotation.designs.services import pilots
from annotation.management.studies import StudyCommand, refusals


class Command(StudyCommand):
    help = (
        "Make a pilot of a draft: a new study with some of its dialogues, groups or items, drawn"
        " at random."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("parts", type=int, help="number of dialogues, groups or items to draw")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            pilot = pilots.begin(study=study, n_parts=options["parts"])
        facts = {"study": study.slug, "pilot": pilot.slug, "items": pilot.items.count()}
        self.say(options, facts, f"{pilot.slug} is a pilot of {study.slug}.")
