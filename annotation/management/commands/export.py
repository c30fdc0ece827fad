"""`manage.py export STUDY`: one ZIP with items, scores, answers and the study's facts."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.exports import archive
from annotation.models import Study
from annotation.queries import exporting
from annotation.queries.answers import POPULATIONS


class Command(BaseCommand):
    help = "Export a study as one ZIP."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name, as in its address")
        parser.add_argument("--output", help="file to write, or - (default: STUDY.zip)")
        parser.add_argument("--source", choices=POPULATIONS, default="people")
        parser.add_argument(
            "--spreadsheet",
            action="store_true",
            help="put an apostrophe before texts that a spreadsheet would compute",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"there is no study {options['study']}")
        population = options["source"]
        if note := exporting.other_population_only(study, population):
            self.stderr.write(note, style_func=str)
        if options["output"] == "-":
            archive.write_archive(
                study, population, sys.stdout.buffer, spreadsheet=options["spreadsheet"]
            )
            return
        path = Path(options["output"] or f"{study.slug}.zip")
        # Written beside it and then renamed: no half a file under that name, whatever happens.
        part = path.with_name(f"{path.name}.part{os.getpid()}")
        try:
            with part.open("wb") as file:
                archive.write_archive(study, population, file, spreadsheet=options["spreadsheet"])
            part.replace(path)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)
        self.stdout.write(f"{path} written")
