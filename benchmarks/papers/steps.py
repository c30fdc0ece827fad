"""One step of a paper's study, and the ways to run it."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command

# Whom annotators can ask, as `open_study` wants it.
CONTACT = ("--contact", "Ada Example, ada@example.org")


@dataclass(frozen=True)
class Step:
    """What a researcher or the annotators do; its name stands in the table of `make papers`."""

    name: str
    run: Callable[[], object]
    # Preparing what comes from elsewhere in a real study (files, answers) is not measured.
    is_measured: bool = True
    # Only training may take longer than a minute.
    is_training: bool = False


def command(name: str, *arguments: object, **options: Any) -> str:
    """Run one command of manage.py in this process and return what it printed."""
    printed = io.StringIO()
    call_command(name, *map(str, arguments), stdout=printed, **options)
    return printed.getvalue()


def of_command(step_name: str, name: str, *arguments: object, **kinds: bool) -> Step:
    """A step that is one command, such as of_command("score", "score", "giccs")."""
    return Step(step_name, lambda: command(name, *arguments), **kinds)


def at_scale(full_size: int, scale: float, *, minimum: int = 1, multiple_of: int = 1) -> int:
    """Return a count of the paper at this scale, rounded to a multiple that the design needs."""
    return max(round(full_size * scale / multiple_of) * multiple_of, minimum)


Steps = Callable[[Path, float], list[Step]]
