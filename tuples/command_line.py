"""What this package's commands write: the certificate's file, and lines."""

import json
import sys
from collections.abc import Iterable

from shell import InputError, reason


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
        raise InputError(f"cannot write {name}: {reason(error)}") from error


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    # Bytes, so that neither the locale nor Windows's line ends change what was read.
    sys.stdout.buffer.writelines(f"{line}\n".encode() for line in lines)
