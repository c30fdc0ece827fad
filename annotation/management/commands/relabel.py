"""`manage.py relabel STUDY FILE --reason …`: changes domains, sources and other metadata."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.items.imports import relabels
from annotation.items.services import relabellings
from annotation.items.services.relabellings import Comparison
from annotation.management.studies import STUDY_HELP, study_named


class Command(BaseCommand):
    help = (
        "Change domains, sources and other metadata of items or contexts. Each change is logged"
        " with its reason."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "file",
            type=Path,
            help="TSV or CSV: a column id (or item, or context) and the columns to change",
        )
        parser.add_argument(
            "--reason", default="", help="reason for the changes; needed without --dry-run"
        )
        parser.add_argument(
            "--by", help="user name of the person who makes the changes (default: the owner)"
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would change, and change nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        study = study_named(options["study"])
        if not path.is_file():
            raise CommandError(f"{path}: no such file")
        by = study.owner
        if options["by"]:
            named = User.objects.filter(username=options["by"]).first()
            if named is None:
                raise CommandError(f"There is no user {options['by']!r}.")
            by = named
        if not options["dry_run"] and not options["reason"].strip():
            raise CommandError("Give the reason for the changes: --reason.")
        try:
            wanted = relabels.read(path, limit_bytes=settings.IMPORT_LIMIT_BYTES)
            if options["dry_run"]:
                comparison = relabellings.compare(study=study, wanted=wanted)
                comparison.problems.raise_if_any()
                if options["json"]:
                    changes = [
                        {"key": c.row.key, "field": c.field, "before": c.before, "after": c.after}
                        for c in comparison.changes
                    ]
                    facts = {"study": study.slug, "would_change": changes}
                    self.stdout.write(json.dumps(facts, ensure_ascii=False))
                    return
                for line in _lines(comparison):
                    self.stdout.write(line)
                return
            made = relabellings.relabel(
                study=study, wanted=wanted, reason=options["reason"], by=by
            )
        except AnnotationError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            done: dict[str, Any] = {
                "study": study.slug,
                "changed": made.n_changed,
                "same": made.n_same,
            }
            self.stdout.write(json.dumps(done))
            return
        changed = "1 value" if made.n_changed == 1 else f"{made.n_changed} values"
        self.stdout.write(f"{changed} changed; already correct: {made.n_same}.")


def _lines(comparison: Comparison) -> Iterator[str]:
    for change in comparison.changes:
        before, after = (
            "(nothing)" if value is None else relabellings.written(value)
            for value in (change.before, change.after)
        )
        yield f"{change.row.key}: {change.field}: {before} -> {after}"
