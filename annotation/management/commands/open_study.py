"""Open a study: let people in, and freeze the design the first time."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnnotationError
from annotation.forms.studies import placeholders
from annotation.models import Study
from annotation.services import studies


class Command(BaseCommand):
    help = "Open a study. The first time, this freezes its design."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name (slug)")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        try:
            studies.open_study(study=study)
        except AnnotationError as error:
            raise CommandError(error.message) from error
        for missing in placeholders(studies.current_consent(study).text):
            self.stderr.write(f"Still to be filled in, in the consent text: {missing}")
        self.stdout.write(f"{study.slug} is open.")
