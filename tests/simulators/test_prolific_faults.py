"""Everything that can go wrong with the simulated Prolific, each kind on its own."""

import threading
import time
from collections.abc import Iterator

import pytest
import requests

from tests.simulators.prolific import PlaceRefusedError, ProlificSimulator
from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.faults import KINDS
from tests.simulators.prolific.researcher import Researcher


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def me(sim: ProlificSimulator) -> Researcher:
    return Researcher(sim)


def studies(sim: ProlificSimulator) -> int:
    return len(sim.world.state["studies"])


@pytest.mark.parametrize(
    ("kind", "status", "made"),
    [("throttle", 429, 0), ("500_before", 500, 0), ("commit_then_500", 500, 1)],
)
def test_an_error_comes_before_or_after_the_work(
    sim: ProlificSimulator, me: Researcher, kind: str, status: int, made: int
) -> None:
    sim.fault(kind, path="/studies/$", method="POST")

    answer = me.call("POST", "/studies/", me.draft())

    assert answer.status_code == status
    assert studies(sim) == made
    assert ("Retry-After" in answer.headers) is (kind == "throttle")
    assert me.call("POST", "/studies/", me.draft()).status_code == 201


def test_a_cut_connection_has_done_its_work(sim: ProlificSimulator, me: Researcher) -> None:
    sim.fault("commit_then_drop", path="/studies/")

    with pytest.raises(requests.ConnectionError):
        me.call("POST", "/studies/", me.draft())

    assert studies(sim) == 1


@pytest.mark.parametrize(("kind", "made"), [("timeout_before", 0), ("commit_then_hang", 1)])
def test_a_caller_with_a_limit_gives_up_on_what_hangs(
    sim: ProlificSimulator, me: Researcher, kind: str, made: int
) -> None:
    sim.fault(kind, path="/studies/", seconds=30)

    with pytest.raises(requests.Timeout):
        me.call("POST", "/studies/", me.draft(), timeout=0.2)

    assert studies(sim) == made


def test_closing_the_server_ends_what_hangs() -> None:
    with ProlificSimulator() as sim:
        me = Researcher(sim)
        sim.fault("timeout_before", path="/users/me/", seconds=60)
        failed: list[Exception] = []

        def ask() -> None:
            try:
                me.get("/users/me/")
            except requests.ConnectionError as error:
                failed.append(error)

        caller = threading.Thread(target=ask)
        caller.start()
        while not sim.journal("/users/me/"):
            caller.join(0.01)
        started = time.monotonic()
    caller.join()

    assert failed
    assert time.monotonic() - started < 10


def test_a_hang_ends_by_itself_without_an_answer(sim: ProlificSimulator, me: Researcher) -> None:
    sim.fault("timeout_before", path="/users/me/", seconds=0.05)

    with pytest.raises(requests.ConnectionError):
        me.get("/users/me/")


def test_a_late_answer_is_still_an_answer(sim: ProlificSimulator, me: Researcher) -> None:
    sim.fault("latency", path="/users/me/", seconds=0.2)

    started = time.monotonic()
    me.get("/users/me/")

    assert time.monotonic() - started >= 0.2


def test_half_an_answer_is_no_json(sim: ProlificSimulator, me: Researcher) -> None:
    sim.fault("truncated_json", path="/studies/")

    answer = me.call("POST", "/studies/", me.draft())

    assert answer.status_code == 201
    with pytest.raises(requests.JSONDecodeError):
        answer.json()
    assert studies(sim) == 1


def test_a_page_of_a_proxy_comes_instead_of_json(sim: ProlificSimulator, me: Researcher) -> None:
    sim.fault("wrong_content_type", path="/studies/")

    answer = me.call("POST", "/studies/", me.draft())

    assert answer.status_code == 503
    assert answer.headers["Content-Type"].startswith("text/html")
    assert studies(sim) == 0


def test_a_stale_read_knows_nothing_of_the_last_write(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.study()
    sim.fault("stale_read", path=f"/studies/{study}/$", times=2)

    me.act(study, "PUBLISH")
    seen = [me.status(study) for _ in range(3)]

    assert seen == ["UNPUBLISHED", "UNPUBLISHED", "ACTIVE"]


def test_a_closed_service_can_be_read_but_not_written(
    sim: ProlificSimulator, me: Researcher
) -> None:
    study = me.study()
    sim.fault("service_closed")

    writes = [me.call("POST", "/studies/", me.draft()).status_code for _ in range(3)]
    read = me.status(study)
    sim.clear_faults()

    assert writes == [403, 403, 403]
    assert read == "UNPUBLISHED"
    assert me.act(study, "PUBLISH") == "ACTIVE"


def test_a_submission_the_platform_has_lost(sim: ProlificSimulator, me: Researcher) -> None:
    bot = sim.bot("p1")
    submission, _ = bot.take(me.published())
    sim.fault("lose_submission", path="/submissions/complete")

    thanked = bot.follow(f"{sim.complete_url}?cc=DONE1234")

    assert thanked.status_code == 200
    assert me.submission(submission)["status"] == "ACTIVE"


def test_a_fault_hits_the_nth_request_and_no_other(sim: ProlificSimulator, me: Researcher) -> None:
    sim.fault("throttle", path="/users/me/", nth=2, times=2)

    seen = [me.call("GET", "/users/me/").status_code for _ in range(5)]

    assert seen == [200, 429, 429, 200, 200]
    assert me.get("/studies/")["results"] == []


def test_every_kind_is_tried_above() -> None:
    above = {"throttle", "500_before", "timeout_before", "commit_then_500", "commit_then_drop"}
    above |= {"commit_then_hang", "latency", "truncated_json", "wrong_content_type"}
    above |= {"stale_read", "service_closed", "lose_submission"}

    assert above == set(KINDS)


def test_an_unknown_fault_is_refused(sim: ProlificSimulator) -> None:
    with pytest.raises(Refusal, match="earthquake"):
        sim.fault("earthquake")


def test_the_published_keys_can_fail_too(sim: ProlificSimulator) -> None:
    sim.fault("500_before", path="jwks")

    assert requests.get(sim.jwks_url, timeout=10).status_code == 500
    assert requests.get(sim.jwks_url, timeout=10).status_code == 200
    assert len(sim.journal("jwks")) == 2


def test_a_bot_does_not_leave_this_machine(sim: ProlificSimulator) -> None:
    with pytest.raises(ValueError, match=r"study\.example"):
        sim.bot("p1").follow("https://study.example/in")


def test_the_servers_answer_to_no_other_name(sim: ProlificSimulator) -> None:
    answer = requests.get(sim.site, headers={"Host": "prolific.example"}, timeout=10)
    named = requests.get(sim.site, headers={"Host": "worker.localhost"}, timeout=10)

    assert (answer.status_code, named.status_code) == (421, 200)


def test_nobody_touches_the_submission_of_somebody_else(
    sim: ProlificSimulator, me: Researcher
) -> None:
    submission, _ = sim.bot("p1").take(me.published())

    with pytest.raises(PlaceRefusedError, match="not found"):
        sim.bot("p2").type_code(submission, "DONE1234")
