"""Prolific behind the outbox itself: money is spent once, whatever fails and whoever dies."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.core.platforms.base import Planned
from annotation.crowds.platforms.prolific import bonuses as prolific_bonuses
from annotation.crowds.services import decisions, intents, outbox, publishing, spending
from annotation.models import Intent, Listing, Study, Visit
from tests.crowds.platforms.prolific_lab import Lab, make_listing
from tests.support.factories import make_open_study, make_user

STATE, KIND = Intent.State, Intent.Kind
FAULTS = [
    "throttle",
    "500_before",
    "timeout_before",
    "commit_then_500",
    "commit_then_drop",
    "commit_then_hang",
    "truncated_json",
    "wrong_content_type",
]
SETTLED = {STATE.CONFIRMED, STATE.NEEDS_PERSON}


@pytest.fixture
def listing(lab: Lab) -> Listing:
    study = make_open_study()
    Study.objects.filter(pk=study.pk).update(dry_run=False)
    spending.set_cap(study=study, currency="USD", cap=Decimal(100), by=None)
    return make_listing(study=Study.objects.get(pk=study.pk))


def work(lab: Lab, *, n: int = 30, **units: float) -> None:
    """Let a worker sweep again and again."""
    for _ in range(n):
        lab.advance(**(units or {"hours": 1}))
        outbox.send_due()


def published(lab: Lab, listing: Listing) -> Listing:
    publishing.publish(listing=listing, typed=Decimal("6.00"), by=make_user())
    work(lab, n=5, seconds=20)
    listing.refresh_from_db()
    return listing


def bonus(visit: Visit) -> Intent:
    assert visit.listing is not None
    return intents.plan(
        listing=visit.listing,
        visit=visit,
        planned=Planned(KIND.BONUS, "more", {"amount": "1.50"}, commits=Decimal("2.00")),
        pays=Decimal("1.50"),
        fee=Decimal("0.50"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", ["/studies/$", "/transition/"])
def test_publishing_holds_the_money_once(
    lab: Lab, listing: Listing, fault: str, path: str
) -> None:
    lab.sim.fault(fault, path=path, method="POST", seconds=3)

    publishing.publish(listing=listing, typed=Decimal("6.00"), by=make_user())
    work(lab)

    listing.refresh_from_db()
    assert listing.state == Listing.State.PUBLISHED
    assert [line["amount"] for line in lab.sim.ledger("hold")] == [600]
    [ticket] = listing.tickets.all()
    assert lab.sim.study(ticket.remote_id)["status"] == "ACTIVE"
    assert {intent.state for intent in listing.intents.all()} == {STATE.CONFIRMED}


def test_a_refused_publication_leaves_a_draft(lab: Lab, listing: Listing) -> None:
    lab.sim.set_wallet(100)

    published(lab, listing)

    assert listing.state == Listing.State.DRAFT
    assert "not enough money" in listing.intents.get(reason_code="publish1").said
    lab.sim.set_wallet(100_000)
    assert published(lab, listing).state == Listing.State.PUBLISHED


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path", ["/pay/", "/submissions/bonus-payments/"])
def test_a_bonus_is_paid_once_or_waits_for_a_person(
    lab: Lab, listing: Listing, fault: str, path: str
) -> None:
    visit = lab.visit(published(lab, listing))
    intent = bonus(visit)
    lab.sim.fault(fault, path=path, method="POST", seconds=3)

    work(lab)

    intent.refresh_from_db()
    n_paid = len(lab.sim.bonuses())
    assert intent.state in SETTLED
    assert n_paid == (1 if intent.state == STATE.CONFIRMED else 0)
    # Only a payment that never showed is left to a person.
    was_paid = path != "/pay/" or fault == "throttle" or "commit" in fault or "json" in fault
    assert n_paid == was_paid


def test_somebody_who_gets_a_bonus_reads_once_what_it_is_for(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(published(lab, listing))
    visit.verified_at = lab.sim.now
    visit.remote_state = Visit.Remote.SUBMITTED
    visit.save()
    decisions.bonus(
        visit=visit,
        amount=Decimal("1.50"),
        reason_code="more",
        message="Well done!",
        by=make_user(),
    )
    lab.sim.fault("commit_then_drop", path="/pay/", method="POST")
    outbox.send_due()
    # Somebody stops all payments before its answer is known.
    Study.objects.filter(pk=listing.study_id).update(dry_run=True)
    work(lab, n=3)
    assert listing.intents.get(kind=KIND.BONUS).state == STATE.CONFIRMED
    assert [each["body"] for each in lab.sim.world.state["messages"]] == []
    Study.objects.filter(pk=listing.study_id).update(dry_run=False)

    work(lab, n=3)

    assert lab.sim.bonuses() == [150]
    [told] = lab.sim.world.state["messages"]
    assert told["body"] == "Well done!"
    assert visit.person is not None
    assert told["recipient_id"] == visit.person.platform_id


def test_who_is_not_paid_the_bonus_is_not_told_of_it(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(published(lab, listing))
    lab.sim.set_wallet(600)
    intents.plan(
        listing=listing,
        visit=visit,
        planned=Planned(KIND.BONUS, "more", {"message": "Thanks!"}, commits=Decimal("2.00")),
        pays=Decimal("1.50"),
        fee=Decimal("0.50"),
    )

    work(lab)

    assert lab.sim.bonuses() == []
    assert lab.sim.world.state["messages"] == []


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before the batch", "after the batch", "after paying"])
def test_a_worker_killed_on_the_way_pays_at_most_once(
    lab: Lab, listing: Listing, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    intent = bonus(lab.visit(published(lab, listing)))
    change = prolific_bonuses.Client.change

    def dies(self: Any, method: str, path: str, *args: Any, **named: Any) -> Any:
        if path.endswith("/pay/"):
            if when == "after the batch":
                raise Killed
            change(self, method, path, *args, **named)
            raise Killed
        if when == "before the batch":
            raise Killed
        return change(self, method, path, *args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(prolific_bonuses.Client, "change", dies)
        with pytest.raises(Killed):
            outbox.send(intent.pk)
    work(lab)

    intent.refresh_from_db()
    expected = {
        "before the batch": (STATE.CONFIRMED, [150]),
        "after the batch": (STATE.NEEDS_PERSON, []),
        "after paying": (STATE.CONFIRMED, [150]),
    }
    assert (intent.state, lab.sim.bonuses()) == expected[when]


def test_a_worker_taken_for_dead_pays_nothing(
    lab: Lab, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    intent = bonus(lab.visit(published(lab, listing)))
    drawn_up = prolific_bonuses._drawn_up

    def slowly(*args: Any) -> str:
        batch = drawn_up(*args)
        lab.advance(minutes=4)
        outbox.find_dead()
        return batch

    monkeypatch.setattr(prolific_bonuses, "_drawn_up", slowly)
    outbox.send(intent.pk)

    assert not lab.sim.journal("/pay/", "POST")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_an_approval_pays_once(lab: Lab, listing: Listing, fault: str) -> None:
    visit = lab.visit(published(lab, listing))
    intent = intents.plan(
        listing=listing, visit=visit, planned=Planned(KIND.APPROVE), pays=Decimal("1.50")
    )
    lab.sim.fault(fault, path="/submissions/", method="POST", seconds=3)

    work(lab)

    intent.refresh_from_db()
    assert intent.state == STATE.CONFIRMED
    assert [-line["amount"] for line in lab.sim.ledger("reward")] == [150]


@pytest.mark.slow
def test_a_rejection_too_late_is_refused_and_not_doubted(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(published(lab, listing))
    lab.send(lab.decide(visit, KIND.APPROVE))
    words = "The same answer was given to every question within two seconds each. " * 2
    intent = intents.plan(
        listing=listing,
        visit=visit,
        planned=Planned(KIND.REJECT, payload={"message": words, "category": "LOW_EFFORT"}),
    )

    work(lab)

    intent.refresh_from_db()
    assert intent.state == STATE.REFUSED
    assert "APPROVED" in intent.said
