"""Approving, rejecting, asking to return and writing: each once, whatever answer comes."""

from datetime import timedelta

import pytest

from annotation.basics import clock
from annotation.core.platforms.base import Again, LookUpResult
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.models import Intent, Listing, Visit
from annotation.models.kinds import Outcome
from tests.crowds.platforms.prolific_lab import Lab, make_listing

KIND = Intent.Kind
REASON = "The same answer was given to every question within two seconds each. " * 2
REJECTION = {"message": REASON, "category": "LOW_EFFORT"}
LOST = ["commit_then_500", "commit_then_drop", "commit_then_hang", "truncated_json"]
NOT_DONE = ["500_before", "timeout_before", "wrong_content_type"]


@pytest.fixture
def listing(lab: Lab) -> Listing:
    listing = make_listing()
    lab.publish(listing)
    return listing


@pytest.fixture
def visit(lab: Lab, listing: Listing) -> Visit:
    return lab.visit(listing)


def paid(lab: Lab) -> list[int]:
    return [-line["amount"] for line in lab.sim.ledger("reward")]


def test_an_approved_submission_is_paid_the_reward(lab: Lab, visit: Visit) -> None:
    lab.send(lab.decide(visit, KIND.APPROVE))

    assert lab.status(visit) == "APPROVED"
    assert paid(lab) == [150]


@pytest.mark.slow
@pytest.mark.parametrize("fault", LOST)
def test_a_lost_approval_is_found(lab: Lab, visit: Visit, fault: str) -> None:
    intent = lab.decide(visit, KIND.APPROVE)
    lab.sim.fault(fault, path="/transition/", method="POST", seconds=3)

    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.DONE
    assert paid(lab) == [150]


@pytest.mark.slow
@pytest.mark.parametrize("fault", NOT_DONE)
def test_an_approval_that_did_not_arrive_is_sent_again(lab: Lab, visit: Visit, fault: str) -> None:
    intent = lab.decide(visit, KIND.APPROVE)
    lab.sim.fault(fault, path="/transition/", method="POST", seconds=3)
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    # It may be in progress for a while.
    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    lab.advance(minutes=6)
    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    assert lab.platform.again(intent) is Again.HARMLESS
    lab.send(intent)

    assert paid(lab) == [150]


def test_approving_twice_pays_once(lab: Lab, visit: Visit) -> None:
    intent = lab.decide(visit, KIND.APPROVE)
    lab.send(intent)

    lab.send(intent)

    assert paid(lab) == [150]


def test_what_prolific_approved_by_itself_is_taken_for_approved(lab: Lab, visit: Visit) -> None:
    lab.advance(days=22)

    lab.send(lab.decide(visit, KIND.APPROVE))

    assert paid(lab) == [150]


def test_what_was_paid_in_part_is_taken_for_approved(lab: Lab, visit: Visit) -> None:
    with lab.sim.world.turn():
        row = lab.sim.world.state["submissions"][visit.submission_id]
        row["status"] = "PARTIALLY APPROVED"
    intent = lab.decide(visit, KIND.APPROVE)

    lab.send(intent)

    assert intent.state == Intent.State.CONFIRMED
    assert paid(lab) == []


def test_right_after_the_redirect_a_no_means_not_yet(lab: Lab, listing: Listing) -> None:
    lab.sim.configure(completion_lag_s=60)
    visit = lab.visit(listing)
    intent = lab.decide(visit, KIND.APPROVE)

    with pytest.raises(UnavailableError):
        lab.send(intent)
    lab.advance(minutes=2)
    lab.send(intent)

    assert paid(lab) == [150]


def test_long_after_it_a_no_is_a_no(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(listing)
    bot = lab.sim.bot("f" * 24)
    Visit.objects.filter(pk=visit.pk).update(
        submission_id=bot.take(visit.ticket.remote_id)[0],
        ended_at=clock.now() - timedelta(minutes=16),
    )
    visit.refresh_from_db()

    with pytest.raises(RefusedError, match="A submission that is ACTIVE can not take the action"):
        lab.send(lab.decide(visit, KIND.APPROVE))


def test_what_was_returned_cannot_be_approved(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(listing)
    with lab.sim.world.turn():
        lab.sim.world.state["submissions"][visit.submission_id]["status"] = "RETURNED"
    intent = lab.decide(visit, KIND.APPROVE)

    with pytest.raises(RefusedError, match="RETURNED"):
        lab.send(intent)

    assert paid(lab) == []


def test_a_rejection_gives_its_reason(lab: Lab, visit: Visit) -> None:
    lab.send(lab.decide(visit, KIND.REJECT, payload=REJECTION))

    there = lab.sim.submission(visit.submission_id)
    assert (there["status"], there["message"]) == ("REJECTED", REASON.strip())
    assert there["rejection_category"] == "LOW_EFFORT"
    assert paid(lab) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"message": "x" * 99}, "at least 100 characters; yours has 99"),
        (
            {"category": "BORING"},
            "Choose one of Prolific's categories for the rejection: BAD_CODE",
        ),
        ({"category": ""}, "Choose one of Prolific's categories for the"),
    ],
)
def test_a_rejection_that_prolific_would_not_take_is_not_sent(
    lab: Lab, visit: Visit, change: dict[str, str], said: str
) -> None:
    with pytest.raises(RefusedError, match=said):
        lab.send(lab.decide(visit, KIND.REJECT, payload={**REJECTION, **change}))

    assert not lab.sim.journal(f"/submissions/{visit.submission_id}/transition/", "POST")


@pytest.mark.slow
@pytest.mark.parametrize("fault", LOST)
def test_a_lost_rejection_is_found(lab: Lab, visit: Visit, fault: str) -> None:
    intent = lab.decide(visit, KIND.REJECT, payload=REJECTION)
    lab.sim.fault(fault, path="/transition/", method="POST", seconds=3)
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.DONE


def test_a_rejection_after_an_approval_did_not_happen(lab: Lab, visit: Visit) -> None:
    lab.send(lab.decide(visit, KIND.APPROVE))
    intent = lab.decide(visit, KIND.REJECT, payload=REJECTION)

    with pytest.raises(RefusedError, match="APPROVED"):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    assert paid(lab) == [150]


def test_somebody_is_asked_to_return(lab: Lab, visit: Visit) -> None:
    lab.send(lab.decide(visit, KIND.ASK_RETURN, payload={"message": "You did not finish."}))

    assert lab.sim.submission(visit.submission_id)["return_requested"]


def test_a_lost_request_to_return_is_found(lab: Lab, visit: Visit) -> None:
    intent = lab.decide(visit, KIND.ASK_RETURN, payload={"message": "You did not finish."})
    lab.sim.fault("commit_then_drop", path="/request-return/", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.DONE


def test_a_message_reaches_the_participant(lab: Lab, visit: Visit) -> None:
    lab.send(lab.decide(visit, KIND.MESSAGE, payload={"message": "Part two is open."}))

    [message] = lab.sim.world.state["messages"]
    assert message["recipient_id"] == visit.person.platform_id
    assert (message["body"], message["study_id"]) == ("Part two is open.", visit.ticket.remote_id)


def test_a_lost_message_is_found_and_never_sent_twice(lab: Lab, visit: Visit) -> None:
    sent = lab.decide(visit, KIND.MESSAGE, "1", payload={"message": "Hello."})
    lab.send(sent)
    intent = lab.decide(visit, KIND.MESSAGE, "2", payload={"message": "Hello."})
    lab.sim.fault("500_before", path="/messages/", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)
    lab.advance(minutes=6)

    # The one that is there is the first one.
    assert lab.look_up(intent).result is LookUpResult.NOT_DONE
    assert lab.platform.again(intent) is Again.NEVER
    lab.sim.fault("commit_then_drop", path="/messages/", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.DONE
    assert len(lab.sim.world.state["messages"]) == 2


def test_a_submission_of_another_environment_is_not_touched(lab: Lab, visit: Visit) -> None:
    visit.environment = "production"
    visit.save()

    with pytest.raises(
        RefusedError, match="belongs to “production”, but the listing belongs to “lab”"
    ):
        lab.send(lab.decide(visit, KIND.APPROVE))


def test_what_prolific_cannot_do_is_refused(lab: Lab, visit: Visit) -> None:
    with pytest.raises(RefusedError, match="offers no way"):
        lab.send(lab.decide(visit, KIND.COMPENSATE))


@pytest.mark.parametrize("outcome", list(Outcome))
def test_each_outcome_has_its_code_and_what_follows(
    lab: Lab, listing: Listing, outcome: Outcome
) -> None:
    visit = lab.visit(listing, outcome=outcome)
    completion = lab.platform.completion(visit, outcome, "receipt")

    assert completion.url == f"{lab.sim.site}/submissions/complete?cc={completion.code}"
    there = lab.sim.submission(visit.submission_id)
    assert there["entered_code"] == completion.code == listing.codes[outcome]
    assert there["status"] == "AWAITING REVIEW"
    is_worked = outcome in {Outcome.COMPLETED, Outcome.FAILED_CHECKS}
    assert bool(there["return_requested"]) is not is_worked
