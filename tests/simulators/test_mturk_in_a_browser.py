"""A person at the workers' site: the requester's page in a frame, from another host."""

from collections.abc import Iterator
from html import escape
from typing import Any

import pytest

from tests.simulators.crowd import QUESTION, create_hit, withhold_cookies_from_frames
from tests.simulators.mturk import MturkSimulator
from tests.simulators.mturk.http import Reply, Request, Server

pytestmark = pytest.mark.browser


class _App:
    """A requester's page: says whether its cookie came back, and holds the last form."""

    def answer(self, request: Request) -> Reply:
        mark = "kept" if "visited=1" in request.headers.get("Cookie", "") else "withheld"
        assignment = escape(request.parameter("assignmentId"))
        action = f"{request.parameter('turkSubmitTo')}/mturk/externalSubmit"
        html = (
            f'<!DOCTYPE html><title>Task</title><p id="cookie">{mark}</p>'
            f'<form method="post" action="{escape(action)}">'
            f'<input type="hidden" name="assignmentId" value="{assignment}">'
            '<label>Answer <input name="answer"></label><button>Send</button></form>'
        )
        cookie = {"Set-Cookie": "visited=1; SameSite=None; Secure"}
        return Reply(200, html.encode(), "text/html; charset=utf-8", cookie)


@pytest.fixture
def app() -> Iterator[str]:
    server = Server(0, _App())
    server.start("a requester's pages")
    yield f"http://app.localhost:{server.port}"
    server.stop()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    page = context.new_page()
    withhold_cookies_from_frames(page)
    yield page
    context.close()


@pytest.mark.parametrize(
    "sandbox", ["allow-scripts allow-same-origin allow-forms allow-popups", "allow-forms", "off"]
)
def test_a_person_works_in_the_frame(
    mturk: MturkSimulator, client: Any, app: str, page: Any, sandbox: str
) -> None:
    mturk.configure(frame_sandbox=sandbox)
    hit = create_hit(client, Question=QUESTION.replace("https://app.example", app))

    page.goto(f"{mturk.worker_site}/projects")
    page.get_by_label("Worker id").fill("A1")
    page.get_by_role("button", name="Log in").click()
    # The preview is the first visit to the requester's page, the work the second.
    page.get_by_role("link", name="Preview").click()
    task = page.frame_locator("#task")
    assert task.locator("#cookie").inner_text() == "withheld"
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("button", name="Return").wait_for()
    task.get_by_label("Answer").fill("alike")
    cookie = task.locator("#cookie").inner_text()
    task.get_by_role("button", name="Send").click()
    if sandbox == "allow-forms":
        # Without scripts nothing leads back to the list.
        task.get_by_text("your HIT was submitted").wait_for()
    else:
        page.wait_for_url("**/projects")

    assert cookie == "withheld"
    found = client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert [row["WorkerId"] for row in found] == ["A1"]
    assert "<FreeText>alike</FreeText>" in found[0]["Answer"]


def test_a_person_returns_a_hit_and_sees_pages(
    mturk: MturkSimulator, client: Any, app: str, page: Any
) -> None:
    hit = create_hit(client, Question=QUESTION.replace("https://app.example", app))
    port = mturk.servers[1].port

    # The number is led to the name: the cookie belongs to that host.
    page.goto(f"http://127.0.0.1:{port}/worker/login?as=A1")
    page.goto(f"{mturk.worker_site}/projects/{hit['HITGroupId']}/tasks")
    page.get_by_role("button", name="Accept").click()
    page.goto(f"{mturk.worker_site}/queue")
    page.get_by_role("button", name="Return").click()

    page.wait_for_url("**/projects")
    assert client.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsPending"] == 0
