"""`manage.py relabel STUDY FILE --reason …`: domains, sources and other labels by a table."""

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
from annotation.management.studies import study_named


class Command(BaseCommand):
    help = "Change what is known of items or contexts; each change is logged with its reason."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name, as in its address")
        parser.add_argument(
            "file",
            type=Path,
            help="TSV or CSV: a column id (or item, or context) and the columns to change",
        )
        parser.add_argument("--reason", default="", help="why; it is kept with each change")
        parser.add_argument(
            "--by", help="user name of who changes it (default: the study's owner)"
        )
        parser.add_argument("--json", action="store_true", help="say what was done as JSON")
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would change, and change nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        study = study_named(options["study"])
        if not path.is_file():
            raise CommandError(f"{path}: there is no such file")
        by = study.owner
        if options["by"]:
            named = User.objects.filter(username=options["by"]).first()
            if named is None:
                raise CommandError(f"there is no user {options['by']}")
            by = named
        if not options["dry_run"] and not options["reason"].strip():
            raise CommandError("say why: --reason")
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
        same = "1 was" if made.n_same == 1 else f"{made.n_same} were"
        self.stdout.write(f"{changed} changed, {same} as wanted already.")


def _lines(comparison: Comparison) -> Iterator[str]:
    for change in comparison.changes:
        before, after = (
            "(nothing)" if value is None else relabellings.written(value)
            for value in (change.before, change.after)
        )
        yield f"{change.row.key}: {change.field}: {before} -> {after}"
