"""What `manage.py COMMAND --help` explains."""

import argparse
from collections.abc import Iterator
from dataclasses import fields

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandParser

from annotation.releases.release_description import Description

# Django's own command with a changed output.
OURS = sorted(
    name for name, app in get_commands().items() if app == "annotation" and name != "makemessages"
)


def parser_of(name: str) -> CommandParser:
    return load_command_class("annotation", name).create_parser("manage.py", name)


def arguments_of(parser: CommandParser) -> Iterator[argparse.Action]:
    return (action for action in parser._actions if action.help is not argparse.SUPPRESS)


@pytest.mark.parametrize("name", OURS)
def test_every_command_explains_itself_and_all_its_arguments(name: str) -> None:
    parser = parser_of(name)

    assert parser.description
    assert [action.dest for action in arguments_of(parser) if not action.help] == []
    # A percent sign that is not doubled would end it with an error.
    assert parser.format_help()


@pytest.mark.parametrize("name", ["baseline", "compare_measures", "release"])
def test_the_help_wraps_its_text_and_keeps_its_list(name: str, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = parser_of(name)

    printed = parser.format_help()

    assert parser.description
    assert parser.epilog
    assert parser.description not in printed
    assert parser.epilog in printed


def test_the_help_of_release_names_every_field_of_a_description() -> None:
    listed = parser_of("release").epilog or ""

    assert [field.name for field in fields(Description) if field.name not in listed] == []
