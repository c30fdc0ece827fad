"""Coming by a platform in a real browser: from the launch to the last page, also in a frame."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from annotation.answering.services import visits
from annotation.models import Listing, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.browser.arriving import arrive
from tests.browser.booklets import pick
from tests.browser.inspecting import WINDOWS, Inspector
from tests.support import crowds, factories
from tests.support.crowds import make_listing, make_ticket

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SMALL = {"annotations_per_tuple": 2, "questions_per_screen": 2, "screens_per_booklet": 2}


@pytest.fixture
def study() -> Any:
    return factories.make_open_study(
        dialogues=2, parameters=SMALL, instructions="Compare what the texts **say**."
    )


@pytest.fixture
def listing(study: Any) -> Listing:
    return make_listing(study)


def address(live_server: Any, listing: Listing, person: str = "p1", session: str = "s1") -> str:
    return f"{live_server.url}/p/{listing.token}/?participant={person}&session={session}"


def answer_booklet(page: Any, *, in_frame: Any = None) -> None:
    """From the consent page to the overview, and sent."""
    at = in_frame or page
    at.get_by_role("button", name="I agree", exact=True).click()
    at.get_by_role("button", name="Start").click()
    n_screens = Visit.objects.latest("pk").run.assignment.n_screens
    for screen in range(1, n_screens + 1):
        at.get_by_role("heading", name=f"Screen {screen} of {n_screens}").wait_for(
            state="attached"
        )
        at.locator("html[data-ready]").wait_for(state="attached")
        for number in range(at.locator("[data-question]").count()):
            pick(at, number, best=0, worst=1)
        way_on = at.locator(".bar-buttons .primary")
        # Whoever comes to it by the keyboard sees it, also in a frame higher than the window.
        page.evaluate("scrollTo(0, 0)")
        way_on.focus()
        expect(way_on).to_be_in_viewport(ratio=1)
        way_on.click()
    at.get_by_role("button", name="Send my answers").click()
    at.get_by_role("heading", name="We have received your answers").wait_for()


@pytest.mark.parametrize("window", [{}, PHONE], ids=["1280", "360"])
def test_from_the_launch_to_the_code(
    new_context: Any, live_server: Any, listing: Listing, window: dict[str, Any]
) -> None:
    page = new_context(**window).new_page()
    page.goto(address(live_server, listing))

    answer_booklet(page)

    expect(page.get_by_label("Please enter this code on the page you came from:")).to_have_value(
        "CODE-COMPLETED"
    )
    last = page.url
    page.reload()
    expect(page.get_by_label("Please enter this code on the page you came from:")).to_have_value(
        "CODE-COMPLETED"
    )
    # Nothing of it stays in a browser that others may use.
    page.goto(f"{live_server.url}/j/{listing.study.join_token}/")
    arrive(page)
    assert page.get_by_text("You have been here before").is_hidden()
    # The platform's link leads to the same last page.
    page.goto(address(live_server, listing))
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(last)


def test_without_javascript_one_may_decline_and_copy_the_code(
    new_context: Any, live_server: Any, listing: Listing
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(address(live_server, listing))

    page.get_by_role("button", name="I do not agree").click()

    expect(page.get_by_role("heading", name="You are not taking part")).to_be_visible()
    expect(page.get_by_label("Please enter this code on the page you came from:")).to_have_value(
        "CODE-NO_CONSENT"
    )
    assert page.get_by_role("button", name="Copy").is_hidden()


def test_the_pages_are_accessible(page: Any, live_server: Any, listing: Listing) -> None:
    inspector = Inspector(*WINDOWS)
    page.goto(address(live_server, listing))
    inspector.look(page, "consent")
    inspector.look_at_focus(page, "consent")
    page.get_by_role("button", name="I agree", exact=True).click()
    arrive(page, "**/instructions/")
    page.goto(address(live_server, listing))
    inspector.look(page, "go on")
    page.goto(address(live_server, listing, session="another-sitting-of-the-same"))
    page.get_by_role("button", name="I agree", exact=True).click()
    expect(page.get_by_text("another task of this study open")).to_be_visible()
    inspector.look(page, "open elsewhere")
    inspector.look_at_focus(page, "open elsewhere")
    visits.end(visit=Visit.objects.get(), outcome=Outcome.SCREENED_OUT)
    page.goto(address(live_server, listing))
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_label("Please enter this code on the page you came from:")).to_be_visible()
    inspector.look(page, "screened out")
    inspector.look_at_focus(page, "screened out")
    assert inspector.found == []


# -- in the frame of a platform -------------------------------------------------------------------


@dataclass
class Worker:
    """The pages of a platform on a host of its own: they frame ours, and take the last form."""

    port: int = 0
    framed: str = ""
    taken: list[dict[str, list[str]]] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://worker.localhost:{self.port}"


@pytest.fixture
def worker() -> Iterator[Worker]:
    site = Worker()

    class Pages(BaseHTTPRequestHandler):
        def _say(self, html: str) -> None:
            body = f"<!doctype html><html lang=en><title>x</title>{html}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            rules = "allow-scripts allow-same-origin allow-forms"
            self._say(
                f'<iframe sandbox="{rules}" src="{site.framed}" width="1000" height="700">'
                "</iframe>"
            )

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            site.taken.append(parse_qs(self.rfile.read(length).decode()))
            self._say("<h1>Handed in</h1>")

        def log_message(self, *_words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def strict_page(browser: Any) -> Iterator[Any]:
    """A page of a browser that takes no cookies of third parties."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    controls = context.new_cdp_session(page)
    controls.send("Network.enable")
    controls.send(
        "Network.setCookieControls",
        {
            "enableThirdPartyCookieRestriction": True,
            "disableThirdPartyCookieMetadata": True,
            "disableThirdPartyCookieHeuristics": True,
        },
    )
    yield page
    context.close()


@pytest.fixture
def framed(study: Any, worker: Worker, monkeypatch: Any, settings: Any) -> Listing:
    crowds.use_framed(monkeypatch)
    monkeypatch.setattr(crowds.Framed, "origin", worker.origin)
    settings.ALLOWED_HOSTS = ["app.localhost", "localhost", "127.0.0.1"]
    made = make_listing(study, platform=CrowdPlatform.MTURK, environment="sandbox")
    make_ticket(made)
    return made


def framed_address(live_server: Any, listing: Listing, **query: str) -> str:
    ids = {"worker": "W1", "sitting": "A1", "hit": "HIT1", **query}
    told = "&".join(f"{name}={value}" for name, value in ids.items())
    port = urlsplit(live_server.url).port
    return f"http://app.localhost:{port}/p/{listing.token}/?{told}"


def test_in_the_frame_of_a_platform_without_its_cookies(
    strict_page: Any, live_server: Any, framed: Listing, worker: Worker
) -> None:
    worker.framed = framed_address(live_server, framed)
    # Lower than the frame: its lower edge, where the way on is, must be scrolled to.
    strict_page.set_viewport_size({"width": 1000, "height": 500})
    strict_page.goto(worker.origin)
    inside = strict_page.frame_locator("iframe")

    answer_booklet(strict_page, in_frame=inside)
    frame = strict_page.frames[1]
    # What the browser refuses, so that this says something.
    frame.evaluate("document.cookie = 'mine=1; SameSite=None; Secure'")
    assert frame.evaluate("document.cookie") == ""
    inside.get_by_role("button", name="Continue").click()
    inside.get_by_role("heading", name="Handed in").wait_for()

    visit = Visit.objects.get()
    [fields] = worker.taken
    assert fields["assignmentId"] == ["A1"]
    assert visits.is_receipt(visit, fields["receipt"][0])
    assert "answers" in fields
    assert visit.outcome == Outcome.COMPLETED
    assert strict_page.context.cookies() == []


def test_in_a_frame_of_anybody_else_there_is_nothing(
    strict_page: Any, live_server: Any, framed: Listing, worker: Worker, monkeypatch: Any
) -> None:
    worker.framed = framed_address(live_server, framed)
    monkeypatch.setattr(crowds.Framed, "origin", crowds.ORIGIN)

    strict_page.goto(worker.origin)

    strict_page.wait_for_load_state("load")
    assert strict_page.frames[1].url.startswith("chrome-error:")


def test_a_preview_in_the_frame_has_nothing_to_press(
    strict_page: Any, live_server: Any, framed: Listing, worker: Worker
) -> None:
    worker.framed = framed_address(live_server, framed, worker="", sitting=crowds.PREVIEW)
    strict_page.goto(worker.origin)
    inside = strict_page.frame_locator("iframe")

    inside.get_by_text("Please accept the task first").wait_for()

    assert inside.locator("button, input, form").count() == 0
    assert not Visit.objects.exists()
