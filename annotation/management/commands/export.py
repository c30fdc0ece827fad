"""`manage.py export STUDY`: writes one ZIP with items, scores, answers and facts of the study."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any, get_args

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import POPULATIONS
from annotation.items.services import lexical
from annotation.kinds.exports.options import ExportOptions
from annotation.management.studies import STUDY_HELP, study_named
from annotation.releases.exports import archive
from annotation.results import exports as label_studio
from scoring.ratings.context_effects import ChosenTest


class Command(BaseCommand):
    help = "Export a study as one ZIP."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "--output", help="file to write, or - for standard output (default: STUDY.zip)"
        )
        parser.add_argument(
            "--format",
            choices=("tsv", "label-studio"),
            default="tsv",
            help="tsv: everything, as TSV (default); label-studio: the counted answers, as tasks"
            " of Label Studio",
        )
        parser.add_argument(
            "--source",
            choices=POPULATIONS,
            default="people",
            help="answers of people (real and imported; default) or of simulated people",
        )
        parser.add_argument(
            "--spreadsheet",
            action="store_true",
            help="put an apostrophe before texts that a spreadsheet would take for formulas",
        )

        of_ratings = parser.add_argument_group("rating studies")
        of_ratings.add_argument(
            "--context-sentences",
            type=int,
            default=ExportOptions.context_sentences,
            metavar="N",
            help="turns (sentences of a document, utterances of a dialogue) before and after the"
            " rated one in the test files (default: 2)",
        )
        of_ratings.add_argument(
            "--level",
            type=float,
            default=ExportOptions.level,
            help="significance level for effects of context (default: 0.05)",
        )
        of_ratings.add_argument(
            "--corrected",
            action="store_true",
            help="use p-values with the Benjamini-Hochberg correction",
        )
        of_ratings.add_argument(
            "--test",
            choices=get_args(ChosenTest),
            default=ExportOptions.test,
            help="t-test of the effect of context (default: auto, the test of the latest result)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        population = options["source"]
        try:
            of_ratings = ExportOptions.of(options)
        except AnnotationError as error:
            raise CommandError(error.message) from error
        if note := counted_answers.other_population_only(study, population):
            self.stderr.write(note, style_func=str)
        is_foreign = options["format"] == "label-studio"
        if not is_foreign and study.items.exists():
            # As before a release, so that the same tables are in both.
            lexical.bring_up_to_date(study)

        def write(file: IO[bytes]) -> None:
            if is_foreign:
                label_studio.write(study, population, file)
                return
            archive.write_archive(
                study, population, file, spreadsheet=options["spreadsheet"], options=of_ratings
            )

        if options["output"] == "-":
            write(sys.stdout.buffer)
            return
        ending = "-label-studio" if is_foreign else ""
        path = Path(options["output"] or f"{study.slug}{ending}.zip")
        # Write a temporary file and rename it, so that the name never has half a file.
        part = path.with_name(f"{path.name}.part{os.getpid()}")
        try:
            with part.open("wb") as file:
                write(file)
            part.replace(path)
        except AnnotationError as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)
        self.stdout.write(f"Wrote {path}.")
