"""A paid study as its people meet it: a researcher on the pages, workers in threads or a browser.

Likeness and the simulated platform are processes of their own, on host names of their own.
"""

import csv
import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from http.cookiejar import CookieJar
from random import Random
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

from annotation.simulation.browser import Form, Page, read
from tests.simulators.crowd import withhold_cookies_from_frames
from tests.simulators.mturk import RunningSimulator, Steering, simulator_process
from tests.simulators.mturk.bot import Task, WorkerBot
from tests.system.servers import PATIENCE, Installation

# Another site than the platforms' own, to a browser.
HOST = "app.localhost"
LAB = "lab"
GOOD = {"approved": 500, "percent": 99, "country": "DE"}

POLL = """
from annotation.models import Listing
from annotation.crowds.services import reconciling
for listing in Listing.objects.exclude(state="draft"):
    reconciling.poll(listing)
"""
_PROPOSED = re.compile(r'name="visit" value="(\d+)"[^>]* checked')

# The group of a HIT, and the HIT.
Place = tuple[str, str]
# Scores of items by their rows' ids; people who follow them exactly give them back.
Latent = Mapping[int, float]


@contextmanager
def mturk_beside(installation: Installation) -> Iterator[RunningSimulator]:
    """A simulated Mechanical Turk whose clock runs, which the installation knows as `lab`."""
    with simulator_process("--follow-real-time") as simulator:
        know_mturk(installation, simulator)
        yield simulator


def know_mturk(installation: Installation, simulator: Steering) -> None:
    installation.extra |= {
        "ALLOWED_HOSTS": f"127.0.0.1,{HOST}",
        "LIKENESS_PUBLIC_URL": f"http://{HOST}:{installation.port}",
        "JOINS_PER_ADDRESS_PER_HOUR": "100000",
        "LIKENESS_MTURK_ENDPOINTS": f"{LAB}={simulator.endpoint} {simulator.worker_site}",
        "MTURK_ACCESS_KEY_ID_LAB": simulator.credentials.access_key,
        "MTURK_SECRET_ACCESS_KEY_LAB": simulator.credentials.secret_key,
    }


class Researcher:
    """Somebody signed in to the pages of a running installation, without JavaScript."""

    def __init__(self, installation: Installation, slug: str) -> None:
        self.installation = installation
        self._jar = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self._jar), HTTPRedirectHandler())
        sign_in = self.get("/admin/login/").form("/admin/login/")
        assert sign_in is not None
        password = installation.printed(r"password\s+(\S+)")
        self.send(sign_in, {"username": "researcher", "password": password, "next": "/admin/"})
        [[self.study]] = installation.query(
            f"select id from annotation_study where slug = '{slug}'"
        )

    def page(self, name: str) -> Page:
        """A page of the study."""
        return self.get(f"/admin/annotation/study/{self.study}/{name}")

    def get(self, path: str) -> Page:
        return self._ask(urljoin(self.installation.base, path), None)

    def send(self, form: Form, values: Mapping[str, Any]) -> Page:
        """Send a form, which must be taken."""
        sent = urlencode({**form.fields, **values}, doseq=True)
        page = self._ask(form.action, sent.encode())
        assert page.status == 200, page.text
        return page

    def press(self, page: Page, ending: str = "", **values: Any) -> Page:
        """Send the form of a page whose address ends so, or the one that goes to itself."""
        form = page.form(ending or urlsplit(page.url).path)
        assert form is not None, page.text
        return self.send(form, values)

    def _ask(self, url: str, body: bytes | None) -> Page:
        # Django asks forms over https for it; here it harms nothing.
        request = Request(url, body, {"Referer": url})
        with self._opener.open(request, timeout=60) as answer:
            return read(answer.status, answer.url, answer.read().decode())

    def download(self, name: str) -> list[dict[str, str]]:
        """A table in tabs, as rows."""
        return list(csv.DictReader(io.StringIO(self.page(name).text), delimiter="\t"))

    def offer_on_mturk(self, *, reward: str, **options: str) -> str:
        """Make a listing and say what it offers; its address below the study."""
        made = self.press(self.page("platforms/"), "/platforms/", where=f"mturk/{LAB}")
        texts = {
            "title": "Sätze vergleichen",
            "description": "Welche Sätze ähneln sich am meisten, welche am wenigsten?",
            "keywords": "text, ähnlichkeit",
            "once": "on",
        }
        said = {
            "listing-reward": reward,
            "listing-currency": "USD",
            "listing-minutes": "12",
            **{f"options-{name}": value for name, value in {**texts, **options}.items()},
        }
        return self.press(made, **said).url.partition(f"/study/{self.study}/")[2]

    def spend_up_to(self, cap: str, currency: str) -> None:
        self.press(self.page("platforms/"), "/cap/", cap=cap, currency=currency)
        self.press(self.page("platforms/dry-run/"))

    def publish(self, listing: str) -> Decimal:
        """Type the sum that the page says, and wait until the platform has all of it."""
        page = self.page(f"{listing}publish/")
        asked = re.search(r"It can cost up to <strong>([\d.]+) [A-Z]{3}</strong>", page.text)
        assert asked is not None, page.text
        self.press(page, typed=asked[1])
        self.wait(lambda: self.states() == {"confirmed"})
        return Decimal(asked[1])

    def states(self) -> set[str]:
        """Of all that was asked of platforms."""
        return {row[0] for row in self.installation.query("select state from annotation_intent")}

    def poll(self) -> None:
        """What the worker does every few minutes."""
        self.installation.python(POLL)

    def approve_all(self) -> int:
        """Approve what the page proposes, page by page; how many that were."""
        n = 0
        while chosen := _PROPOSED.findall((page := self.page("platforms/visits/")).text):
            asked = self.press(page, "/decide/", visit=chosen, action="approve")
            visits = re.findall(r'name="visit" value="(\d+)"', asked.text)
            self.press(asked, visit=visits)
            n += len(visits)
            self.wait(lambda: self.states() == {"confirmed"})
            self.poll()
        return n

    def wait(self, is_so: Callable[[], bool]) -> None:
        """Until the worker has done it; it looks every five seconds."""
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            log = self.installation.log.read_text()
            assert "Traceback" not in log, log[-5000:]
            assert time.monotonic() < deadline, self.states()
            time.sleep(0.2)


@dataclass(frozen=True)
class Crowd:
    """What all who answer share: the right answer about the instructions, and a taste."""

    right_answer: str
    latent: Latent
    # The same scores by the ids that were imported.
    by_key: Mapping[str, float]

    @classmethod
    def of(cls, installation: Installation, slug: str) -> "Crowd":
        """People who agree about every item: scores are drawn once, with a seed."""
        of_study = f"from annotation_study where slug = '{slug}'"
        [[comprehension]] = installation.query(f"select comprehension {of_study}")
        if isinstance(comprehension, str):
            comprehension = json.loads(comprehension)
        rng = Random(1)
        items = [
            (row, key, rng.random())
            for row, key in installation.query(
                "select id, key from annotation_item"
                f" where study_id = (select id {of_study}) order by id"
            )
        ]
        return cls(
            str(comprehension["right"]),
            {row: score for row, _key, score in items},
            {key: score for _row, key, score in items},
        )

    def answer(self, bot: WorkerBot, task: Task, *, screens: int = 1000) -> dict[str, str]:
        """Agree, read, answer every screen; the fields of the last form.

        Who stops after so many screens has none.
        """
        page = _page(bot, task.frame)
        agree = page.form()
        assert agree is not None, page.text
        page = _send(bot, agree, {"do": "agree"})
        while True:
            assert page.status == 200, page.text
            if start := page.form("/instructions/"):
                page = _send(bot, start, dict.fromkeys(start.radios, self.right_answer))
            elif submit := page.form("/submit/"):
                page = _send(bot, submit, {})
            elif last := page.form("/mturk/externalSubmit"):
                return last.fields
            else:
                if not screens:
                    return {}
                screens -= 1
                screen = next(form for form in page.forms if form.radios)
                page = _send(bot, screen, {**self.picks(screen), "go": "next"})

    def picks(self, screen: Form) -> dict[str, str]:
        """The best and the worst of each question, by the scores."""
        found = {}
        for name, options in screen.radios.items():
            choose = max if name.endswith("-best") else min
            found[name] = choose(options, key=lambda option: self.latent[int(option)])
        return found

    def answer_in_frame(self, frame: Any) -> None:
        """The same in a real browser, by what a person would press."""
        frame.locator("button[value=agree]").click()
        frame.wait_for_url("**/instructions/")
        frame.locator(f"input[type=radio][value='{self.right_answer}']").check()
        frame.locator("form[action$='/instructions/'] button").last.click()
        frame.wait_for_url("**/s/1/")
        while "/s/" in frame.url:
            here = frame.url
            [screen] = [form for form in read(200, here, frame.content()).forms if form.radios]
            for name, value in self.picks(screen).items():
                frame.locator(f"input[name='{name}'][value='{value}']").check()
            frame.locator("button.primary[name=go][value=next]").click()
            frame.wait_for_url(lambda url, here=here: url != here)
        frame.locator("form[action$='/submit/'] button").last.click()
        frame.locator("form[action$='/mturk/externalSubmit'] button").click()


def places(installation: Installation) -> list[Place]:
    """Group and HIT of every place, so that nobody is outrun by who looked at the same HIT."""
    rows = installation.query(
        "select details, remote_id, n_places from annotation_ticket order by id"
    )
    return [(json.loads(details)["HITGroupId"], hit) for details, hit, n in rows for _ in range(n)]


def work_in_browser(
    browser: Any, simulator: Steering, worker: str, crowd: Crowd, place: Place
) -> str:
    """Log in at the workers' site, accept, answer in its frame; no cookie of ours is sent."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE * 1000)
    try:
        page = context.new_page()
        withhold_cookies_from_frames(page)
        page.goto(f"{simulator.worker_site}/worker/login?as={worker}")
        page.goto("{}/projects/{}/tasks/{}".format(simulator.worker_site, *place))
        page.get_by_role("button", name="Accept").click()
        page.get_by_role("button", name="Return").wait_for()
        frame = page.locator("#task").element_handle().content_frame()
        crowd.answer_in_frame(frame)
        page.wait_for_url("**/projects")
        return "submitted"
    finally:
        context.close()


def _page(bot: WorkerBot, url: str) -> Page:
    page = bot.fetch("GET", url)
    return read(page.status, page.url, page.text)


def _send(bot: WorkerBot, form: Form, values: Mapping[str, str]) -> Page:
    page = bot.fetch("POST", form.action, form={**form.fields, **values})
    return read(page.status, page.url, page.text)
