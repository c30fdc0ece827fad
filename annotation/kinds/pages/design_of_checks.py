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
            "In each phase, %(n)s of each person's questions is a check, which does not count "
            "towards any score.",
            "In each phase, %(n)s of each person's questions are checks, which do not count "
            "towards any score.",
            n_checks,
        )
        if are_counted
        else ngettext(
            "Everybody also answers %(n)s check, which does not count towards any score.",
            "Everybody also answers %(n)s checks, which do not count towards any score.",
            n_checks,
        )
    )
    return _("%(first)s %(rest)s") % {"first": sentence, "rest": checks % {"n": grouped(n_checks)}}
