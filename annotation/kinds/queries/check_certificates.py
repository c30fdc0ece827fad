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
    n_others = numbers.get("n_loud", 0) + numbers.get("n_silent", 0)
    if n_each := numbers.get("n_each", 0):
        values = {
            "n": grouped(n_each),
            "total": grouped(n_others),
            "loud": grouped(numbers["n_loud"]),
            "silent": grouped(numbers["n_silent"]),
        }
        lines.append(
            ngettext(
                "Each booklet contains %(n)s of %(total)s checks (loud: %(loud)s, silent: "
                "%(silent)s) between the other questions. Checks do not count towards any score.",
                "Each booklet contains %(n)s of %(total)s checks (loud: %(loud)s, silent: "
                "%(silent)s) between the other questions. Checks do not count towards any score.",
                n_each,
            )
            % values
        )
    return lines
