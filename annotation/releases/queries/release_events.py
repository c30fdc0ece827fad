"""What is said of what happened after a release was made to something that it holds."""

from dataclasses import dataclass
from typing import Any

from annotation.basics.cells import iso
from annotation.basics.sentences import Said, Sentence, ngettext
from annotation.basics.sentences import sentence as _
from annotation.models import ReleaseEvent

_KIND = ReleaseEvent.Kind


@dataclass(frozen=True)
class Sentences:
    """What is said of one kind of event."""

    # By the change log of the release that it happened to.
    of_release: Sentence
    # The same, once there is a later release without it; None: nothing else.
    of_replaced: Sentence | None = None
    # By the release that comes next; None: the same as by the change log.
    by_next: Sentence | None = None


_SENTENCES: dict[str, Sentences] = {
    _KIND.WITHDRAWN: Sentences(
        ngettext(
            "On %(date)s one person (%(person)s) withdrew. This release still "
            "contains their answer: please leave it out.",
            "On %(date)s one person (%(person)s) withdrew. This release still "
            "contains their %(n)s answers: please leave them out.",
            "n",
        ),
        of_replaced=ngettext(
            "On %(date)s one person (%(person)s) withdrew. This release still "
            "contains their answer: please leave it out, or use release %(next)s.",
            "On %(date)s one person (%(person)s) withdrew. This release still "
            "contains their %(n)s answers: please leave them out, or use release "
            "%(next)s.",
            "n",
        ),
        by_next=ngettext(
            "On %(date)s one person (%(person)s) withdrew. Their answer is left out.",
            "On %(date)s one person (%(person)s) withdrew. Their %(n)s answers are left out.",
            "n",
        ),
    ),
    _KIND.EXCLUDED: Sentences(
        ngettext(
            "On %(date)s one person (%(person)s) was excluded. This release still counts "
            "their answer.",
            "On %(date)s one person (%(person)s) was excluded. This release still counts "
            "their %(n)s answers.",
            "n",
        ),
        # Why is for the researchers: it may say what nobody else shall know of somebody.
        by_next=_(
            "On %(date)s one person (%(person)s) was excluded. Their answers no longer count."
        ),
    ),
    _KIND.INCLUDED: Sentences(
        _("On %(date)s the researchers let the answers of %(person)s count.")
    ),
    _KIND.READMITTED: Sentences(
        _(
            "On %(date)s the exclusion of %(person)s was undone. Their answers "
            "are still not scored: their place went to somebody else, or they are "
            "held for review."
        )
    ),
    _KIND.PROMOTED: Sentences(
        _("On %(date)s a place became free. The answers of %(person)s have counted since then.")
    ),
    _KIND.RELABELLED: Sentences(
        ngettext(
            "On %(date)s one value of the items or contexts was changed: %(reason)s",
            "On %(date)s %(n)s values of the items or contexts were changed: %(reason)s",
            "n",
        )
    ),
    _KIND.ADJUDICATED: Sentences(
        _("On %(date)s an expert decided on the item %(item)s: %(reason)s")
    ),
    _KIND.LIFTED: Sentences(
        _("On %(date)s an expert's decision on the item %(item)s was undone.")
    ),
}


def told(event: ReleaseEvent, *, newest: int) -> Said:
    """What happened to what a release holds; `newest`: the number of the latest release."""
    sentences, values = _SENTENCES[event.kind], _values(event)
    if sentences.of_replaced and event.latest_number < newest:
        # The newest: one in between may have answers of somebody else who withdrew.
        return sentences.of_replaced % {**values, "next": newest}
    return sentences.of_release % values


def told_next(event: ReleaseEvent) -> Said:
    """What happened since the last release, as the next one tells it."""
    sentences = _SENTENCES[event.kind]
    return (sentences.by_next or sentences.of_release) % _values(event)


def _values(event: ReleaseEvent) -> dict[str, Any]:
    return {
        # The day in UTC, as all times of the files.
        "date": (iso(event.at) or "")[:10],
        "person": event.pseudonym,
        "n": event.n_judgments or event.n_values,
        "item": event.item,
        "reason": " ".join(event.reason.split()),
    }
