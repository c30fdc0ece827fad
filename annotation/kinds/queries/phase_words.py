"""The phases of a design in a sentence: their conditions, and the pauses between them."""

from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal
from annotation.models import Design


def phases_in_words(design: Design) -> str:
    """When each phase opens and closes; empty if there is only one."""
    phases = list(design.phases.all())
    if len(phases) < 2:
        return ""
    sentences = []
    for phase in phases:
        sentences.append(
            _("Phase %(n)s: %(condition)s.")
            % {"n": phase.number, "condition": phase.get_condition_display()}
        )
        if phase.number > 1:
            sentences.append(_opening(phase.delay, previous=phase.number - 1))
        if phase.closes_after:
            days = phase.closes_after / timedelta(days=1)
            sentences.append(
                ngettext(
                    "It stays open for %(n)s day.",
                    "It stays open for %(n)s days.",
                    _plural_of(days),
                )
                % {"n": _short(days)}
            )
    return " ".join(sentences)


def _opening(pause: timedelta | None, *, previous: int) -> str:
    if not pause:
        return _("It opens as soon as a person has completed phase %(previous)s.") % {
            "previous": previous
        }
    hours = pause / timedelta(hours=1)
    return ngettext(
        "It opens %(n)s hour after a person has completed phase %(previous)s.",
        "It opens %(n)s hours after a person has completed phase %(previous)s.",
        _plural_of(hours),
    ) % {"n": _short(hours), "previous": previous}


def _plural_of(value: float) -> int:
    """A whole number with the same plural: gettext knows no fractions."""
    return 1 if value == 1 else 2


def _short(value: float) -> str:
    return decimal(value, len(f"{value:g}".partition(".")[2]))
