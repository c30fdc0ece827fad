"""What a platform last said of each submission, and whether what it says now is news."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from annotation.basics import clock
from annotation.core.services.locks import lock_study
from annotation.crowds.services.poll_conclusions import record
from annotation.models import Listing, PlatformEvent

# Of a submission: what is said of it beside times and the platform's own words.
_COMPARED_FIELDS = ("person_id", "ticket_id", "state", "handed_in", "doubt")
SUBMISSION = "submission"


class SubmissionEvents:
    """What the platform said last of each submission of a listing, whichever worker heard it.

    Events are written under the study's lock, so that those with greater keys came later.
    """

    def __init__(self, listing: Listing) -> None:
        self._events = listing.events.filter(source=PlatformEvent.Source.POLL, kind=SUBMISSION)
        latest = (
            self._events.order_by()
            .values("payload__submission_id")
            .annotate(latest=Max("pk"))
            .values("latest")
        )
        self._last: dict[str, PlatformEvent] = {}
        self._n_seen = 0
        self._read(PlatformEvent.objects.filter(pk__in=latest))
        self._others: set[str] = set()
        # How many submissions were left to others.
        self.n_left = 0

    def last(self, submission_id: str) -> PlatformEvent | None:
        return self._last.get(submission_id)

    def is_others(self, submission_id: str) -> bool:
        """Whether another poll has said something of it since this one began.

        Which of the two asked later nobody knows. The caller holds the study.
        """
        self._others |= self._read(self._events.filter(pk__gt=self._n_seen))
        return submission_id in self._others

    def add(self, event: PlatformEvent) -> None:
        self._last[event.payload["submission_id"]] = event
        self._n_seen = event.pk

    def _read(self, events: QuerySet[PlatformEvent]) -> set[str]:
        submission_ids = set()
        for event in events.order_by("pk").iterator():
            self.add(event)
            submission_ids.add(event.payload["submission_id"])
        return submission_ids


def is_news(content: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Whether anything differs but the platform's own words, of which nothing is concluded."""
    return any(
        value != _value_before(before, name) for name, value in content.items() if name != "raw"
    )


def _value_before(payload: Mapping[str, Any], name: str) -> Any:
    # Events from before doubts were told have none.
    return payload.get(name, "" if name == "doubt" else None)


@transaction.atomic
def store_event(
    listing: Listing, content: Mapping[str, Any], events: SubmissionEvents
) -> PlatformEvent | None:
    """Keep what the platform says before anything is concluded from it.

    Where times alone differ from what it said last, that is what it says now, and no event more:
    one that shows another time at each poll fills no table.

    None: another poll has heard of it meanwhile; the next one, soon, sees whether that stands.
    """
    lock_study(listing.study_id)
    submission_id = content["submission_id"]
    if events.is_others(submission_id):
        events.n_left += 1
        return None
    before = events.last(submission_id)
    if before is None or any(
        content[name] != _value_before(before.payload, name) for name in _COMPARED_FIELDS
    ):
        event = record(listing, SUBMISSION, content)
        events.add(event)
        return event
    before.payload, before.seen_at = dict(content), clock.now()
    # To be followed once more.
    before.visit = None
    before.save(update_fields=["payload", "seen_at", "visit"])
    return before
