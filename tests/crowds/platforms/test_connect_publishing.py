"""Projects on Connect: nothing is published that differs from what was asked for or costs more."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.core.platforms.base import LookUpResult, Planned
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms.connect import http
from annotation.crowds.platforms.connect.platform import Connect
from annotation.models import Intent, Listing, Ticket
from annotation.models.kinds import Outcome
from tests.crowds.platforms.connect_lab import ConnectLab, make_listing, person_id
from tests.simulators.prolific.errors import Refusal

KIND = Intent.Kind


def draft(connect: ConnectLab, listing: Listing) -> list[Intent]:
    """The steps of publishing; the first was sent."""
    steps = [connect.plan(listing, each) for each in connect.platform.plan_publishing(listing)]
    connect.send(steps[0])
    return steps


def of_ticket(connect: ConnectLab, listing: Listing, kind: Intent.Kind) -> Intent:
    return connect.plan(listing, Planned(kind, kind), ticket=listing.tickets.get())


def test_a_listing_is_published_as_it_was_described(connect: ConnectLab) -> None:
    listing = make_listing()

    project = connect.sim.project(connect.publish(listing))

    assert project["status"] == "Live"
    assert project["projectUrl"] == f"https://likeness.example.org/p/{listing.token}/"
    assert (project["payment"], project["participants"]) == (1.5, 3)
    assert (project["estimatedTimeInMinutes"], project["maxTimeInMinutes"]) == (10, 30)
    assert project["completionSettings"]["value"] == listing.codes[Outcome.COMPLETED]
    ticket = listing.tickets.get()
    assert (ticket.remote_id, ticket.n_places) == (project["projectId"], 3)


def test_a_draft_alone_costs_nothing_and_is_seen_by_nobody(connect: ConnectLab) -> None:
    listing = make_listing()
    step, publish = draft(connect, listing)

    assert connect.sim.project(step.remote_id)["status"] == "Unpublished"
    assert step.reference in connect.sim.project(step.remote_id)["internalName"]
    assert (step.commits, publish.commits) == (Decimal("0.00"), Decimal("5.64"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("payment", 15.0),
        ("participants", 30),
        ("projectUrl", "https://elsewhere.example/"),
        ("estimatedTimeInMinutes", 11),
        ("maxTimeInMinutes", None),
        ("completionSettings", {"projectCompletionType": "RedirectUrl", "value": "x"}),
    ],
)
def test_what_connect_keeps_otherwise_is_not_published(
    connect: ConnectLab, field: str, value: Any
) -> None:
    listing = make_listing()
    connect.sim.configure(changes={field: value})
    step, publish = draft(connect, listing)

    with pytest.raises(RefusedError, match=f"different value of {field} than Likeness sent"):
        connect.send(publish)

    assert connect.sim.project(step.remote_id)["status"] == "Unpublished"
    assert not Ticket.objects.exists()


def test_a_dearer_project_is_not_published(connect: ConnectLab) -> None:
    listing = make_listing()
    connect.sim.configure(fee="0.40")
    step, publish = draft(connect, listing)

    with pytest.raises(RefusedError, match=r"costs 6\.30 USD, but you agreed to 5\.64"):
        connect.send(publish)

    assert connect.sim.project(step.remote_id)["status"] == "Unpublished"


@pytest.mark.parametrize("cost", [None, "5.64", True, float(10**12)])
def test_a_project_without_a_price_is_not_published(connect: ConnectLab, cost: Any) -> None:
    listing = make_listing()
    step, publish = draft(connect, listing)
    project = connect.sim.project(step.remote_id)

    def shown(path: str, **query: Any) -> Any:
        return {"project": {**project, "totalCost": cost}}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(http.Client, "get", lambda client, path, **query: shown(path, **query))
        with pytest.raises(RefusedError, match="does not say what the project costs"):
            connect.send(publish)

    assert connect.sim.project(step.remote_id)["status"] == "Unpublished"


@pytest.mark.parametrize(("pricing", "total"), [("academic", "5.64"), ("standard", "6.30")])
def test_the_estimate_rounds_the_fee_of_each_place_up(pricing: str, total: str) -> None:
    listing = make_listing_unsaved(pricing)

    assert Connect().estimate(listing).worst == Decimal(total)


def make_listing_unsaved(pricing: str) -> Listing:
    options = {"pricing": pricing}
    return Listing(
        platform="connect",
        n_places=3,
        reward=Decimal("1.50"),
        currency="USD",
        minutes=10,
        options=options,
    )


def test_connects_own_price_takes_the_place_of_ours(connect: ConnectLab) -> None:
    connect.sim.configure(fee="0.40")
    connect.sim.set_wallet(100)
    listing = make_listing()

    listing.quote = dict(connect.platform.quote(listing))
    estimate = connect.platform.estimate(listing)

    assert (estimate.source, estimate.worst) == ("platform", Decimal("6.30"))
    assert any("Only 1.00 USD are available" in str(note) for note in estimate.notes)
    # Another offer has another price.
    listing.n_places = 4
    assert connect.platform.estimate(listing).source == "own"


def test_without_enough_money_nothing_is_published(connect: ConnectLab) -> None:
    connect.sim.set_wallet(563)
    listing = make_listing()
    _draft, publish = draft(connect, listing)

    with pytest.raises(RefusedError, match="Insufficient funds"):
        connect.send(publish)

    assert publish.state == Intent.State.REFUSED


# -- answers that get lost ----------------------------------------------------------------------
@pytest.mark.parametrize("fault", ["commit_then_500", "commit_then_drop", "truncated_json"])
def test_a_draft_whose_answer_was_lost_is_found_by_its_mark(
    connect: ConnectLab, fault: str
) -> None:
    listing = make_listing()
    step = connect.plan(listing, connect.platform.plan_publishing(listing)[0])
    connect.sim.fault(fault, path="project$", method="POST")

    with pytest.raises(DoubtfulError):
        connect.send(step)

    assert connect.look_up(step).result is LookUpResult.DONE
    step.refresh_from_db()
    assert list(connect.sim.world.state["projects"]) == [step.remote_id]


def test_a_draft_that_did_not_arrive_is_made_later_with_the_same_token(
    connect: ConnectLab,
) -> None:
    listing = make_listing()
    step = connect.plan(listing, connect.platform.plan_publishing(listing)[0])
    connect.sim.fault("timeout_before", path="project$", method="POST", seconds=0.1)
    with pytest.raises(DoubtfulError):
        connect.send(step)

    assert connect.look_up(step).result is LookUpResult.UNKNOWN
    connect.advance(minutes=6)
    assert connect.look_up(step).result is LookUpResult.NOT_DONE
    connect.send(step)

    assert len(connect.sim.world.state["projects"]) == 1
    assert list(connect.sim.world.state["tokens"]) == [step.token]


@pytest.mark.parametrize(
    ("fault", "result"),
    [("commit_then_drop", LookUpResult.DONE), ("timeout_before", LookUpResult.UNKNOWN)],
)
def test_whether_a_project_was_published_is_asked(
    connect: ConnectLab, fault: str, result: LookUpResult
) -> None:
    listing = make_listing()
    _draft, publish = draft(connect, listing)
    connect.sim.fault(fault, path="update-status", seconds=0.1)

    with pytest.raises(DoubtfulError):
        connect.send(publish)

    assert connect.look_up(publish).result is result
    if result is LookUpResult.UNKNOWN:
        connect.advance(minutes=6)
        assert connect.look_up(publish).result is LookUpResult.NOT_DONE
        connect.send(publish)
    assert listing.tickets.get().n_places == 3
    assert len(connect.sim.world.state["projects"]) == 1


def test_publishing_what_is_live_already_is_no_failure(connect: ConnectLab) -> None:
    listing = make_listing()
    step, publish = draft(connect, listing)
    connect.sim.act(step.remote_id, "Live")

    connect.send(publish)

    assert publish.state == Intent.State.CONFIRMED


# -- states -------------------------------------------------------------------------------------
def test_a_listing_is_paused_resumed_and_closed(connect: ConnectLab) -> None:
    listing = make_listing()
    project = connect.publish(listing)

    states = []
    for kind in (KIND.PAUSE, KIND.RESUME, KIND.CLOSE):
        intent = of_ticket(connect, listing, kind)
        connect.send(intent)
        assert connect.look_up(intent).result is LookUpResult.DONE
        states.append(connect.sim.project(project)["status"])

    assert states == ["Paused", "Live", "Closed"]


def test_closing_that_stops_half_way_goes_on(connect: ConnectLab) -> None:
    listing = make_listing()
    project = connect.publish(listing)
    close = of_ticket(connect, listing, KIND.CLOSE)
    # Between its two steps nothing more is heard.
    connect.sim.fault("commit_then_drop", path="update-status", nth=1)
    with pytest.raises(DoubtfulError):
        connect.send(close)
    assert connect.sim.project(project)["status"] == "Paused"

    assert connect.look_up(close).result is LookUpResult.NOT_DONE
    connect.send(close)

    assert connect.sim.project(project)["status"] == "Closed"


def test_a_project_whose_places_are_filled_needs_no_closing(connect: ConnectLab) -> None:
    listing = make_listing(n_places=1)
    project = connect.publish(listing)
    connect.visit(listing)
    assert connect.sim.project(project)["status"] == "Completed"

    connect.send(of_ticket(connect, listing, KIND.CLOSE))

    assert len(connect.calls("update-status")) == 1


def test_a_project_that_stands_in_no_list_has_no_state(connect: ConnectLab) -> None:
    listing = make_listing()
    project = connect.publish(listing)
    with connect.sim.world.turn():
        del connect.sim.world.state["projects"][project]

    with pytest.raises(UnavailableError, match="did not return the state"):
        connect.send(of_ticket(connect, listing, KIND.PAUSE))


def test_lists_are_read_to_the_last_page(
    connect: ConnectLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "PAGE_SIZE", 1)
    first, *others = (make_listing() for _n in range(3))
    project = connect.publish(first)
    for each in others:
        connect.publish(each)

    connect.send(of_ticket(connect, first, KIND.PAUSE))

    assert connect.sim.project(project)["status"] == "Paused"


def test_more_places_are_another_project_that_keeps_out_the_people_of_the_first(
    connect: ConnectLab,
) -> None:
    listing = make_listing(n_places=1)
    first = connect.publish(listing)
    visit = connect.visit(listing)
    assert visit.person is not None

    second = connect.publish(listing, prefix="2: ")

    targeting = connect.sim.project(second)["platformTargeting"]
    assert targeting == {"projects": {"excludedProjects": [first]}}
    with pytest.raises(Refusal, match="taken part already"):
        connect.sim.take(second, visit.person.platform_id)
    connect.sim.take(second, person_id(900))


def test_the_time_to_hand_in_is_that_of_the_project(connect: ConnectLab) -> None:
    listing = make_listing()
    connect.publish(listing)
    before = connect.platform.hand_in_time(listing)

    # Its expected minutes may still be changed; the project's limit is not.
    listing.minutes = 60

    assert connect.platform.hand_in_time(listing) == before == timedelta(minutes=45)
    assert connect.platform.hand_in_time(make_listing(minutes=60)) == timedelta(minutes=195)


def test_a_refusal_whose_reason_cannot_be_looked_up_is_in_doubt(connect: ConnectLab) -> None:
    listing = make_listing()
    step, publish = draft(connect, listing)
    connect.sim.act(step.remote_id, "Live")
    connect.sim.fault("wrong_content_type", path="project$", method="GET")

    with pytest.raises(DoubtfulError, match="cannot become Live"):
        connect.send(publish)

    assert connect.look_up(publish).result is LookUpResult.DONE
