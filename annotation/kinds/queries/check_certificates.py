"""What the certificate of a design says of its checks, whatever kind of study it is of."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import ngettext

from annotation.basics.numbers import grouped


def sentences(numbers: Mapping[str, Any]) -> list[str]:
    """How many checks everybody has; nothing where a design has none."""
    said = []
    if n := numbers.get("n_tutorials", 0):
        said.append(
            ngettext(
                "Everybody begins each phase with %(n)s tutorial, which explains its answer.",
                "Everybody begins each phase with %(n)s tutorials, which explain their answers.",
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
        said.append(
            ngettext(
                "Between the other questions each booklet has %(n)s check of %(total)s"
                " (loud: %(loud)s, silent: %(silent)s). Checks are not scored with the items.",
                "Between the other questions each booklet has %(n)s checks of %(total)s"
                " (loud: %(loud)s, silent: %(silent)s). Checks are not scored with the items.",
                n_each,
            )
            % values
        )
    return said
