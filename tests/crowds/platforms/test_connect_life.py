"""The whole life of a listing on Connect, through the services, with every cent accounted for."""

from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import pytest

from annotation.answering.services import visits
from annotation.basics.errors import StateError
from annotation.crowds.platforms.connect.options import Options
from annotation.crowds.queries import ledger
from annotation.crowds.services import decisions, launches, publishing, spending
from annotation.models import Intent, Listing, Study, Visit
from annotation.models.kinds import Outcome
from annotation.studies.services import studies
from tests.crowds.platforms.connect_lab import ConnectLab, make_listing, person_id
from tests.support.answering import answer_all
from tests.support.factories import make_user
from tests.support.researcher_pages import signed_in, text, url

STATE = Listing.State


def published(connect: ConnectLab, study: Study, **columns: object) -> Listing:
    listing = make_listing(study=study, **{"n_places": 2, **columns})
    publishing.publish(listing=listing, typed=Decimal("3.76"), by=make_user())
    connect.work(seconds=20)
    listing.refresh_from_db()
    return listing


def committed(study: Study) -> Decimal:
    return Decimal("5.01") - spending.left(study, "USD")


def test_from_the_draft_to_the_last_cent(connect: ConnectLab, spending_study: Study) -> None:
    study = spending_study
    listing = published(connect, study)
    assert listing.state == STATE.PUBLISHED
    assert committed(study) == Decimal("3.76")

    good, poor = connect.visit(listing), connect.visit(listing)
    connect.work()
    decisions.approve(visit=good, by=make_user())
    decisions.reject(visit=poor, reason="The same answer everywhere.", category="", by=make_user())
    decisions.bonus(
        visit=good,
        amount=Decimal("1.00"),
        reason_code="more",
        message="Thanks!",
        by=make_user(),
    )
    assert committed(study) == Decimal("5.01")
    connect.work()
    publishing.close(listing=listing, by=make_user())
    connect.work()
    connect.work(n=2, days=1)

    assert [connect.status(visit) for visit in (good, poor)] == ["Approved", "Rejected"]
    assert connect.sim.bonuses() == [100]
    assert not Intent.objects.unsettled().exists()
    # The place of what was rejected is free again; what was paid stays.
    assert committed(study) == Decimal("3.13")
    assert connect.sim.spent() == 313
    [account] = ledger.accounts(study)
    assert (account.paid, account.fees) == (Decimal("2.50"), Decimal("0.63"))


def test_people_come_by_their_address_work_and_type_the_code(
    connect: ConnectLab, spending_study: Study
) -> None:
    listing = published(connect, spending_study)
    who = person_id(7)
    assignment, address = connect.sim.take(listing.tickets.get().remote_id, who)
    launch = connect.platform.read_launch(listing, dict(parse_qsl(urlsplit(address).query)))
    consent = studies.current_consent(spending_study)
    visit = launches.enter(listing=listing, launch=launch, consent=consent).visit

    answer_all(visit.run.assignment)
    visits.submit(visit=visit)
    visit.refresh_from_db()
    completion = connect.platform.completion(visit, Outcome(visit.outcome), "")
    connect.sim.complete(assignment, completion.code)
    connect.work()

    visit.refresh_from_db()
    assert (visit.submission_id, visit.person.platform_id) == (assignment, who)
    assert visit.remote_state == Visit.Remote.SUBMITTED
    assert visit.verified_at is not None
    assert visit.doubt == ""
    assert visit.handed_in == {"code": listing.codes[Outcome.COMPLETED]}


def test_who_is_never_shown_by_connect_is_not_paid(
    connect: ConnectLab, spending_study: Study
) -> None:
    """A forged address names somebody who never took the project."""
    listing = published(connect, spending_study)
    visit = connect.visit(listing)
    with connect.sim.world.turn():
        del connect.sim.world.state["assignments"][visit.submission_id]
    connect.work()

    visit.refresh_from_db()
    assert visit.remote_state == Visit.Remote.UNSEEN
    with pytest.raises(StateError, match="has not shown this submission yet"):
        decisions.approve(visit=visit, by=make_user())


def test_what_connect_refuses_becomes_a_draft_again_and_can_be_published_anew(
    connect: ConnectLab, spending_study: Study
) -> None:
    connect.sim.configure(fee="0.40")
    listing = published(connect, spending_study)
    assert listing.state == STATE.DRAFT
    assert committed(spending_study) == Decimal("0.00")

    connect.sim.configure(fee="0.25")
    publishing.publish(listing=listing, typed=Decimal("3.76"), by=make_user())
    connect.work(seconds=20)

    listing.refresh_from_db()
    assert listing.state == STATE.PUBLISHED
    states = [row["status"] for row in connect.sim.world.state["projects"].values()]
    assert states == ["Unpublished", "Live"]


@pytest.mark.parametrize("fault", ["commit_then_500", "commit_then_drop", "timeout_before"])
@pytest.mark.parametrize("path", ["project$", "update-status"])
def test_publishing_survives_any_lost_answer(
    connect: ConnectLab, spending_study: Study, fault: str, path: str
) -> None:
    connect.sim.fault(fault, path=path, method="POST", seconds=0.1)

    listing = published(connect, spending_study)
    connect.work(n=6)

    listing.refresh_from_db()
    assert listing.state == STATE.PUBLISHED
    statuses = [row["status"] for row in connect.sim.world.state["projects"].values()]
    assert statuses == ["Live"]
    assert committed(spending_study) == Decimal("3.76")


@pytest.mark.parametrize("fault", ["commit_then_500", "commit_then_drop", "timeout_before"])
@pytest.mark.parametrize("verb", ["approve", "bonus"])
@pytest.mark.slow
def test_nothing_is_paid_twice_whatever_answer_is_lost(
    connect: ConnectLab, spending_study: Study, fault: str, verb: str
) -> None:
    listing = published(connect, spending_study)
    visit = connect.visit(listing)
    connect.work()
    connect.sim.fault(fault, path=verb, method="POST", seconds=0.1)

    decisions.approve(visit=visit, by=make_user())
    decisions.bonus(
        visit=visit, amount=Decimal("1.00"), reason_code="m", message="!", by=make_user()
    )
    connect.work(n=12)

    assert connect.status(visit) == "Approved"
    assert connect.sim.bonuses() == [100]
    assert len(connect.sim.ledger("reward")) == 1
    assert not Intent.objects.unsettled().exists()
    assert not Intent.objects.filter(state=Intent.State.NEEDS_PERSON).exists()


def test_a_platform_that_is_away_changes_nothing_here(
    connect: ConnectLab, spending_study: Study
) -> None:
    listing = published(connect, spending_study)
    visit = connect.visit(listing)
    connect.work()
    connect.sim.fault("wrong_content_type", times=0)

    connect.work()

    visit.refresh_from_db()
    assert visit.remote_state == Visit.Remote.SUBMITTED
    assert committed(spending_study) == Decimal("3.76")


def test_the_page_of_a_listing_keeps_what_is_asked_of_connect(
    connect: ConnectLab, spending_study: Study
) -> None:
    listing = make_listing(study=spending_study)
    client, page = signed_in(spending_study.owner), url(spending_study, "listing", listing.pk)
    assert "simulated Connect only" in text(client.get(page))
    offer = {"n_places": "2", "reward": "1.50", "currency": "USD", "minutes": "10"}
    options = {"title": "Answers", "summary": "Compare.", "longest_minutes": "45"}
    fields = {
        **{f"listing-{name}": value for name, value in offer.items()},
        **{f"options-{name}": value for name, value in options.items()},
    }

    refused = client.post(page, {**fields, "options-pricing": "free"})
    saved = client.post(page, {**fields, "options-pricing": "standard"})

    assert (refused.status_code, saved.status_code) == (400, 302)
    listing.refresh_from_db()
    stored = Options.of(listing.options)
    assert (stored.title, stored.longest_minutes, stored.pricing) == ("Answers", 45, "standard")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"currency": "GBP"}, "Connect pays in US dollars"),
        ({"reward": Decimal("0.00")}, "Offer a reward above 0"),
        ({"phase_number": 2}, "only the first part"),
        ({"minutes": 1}, "Choose 2 to 1440 expected minutes"),
        ({"codes": {}}, "has no completion codes"),
        ({"options": {"title": ""}}, "Write a title"),
        ({"options": {"summary": " "}}, "Write a summary"),
        ({"options": {"longest_minutes": 10}}, "a time limit above the 10 expected minutes"),
        ({"options": {"pricing": "free"}}, "Choose the fee that Connect charges"),
        ({"options": {"title": "x" * 501}}, "at most 500 characters, not 501"),
        ({"environment": "gone"}, "no longer knows the Connect endpoint “gone”"),
    ],
)
def test_what_must_be_mended_before_publishing(
    connect: ConnectLab, columns: dict[str, object], sentence: str
) -> None:
    listing = make_listing(**columns)

    assert any(sentence in str(each) for each in connect.platform.obstacles(listing))
    assert connect.platform.obstacles(make_listing()) == []
