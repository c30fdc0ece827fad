"""Drafts, filters, places, codes and groups of the simulated Prolific."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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


def coded(kind: str, *actions: dict[str, Any], code: str = "OTHER111") -> dict[str, Any]:
    return {"code": code, "code_type": kind, "actor": "participant", "actions": list(actions)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", None),
        ("reward", 1.5),
        ("reward", True),
        ("reward", 0),
        ("total_available_places", 0),
        ("external_study_url", "http://study.example/in"),
        ("prolific_id_option", "maybe"),
        ("completion_codes", []),
        ("completion_codes", [COMPLETED, COMPLETED]),
        ("completion_codes", [{**COMPLETED, "code_type": "FINE"}]),
        ("completion_codes", [{**COMPLETED, "actions": [{"action": "PAY_DOUBLE"}]}]),
        ("completion_code", "ABC"),
        ("maximum_allowed_time", 1440),
        ("device_compatibility", ["watch"]),
        ("filters", [{"filter_id": "participant_group_allowlist", "selected_values": ["x"]}]),
        ("submissions_config", {"max_submissions_per_participant": 0}),
    ],
)
def test_a_bad_draft_is_refused_with_the_field(me: Researcher, field: str, value: Any) -> None:
    answer = me.call("POST", "/studies/", me.draft(**{field: value}))

    assert answer.status_code == 400
    assert list(answer.json()["error"]["detail"]) == [field]
    assert me.get("/studies/")["results"] == []


def test_a_reward_below_the_floor_is_not_published(me: Researcher) -> None:
    study = me.study(reward=133, estimated_completion_time=10)

    answer = me.call("POST", f"/studies/{study}/transition/", {"action": "PUBLISH"})

    assert answer.status_code == 400
    assert "hourly" in answer.json()["error"]["detail"]["reward"][0]


def test_filters_change_only_before_publication_and_places_only_grow(me: Researcher) -> None:
    study = me.study()
    path = f"/studies/{study}/"
    filters = [{"filter_id": "approval_rate", "selected_range": {"lower": 98, "upper": 100}}]

    before = me.call("PATCH", path, {"filters": filters})
    me.act(study, "PUBLISH")
    after = me.call("PATCH", path, {"filters": []})
    fewer = me.call("PATCH", path, {"total_available_places": 2})
    more = me.call("PATCH", path, {"total_available_places": 5})

    assert (before.status_code, after.status_code) == (200, 400)
    assert (fewer.status_code, more.status_code) == (400, 200)
    shown = me.get(path)
    assert shown["filters"] == filters
    assert shown["total_available_places"] == 5
    assert shown["total_cost"] == 1000


def test_a_study_goes_only_where_its_state_allows(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published()

    assert (
        me.call("POST", f"/studies/{study}/transition/", {"action": "PUBLISH"}).status_code == 400
    )
    assert me.act(study, "PAUSE") == "PAUSED"
    assert sim.bot("p1").studies() == []
    assert me.act(study, "START") == "ACTIVE"
    assert sim.bot("p1").studies()
    me.act(study, "STOP")
    assert me.status(study) == "COMPLETED"
    assert me.call("DELETE", f"/studies/{study}/").status_code == 400
    assert me.call("DELETE", f"/studies/{me.study()}/").status_code == 204


def test_who_has_begun_may_finish_a_study_that_is_stopped(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published()
    bot = sim.bot("p1")
    submission, _ = bot.take(study)

    me.act(study, "STOP")
    waiting = me.status(study)
    bot.type_code(submission, "DONE1234")
    me.approve(submission)

    assert waiting == "AWAITING REVIEW"
    assert me.status(study) == "COMPLETED"


def test_filters_look_at_what_participants_are(sim: ProlificSimulator, me: Researcher) -> None:
    me.published(
        filters=[
            {"filter_id": "approval_rate", "selected_range": {"lower": 98, "upper": 100}},
            {"filter_id": "current-country-of-residence", "selected_values": ["60"]},
            {"filter_id": "custom_blocklist", "selected_values": ["p4"]},
        ]
    )
    fits: dict[str, Any] = {"approval_rate": 98, "current-country-of-residence": "60"}

    assert sim.bot("p1", **fits).studies()
    assert not sim.bot("p2", **{**fits, "approval_rate": 97}).studies()
    assert not sim.bot("p3", approval_rate=100).studies()
    assert not sim.bot("p4", **fits).studies()


def test_one_place_goes_to_one_of_many_who_ask_at_once(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(total_available_places=1)
    bots = [sim.bot(f"p{n}") for n in range(8)]

    def ask(n: int) -> bool:
        try:
            bots[n].take(study)
        except PlaceRefusedError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(ask, range(8)))

    assert sum(got) == 1
    assert me.get(f"/studies/{study}/")["places_taken"] == 1


def test_two_tabs_of_one_person_get_one_submission(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published()
    tabs = [sim.bot("p1"), sim.bot("p1")]

    def ask(n: int) -> str | None:
        try:
            return tabs[n].reserve(study)
        except PlaceRefusedError:
            return None

    with ThreadPoolExecutor(2) as pool:
        got = list(pool.map(ask, range(2)))

    assert sum(key is not None for key in got) == 1
    assert len(me.get(f"/studies/{study}/submissions/")["results"]) == 1


def test_several_submissions_each_if_the_study_says_so(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(submissions_config={"max_submissions_per_participant": 2})
    bot = sim.bot("p1")

    for _ in range(2):
        submission, _ = bot.take(study)
        bot.type_code(submission, "DONE1234")

    assert bot.studies() == []
    with pytest.raises(PlaceRefusedError, match="already"):
        bot.reserve(study)


def test_only_so_many_at_the_same_time(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published(submissions_config={"max_concurrent_submissions": 1})
    first = sim.bot("p1")
    submission, _ = first.take(study)

    with pytest.raises(PlaceRefusedError, match="Too many"):
        sim.bot("p2").take(study)
    first.type_code(submission, "DONE1234")

    assert sim.bot("p2").take(study)


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


def test_addresses_are_given_out_as_they_are_allocated(
    sim: ProlificSimulator, me: Researcher
) -> None:
    details = [
        {"external_url": "http://127.0.0.1:9/a", "total_allocation": 1},
        {"external_url": "http://127.0.0.1:9/b", "total_allocation": 2},
    ]
    study = me.published(external_study_url=None, access_details=details)

    urls = [sim.bot(f"p{n}").take(study)[1] for n in range(3)]

    assert [url[-1] for url in urls] == ["a", "b", "b"]


def test_pages_go_to_the_end_and_no_further(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published(total_available_places=25)
    for n in range(25):
        sim.bot(f"p{n}").reserve(study)
    path = f"/studies/{study}/submissions/"

    seen, url = [], f"{path}?page_size=10"
    while url:
        page = me.get(url)
        seen.append([row["participant_id"] for row in page["results"]])
        url = page["_links"]["next"]["href"]
    past = me.call("GET", f"{path}?page=4&page_size=10")

    assert [len(rows) for rows in seen] == [10, 10, 5]
    assert sorted(person for rows in seen for person in rows) == sorted(f"p{n}" for n in range(25))
    assert page["meta"]["count"] == 25
    assert past.status_code == 404
    assert me.get(path)["_links"]["last"]["href"].endswith("page=2&page_size=20")


def test_without_the_token_nothing_is_told(sim: ProlificSimulator, me: Researcher) -> None:
    study = me.published()

    me.headers = {"Authorization": "Bearer simulated-token"}
    bearer = me.call("GET", f"/studies/{study}/")
    me.headers = {"Authorization": "Token wrong"}
    wrong = me.call("POST", f"/studies/{study}/transition/", {"action": "STOP"})

    assert (bearer.status_code, wrong.status_code) == (401, 401)
    assert sim.study(study)["status"] == "ACTIVE"
    assert "wrong" not in str(sim.journal())
