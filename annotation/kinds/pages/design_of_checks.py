"""What the design page says of checks."""

from annotation.basics.numbers import grouped
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _


def with_checks(sentence: Said, n_checks: int, *, are_counted: bool = False) -> Said:
    """The consequences of a design, and how many checks everybody has.

    `are_counted`: whether they are among the questions that were named.
    """
    if not n_checks:
        return sentence
    checks = (
        ngettext(
            "%(n)s of these questions is a check and not part of the data.",
            "%(n)s of these questions are checks and not part of the data.",
            n_checks,
        )
        if are_counted
        else ngettext(
            "Everybody also answers %(n)s check, which is not part of the data.",
            "Everybody also answers %(n)s checks, which are not part of the data.",
            n_checks,
        )
    )
    return _("%(first)s %(rest)s") % {"first": sentence, "rest": checks % {"n": grouped(n_checks)}}
