"""`manage.py import_items STUDY FILE`: items from a file, all of them or none."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.core.services import jobs
from annotation.items.imports import columns
from annotation.items.services import imports
from annotation.management.own_jobs import Progress, import_here
from annotation.management.studies import STUDY_HELP
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import imported_studies, studies


class Command(BaseCommand):
    help = (
        "Import items or incidents into a draft study. They replace those that it has, unless"
        " --add is given."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument("file", type=Path, help="JSON Lines, TSV, CSV, or one item per line")
        parser.add_argument(
            "--add", action="store_true", help="keep the present items and add those of the file"
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="ROLE=COLUMN",
            help="role of a column whose name does not show it, such as target=answer1;"
            " metadata=COLUMN keeps a column as metadata, leave_out=COLUMN drops it; give the"
            " option once for each column",
        )
        parser.add_argument(
            "--imported",
            action="store_true",
            help="mark the study as imported: its values were collected elsewhere, and nobody"
            " answers it here",
        )
        parser.add_argument("--json", action="store_true", help="print the summary as JSON")
        add_making_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path}: no such file")
        try:
            column_roles = columns.parse(options["column"])
        except AnnotationError as error:
            raise CommandError(f"--column: {error.message}") from error
        study, is_new = find_or_make_study(options)

        def work(run: jobs.Run, progress: Progress) -> imports.ImportedItems:
            return imports.import_items(
                study=study,
                path=path,
                filename=path.name,
                add=options["add"],
                columns=column_roles,
                will_be_imported=options["imported"],
                progress=progress,
                run=run,
            )

        try:
            if options["imported"] and not study.is_imported:
                imported_studies.refuse_marking(study)
            imported = import_here(self, study, work)
            if options["imported"]:
                study = imported_studies.mark(study=study)
        except (AnnotationError, CommandError) as error:
            if is_new:
                study.delete()  # all or nothing
            # A job that was run here has made a CommandError of its refusal.
            if isinstance(error.__cause__ or error, columns.UnknownColumnsError):
                remedy = (
                    "Name the column with --column ROLE=COLUMN, such as --column target=answer1."
                )
                raise CommandError(f"{error}\n{remedy}") from error
            if isinstance(error, CommandError):
                raise
            raise CommandError(error.message) from error
        summary = {"study": study.slug, "state": study.state, **asdict(imported)}
        if options["json"]:
            self.stdout.write(json.dumps(summary))
        else:
            self.stdout.write(f"{_counted(imported)} imported into {study.slug}.")


def _counted(imported: imports.ImportedItems) -> str:
    if imported.n_incidents:
        incidents = "incident" if imported.n_incidents == 1 else "incidents"
        return f"{imported.n_incidents} {incidents} with {imported.n_contexts} texts"
    items = "item" if imported.n_items == 1 else "items"
    pools = "pool" if imported.n_pools == 1 else "pools"
    return f"{imported.n_items} {items} in {imported.n_pools} {pools}"


def add_making_arguments(parser: ArgumentParser) -> None:
    making = parser.add_argument_group("if the study does not exist")
    making.add_argument("--create", action="store_true", help="create the study")
    making.add_argument("--title", help="title of the study (default: its short name)")
    # A review takes its items from a scored study.
    names = sorted(key for key, preset in presets.PRESETS.items() if not preset.review)
    making.add_argument(
        "--preset",
        choices=names,
        default="best-worst",
        help="preset of its parameters and texts (default: best-worst)",
    )
    making.add_argument("--language", default="en", help="language of the texts (default: en)")
    making.add_argument(
        "--owner",
        help="user name of the researcher who owns it; needed unless there is exactly one"
        " superuser",
    )


def find_or_make_study(options: dict[str, Any]) -> tuple[Study, bool]:
    """The study that a command names, and whether it was made just now."""
    slug = options["study"]
    if study := Study.objects.filter(slug=slug).first():
        return study, False
    if not options["create"]:
        raise CommandError(f"There is no study {slug!r}. To create it, add --create.")
    try:
        Study._meta.get_field("slug").run_validators(slug)
    except ValidationError as error:
        raise CommandError(f"{slug}: {' '.join(error.messages)}") from error
    study = studies.create(
        owner=_owner(options["owner"]),
        title=options["title"] or slug,
        language=options["language"],
        preset=options["preset"],
        slug=slug,
    )
    return study, True


def _owner(username: str | None) -> User:
    if username:
        owner = User.objects.filter(username=username).first()
        if owner is None:
            raise CommandError(f"There is no user {username!r}.")
        return owner
    superusers = list(User.objects.filter(is_superuser=True, is_active=True)[:2])
    if len(superusers) != 1:
        raise CommandError("Name the researcher who will own the study: --owner USERNAME.")
    return superusers[0]
