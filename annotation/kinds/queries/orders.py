"""The order in which one person sees the options of one question."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Option = TypeVar("Option")


def shown_order(
    options: Sequence[tuple[str, Option]], *, seed: int, pseudonym: str, tuple_number: int
) -> list[Option]:
    """Shuffle the options of a question for one person.

    The order is that of the SHA-256 digests of `seed/pseudonym/tuple number/item key`, all of
    which are in the exported files: anybody can compute it again, on any platform.
    """

    def digest(option: tuple[str, Option]) -> bytes:
        return hashlib.sha256(f"{seed}/{pseudonym}/{tuple_number}/{option[0]}".encode()).digest()

    return [option for _, option in sorted(options, key=digest)]
