"""The result of trying one assumption about a platform; each platform has its own `trial`."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.basics.errors import AnnotationError


class NotTriedError(Exception):
    """Something is not there that trying it needs; the sentence says what."""


@dataclass(frozen=True)
class Result:
    """One assumption, whether it holds (None: not tried), and what the platform said."""

    assumption: str
    holds: bool | None
    answer: str


def result_of(assumption: str, tries: Callable[[], tuple[bool, str]]) -> Result:
    """Try one assumption. Raises nothing that a platform may cause."""
    try:
        holds, words = tries()
    except NotTriedError as error:
        return Result(assumption, None, str(error))
    except AnnotationError as error:
        return Result(assumption, False, str(error.message))
    return Result(assumption, holds, words)
