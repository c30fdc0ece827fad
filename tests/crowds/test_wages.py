"""What people earn by the hour, and what would be paid on top."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotation.crowds.platforms.prolific.platform import Prolific
from annotation.crowds.queries import wages
from annotation.models import Intent, Listing, Visit
from tests.support.factories import join
from tests.support.remote_side import Remote, make_listing, make_visit
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


def work(listing: Listing, *minutes: float, **columns) -> list[Visit]:
    """Visits that took so long here, and a minute longer by the platform's times."""
    made = []
    for n, took in enumerate(minutes):
        begun = timezone.now()
        ended = {
            "state": Visit.State.ENDED,
            "outcome": "failed_checks",
            "ended_at": begun + timedelta(minutes=took),
            "accepted_at": begun,
            "submitted_at": begun + timedelta(minutes=took + 1),
        }
        visit = make_visit(listing, f"S{listing.visits.count()}-{n}", **{**ended, **columns})
        Visit.objects.filter(pk=visit.pk).update(created_at=begun)
        made.append(visit)
    return made


def test_median_and_lowest_tenth_by_both_clocks(remote: Remote) -> None:
    listing = make_listing(reward=Decimal("2.00"))
    work(listing, 9, 11, 14, 19, 23, 29, 39, 59, 99, 119, 239)

    found = wages.wages(listing)

    # 2.00 for 29 minutes in the middle; of eleven the second lowest: nearest rank.
    assert found.here.n == 11
    assert found.here.median == Decimal("2.00") * 60 / 29
    assert found.here.lowest_tenth == Decimal("2.00") * 60 / 119
    assert found.platform.median == Decimal("4.00")
    assert found.platform.median_time == timedelta(minutes=30)
    assert found.here.total_time == timedelta(minutes=660)
    assert found.here.hours == 11
    assert found.platform.hours == 671 / 60


def test_bonuses_that_were_paid_count(remote: Remote) -> None:
    listing = make_listing(reward=Decimal("2.00"))
    [visit] = work(listing, 60)
    for state in ("confirmed", "refused"):
        Intent.objects.create(
            listing=listing,
            visit=visit,
            kind="bonus",
            reason_code=state,
            state=state,
            pays=Decimal("0.50"),
            currency="USD",
            planned_at=timezone.now(),
            first_sent_at=timezone.now(),
            settled_at=timezone.now(),
        )

    assert wages.wages(listing).here.median == Decimal("2.50")


@pytest.mark.parametrize(
    ("floor", "each"),
    [
        # 30 minutes in the middle of four, at 2.00.
        ("12.00", "4.00"),
        ("4.01", "0.01"),  # half a cent: up
        ("4.002", "0.01"),  # a tenth of a cent, too: less would be below the floor
        ("4.00", "0.00"),
        ("1.00", "0.00"),
    ],
)
def test_a_top_up_reaches_the_floor_to_the_cent(remote: Remote, floor: str, each: str) -> None:
    listing = make_listing(reward=Decimal("2.00"))
    work(listing, 5, 20, 40, 90)

    proposed = wages.top_up(listing, floor=Decimal(floor))

    assert (proposed.n, str(proposed.each)) == (4, each)
    assert proposed.total == 4 * Decimal(each)


def test_by_the_platforms_time(remote: Remote) -> None:
    listing = make_listing(reward=Decimal("2.00"))
    work(listing, 29)

    proposed = wages.top_up(listing, floor=Decimal("9.00"), by_platform=True)

    assert proposed.each == Decimal("2.50")


def test_who_was_not_timed_or_not_paid_is_left_out(remote: Remote) -> None:
    listing = make_listing()
    work(listing, 30, accepted_at=None)
    work(listing, 30, remote_state="rejected")
    work(listing, 30, remote_state="timed_out")
    # A launch that the platform never showed is anybody's word.
    work(listing, 1, remote_state="", verified_at=None)
    work(listing, -5)
    work(listing, 30, state="working", outcome="", ended_at=None)
    make_visit(listing, "unfinished", run=join(listing.study).assignment.runs.get())

    found = wages.wages(listing)

    assert (found.here.n, found.platform) == (1, None)
    assert wages.top_up(listing, floor=Decimal(9), by_platform=True) is None


@pytest.mark.parametrize(
    ("minutes", "least", "n"),
    [
        # By the platform's times, which are a minute longer: 2.00 for 15 minutes is 8.00 an hour.
        ((14, 14, 14, 14, 14), "8.01", 5),
        ((14, 14, 14, 14, 14), "8.00", None),
        ((14, 14, 14, 14), "8.01", None),
        ((14, 14, 14, 14, 14), None, None),
    ],
)
def test_a_median_below_the_platforms_floor_is_said_of_enough_people(
    remote: Remote, monkeypatch: pytest.MonkeyPatch, minutes, least, n
) -> None:
    listing = make_listing(reward=Decimal("2.00"), state="published", published_at=timezone.now())
    platform = type(wages.platform_of(listing.platform))
    monkeypatch.setattr(platform, "least_hourly", lambda *_: Decimal(least) if least else None)
    work(listing, *minutes)

    page = signed_in(listing.study.owner).get(url(listing.study, "listing", listing.pk))

    shown = page.context["underpayment"]
    assert (shown and (shown.wage.n, shown.wage.median)) == (n and (n, Decimal("8.00")))
    assert ('id="underpayment"' in page.content.decode()) is bool(n)


def test_prolifics_floor_is_that_of_the_currency() -> None:
    assert Prolific().least_hourly(Listing(currency="GBP")) == Decimal("6.00")
    assert Prolific().least_hourly(Listing(currency="EUR")) is None
