"""What the commands of `scoring` and `tuples` have in common: wrong input costs one line.

A command reads files or its standard input, writes UTF-8 to its standard output whatever the
locale, and answers input that the caller can put right with one line on standard error and exit
status 1.
"""

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn


class InputError(Exception):
    """Something the caller can put right; the message says what and where."""


class OneLineParser(argparse.ArgumentParser):
    """Refuse bad arguments with one line, as all other input is refused."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see --help)")


def run(work: Callable[[], None], *, refusals: tuple[type[Exception], ...] = ()) -> int:
    """Do the work of a command; return its exit status.

    `refusals` are errors that, like `InputError`, mean wrong input and not a fault of ours.
    """
    expected: tuple[type[Exception], ...] = (InputError, *refusals)
    try:
        work()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`): not an error.
        _write_no_more()
    except expected as error:
        return _refuse(str(error))
    except OSError as error:
        # What is read has been named by now, so it is the output: a full disk.
        _write_no_more()
        return _refuse(f"cannot write the output: {reason(error)}")
    return 0


def _refuse(message: str) -> int:
    line = " ".join(message.splitlines())
    sys.stderr.buffer.write(f"error: {line}\n".encode(errors="backslashreplace"))
    return 1


def _write_no_more() -> None:
    # Python would flush once more at exit, and fail once more.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def seed(text: str) -> int:
    """Read a seed, as the type of an argument."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def at_least_two(text: str) -> int:
    """Read a whole number of 2 or more, as the type of an argument."""
    if not (text.isascii() and text.isdigit() and int(text) > 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 2 or more")
    return int(text)


def bytes_of(name: str) -> bytes:
    """Read a whole file, or the standard input where the name is a dash."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name}: {reason(error)}") from error


def reason(error: OSError | ValueError) -> str:
    """What the system says was wrong with a file, without its name and number."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
