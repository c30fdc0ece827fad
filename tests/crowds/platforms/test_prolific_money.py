"""What a study owes on Prolific: held while it may be spent, free when it can not be any more."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.core.queries import commitments
from annotation.crowds.platforms.prolific import bonuses as prolific_bonuses
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.services import decisions, outbox, publishing
from annotation.crowds.services.intent_order import stands_before
from annotation.crowds.services.spending import BudgetError
from annotation.models import Intent, Listing, Study, Ticket, Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.prolific_lab import Lab, make_listing
from tests.crowds.platforms.prolific_spending import (
    SCREENING,
    approve,
    begin,
    end_early,
    hand_in,
    left,
    pay_more,
    published,
    set_cap,
    work,
)
from tests.simulators.prolific import studies as their_studies
from tests.support.factories import make_open_study, make_user
from tests.support.researcher_pages import signed_in, url


@pytest.mark.slow
def test_who_ran_out_of_time_and_was_not_replaced_holds_the_money(lab: Lab, study: Study) -> None:
    listing = published(lab, study)
    visit = begin(lab, listing)
    publishing.close(listing=listing, by=make_user())
    work(lab, hours=1)
    visit.refresh_from_db()
    assert visit.remote_state == Visit.Remote.TIMED_OUT

    assert left(study) == 0
    hand_in(lab, listing, visit)
    work(lab)
    approve(visit)
    work(lab)

    assert lab.sim.spent() == 200
    assert commitments.committed(study, "USD") == Decimal("2.00")


@pytest.mark.slow
def test_bonuses_of_one_account_are_paid_one_after_the_other(
    lab: Lab, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker waits with the bonus of another study, and pays it afterwards."""
    other = make_open_study(dry_run=False)
    visits = []
    for each in (study, other):
        set_cap(each, "9.00")
        visits.append(lab.visit(published(lab, each)))
    work(lab)
    for visit in visits:
        pay_more(visit)
    change = Client.change
    n_paid_meanwhile: list[int] = []

    def changes(client: Client, method: str, path: str, *arguments: Any, **options: Any) -> Any:
        if path.endswith("/pay/") and not n_paid_meanwhile:
            n_paid_meanwhile.append(-1)
            outbox.send_due()
            n_paid_meanwhile[:] = [len(lab.sim.journal("/pay/", "POST"))]
        return change(client, method, path, *arguments, **options)

    monkeypatch.setattr(Client, "change", changes)
    work(lab)

    assert n_paid_meanwhile == [0]
    assert lab.sim.bonuses() == [100, 100]


def test_bonuses_of_other_accounts_wait_for_nobody(lab: Lab, study: Study) -> None:
    set_cap(study, "9.00")
    visit = lab.visit(published(lab, study))
    work(lab)
    intent = pay_more(visit)
    now = clock.now()
    Intent.objects.filter(pk=intent.pk).update(
        state=Intent.State.SENDING, attempts=1, first_sent_at=now, last_sent_at=now
    )
    same = make_listing(study=study)
    elsewhere = make_listing(study=study, environment="production")

    waiting = [
        Intent(listing=listing, kind=Intent.Kind.BONUS, planned_at=now)
        for listing in (same, elsewhere)
    ]

    assert [stands_before(one).exists() for one in waiting] == [True, False]


@pytest.mark.slow
def test_late_work_whose_money_went_to_others_passes_the_cap_before_it_is_paid(
    lab: Lab, study: Study
) -> None:
    first = published(lab, study)
    visit = begin(lab, first)
    publishing.close(listing=first, by=make_user())
    work(lab, hours=1)
    lab.advance(days=30)
    work(lab)
    assert left(study) == Decimal("2.00")
    published(lab, study)
    assert left(study) == 0

    hand_in(lab, first, visit)
    work(lab)

    with pytest.raises(BudgetError, match=r"Raise the study's cap by 2\.00 USD"):
        approve(visit)
    set_cap(study, "4.00")
    approve(visit)
    work(lab)
    assert lab.sim.spent() == 200
    assert left(study) == 0


@pytest.mark.slow
def test_a_study_that_is_full_and_decided_holds_no_more_than_it_cost(
    lab: Lab, study: Study
) -> None:
    set_cap(study, "3.08")
    listing = published(lab, study, "3.08", options=SCREENING)
    lab.visit(listing, outcome=Outcome.SCREENED_OUT)
    visit = lab.visit(listing)
    work(lab)
    # The study is full, and waits for a decision: the money for it is held.
    assert left(study) == 0

    approve(visit)
    work(lab)

    # One place at 1.50 and 0.50, and one of four who may be screened out at 0.20 and 0.07.
    assert lab.sim.spent() == 227
    assert commitments.committed(study, "USD") == Decimal("2.27")
    listing.refresh_from_db()
    # More places may be asked for.
    assert listing.state == Listing.State.PUBLISHED


def test_the_sum_to_be_typed_is_prolifics_own_with_the_balance_beside_it(
    lab: Lab, study: Study
) -> None:
    # Our options know of no tax.
    lab.sim.configure(vat="0.01")
    set_cap(study, "2.01")
    listing = make_listing(study=study, n_places=1)
    client = signed_in(study.owner)
    address = url(study, "listing_publish", listing.pk)

    page = client.get(address).content.decode()
    assert "From the platform." in page
    assert "It can cost up to <strong>2.01 USD</strong>" in page
    balance = lab.sim.world.state["wallet"]["balance"] // 100
    assert f"Available in your account on Prolific: {balance}.00 USD" in page
    assert client.post(address, {"typed": "2.00"}).status_code == 400
    assert client.post(address, {"typed": "2.01"}).status_code == 302
    work(lab, n=3, seconds=20)

    listing.refresh_from_db()
    assert listing.state == Listing.State.PUBLISHED
    assert [line["amount"] for line in lab.sim.ledger("hold")] == [201]
    assert left(study) == 0


@pytest.mark.parametrize("is_dry", [True, False])
def test_without_prolifics_answer_our_own_sum_is_typed(
    lab: Lab, study: Study, *, is_dry: bool
) -> None:
    listing = make_listing(study=study, n_places=1)
    Study.objects.filter(pk=study.pk).update(dry_run=is_dry)
    lab.sim.fault("500_before", path="calculator", times=0)

    page = signed_in(study.owner).get(url(study, "listing_publish", listing.pk)).content.decode()

    # Nobody is asked anything in a dry run.
    assert ("(status 500)" in page) != is_dry
    assert bool(lab.sim.journal("calculator")) != is_dry
    assert "with a fee of 33.3" in page


@pytest.mark.slow
def test_what_prolific_asks_for_a_bonus_is_what_is_committed(lab: Lab, study: Study) -> None:
    visit = lab.visit(published(lab, study))
    work(lab)
    # A cent more than our own sum of fee and tax.
    lab.sim.configure(bonus_fee="0.34")
    set_cap(study, "3.33")
    visit.refresh_from_db()
    paid = pay_more(visit)
    work(lab)
    paid.refresh_from_db()
    assert paid.state == Intent.State.REFUSED
    assert "costs 1.34 USD, which the study's cap does not allow" in paid.said
    assert lab.sim.bonuses() == []

    set_cap(study, "3.34")
    paid = pay_more(visit)
    work(lab)

    paid.refresh_from_db()
    assert (paid.state, paid.fee, paid.commits) == ("confirmed", Decimal("0.34"), Decimal("1.34"))
    assert lab.sim.spent() == 134
    assert left(study) == 0
    # The same again is the same, whatever it was thought to cost.
    assert pay_more(visit) == paid


@pytest.mark.slow
def test_a_rejection_undone_on_prolifics_page_is_decided_again_here(
    lab: Lab, study: Study
) -> None:
    visit = lab.visit(published(lab, study))
    work(lab)
    words = "The answers were given in a tenth of the time that reading the texts takes. " * 2
    rejection = decisions.reject(visit=visit, reason=words, category="TOO_QUICKLY", by=make_user())
    work(lab)
    visit.refresh_from_db()
    assert visit.remote_state == Visit.Remote.REJECTED

    lab.sim.undo_rejection(visit.submission_id)
    work(lab)

    visit.refresh_from_db()
    rejection.refresh_from_db()
    assert "The rejection was undone on the platform" in visit.doubt
    assert rejection.state == Intent.State.GIVEN_UP
    assert "The rejection was undone on the platform" in rejection.said
    approve(visit)
    work(lab)
    assert lab.status(visit) == "APPROVED"
    assert lab.sim.spent() == 200


@pytest.mark.slow
def test_a_rejection_undone_before_it_was_seen_is_decided_again_here(
    lab: Lab, study: Study
) -> None:
    visit = lab.visit(published(lab, study))
    work(lab)
    words = "The answers were given in a tenth of the time that reading the texts takes. " * 2
    decisions.reject(visit=visit, reason=words, category="TOO_QUICKLY", by=make_user())
    outbox.send_due()
    lab.sim.undo_rejection(visit.submission_id)
    with pytest.raises(StateError, match="A rejection of this submission"):
        approve(visit)

    work(lab)

    approve(visit)
    work(lab)
    assert lab.status(visit) == "APPROVED"


@pytest.mark.slow
def test_a_lower_cap_stops_no_late_work_whose_money_was_held(lab: Lab, study: Study) -> None:
    listing = published(lab, study)
    visit = begin(lab, listing)
    publishing.close(listing=listing, by=make_user())
    work(lab, hours=1)
    set_cap(study, "1.00")
    hand_in(lab, listing, visit)
    work(lab)

    approve(visit)

    assert left(study) == Decimal("-1.00")


@pytest.mark.slow
def test_the_time_limit_of_more_places_binds_no_money_of_those_before(
    lab: Lab, study: Study
) -> None:
    set_cap(study, "6.00")
    listing = published(lab, study, "4.00", n_places=2)
    first = listing.tickets.get()
    end_early(lab, listing)
    assert commitments.is_over(Ticket.objects.get(pk=first.pk))
    lab.sim.configure(own_time_limit=600)

    publishing.top_up(listing=listing, n=1, typed=Decimal("2.00"), by=make_user())
    work(lab, n=3, seconds=20)

    assert listing.tickets.count() == 2
    assert commitments.is_over(Ticket.objects.get(pk=first.pk))


def test_what_was_handed_in_is_read_although_the_studies_state_cannot_be(
    lab: Lab, study: Study
) -> None:
    listing = published(lab, study)
    visit = lab.visit(listing)
    lab.sim.fault("500_before", path=f"/studies/{listing.tickets.get().remote_id}/$", times=0)

    work(lab)

    visit.refresh_from_db()
    assert visit.remote_state == Visit.Remote.SUBMITTED


@pytest.mark.slow
def test_the_price_of_one_offer_leaves_that_of_another(lab: Lab, study: Study) -> None:
    lab.sim.configure(vat="0.02")
    set_cap(study, "100.00")
    listing = published(lab, study, "2.00", n_places=1)
    if listing.state != Listing.State.PUBLISHED:  # our own sum knows of no tax
        publishing.ask_price(listing)
        publishing.publish(listing=listing, typed=Decimal("2.01"), by=make_user())
        work(lab, n=3, seconds=20)
    client = signed_in(study.owner)
    address = url(study, "listing_top_up", listing.pk)
    client.get(f"{address}?n=1")
    client.get(f"{address}?n=2")

    sent = {"n": "1", "typed": "2.01", "n_before": "1"}

    assert client.post(address, sent).status_code == 302


def test_a_dearer_reward_for_being_screened_out_is_seen_before_publishing(
    lab: Lab, study: Study
) -> None:
    set_cap(study, "100.00")
    # Our options know of no tax, and the page could not ask.
    lab.sim.configure(vat="0.2")

    listing = published(lab, study, "7.40", options=SCREENING | {"screen_out_slots": 20})

    assert listing.state == Listing.State.DRAFT
    assert (
        "According to Prolific, this costs 7.70 USD" in listing.intents.latest("planned_at").said
    )
    assert lab.sim.ledger("hold") == []


def test_a_study_that_is_dearer_than_the_calculator_says_can_be_confirmed(
    lab: Lab, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_cap(study, "100.00")
    shown = their_studies.shown
    monkeypatch.setattr(
        their_studies, "shown", lambda world, row: shown(world, row) | {"total_cost": 230}
    )
    listing = published(lab, study)
    assert "According to Prolific, this costs 2.30 USD" in listing.intents.get(commits__gt=0).said

    page = signed_in(study.owner).get(url(study, "listing_publish", listing.pk)).content.decode()
    assert "It can cost up to <strong>2.30 USD</strong>" in page
    publishing.publish(listing=listing, typed=Decimal("2.30"), by=make_user())
    work(lab, n=3, seconds=20)

    listing.refresh_from_db()
    assert listing.state == Listing.State.PUBLISHED


def test_the_currency_is_that_of_the_workspace(lab: Lab, study: Study) -> None:
    """And a balance that is not told takes no price away."""
    listing = make_listing(study=study, options={"workspace": lab.sim.workspace})
    lab.sim.fault("500_before", path="/users/me/", times=0)
    assert publishing.ask_price(listing) == ""
    assert lab.platform.obstacles(listing) == []
    assert "Available in your account" in str(lab.platform.estimate(listing).notes[0])

    lab.sim.fault("500_before", path="/balance/", times=0)
    assert publishing.ask_price(listing) == ""

    assert lab.platform.estimate(listing).source == "platform"


@pytest.mark.slow
def test_a_cost_below_what_somebody_gets_is_not_believed(
    lab: Lab, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_cap(study, "10.00")
    visit = lab.visit(published(lab, study))
    work(lab)
    visit.refresh_from_db()
    paid = pay_more(visit)
    monkeypatch.setattr(prolific_bonuses, "from_cents", lambda number: Decimal("0.00"))

    work(lab)

    paid.refresh_from_db()
    assert (paid.state, paid.commits) == (Intent.State.CONFIRMED, Decimal("1.33"))


@pytest.mark.slow
def test_the_same_words_to_the_same_person_are_sent_for_each_visit(lab: Lab, study: Study) -> None:
    set_cap(study, "10.00")
    visit = lab.visit(published(lab, study))
    work(lab)
    visit.refresh_from_db()
    other = Visit.objects.get(pk=visit.pk)
    other.pk, other.submission_id = None, "f" * 24
    other.save()
    decisions.message(visit=visit, text="Thanks!", by=None)
    work(lab)
    lab.sim.fault("500_before", path="/messages/", method="POST")
    lost = decisions.message(visit=other, text="Thanks!", by=None)

    work(lab, n=60)

    lost.refresh_from_db()
    assert lost.state == Intent.State.NEEDS_PERSON
