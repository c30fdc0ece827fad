"""`manage.py import_judgments STUDY FILE`: best-worst answers that were finished before."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnnotationError
from annotation.management.commands.import_items import (
    add_making_arguments,
    find_or_make_study,
)
from annotation.management.progress import ProgressLine
from annotation.services.imported_judgments import import_judgments


class Command(BaseCommand):
    help = (
        "Import finished answers (columns Item1..ItemK, BestItem, WorstItem; also Annotator or"
        " WorkerId, and Comment) into a draft study, which is then closed. Items are known by id"
        " or text; a study without items takes them from the file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name, as in its address")
        parser.add_argument("file", type=Path, help="CSV or TSV")
        parser.add_argument(
            "--pool-column",
            default="",
            metavar="NAME",
            help="make a pool for each value of this column; columns Source, Domain and Turns,"
            " if there are any, describe it",
        )
        parser.add_argument("--json", action="store_true", help="print the summary as JSON")
        add_making_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path}: there is no such file")
        study, is_new = find_or_make_study(options)
        line = ProgressLine(self.stderr)
        try:
            imported = import_judgments(
                study=study, path=path, pool_column=options["pool_column"], progress=line.show
            )
        except AnnotationError as error:
            line.end()
            if is_new:
                study.delete()  # all or nothing
            raise CommandError(error.message) from error
        line.end()
        if options["json"]:
            self.stdout.write(json.dumps({"study": study.slug, **asdict(imported)}))
        else:
            self.stdout.write(
                f"{imported.n_judgments} answers of {imported.n_annotators} annotators to"
                f" {imported.n_tuples} tuples imported into {study.slug}, which is closed now."
            )
