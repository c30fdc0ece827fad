"""`manage.py check_releases`: whether every release's file is there and as it was made."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Release
from annotation.releases.services import releases


class Command(BaseCommand):
    help = "Read the file of every release and compare its digest; exit code 1 if one differs."

    def handle(self, *args: Any, **options: Any) -> None:
        n_good, wrong = 0, []
        for release in Release.objects.select_related("study").order_by("study__slug", "number"):
            if problem := releases.problem(release):
                wrong.append(f"{release.study.slug}: {problem}")
            else:
                n_good += 1
        for name in releases.strangers():
            self.stderr.write(f"{name}: no release knows this file.", style_func=str)
        if wrong:
            raise CommandError("\n".join(wrong))
        self.stdout.write(
            "1 release is as it was made." if n_good == 1 else f"{n_good} releases are as made."
        )
