"""A command of `python -m scoring.neural`: it reads a request and says what it does."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoring.neural.protocol import Lines, end_with_parent
from scoring.neural.requests import object_of
from scoring.neural.workplace import Say


@dataclass(frozen=True)
class Command:
    """One command; `answer` does what a request asks for and returns what the last line says."""

    name: str
    summary: str
    description: str
    answer: Callable[[Any, Say], dict[str, Any]]
    epilog: str | None = None
    # From the name of the file to the request.
    read: Callable[[str], Any] = object_of

    def add_to(self, commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        parser = commands.add_parser(
            self.name,
            help=self.summary,
            description=self.description,
            epilog=self.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.add_argument(
            "request",
            metavar="REQUEST.json",
            help="file with the request, or - for standard input",
        )
        parser.set_defaults(run=self._run)

    def _run(self, options: argparse.Namespace) -> None:
        if options.request != "-":
            end_with_parent()
        request = self.read(options.request)
        with Lines() as lines:
            lines.done(**self.answer(request, lines.say))
