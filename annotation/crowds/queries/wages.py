"""What people earn by the hour on a listing, and what they would be paid on top for a floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_UP, Decimal
from math import ceil

from django.db.models import QuerySet, Sum

from annotation.core.platforms import platform_of
from annotation.models import Intent, Listing, Visit
from annotation.models.kinds import Outcome

CENT = Decimal("0.01")
_MICROSECOND = timedelta(microseconds=1)
_HOUR = timedelta(hours=1) // _MICROSECOND
# A person who reached one of these did the work.
_DONE = (Outcome.COMPLETED, Outcome.FAILED_CHECKS)
# The median of fewer people says little.
MIN_TIMED = 5
# Nothing is paid for these.
_UNPAID = (Visit.Remote.REJECTED, Visit.Remote.RETURNED, Visit.Remote.TIMED_OUT)


@dataclass(frozen=True)
class Wage:
    """Hourly wages of n visits, the time that the visit in the middle took, and that of all.

    `lowest_tenth`: the greatest wage of the tenth that earns least (nearest rank).
    """

    n: int
    median: Decimal
    lowest_tenth: Decimal
    median_time: timedelta
    total_time: timedelta

    @property
    def hours(self) -> float:
        return self.total_time / timedelta(hours=1)


@dataclass(frozen=True)
class TopUp:
    """What raises the visit in the middle to the floor: to each of n, and together; no fees."""

    n: int
    each: Decimal

    @property
    def total(self) -> Decimal:
        return self.n * self.each


@dataclass(frozen=True)
class Wages:
    """By the time between start and end here, and by the platform's; None: nobody was timed."""

    here: Wage | None
    platform: Wage | None


@dataclass(frozen=True)
class _TimedVisit:
    paid: Decimal
    took: timedelta


def wages(listing: Listing) -> Wages:
    """Hourly wages of everybody who did the work of a listing and is paid, with their bonuses."""
    here, platform = _timed(listing)
    return Wages(_wage(here), _wage(platform))


@dataclass(frozen=True)
class Underpayment:
    """The median wage of enough people, which is below what the platform wants at least."""

    wage: Wage
    least: Decimal


def underpayment(listing: Listing, known: Wages) -> Underpayment | None:
    """By the platform's own times, by which it judges, if they are known of enough people."""
    least = platform_of(listing.platform).least_hourly(listing)
    if least is None:
        return None
    enough = [wage for wage in (known.platform, known.here) if wage and wage.n >= MIN_TIMED]
    return Underpayment(enough[0], least) if enough and enough[0].median < least else None


def top_up(listing: Listing, *, floor: Decimal, by_platform: bool = False) -> TopUp | None:
    """The bonus by which the median wage reaches a floor per hour; None: nobody was timed.

    Platforms look at the median time, so everybody gets the same.
    """
    timed = _timed(listing)[by_platform]
    if not timed:
        return None
    paid = _median([visit.paid for visit in timed])
    owed = floor * _median_microseconds(timed) / _HOUR - paid
    # A cent too little would leave the median below the floor.
    each = max(owed, Decimal(0)).quantize(CENT, ROUND_UP)
    return TopUp(len(timed), each)


def visits_done(listing: Listing) -> QuerySet[Visit]:
    """People who did the work of a listing and are paid for it, as far as is known."""
    visits = Visit.objects.filter(
        listing=listing, state=Visit.State.ENDED, outcome__in=_DONE
    ).exclude(remote_state__in=_UNPAID)
    if platform_of(listing.platform).capabilities.shows_submissions:
        # Anybody may have claimed to be somebody, and nobody is paid for that.
        visits = visits.exclude(remote_state=Visit.Remote.UNSEEN, verified_at=None)
    return visits


def _timed(listing: Listing) -> tuple[list[_TimedVisit], list[_TimedVisit]]:
    visits = visits_done(listing)
    bonuses = dict(
        Intent.objects.filter(
            visit__in=visits, kind=Intent.Kind.BONUS, state=Intent.State.CONFIRMED
        )
        .order_by()
        .values_list("visit")
        .annotate(total=Sum("pays"))
    )
    here: list[_TimedVisit] = []
    platform: list[_TimedVisit] = []
    # No objects: of ten thousand visits they would be most of the work of a page.
    for pk, created_at, ended_at, accepted_at, submitted_at in visits.order_by("pk").values_list(
        "pk", "created_at", "ended_at", "accepted_at", "submitted_at"
    ):
        paid = listing.reward + bonuses.get(pk, Decimal(0))
        for times, begun, ended in (
            (here, created_at, ended_at),
            (platform, accepted_at, submitted_at),
        ):
            if took := _between(begun, ended):
                times.append(_TimedVisit(paid, took))
    return here, platform


def _between(begun: datetime | None, ended: datetime | None) -> timedelta | None:
    """How long it took; None if that is not known, or makes no sense."""
    if begun is None or ended is None or ended <= begun:
        return None
    return ended - begun


def _wage(timed: Sequence[_TimedVisit]) -> Wage | None:
    if not timed:
        return None
    hourly = sorted(visit.paid * _HOUR / (visit.took // _MICROSECOND) for visit in timed)
    return Wage(
        n=len(timed),
        median=_median(hourly),
        lowest_tenth=hourly[ceil(len(hourly) / 10) - 1],
        median_time=int(_median_microseconds(timed)) * _MICROSECOND,
        total_time=sum((visit.took for visit in timed), timedelta()),
    )


def _median_microseconds(timed: Sequence[_TimedVisit]) -> Decimal:
    return _median([Decimal(visit.took // _MICROSECOND) for visit in timed])


def _median(values: Sequence[Decimal]) -> Decimal:
    in_order, half = sorted(values), len(values) // 2
    if len(values) % 2:
        return in_order[half]
    return (in_order[half - 1] + in_order[half]) / 2
