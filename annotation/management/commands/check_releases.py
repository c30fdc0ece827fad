"""`manage.py check_releases`: checks that the files of all releases are there and unaltered."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Release
from annotation.releases.services import releases


class Command(BaseCommand):
    help = (
        "Check that the file of every release is there and has its checksum. The exit status is 1"
        " if a file is missing or altered."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        n_good, wrong = 0, []
        for release in Release.objects.select_related("study").order_by("study__slug", "number"):
            if problem := releases.problem(release):
                wrong.append(f"{release.study.slug}: {problem}")
            else:
                n_good += 1
        for name in releases.strangers():
            self.stderr.write(f"{name}: this file belongs to no release.", style_func=str)
        if wrong:
            raise CommandError("\n".join(wrong))
        releases_are = "1 release is" if n_good == 1 else f"{n_good} releases are"
        self.stdout.write(f"{releases_are} unaltered.")
