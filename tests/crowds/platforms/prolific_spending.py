"""A study that may spend a little on the simulated Prolific, its people and its workers."""

from decimal import Decimal

import pytest

from annotation.crowds.services import decisions, outbox, publishing, reconciling, spending
from annotation.models import Intent, Listing, Person, Study, Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.prolific_lab import Lab, make_listing, person_id
from tests.simulators.prolific.researcher import Researcher
from tests.support.factories import make_open_study, make_user

SCREENING = {
    "handling": {Outcome.SCREENED_OUT: "screen_out"},
    "screen_out_reward": "0.20",
    "screen_out_slots": 4,
}
LATE = person_id(99)


@pytest.fixture
def study(lab: Lab) -> Study:
    """A study that may spend what one place costs: 1.50 and the fee."""
    study = make_open_study()
    Study.objects.filter(pk=study.pk).update(dry_run=False)
    set_cap(study, "2.00")
    return Study.objects.get(pk=study.pk)


def set_cap(study: Study, cap: str) -> None:
    spending.set_cap(study=study, currency="USD", cap=Decimal(cap), by=None)


def left(study: Study) -> Decimal:
    return spending.left(study, "USD")


def work(lab: Lab, *, n: int = 4, **units: float) -> None:
    """Let a worker send and read again and again."""
    for _ in range(n):
        lab.advance(**(units or {"minutes": 30}))
        outbox.send_due()
        Listing.objects.update(polled_at=None)
        reconciling.poll_due()


def published(lab: Lab, study: Study, sum_: str = "2.00", **columns) -> Listing:
    listing = make_listing(study=study, **{"n_places": 1, **columns})
    publishing.publish(listing=listing, typed=Decimal(sum_), by=make_user())
    work(lab, n=3, seconds=20)
    listing.refresh_from_db()
    return listing


def begin(lab: Lab, listing: Listing, who: str = LATE) -> Visit:
    """Somebody takes the place and opens the study here."""
    ticket = listing.tickets.get()
    submission, _url = lab.sim.bot(who).take(ticket.remote_id)
    person, _made = Person.objects.get_or_create(
        platform=listing.platform, environment=listing.environment, platform_id=who
    )
    return Visit.objects.create(
        listing=listing,
        ticket=ticket,
        person=person,
        platform=listing.platform,
        environment=listing.environment,
        submission_id=submission,
        state=Visit.State.WORKING,
    )


def hand_in(lab: Lab, listing: Listing, visit: Visit) -> None:
    assert visit.person is not None
    bot = lab.sim.bot(visit.person.platform_id)
    bot.type_code(visit.submission_id, listing.codes[Outcome.COMPLETED])


def approve(visit: Visit) -> None:
    decisions.approve(visit=visit, by=make_user())


def pay_more(visit: Visit) -> Intent:
    return decisions.bonus(
        visit=visit,
        amount=Decimal("1.00"),
        reason_code="more",
        message="Thanks!",
        by=visit.listing.study.owner,
    )


def approve_all(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(listing)
    work(lab)
    approve(visit)
    work(lab)


def end_early(lab: Lab, listing: Listing) -> None:
    """The researcher stops it on Prolific's own page after one of its people, who is paid."""
    visit = lab.visit(listing)
    Researcher(lab.sim).act(listing.tickets.get().remote_id, "STOP")
    work(lab)
    approve(visit)
    work(lab)
