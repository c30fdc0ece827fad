"""Why something cannot be done, for whoever asks and can put it right."""

from collections.abc import Sequence

from shell.messages import Message
from shell.messages import message as _


class RefusalError(ValueError):
    """Something that whoever asks can put right; the message says what, and what to do."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class ModelError(RefusalError):
    """A model that is not there, or that may not be read; the message says what to do."""


class RequestError(RefusalError):
    """Wrong settings, data or folders; the message says what and where, and what to do."""


def check_choice(setting: str, value: object, allowed: Sequence[str]) -> None:
    """Raise RequestError if a setting has a value that is none of those allowed."""
    if value in allowed:
        return
    if len(allowed) == 2:
        raise RequestError(
            _(
                "%(setting)s is %(given)s: choose %(one)s or %(other)s",
                setting=setting,
                given=repr(value),
                one=allowed[0],
                other=allowed[1],
            )
        )
    raise RequestError(
        _(
            "%(setting)s is %(given)s: choose %(those)s",
            setting=setting,
            given=repr(value),
            those=allowed,
        )
    )


def check_whole_number(setting: str, value: object, least: int) -> None:
    """Raise RequestError if the value of a setting is no whole number, or below the least one."""
    if type(value) is not int or value < least:
        raise RequestError(
            _(
                "%(setting)s is %(given)s: choose a whole number from %(least)s",
                setting=setting,
                given=repr(value),
                least=least,
            )
        )
