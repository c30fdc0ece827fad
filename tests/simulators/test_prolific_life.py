"""The whole life of a study on the simulated Prolific, to the cent."""

from collections.abc import Iterator

import pytest

from tests.simulators.prolific import PlaceRefusedError, ProlificSimulator
from tests.simulators.prolific.researcher import COMPLETED, Researcher


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def me(sim: ProlificSimulator) -> Researcher:
    return Researcher(sim)


def complete(sim: ProlificSimulator, study: str, person: str, code: str = "DONE1234") -> str:
    bot = sim.bot(person)
    submission, _ = bot.take(study)
    bot.follow(f"https://app.prolific.com/submissions/complete?cc={code}").close()
    return submission


def test_a_study_is_drafted_published_worked_at_approved_and_paid(
    sim: ProlificSimulator, me: Researcher
) -> None:
    body = {"reward": 155, "total_available_places": 3}
    estimate = me.post("/study-cost-calculator/", body)["total_cost"]
    study = me.published(reward=155)
    held = me.get("/users/me/")

    people = ["p1", "p2", "p3"]
    submissions = [complete(sim, study, person) for person in people]
    waiting = me.status(study)
    for key in submissions:
        me.approve(key)
    batch = me.batch(study, "p1,1.50", f"{submissions[1]},0.07")
    me.pay(batch)
    sim.advance(minutes=10)

    # 33.3 % of 155 is 51.615, so 52 a place; of 150 it is 49.95, of 7 it is 2.331.
    assert estimate == 3 * (155 + 52)
    assert held["balance"] - held["available_balance"] == estimate
    assert waiting == "AWAITING REVIEW"
    assert me.status(study) == "COMPLETED"
    assert sim.spent() == estimate + (150 + 50) + (7 + 2)
    assert sim.bonuses(participant="p1") == [150]
    assert sim.bonuses(participant="p2") == [7]
    me_now = me.get("/users/me/")
    assert me_now["balance"] == me_now["available_balance"] == 1_000_000 - sim.spent()
    cost = me.get(f"/studies/{study}/cost/")
    assert cost["rewards"]["total"]["amount"] == estimate
    assert cost["bonuses"]["total"]["amount"] == 209


def test_the_list_and_the_detail_name_things_differently(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published()
    key = complete(sim, study, "p1")

    (listed,) = me.get(f"/studies/{study}/submissions/")["results"]
    detail = me.submission(key)

    assert (listed["participant_id"], listed["study_code"]) == ("p1", "DONE1234")
    assert (detail["participant"], detail["entered_code"]) == ("p1", "DONE1234")
    assert "participant_id" not in detail
    assert "participant" not in listed


def test_approving_twice_pays_once_and_a_decision_stands(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published()
    key = complete(sim, study, "p1")

    me.approve(key)
    me.approve(key)
    body = {"action": "REJECT", "message": "x" * 100, "rejection_category": "LOW_EFFORT"}
    reject = me.call("POST", f"/submissions/{key}/transition/", body)

    assert reject.status_code == 400
    assert len(sim.ledger("reward")) == 1


@pytest.mark.parametrize(
    ("message", "category", "field"),
    [("x" * 99, "LOW_EFFORT", "message"), ("x" * 100, "RUDE", "rejection_category")],
)
def test_a_rejection_needs_a_long_message_and_a_category(
    sim: ProlificSimulator, me: Researcher, message: str, category: str, field: str
) -> None:
    key = complete(sim, me.published(), "p1")
    body = {"action": "REJECT", "message": message, "rejection_category": category}

    answer = me.call("POST", f"/submissions/{key}/transition/", body)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["detail"]) == [field]
    assert me.submission(key)["status"] == "AWAITING REVIEW"


def test_a_rejected_place_goes_to_somebody_else(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published(total_available_places=1)
    key = complete(sim, study, "p1")
    body = {"action": "REJECT", "message": "x" * 100, "rejection_category": "NO_DATA"}

    me.post(f"/submissions/{key}/transition/", body)

    assert me.status(study) == "ACTIVE"
    assert [offer["id"] for offer in sim.bot("p2").studies()] == [study]
    assert sim.bot("p1").studies() == []
    assert sim.spent() == 0


def test_after_21_days_a_submission_approves_itself(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(total_available_places=1)
    key = complete(sim, study, "p1")

    sim.advance(days=21, seconds=-1)
    before = me.submission(key)["status"]
    sim.advance(seconds=1)

    assert before == "AWAITING REVIEW"
    assert me.submission(key)["status"] == "APPROVED"
    assert sim.spent() == 200


def test_a_reservation_lapses_and_work_times_out(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published(total_available_places=2, maximum_allowed_time=30)
    idle, slow = sim.bot("p1"), sim.bot("p2")
    reserved = idle.reserve(study)
    submission, _ = slow.take(study)

    sim.advance(minutes=10)
    lapsed = me.submission(reserved)["status"]
    sim.advance(minutes=20)

    assert lapsed == "TIMED-OUT"
    assert me.submission(submission)["status"] == "TIMED-OUT"
    assert me.get(f"/studies/{study}/")["places_taken"] == 0
    assert idle.studies()
    assert not slow.studies()


def test_who_is_late_may_hand_in_unless_another_has_the_place(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(total_available_places=1)
    late, later = sim.bot("p1"), sim.bot("p2")
    submission, _ = late.take(study)
    sim.advance(hours=2)
    other, _ = later.take(study)
    with pytest.raises(PlaceRefusedError, match="TIMED-OUT"):
        late.type_code(submission, "DONE1234")
    later.give_back(other)
    me.act(study, "STOP")
    before = me.status(study)

    late.type_code(submission, "DONE1234")

    assert before == "COMPLETED"
    assert me.submission(submission)["status"] == "AWAITING REVIEW"
    assert me.status(study) == "AWAITING REVIEW"
    assert me.approve(submission) == "APPROVED"
    assert sim.spent() == 200


def test_the_researcher_completes_what_timed_out(sim: ProlificSimulator, me: Researcher) -> None:
    rescue = {
        "code": "RESCUE99",
        "code_type": "OTHER",
        "actor": "researcher",
        "actions": [{"action": "AUTOMATICALLY_APPROVE"}],
    }
    study = me.published(completion_codes=[COMPLETED, rescue])
    submission, _ = sim.bot("p1").take(study)
    sim.advance(hours=1)
    path = f"/submissions/{submission}/transition/"

    mine = me.call("POST", path, {"action": "COMPLETE", "completion_code": "DONE1234"})
    theirs = me.post(path, {"action": "COMPLETE", "completion_code": "RESCUE99"})

    assert mine.status_code == 400
    assert theirs["status"] == "APPROVED"
    assert sim.spent() == 200


def test_a_returned_place_is_free_but_not_for_the_same_person(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(total_available_places=1)
    bot = sim.bot("p1")
    submission, _ = bot.take(study)
    full = sim.bot("p2").studies()

    me.post(
        f"/submissions/{submission}/request-return/", {"request_return_reasons": ["No consent"]}
    )
    asked = bot.submission(submission)["return_requested"]
    bot.give_back(submission)

    assert full == []
    assert asked
    assert bot.messages() == ["No consent"]
    assert me.submission(submission)["status"] == "RETURNED"
    assert bot.studies() == []
    assert sim.bot("p2").studies()


@pytest.mark.parametrize("code", ["NOCODE", "WRONG"])
def test_a_missing_or_wrong_code_waits_for_review(
    sim: ProlificSimulator, me: Researcher, code: str
) -> None:
    bot = sim.bot("p1")
    submission, _ = bot.take(me.published())

    bot.type_code(submission, code)

    row = me.submission(submission)
    assert (row["status"], row["entered_code"]) == ("AWAITING REVIEW", code)
    assert me.approve(submission) == "APPROVED"


def test_approving_right_after_the_redirect_can_be_too_early(
    sim: ProlificSimulator, me: Researcher
) -> None:
    sim.configure(completion_lag_s=5)
    key = complete(sim, me.published(), "p1")

    early = me.call("POST", f"/submissions/{key}/transition/", {"action": "APPROVE"})
    sim.advance(seconds=5)

    assert early.status_code == 400
    assert me.approve(key) == "APPROVED"
