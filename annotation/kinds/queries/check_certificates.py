"""What the certificate of a design says of its checks, whatever kind of study it is of."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import ngettext

from annotation.basics.numbers import grouped


def sentences(numbers: Mapping[str, Any]) -> list[str]:
    """How many checks everybody has; nothing if a design has none."""
    lines = []
    if n := numbers.get("n_tutorials", 0):
        lines.append(
            ngettext(
                "Each phase starts with %(n)s tutorial question, which explains its answer.",
                "Each phase starts with %(n)s tutorial questions, which explain their answers.",
                n,
            )
            % {"n": grouped(n)}
        )
    if n_each := numbers.get("n_each", 0):
        values = {
            "n": grouped(n_each),
            "loud": grouped(numbers["n_loud"]),
            "silent": grouped(numbers["n_silent"]),
        }
        lines.append(
            ngettext(
                "The study has %(loud)s loud and %(silent)s silent checks; each booklet contains "
                "%(n)s of them, among the other questions. Checks do not count towards any score.",
                "The study has %(loud)s loud and %(silent)s silent checks; each booklet contains "
                "%(n)s of them, among the other questions. Checks do not count towards any score.",
                n_each,
            )
            % values
        )
    return lines
