"""What the commands about one study share: its name, and their answer as a sentence or as JSON.

Every command ends with 0 when it did what was asked, 1 when that was refused (standard error says
why and what helps), and 2 when its arguments are wrong.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnnotationError
from annotation.models import Study


class StudyCommand(BaseCommand):
    """A command about one study."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name (slug)")
        parser.add_argument("--json", action="store_true", help="say what was done as JSON")

    def study_of(self, options: Mapping[str, Any]) -> Study:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        return study

    def say(self, options: Mapping[str, Any], facts: Mapping[str, Any], sentence: str) -> None:
        """The same, for a program or for a person."""
        text = json.dumps(facts, ensure_ascii=False) if options["json"] else sentence
        self.stdout.write(text)


@contextmanager
def refusals() -> Iterator[None]:
    """A rule's refusal is the command's."""
    try:
        yield
    except AnnotationError as error:
        raise CommandError(error.message) from error
