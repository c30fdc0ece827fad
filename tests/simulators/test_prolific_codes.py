"""What completion codes bring about on the simulated Prolific, and groups filled later."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.simulators.prolific import ProlificSimulator
from tests.simulators.prolific.researcher import COMPLETED, Researcher


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def me(sim: ProlificSimulator) -> Researcher:
    return Researcher(sim)


def coded(kind: str, *actions: dict[str, Any], code: str = "OTHER111") -> dict[str, Any]:
    return {"code": code, "code_type": kind, "actor": "participant", "actions": list(actions)}


def test_the_second_study_opens_when_the_group_is_filled_72_hours_later(
    sim: ProlificSimulator, me: Researcher
) -> None:
    body = {"name": "second phase", "workspace_id": sim.workspace}
    group = me.post("/participant-groups/", body)["id"]
    first = me.published(
        completion_codes=[coded("COMPLETED", {"action": "AUTOMATICALLY_APPROVE"})]
    )
    second = me.published(
        filters=[{"filter_id": "participant_group_allowlist", "selected_values": [group]}]
    )
    bot, other = sim.bot("p1"), sim.bot("p2")
    submission, _ = bot.take(first)
    bot.type_code(submission, "OTHER111")

    def offered() -> bool:
        return second in [study["id"] for study in bot.studies()]

    sim.advance(hours=72, seconds=-1)
    before = offered()
    sim.advance(seconds=1)
    people = {"participant_ids": ["p1"]}
    for _ in range(2):
        me.post(f"/participant-groups/{group}/participants/", people)
    me.post("/messages/", {"recipient_id": "p1", "body": "Part two", "study_id": second})
    after = offered()
    later, _ = bot.take(second)
    bot.type_code(later, "DONE1234")

    assert (before, after) == (False, True)
    assert me.submission(submission)["status"] == "APPROVED"
    assert bot.messages() == ["Part two"]
    assert second not in [study["id"] for study in other.studies()]
    (member,) = me.get(f"/participant-groups/{group}/participants/")["results"]
    assert member["participant_id"] == "p1"
    me.call("DELETE", f"/participant-groups/{group}/participants/", people)
    assert me.get(f"/participant-groups/{group}/")["participant_count"] == 0


def test_codes_move_people_between_groups(sim: ProlificSimulator, me: Researcher) -> None:
    body = {"name": "g", "workspace_id": sim.workspace, "participant_ids": [sim.participant("p1")]}
    out = me.post("/participant-groups/", body)["id"]
    into = me.post("/participant-groups/", {**body, "participant_ids": []})["id"]
    actions = [
        {"action": "MANUALLY_REVIEW"},
        {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": into},
        {"action": "REMOVE_FROM_PARTICIPANT_GROUP", "participant_group": out},
    ]
    bot = sim.bot("p1")
    submission, _ = bot.take(me.published(completion_codes=[coded("COMPLETED", *actions)]))

    bot.type_code(submission, "OTHER111")

    assert me.get(f"/participant-groups/{out}/")["participant_count"] == 0
    assert me.get(f"/participant-groups/{into}/")["participant_count"] == 1
    assert me.submission(submission)["status"] == "AWAITING REVIEW"


def test_screened_out_people_are_paid_until_the_slots_are_used_up(
    sim: ProlificSimulator, me: Researcher
) -> None:
    out = {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 2}
    study = me.published(
        is_custom_screening=True,
        total_available_places=1,
        completion_codes=[COMPLETED, coded("FIXED_SCREENOUT", out)],
    )

    statuses = []
    for n in range(2):
        bot = sim.bot(f"p{n}")
        submission, _ = bot.take(study)
        bot.type_code(submission, "OTHER111")
        statuses.append((me.submission(submission)["status"], me.status(study)))

    assert statuses == [("SCREENED OUT", "ACTIVE"), ("SCREENED OUT", "PAUSED")]
    assert sim.spent(study=study) == 2 * (20 + 7)
    assert me.get(f"/studies/{study}/")["places_taken"] == 0


def test_the_researcher_screens_out_and_adds_the_place_again(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(is_custom_screening=True, total_available_places=1)
    submission, _ = sim.bot("p1").take(study)
    body = {
        "submission_ids": [submission],
        "bonus_per_submission": 0.5,
        "increase_places": True,
    }

    me.post(f"/studies/{study}/screen-out-submissions/", body)

    assert me.submission(submission)["status"] == "SCREENED OUT"
    assert sim.spent() == 50 + 17
    assert me.get(f"/studies/{study}/")["total_available_places"] == 2


def test_a_test_study_is_for_test_participants_and_costs_nothing(
    sim: ProlificSimulator, me: Researcher
) -> None:
    draft = me.study()
    without = me.call("POST", f"/studies/{draft}/test-study")
    tester = me.post("/researchers/participants/", {"email": "me@lab.example"})["participant_id"]
    study = me.post(f"/studies/{draft}/test-study")["study_id"]

    bot = sim.bot(tester)
    submission, _ = bot.take(study)
    bot.type_code(submission, "DONE1234")
    me.approve(submission)

    assert without.status_code == 400
    assert sim.bot("p1").studies() == []
    assert sim.spent() == 0


def test_a_part_of_the_reward_is_paid_with_the_researchers_code(
    sim: ProlificSimulator, me: Researcher
) -> None:
    part = {
        "code": "PART5678",
        "code_type": "OTHER",
        "actor": "researcher",
        "actions": [{"action": "DYNAMIC_PAYMENT"}],
    }
    study = me.published(completion_codes=[COMPLETED, part])
    submission, _ = sim.bot("p1").take(study)
    path, body = (
        f"/submissions/{submission}/transition/",
        {"action": "COMPLETE", "completion_code": "PART5678"},
    )

    without = me.call("POST", path, body)
    me.post(path, {**body, "completion_code_data": {"percentage_of_reward": 40}})

    assert without.status_code == 400
    assert me.submission(submission)["status"] == "PARTIALLY APPROVED"
    assert sim.spent() == 60 + 20


def test_many_are_approved_at_once_or_none(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published()
    rows = []
    for n in range(3):
        bot = sim.bot(f"p{n}")
        rows.append(bot.take(study)[0])
        if n < 2:
            bot.type_code(rows[-1], "DONE1234")

    mixed = me.call("POST", "/submissions/bulk-approve/", {"submission_ids": rows})
    spent = sim.spent()
    for _ in range(2):
        me.post("/submissions/bulk-approve/", {"study_id": study, "participant_ids": ["p0", "p1"]})
    in_progress = sim.spent()
    sim.advance(minutes=1)

    assert mixed.status_code == 400
    assert spent == in_progress == 0
    assert sim.spent() == 400


def test_a_completed_study_holds_nothing_for_screen_outs_that_never_were(
    sim: ProlificSimulator, me: Researcher
) -> None:
    out = {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 5}
    study = me.published(
        is_custom_screening=True,
        total_available_places=1,
        completion_codes=[COMPLETED, coded("FIXED_SCREENOUT", out)],
    )
    held = sim.study(study)["held"]
    bot = sim.bot("p1")
    submission, _ = bot.take(study)
    bot.type_code(submission, "DONE1234")

    me.approve(submission)

    assert held == 200 + 5 * 27
    assert me.status(study) == "COMPLETED"
    assert sim.study(study)["held"] == 0
