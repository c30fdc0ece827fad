"""The word for a run: whether it is scored, and if it is complete and is not, why."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.core.platforms import platforms
from annotation.models import PhaseRun, Visit
from annotation.models.kinds import Outcome

COUNTED, UNFINISHED = "counted", "unfinished"
SURPLUS, UNVERIFIED, RETURNED, REJECTED = "surplus", "unverified", "returned", "rejected"
HELD = "held"

# Complete, and not scored.
LEFT_OUT: Mapping[str, str | Promise] = {
    HELD: _("held for review"),
    SURPLUS: _("surplus"),
    UNVERIFIED: _("unverified"),
    RETURNED: _("returned"),
    REJECTED: _("rejected"),
}


def of_run() -> Case:
    """The status of a run, without its person's: exclusion and withdrawal are shown elsewhere."""
    visits = Visit.objects.filter(run=OuterRef("pk"))
    # What was closed half-way says nothing about the work that somebody did in another sitting.
    done = visits.filter(outcome__in=(Outcome.COMPLETED, Outcome.FAILED_CHECKS))
    shows = [platform.key for platform in platforms() if platform.capabilities.shows_submissions]
    vouched_for = done.exclude(remote_state__in=Visit.GIVEN_UP).filter(
        Q(verified_at__isnull=False) | ~Q(platform__in=shows)
    )
    return Case(
        When(completed_at=None, then=Value(UNFINISHED)),
        When(is_counted=True, then=Value(COUNTED)),
        When(is_held=True, then=Value(HELD)),
        When(~Exists(visits) | Exists(vouched_for), then=Value(SURPLUS)),
        When(Exists(done.filter(remote_state=Visit.Remote.RETURNED)), then=Value(RETURNED)),
        When(Exists(done.filter(remote_state=Visit.Remote.REJECTED)), then=Value(REJECTED)),
        default=Value(UNVERIFIED),
    )


def with_status(runs: "QuerySet[PhaseRun]") -> Any:
    return runs.annotate(status=of_run())


def of_judgment() -> Subquery:
    """Of a judgment: the word for its assignment's run of its phase."""
    runs = PhaseRun.objects.filter(
        assignment=OuterRef("assignment"), phase=OuterRef("question__block__phase")
    )
    return Subquery(with_status(runs).values("status")[:1])


STATUSES = {
    COUNTED: "the answer counts",
    SURPLUS: "the answers of somebody else count for the same place, because that person"
    " completed it first or was given it",
    HELD: "at least three screens (or all, if there were fewer) took less than the minimum time"
    " per screen that the researchers had set. These answers count only if a researcher reviews"
    " and accepts them",
    UNVERIFIED: "the platform has not confirmed the submission",
    RETURNED: "the annotator returned the submission to the platform",
    REJECTED: "the submission was rejected, and is not paid for",
    UNFINISHED: "the annotator has not finished the booklet, or this phase of it",
    "excluded": "a researcher excluded the annotator",
    "superseded": "the annotator replaced this answer by a later one",
}


def status_of(run: str | None, *, superseded_at: datetime | None = None, is_excluded: bool) -> str:
    """Of an answer; `run` is the word of this module for its assignment's run of the phase."""
    if superseded_at:
        return "superseded"
    return "excluded" if is_excluded else run or UNFINISHED
