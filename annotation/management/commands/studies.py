"""List the studies: the short name that commands take, and the title that pages show."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from annotation.models import Study


class Command(BaseCommand):
    help = "List the studies: short name, state, kind, owner, number of the pages, title."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a list in JSON")
        parser.add_argument(
            "--archived", action="store_true", help="list only the studies in the archive"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        archived = Study.objects.archived()
        chosen = archived if options["archived"] else Study.objects.listed()
        if not options["archived"] and (n := archived.count()):
            self.stderr.write(
                f"Archived studies: {n}. To list them, add --archived.", style_func=str
            )
        rows: list[dict[str, object]] = [
            {
                "study": study.slug,
                "state": study.state,
                "kind": study.kind,
                "owner": study.owner.get_username(),
                "number": study.pk,
                "title": study.title,
            }
            for study in chosen.select_related("owner").order_by("slug")
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        if not rows:
            if options["archived"]:
                self.stderr.write("No study is archived.", style_func=str)
            elif not Study.objects.exists():
                self.stderr.write("There are no studies yet.", style_func=str)
            return
        self.stdout.write("\t".join(rows[0]))
        for row in rows:
            self.stdout.write("\t".join(map(str, row.values())))
