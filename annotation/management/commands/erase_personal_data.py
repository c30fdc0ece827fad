"""`manage.py erase_personal_data STUDY`: erases who people were; answers and sums stay."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.management.studies import STUDY_HELP, study_named
from annotation.people.queries import retention as queries
from annotation.people.services import retention


class Command(BaseCommand):
    help = (
        "Erase the names, addresses and platform ids of a study's people (see docs/privacy.md)."
        " This cannot be undone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "--due",
            action="store_true",
            help="erase only if the storage period has ended, and if this command or the worker"
            " already saw that six hours ago or earlier, so that a wrong clock erases nothing",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would be erased, and erase nothing"
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        due_at, is_due = queries.due_at(study), queries.is_due(study)
        held, obstacles = queries.held(study), queries.obstacles(study)
        names = retention.find_names(study)
        is_wanted = not options["dry_run"] and (not options["due"] or retention.confirm_due(study))
        erased_from = queries.erased_from(study)
        erasure = None
        if is_wanted:
            try:
                erasure = retention.erase(study=study, by=None)
            except AnnotationError as error:
                raise CommandError(error.message) from error
        report = {
            "study": study.slug,
            "due_at": due_at.isoformat() if due_at else None,
            "is_due": is_due,
            "erased_from": erased_from.isoformat() if erased_from else None,
            "held": asdict(held),
            "named_in": dict(names.places),
            "releases_naming": names.releases,
            "obstacles": [str(sentence) for sentence in obstacles],
            "erased": {
                name: getattr(erasure, name) for name in ("n_people", "n_visits", "n_messages")
            }
            if erasure
            else None,
        }
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        due = f"due on {due_at:%Y-%m-%d}" if due_at else "no due date"
        self.stdout.write(
            f"{study.slug}: {due}; {held.n_people} people, {held.n_visits} visits,"
            f" {held.n_messages} messages, {held.n_reminders} addresses for reminders,"
            f" {held.n_texts} people with answers about themselves in their own words"
        )
        if erased_from:
            self.stdout.write(
                f"seen to be due; erased automatically from {erased_from:%Y-%m-%d %H:%M} UTC on"
            )
        for sentence in names.said():
            self.stdout.write(str(sentence))
        for sentence in obstacles:
            self.stdout.write(f"Cannot be erased yet: {sentence}")
        self.stdout.write(
            f"Erased: {erasure.n_people} people, {erasure.n_visits} visits,"
            f" {erasure.n_messages} messages."
            if erasure
            else "Nothing was erased."
        )
