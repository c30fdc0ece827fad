"""The workers' site, over HTTP, and the control interface beside it."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import pytest

from tests.simulators.crowd import (
    ANSWER,
    QUESTION,
    answered,
    create_hit,
    submit_one,
)
from tests.simulators.mturk import (
    ControlError,
    MturkSimulator,
    RunningSimulator,
    simulator_process,
)
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot
from tests.simulators.mturk.questions import ANSWERS, HTML


def _launch(address: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(address).query)


def test_a_preview_names_no_assignment_and_no_worker(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)

    task = WorkerBot(mturk.worker_site, "A1").preview(hit["HITGroupId"])

    assert _launch(task.frame) == [
        ("study", "1"),
        ("part", "2"),
        ("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"),
        ("hitId", hit["HITId"]),
        ("turkSubmitTo", mturk.worker_site),
    ]
    assert client.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsPending"] == 0


def test_accepted_work_is_launched_with_four_parameters(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client)

    task = WorkerBot(mturk.worker_site, "A1").accept()

    assert urlsplit(task.frame).netloc == "app.example"
    assert dict(_launch(task.frame)[2:]) == {
        "assignmentId": task.assignment_id,
        "hitId": hit["HITId"],
        "workerId": "A1",
        "turkSubmitTo": mturk.worker_site,
    }


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({"turk_submit_to": "missing"}, []),
        ({"turk_submit_to": "https://evil.example"}, ["https://evil.example"]),
    ],
)
def test_the_address_to_submit_to_can_be_missing_or_a_lie(
    mturk: MturkSimulator, client: Any, knobs: dict[str, str], expected: list[str]
) -> None:
    create_hit(client)
    mturk.configure(**knobs, doubled_parameter="hitId", worker_id_in_preview=True)

    launch = _launch(WorkerBot(mturk.worker_site, "A1").accept().frame)

    assert [text for name, text in launch if name == "turkSubmitTo"] == expected
    assert [name for name, _ in launch].count("hitId") == 2


def test_answers_come_back_as_xml(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    bot = WorkerBot(mturk.worker_site, "A1")
    task = bot.accept()
    fields = [
        ("assignmentId", task.assignment_id),
        ("answer", "a < b & \u201cc\u201d\x0b"),
        ("answer", "lost"),
        ("workerId", "A2"),
        ("empty", ""),
    ]

    page = bot.fetch("POST", f"{mturk.worker_site}/mturk/externalSubmit", form=fields)

    assert page.outcome == "submitted"
    assert page.headers["x-frame-options"] == "SAMEORIGIN"
    found = client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"][0]
    root = ElementTree.fromstring(found["Answer"])
    assert root.tag == f"{{{ANSWERS}}}QuestionFormAnswers"
    assert [[part.text for part in answer] for answer in root] == [
        ["answer", "a < b & \u201cc\u201d"],
        ["empty", None],
    ]


def test_what_the_platform_does_not_accept(mturk: MturkSimulator, client: Any) -> None:
    create_hit(client, MaxAssignments=2)
    first, second = (WorkerBot(mturk.worker_site, name) for name in ("A1", "A2"))
    task = first.accept()

    def outcome(bot: WorkerBot, fields: dict[str, str]) -> tuple[str, int]:
        with pytest.raises(BotRefusedError) as caught:
            bot.submit(task, fields)
        return caught.value.outcome, caught.value.status

    assert outcome(second, ANSWER) == ("not_yours", 403)
    assert outcome(first, {"hitId": task.hit_id}) == ("no_answer", 400)
    first.log_out()
    assert outcome(first, ANSWER) == ("not_logged_in", 403)


def test_a_second_submission_changes_nothing(mturk: MturkSimulator, client: Any) -> None:
    create_hit(client)
    bot = WorkerBot(mturk.worker_site, "A1")
    task = bot.accept()

    outcomes = bot.submit(task, ANSWER), bot.submit(task, {"receipt": "another"})

    assert outcomes == ("submitted", "already")
    found = client.get_assignment(AssignmentId=task.assignment_id)["Assignment"]
    assert "another" not in found["Answer"]


def test_one_assignment_of_a_hit_per_worker_and_two_tabs_share_it(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client, MaxAssignments=3)
    tab, other_tab = (WorkerBot(mturk.worker_site, "A1") for _ in range(2))

    task = tab.accept()

    assert other_tab.accept(hit["HITGroupId"], hit["HITId"]) == task
    tab.submit(task, ANSWER)
    with pytest.raises(BotRefusedError) as caught:
        tab.accept(hit["HITGroupId"], hit["HITId"])
    assert caught.value.outcome == "already"


def test_many_who_accept_at_once_get_as_many_places_as_there_are(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client, MaxAssignments=3)
    bots = [WorkerBot(mturk.worker_site, f"A{n}") for n in range(12)]

    def try_it(bot: WorkerBot) -> str:
        try:
            return bot.accept(hit["HITGroupId"], hit["HITId"]).assignment_id
        except BotRefusedError as refused:
            return refused.outcome

    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(try_it, bots))

    assert outcomes.count("none_left") == 9
    assert len(set(outcomes)) == 4


def test_the_queue_is_limited(mturk: MturkSimulator, client: Any) -> None:
    mturk.configure(max_queue=1)
    hits = [create_hit(client) for _ in range(2)]
    bot = WorkerBot(mturk.worker_site, "A1")

    bot.accept(hits[0]["HITGroupId"], hits[0]["HITId"])
    with pytest.raises(BotRefusedError) as caught:
        bot.accept(hits[1]["HITGroupId"], hits[1]["HITId"])

    assert caught.value.outcome == "queue_full"
    assert hits[0]["HITId"] in bot.read("/queue")


def test_a_question_in_html_is_shown_by_the_site(mturk: MturkSimulator, client: Any) -> None:
    content = "<p>Enter your code</p>"
    question = (
        f'<HTMLQuestion xmlns="{HTML}"><HTMLContent><![CDATA[{content}]]></HTMLContent>'
        "<FrameHeight>400</FrameHeight></HTMLQuestion>"
    )
    create_hit(client, Question=question)
    bot = WorkerBot(mturk.worker_site, "A1")

    task = bot.accept()

    assert bot.open(task).text == content
    assert task.launch("assignmentId") == task.assignment_id


def test_strangers_are_sent_to_log_in(mturk: MturkSimulator) -> None:
    bot = WorkerBot(mturk.worker_site, "A1")
    bot.log_out()

    assert "Log in as a simulated worker" in bot.read("/projects")
    with pytest.raises(BotRefusedError) as caught:
        WorkerBot(mturk.worker_site, "b1")
    assert caught.value.outcome == "bad_worker"


def test_notifications_are_queued_and_spoilt_on_request(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client, MaxAssignments=3)
    specification = {
        "Destination": "https://sqs.example/1/q",
        "Transport": "SQS",
        "Version": "2014-08-15",
        "EventTypes": ["AssignmentSubmitted", "AssignmentReturned"],
    }
    client.update_notification_settings(
        HITTypeId=hit["HITTypeId"], Notification=specification, Active=True
    )

    def events() -> list[str]:
        return [notice["body"]["Events"][0]["EventType"] for notice in mturk.notices()]

    bot = WorkerBot(mturk.worker_site, "A1")
    bot.give_back(bot.accept())
    bot.work(answered)
    assert events() == ["AssignmentReturned", "AssignmentSubmitted"]
    mturk.control("POST", "notifications", {"duplicate": True, "delay_s": 60})
    WorkerBot(mturk.worker_site, "A2").work(answered)
    assert events() == []
    mturk.advance(60)
    first, second = mturk.notices()
    assert first["body"] == second["body"]
    mturk.control("POST", "notifications", {"drop": True})
    WorkerBot(mturk.worker_site, "A3").work(answered)
    mturk.advance(60)
    assert events() == []
    client.send_test_event_notification(Notification=specification, TestEventType="Ping")
    mturk.advance(60)
    assert events() == ["Ping"]


def test_the_clock_stands_follows_and_never_goes_back(mturk: MturkSimulator) -> None:
    start = mturk.now

    assert mturk.now == start
    mturk.set_clock(start + timedelta(hours=1))
    with pytest.raises(ControlError, match="does not go back"):
        mturk.set_clock(start)
    mturk.follow_real_time()
    moved = mturk.now
    mturk.follow_real_time(follow=False)

    assert start + timedelta(hours=1) < moved <= start + timedelta(hours=1, minutes=1)
    assert mturk.now == mturk.now


def test_a_snapshot_brings_everything_back(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2, UniqueRequestToken="t")
    bot = WorkerBot(mturk.worker_site, "A1")
    task = bot.accept()
    snapshot, state = mturk.snapshot(), mturk.state()

    mturk.reset()
    assert client.list_hits()["HITs"] == []
    mturk.restore(snapshot)

    assert mturk.state() == state
    assert bot.submit(task, ANSWER) == "submitted"
    mturk.advance(timedelta(days=3))
    found = client.get_assignment(AssignmentId=task.assignment_id)["Assignment"]
    assert (found["HITId"], found["AssignmentStatus"]) == (hit["HITId"], "Approved")


def test_a_process_keeps_its_memory_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "state.json"

    with simulator_process("--state", str(file)) as first:
        hit = create_hit(first.client())
        assignment = submit_one(first.client(), WorkerBot(first.worker_site, "A1"), hit)
        ledger = first.ledger()
    assert json.loads(file.read_text())["%kind"] == "World"
    with simulator_process("--state", str(file), "--follow-real-time") as second:
        second.client().approve_assignment(AssignmentId=assignment)

        assert second.ledger()[: len(ledger)] == ledger
        assert str(second.charged) == "1.80"


def test_a_process_that_is_ended_leaves_its_memory_behind(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    command = [sys.executable, "-m", "tests.simulators.mturk", "--state", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        ready = json.loads(process.stdout.readline())
        hit = create_hit(RunningSimulator(**ready).client())

        process.terminate()
        process.communicate(timeout=20)

    assert process.returncode == 0
    assert hit["HITId"] in file.read_text()


def test_unknown_knobs_are_refused(mturk: MturkSimulator) -> None:
    with pytest.raises(ControlError, match="no such setting: lag"):
        mturk.configure(lag=1)
    with pytest.raises(ControlError, match="a worker has no hair"):
        mturk.add_worker("A1", hair="long")
    with pytest.raises(ControlError, match="no GET /_sim/weather"):
        mturk.control("GET", "weather")


def test_the_simulator_knows_nothing_of_the_application() -> None:
    program = (
        "import sys, tests.simulators.mturk.bot, tests.simulators.mturk;"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    loaded = set(done.stdout.split())
    assert "botocore" in loaded
    assert loaded & {"annotation", "config", "tuples", "scoring", "django", "numpy"} == set()


def test_only_this_machine_is_served(mturk: MturkSimulator) -> None:
    assert urlsplit(mturk.endpoint).hostname == "127.0.0.1"
    addresses = {server.server_address[0] for server in mturk.servers}
    assert addresses == {"127.0.0.1"}


def test_the_sandbox_attribute_can_be_changed(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, Question=QUESTION)
    bot = WorkerBot(mturk.worker_site, "A1")
    page = f"/projects/{hit['HITGroupId']}/tasks/{hit['HITId']}"

    assert 'sandbox="allow-scripts allow-same-origin allow-forms allow-popups"' in bot.read(page)
    mturk.configure(frame_sandbox="allow-forms")
    assert 'sandbox="allow-forms"' in bot.read(page)
    mturk.configure(frame_sandbox="off")
    assert "sandbox=" not in bot.read(page)
