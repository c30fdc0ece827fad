"""What this package's commands share: one line for wrong input, and the certificate's file."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import NoReturn

from tuples.design import ImpossibleDesignError


class InputError(Exception):
    """Something the caller can put right; the message says what and where."""


class OneLineParser(argparse.ArgumentParser):
    """Refuse bad arguments with one line, as all other input is refused."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see --help)")


def run(command: Callable[[], None]) -> int:
    """Run a command; return its exit status, 1 after saying in one line what is wrong."""
    try:
        command()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`): not an error. Python would flush once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (InputError, ImpossibleDesignError) as error:
        message = " ".join(str(error).splitlines())
        sys.stderr.write(f"error: {message}\n")
        return 1
    return 0


def seed(text: str) -> int:
    """Read the argument of --seed."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def write_certificate(name: str, figures: dict[str, object], sentences: list[str]) -> None:
    """Write figures and sentences as JSON."""
    try:
        with open(name, "w", encoding="utf-8", newline="\n") as file:
            json.dump(
                {**figures, "sentences": sentences},
                file,
                indent=2,
                ensure_ascii=False,
                allow_nan=False,
            )
            file.write("\n")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {name}: {reason_of(error)}") from error


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    # Bytes, so that neither the locale nor Windows's line ends change what was read.
    sys.stdout.buffer.writelines(f"{line}\n".encode() for line in lines)


def reason_of(error: OSError | ValueError) -> str:
    """Say why a file could not be read or written, without its name."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
