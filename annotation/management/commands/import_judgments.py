"""`manage.py import_judgments STUDY FILE`: imports answers that were collected elsewhere."""

import json
from argparse import ArgumentParser
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.core.services import jobs
from annotation.items.imports.foreign.reading import FORMATS
from annotation.items.imports.foreign.roles import Roles
from annotation.items.services.finished_answers import (
    Source,
    forget_categories,
    import_finished,
    look,
)
from annotation.management.commands.import_items import (
    add_making_arguments,
    find_or_make_study,
)
from annotation.management.own_jobs import Progress, import_here
from annotation.management.progress import ProgressLine
from annotation.management.studies import STUDY_HELP
from annotation.management.written import named_values
from annotation.models import Study

# Why answers of a file do not count, by the names in its summary.
_REASONS = {
    "rejected": "rejected assignments",
    "skipped": "skipped tasks",
    "unanswered": "tasks without an answer",
    "machine": "machine answers",
    "people": "people who answered nothing",
}


class Command(BaseCommand):
    help = (
        "Import existing answers into a draft study, which then becomes an imported study. The"
        " file is a table of best-worst answers (columns Item1 to ItemK, BestItem and WorstItem;"
        " optionally Annotator or WorkerId, and Comment), or a file of Mechanical Turk, Label"
        " Studio or Potato. Items are recognised by id or text. A study without items takes them"
        " from the file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "file",
            type=Path,
            help="file as the other tool wrote it; for Potato, also its output folder",
        )
        parser.add_argument(
            "--format", choices=FORMATS, default="nrc", help="format (default: nrc, the table)"
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="ROLE=NAME",
            help="role of a field whose name does not show it: options (several, separated by"
            " commas), best, worst; id, target, candidate, answer; comment. If a task has several"
            " questions, separate their fields by semicolons",
        )
        parser.add_argument(
            "--with-rejected",
            action="store_true",
            help="also count assignments that were rejected on Mechanical Turk",
        )
        parser.add_argument(
            "--person",
            default="",
            help="whose answers they are, if the file names nobody, such as a Potato file of one"
            " person (default: the name of its folder)",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only check the file and report its contents"
        )
        parser.add_argument(
            "--pool-column",
            default="",
            metavar="NAME",
            help="make a pool for each value of this column; the columns Source, Domain and Turns,"
            " if present, describe the pool",
        )
        parser.add_argument("--json", action="store_true", help="print the summary as JSON")
        add_making_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not (path.is_file() or (path.is_dir() and options["format"] == "potato")):
            raise CommandError(f"{path}: no such file")
        is_dry = options["dry_run"]
        source = Source(
            path,
            options["format"],
            named_values(options["column"], {f.name for f in fields(Roles)}, "--column"),
            options["person"] or path.resolve().parent.name,
            options["pool_column"],
            options["with_rejected"],
        )
        study, is_new = find_or_make_study(options)
        if is_new:
            forget_categories(study)

        def work(run: jobs.Run, progress: Progress) -> dict[str, Any]:
            return import_finished(study=study, source=source, progress=progress, run=run)

        try:
            summary = self._look(study, source) if is_dry else import_here(self, study, work)
        except CommandError:
            if is_new:
                study.delete()  # all or nothing
            raise
        if is_dry and is_new:
            study.delete()
        summary = {"study": options["study"], "dry_run": is_dry, **summary}
        if options["json"]:
            self.stdout.write(json.dumps(summary))
            return
        for role, name in summary["columns"].items():
            self.stdout.write(f"{role}: {name}")
        for reason, n in summary["left_out"].items():
            self.stdout.write(f"not counted, {_REASONS.get(reason, reason)}: {n}")
        if people := summary["people_without_answers"]:
            self.stdout.write(f"people who answered nothing: {', '.join(people)}")
        if n := summary["unread_times"]:
            self.stdout.write(
                f"times that could not be read and stay empty: {n}; the first is"
                f" {summary['first_unread_time']}"
            )
        what = "tuples" if summary["n_tuples"] else "items"
        state = (
            "can be imported; nothing was stored"
            if is_dry
            else f"imported into {options['study']}"
        )
        self.stdout.write(
            f"{summary['n_judgments']} answers of {summary['n_annotators']} annotators to"
            f" {summary[f'n_{what}']} {what} {state}."
        )

    def _look(self, study: Study, source: Source) -> dict[str, Any]:
        line = ProgressLine(self.stderr)
        try:
            return look(study, source, line.show).summary
        except AnnotationError as error:
            raise CommandError(error.message) from error
        finally:
            line.end()
