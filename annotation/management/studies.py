"""What the commands about one study share: its name, and their answer as a sentence or as JSON.

Every command ends with 0 when it did what was asked, 1 when that was refused (standard error says
why and what helps), and 2 when its arguments are wrong.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
)

from annotation.basics.errors import AnnotationError
from annotation.models import Study

STUDY_HELP = "short name of the study, as the command studies lists it"


def study_named(slug: str) -> Study:
    """The study with this short name; else the error says which names are like it."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study {slug!r}.{_instead(slug)}")
    return study


def _instead(slug: str) -> str:
    # Pages have numbers in their addresses.
    if slug.isdecimal() and (of_page := Study.objects.filter(pk=int(slug)).first()):
        return f" The pages with this number in their address are those of {of_page.slug}."
    slugs = list(Study.objects.order_by("slug").values_list("slug", flat=True))
    by_title = Study.objects.filter(title__iexact=slug).order_by("slug")
    near = [*by_title.values_list("slug", flat=True), *get_close_matches(slug, slugs)]
    if near:
        return f" Did you mean {' or '.join(dict.fromkeys(near))}?"
    return " The command studies lists them." if slugs else " There are no studies yet."


class _HelpFormatter(DjangoHelpFormatter):
    """Wraps the description, and keeps the lines of an epilog as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


class ExplainedCommand(BaseCommand):
    """A command whose help can end with examples or a list."""

    epilog: str | None = None

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        if self.epilog:
            kwargs = {"epilog": self.epilog, "formatter_class": _HelpFormatter, **kwargs}
        return super().create_parser(prog_name, subcommand, **kwargs)


class StudyCommand(ExplainedCommand):
    """A command about one study."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def study_of(self, options: Mapping[str, Any]) -> Study:
        return study_named(options["study"])

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
