"""Drafts, filters, places and pages of the simulated Prolific."""

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
        ("filters", [{"filter_id": "shoe-size", "selected_values": ["0"]}]),
        ("filters", [{"filter_id": "sex", "selected_values": ["7"]}]),
        ("filters", [{"filter_id": "sex", "selected_values": ["0"], "title": "Sex"}]),
        ("filters", [{"filter_id": "age", "selected_range": {"lower": 17}}]),
        ("filters", [{"filter_id": "custom_blocklist", "selected_values": ["me"]}]),
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


@pytest.mark.parametrize("stopped", [False, True])
def test_more_places_open_a_completed_study_again(
    sim: ProlificSimulator, me: Researcher, stopped: bool
) -> None:
    study = me.published(total_available_places=2)
    for n in range(1 if stopped else 2):
        bot = sim.bot(f"p{n}")
        submission, _url = bot.take(study)
        bot.type_code(submission, "DONE1234")
        me.post(f"/submissions/{submission}/transition/", {"action": "APPROVE"})
    if stopped:
        me.act(study, "STOP")
    before = sim.study(study)["status"]

    me.call("PATCH", f"/studies/{study}/", {"total_available_places": 3})

    assert (before, sim.study(study)["status"]) == ("COMPLETED", "ACTIVE")
    # Of a study that was stopped, the places that were left are offered again, too.
    assert sim.study(study)["held"] == (400 if stopped else 200)


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
            {"filter_id": "custom_blocklist", "selected_values": ["4" * 24]},
        ]
    )
    fits: dict[str, Any] = {"approval_rate": 98, "current-country-of-residence": "60"}

    assert sim.bot("p1", **fits).studies()
    assert not sim.bot("p2", **{**fits, "approval_rate": 97}).studies()
    assert not sim.bot("p3", approval_rate=100).studies()
    assert not sim.bot("4" * 24, **fits).studies()


def test_so_few_who_pass_are_counted_as_none(sim: ProlificSimulator, me: Researcher) -> None:
    for n in range(27):
        sim.participant(f"{n:024x}", sex="0", age=18 + n)
    body = {"filters": [{"filter_id": "sex", "selected_values": ["0"]}]}

    assert me.post("/eligibility-count/", body) == {"count": 27}
    body["filters"].append({"filter_id": "age", "selected_range": {"lower": 21}})
    assert me.post("/eligibility-count/", body) == {"count": 0}


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


def test_a_study_that_takes_longer_than_said_is_flagged(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.published(reward=150, estimated_completion_time=10)
    flags = [me.get(f"/studies/{study}/")["is_underpaying"]]
    for n, minutes in enumerate((11, 12)):
        bot = sim.bot(f"p{n}")
        submission, _ = bot.take(study)
        sim.advance(minutes=minutes)
        bot.type_code(submission, "DONE1234")
        flags.append(me.get(f"/studies/{study}/")["is_underpaying"])

    # 1.50 in 11 minutes is 8.18 an hour, in 11.5 minutes (the median) 7.83.
    assert flags == [None, False, True]


def test_publishing_can_take_a_while(sim: ProlificSimulator, me: Researcher) -> None:
    sim.configure(publish_delay_s=60)
    study = me.study()

    status = me.act(study, "PUBLISH")
    sim.advance(seconds=60)

    assert status == "PUBLISHING"
    assert me.status(study) == "ACTIVE"
    assert [line["amount"] for line in sim.ledger("hold")] == [600]


def test_a_misspelt_knob_is_refused(sim: ProlificSimulator) -> None:
    with pytest.raises(ValueError, match="bonus_lags"):
        sim.configure(bonus_lags=1)
    with pytest.raises(ValueError, match="platform_fee"):
        ProlificSimulator(platform_fee=0.333)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/studies/", []),
        ("/studies/", {"completion_codes": [{"code": "C", "code_type": []}]}),
        ("/studies/{study}/transition/", {"action": {}}),
        ("/studies/{study}/transition/", "PUBLISH"),
        ("/submissions/bulk-approve/", {"submission_ids": [{}]}),
        ("/submissions/bonus-payments/", {"study_id": [], "csv_bonuses": "p1,1.00"}),
        ("/hooks/subscriptions/", {"event_type": []}),
        ("/participant-groups/", {"name": "g", "workspace_id": "w", "participant_ids": [1]}),
        ("/messages/", {"recipient_id": 1}),
    ],
)
def test_an_odd_body_is_the_callers_mistake_and_changes_nothing(
    sim: ProlificSimulator, me: Researcher, path: str, body: Any
) -> None:
    study = me.study()
    before = sim.snapshot()["state"]

    answer = me.call("POST", path.format(study=study), body)

    assert answer.status_code in (400, 404)
    assert answer.json()["error"]["status"] == answer.status_code
    assert sim.snapshot()["state"] == before
