"""A listing becomes a study on Prolific, once, and is paused and closed there."""

from decimal import Decimal

import pytest

from annotation.core.platforms.base import Again, LookUpResult, Planned
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.models import Intent, Listing
from tests.crowds.platforms.prolific_lab import Lab, make_listing

KIND = Intent.Kind


def draft_of(lab: Lab, listing: Listing) -> Intent:
    return lab.plan(listing, lab.platform.plan_publishing(listing)[0])


def drafted(lab: Lab, listing: Listing) -> Intent:
    """The intent to publish, its draft made."""
    draft, publish = lab.platform.plan_publishing(listing)
    lab.send(lab.plan(listing, draft))
    return lab.plan(listing, publish)


def test_a_listing_is_drafted_and_then_published(lab: Lab) -> None:
    listing = make_listing()

    key = lab.publish(listing)

    study = lab.sim.study(key)
    assert study["status"] == "ACTIVE"
    assert (study["reward"], study["total_available_places"]) == (150, 3)
    assert study["is_external_study_url_secure"] is True
    assert study["external_study_url"] == (
        f"https://likeness.example.org/p/{listing.token}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    draft, publish = listing.intents.all()
    assert (draft.reason_code, publish.reason_code) == ("draft1", "publish1")
    # It is found by the draft's reference; publishing adds no other.
    for intent in (draft, publish):
        assert (intent.reference in study["internal_name"]) == lab.platform.is_marked(intent)
    assert [ticket.n_places for ticket in listing.tickets.all()] == [3]


def test_only_publishing_commits_the_worst_case(lab: Lab) -> None:
    listing = make_listing()

    draft, publish = lab.platform.plan_publishing(listing)

    assert draft.commits == 0
    # Three times 1.50 and a fee of 33.3 %, 0.4995, rounded.
    assert publish.commits == Decimal("6.00")


def test_nothing_is_held_for_a_draft_and_everything_for_what_is_published(lab: Lab) -> None:
    listing = make_listing()
    publish = drafted(lab, listing)
    assert not lab.sim.ledger("hold")

    lab.send(publish)

    assert [line["amount"] for line in lab.sim.ledger("hold")] == [600]


@pytest.mark.parametrize("kind", ["commit_then_500", "commit_then_drop", "truncated_json"])
def test_a_draft_whose_answer_was_lost_is_found_by_its_mark(lab: Lab, kind: str) -> None:
    intent = draft_of(lab, make_listing())
    lab.sim.fault(kind, path="/studies/$", method="POST")

    with pytest.raises(DoubtfulError):
        lab.send(intent)
    found = lab.look_up(intent)

    assert found.result is LookUpResult.DONE
    assert lab.sim.study(found.sent.remote_id)["status"] == "UNPUBLISHED"
    assert len(lab.sim.world.state["studies"]) == 1


def test_a_draft_that_was_not_made_is_missed_only_after_a_while(lab: Lab) -> None:
    intent = draft_of(lab, make_listing())
    lab.sim.fault("500_before", path="/studies/$", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    lab.advance(minutes=6)

    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    assert lab.platform.again(intent) is Again.HARMLESS


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["commit_then_500", "commit_then_drop", "commit_then_hang"])
def test_a_lost_publication_is_seen_in_the_study(lab: Lab, kind: str) -> None:
    intent = drafted(lab, make_listing())
    lab.sim.fault(kind, path="/transition/", method="POST", seconds=3)

    with pytest.raises(DoubtfulError):
        lab.send(intent)
    found = lab.look_up(intent)

    assert found.result is LookUpResult.DONE
    assert found.sent.ticket is not None
    assert found.sent.ticket.n_places == 3
    assert len(lab.sim.ledger("hold")) == 1


def test_a_publication_that_did_not_happen_may_be_asked_for_again(lab: Lab) -> None:
    intent = drafted(lab, make_listing())
    lab.sim.fault("500_before", path="/transition/", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    lab.send(intent)

    assert len(lab.sim.ledger("hold")) == 1


def test_publishing_twice_after_a_stale_look_holds_the_money_once(lab: Lab) -> None:
    intent = drafted(lab, make_listing())
    lab.sim.fault("commit_then_drop", path="/transition/", method="POST")
    lab.sim.fault("stale_read", path="/studies/", method="GET", nth=2)
    with pytest.raises(DoubtfulError):
        lab.send(intent)
    assert lab.look_up(intent).result is LookUpResult.NOT_DONE

    lab.send(intent)

    assert len(lab.sim.ledger("hold")) == 1


def test_without_money_it_is_refused_in_prolifics_words(lab: Lab) -> None:
    intent = drafted(lab, make_listing())
    lab.sim.set_wallet(100)

    with pytest.raises(RefusedError, match="There is not enough money in the wallet"):
        lab.send(intent)


def test_what_was_refused_is_drafted_anew_with_what_was_mended(lab: Lab) -> None:
    listing = make_listing(reward=Decimal("0.50"))
    with pytest.raises(RefusedError, match="minimum hourly rate"):
        lab.publish(listing)
    listing.reward = Decimal("2.00")
    listing.save()

    key = lab.publish(listing)

    assert lab.sim.study(key)["reward"] == 200
    assert listing.tickets.count() == 1


def test_no_more_is_spent_than_was_agreed_to(lab: Lab) -> None:
    intent = drafted(lab, make_listing())
    lab.sim.configure(platform_fee="0.428", vat="0.2")

    with pytest.raises(RefusedError, match=r"this costs 6\.81 USD, but you agreed to 6\.00"):
        lab.send(intent)

    assert not lab.sim.ledger("hold")


def test_an_account_in_another_currency_is_not_used(lab: Lab) -> None:
    intent = drafted(lab, make_listing())
    lab.sim.configure(currency="GBP")

    with pytest.raises(RefusedError, match="pays in GBP, but the listing in USD"):
        lab.send(intent)


def test_a_study_is_paused_resumed_and_closed(lab: Lab) -> None:
    listing = make_listing()
    key = lab.publish(listing)
    ticket = listing.tickets.get()
    seen = []

    for kind in (KIND.PAUSE, KIND.RESUME, KIND.CLOSE):
        lab.send(lab.plan(listing, Planned(kind, "1"), ticket=ticket))
        seen.append(lab.sim.study(key)["status"])

    # Nobody had come, so nothing awaits review.
    assert seen == ["PAUSED", "ACTIVE", "COMPLETED"]


@pytest.mark.parametrize("kind", [KIND.PAUSE, KIND.CLOSE])
def test_what_is_so_already_is_taken_for_done(lab: Lab, kind: Intent.Kind) -> None:
    listing = make_listing()
    key = lab.publish(listing)
    ticket = listing.tickets.get()
    lab.send(lab.plan(listing, Planned(kind, "1"), ticket=ticket))
    before = lab.sim.study(key)["status"]

    lab.send(lab.plan(listing, Planned(kind, "2"), ticket=ticket))

    assert lab.sim.study(key)["status"] == before


@pytest.mark.parametrize("kind", [KIND.PAUSE, KIND.CLOSE])
def test_a_lost_answer_to_stopping_is_looked_up(lab: Lab, kind: Intent.Kind) -> None:
    listing = make_listing()
    lab.publish(listing)
    intent = lab.plan(listing, Planned(kind, "1"), ticket=listing.tickets.get())
    lab.sim.fault("commit_then_drop", path="/transition/", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.DONE


def test_a_full_study_is_stopped_all_the_same(lab: Lab) -> None:
    listing = make_listing(n_places=1)
    key = lab.publish(listing)
    lab.visit(listing)
    assert lab.sim.study(key)["status"] == "AWAITING REVIEW"
    intent = lab.plan(listing, Planned(KIND.CLOSE, "1"), ticket=listing.tickets.get())
    lab.sim.fault("500_before", path="/transition/", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    lab.send(intent)

    assert lab.sim.study(key)["stopped"] is True


def test_more_places_are_another_study_that_shuts_the_first_ones_people_out(lab: Lab) -> None:
    listing = make_listing()
    first = lab.publish(listing)
    more = Listing.objects.get(pk=listing.pk)
    more.n_places = 2
    publish = lab.platform.plan_publishing(more)[-1]

    second = lab.sim.study(lab.publish(more, prefix="5: "))

    assert second["id"] != first
    assert second["total_available_places"] == 2
    assert second["filters"] == [
        {"filter_id": "previous_studies_blocklist", "selected_values": [first]}
    ]
    assert publish.commits == Decimal("4.00")


def test_a_busy_platform_has_done_nothing(lab: Lab) -> None:
    intent = draft_of(lab, make_listing())
    lab.sim.fault("throttle", path="/studies/$", method="POST")

    with pytest.raises(UnavailableError):
        lab.send(intent)
    lab.send(intent)

    assert len(lab.sim.world.state["studies"]) == 1


def test_a_wrong_token_is_refused_in_prolifics_words(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN_LAB", "another")
    intent = draft_of(lab, make_listing())

    with pytest.raises(RefusedError, match="credentials were not provided or are not valid"):
        lab.send(intent)
