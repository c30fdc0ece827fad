"""The participants' site of the simulated Connect, and the simulator as a process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.simulators.connect import ConnectSimulator
from tests.simulators.connect.site import person_of

OFFER = {
    "name": "How <alike>?",
    "projectUrl": "http://127.0.0.1:9/p/x/",
    "payment": 1.5,
    "estimatedTimeInMinutes": 10,
    "participants": 1,
    "completionSettings": {"projectCompletionType": "CompletionCode", "value": "DONE1"},
}


@pytest.fixture
def connect() -> Iterator[ConnectSimulator]:
    with ConnectSimulator() as simulator:
        yield simulator


def ask(simulator: ConnectSimulator, path: str, body: Any = None, **headers: str) -> Any:
    """A call of the researcher's."""
    with requests.request(
        "GET" if body is None else "POST",
        simulator.api + path,
        json=body,
        headers={"X-API-KEY": simulator.token, **headers},
        timeout=10,
    ) as answer:
        assert answer.status_code in {200, 204}, answer.text
        return answer.json() if answer.content else None


def published(simulator: ConnectSimulator) -> str:
    project = str(ask(simulator, "/project", OFFER)["project"]["projectId"])
    ask(simulator, f"/project/{project}/update-status", {"status": "Live"})
    return project


def test_a_participant_takes_a_project_and_types_the_code(connect: ConnectSimulator) -> None:
    project = published(connect)
    with requests.Session() as browser:
        browser.trust_env = False
        offers = browser.get(f"{connect.site}/login?as=Ada").text
        assert "How &lt;alike&gt;?" in offers
        page = browser.post(f"{connect.site}/projects/{project}/take")
        assignment = page.url.rpartition("/")[2]
        query = f"participantId={person_of('Ada')}&amp;assignmentId={assignment}"
        assert f"http://127.0.0.1:9/p/x/?{query}&amp;projectId={project}" in page.text
        browser.post(f"{page.url}/code", data={"code": "DONE1"})

    [row] = ask(connect, f"/assignments/{project}")["assignments"]
    assert (row["assignmentId"], row["status"]) == (assignment, "Pending")
    assert row["completion"]["completionCode"] == "DONE1"
    # Its only place is taken.
    assert connect.project(project)["status"] == "Completed"


def test_nobody_sees_the_assignment_of_another(connect: ConnectSimulator) -> None:
    assignment, _address = connect.take(published(connect), person_of("Ada"))
    with requests.Session() as browser:
        browser.trust_env = False
        browser.get(f"{connect.site}/login?as=Ben")

        assert browser.get(f"{connect.site}/assignments/{assignment}").status_code == 404
        assert "No project is offered" in browser.get(f"{connect.site}/projects").text


def test_without_the_key_the_interface_says_nothing(connect: ConnectSimulator) -> None:
    for headers in ({}, {"X-API-KEY": "other"}, {"Authorization": f"Token {connect.token}"}):
        with requests.get(f"{connect.api}/account", headers=headers, timeout=10) as answer:
            assert answer.status_code == 401


def test_a_token_is_good_for_one_request_even_if_that_fails(connect: ConnectSimulator) -> None:
    project = published(connect)
    headers = {"X-API-KEY": connect.token, "IDEMPOTENCY-TOKEN": "once"}
    url = f"{connect.api}/project/{project}/update-status"

    statuses = []
    for status in ("Closed", "Paused"):
        with requests.post(url, json={"status": status}, headers=headers, timeout=10) as answer:
            statuses.append(answer.status_code)
    connect.advance(hours=24)
    ask(connect, f"/project/{project}/update-status", {"status": "Paused"}, **headers)

    assert statuses == [400, 400]
    assert connect.project(project)["status"] == "Paused"


def test_the_money_of_places_is_held_and_what_is_paid_has_left(connect: ConnectSimulator) -> None:
    connect.set_wallet(500)
    project = published(connect)
    assert ask(connect, "/account") == {"accountBalance": 3.12}

    assignment, _address = connect.take(project, "P1")
    connect.complete(assignment, "DONE1")
    ask(connect, f"/assignments/{project}/reject", {"participants": [_item(assignment)]})
    assert ask(connect, "/account") == {"accountBalance": 5.0}
    ask(connect, f"/assignments/{project}/approve", {"participants": [_item(assignment)]})
    payment = {**_item(assignment), "amount": 1.0}
    ask(connect, f"/assignments/{project}/bonus", {"bonusPayment": [payment]})

    assert ask(connect, "/account") == {"accountBalance": 1.87}
    assert connect.spent() == 188 + 125


def _item(assignment: str) -> dict[str, Any]:
    return {"id": assignment, "message": "!"}


def test_the_process_says_where_it_is_and_remembers(tmp_path: Any) -> None:
    command = [sys.executable, "-m", "tests.simulators.connect", "--state", str(tmp_path / "c")]
    projects = []
    for _run in range(2):
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            addresses = json.loads(process.stdout.readline())
            headers = {"X-API-KEY": addresses["token"]}
            url = f"{addresses['api']}/project"
            if not projects:
                requests.post(url, json=OFFER, headers=headers, timeout=10).close()
            with requests.get(url, headers=headers, timeout=10) as answer:
                projects.append(answer.json()["projects"])
            process.stdin.close()
            process.wait(timeout=20)

    assert projects[0] == projects[1]
    assert len(projects[0]) == 1
