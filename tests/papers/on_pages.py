"""People who answer a study on its pages, in the process of the test."""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any
from urllib.parse import urljoin

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation.kinds.taste import Taste
from annotation.models import Study
from annotation.simulation import over_http
from annotation.simulation.browser import Browser, Page
from benchmarks.papers.people import answer_booklets, join

_BASE = "http://testserver/"
_N_ON_PAGES = 2
_HOMES = IPv4Network("198.18.0.0/15")


class _PageBrowser(Browser):
    """Reads the pages of this process: no server is started."""

    def __init__(self, seen: list[Page], *, address: str) -> None:
        super().__init__(_BASE)
        self._client = Client(REMOTE_ADDR=address)
        self._seen = seen

    def _follow(self, method: str, url: str, body: str | None) -> Page:
        page = super()._follow(method, url, body)
        self._seen.append(page)
        return page

    def _ask(self, method: str, url: str, body: str | None) -> tuple[Any, bytes]:
        kind = "application/x-www-form-urlencoded"
        response = self._client.generic(method, url, body or "", content_type=kind)
        return _Answer(response), response.content


@dataclass(frozen=True)
class _Answer:
    """A response of the test client, read as one of a server."""

    response: HttpResponse

    @property
    def status(self) -> int:
        return self.response.status_code

    def getheader(self, name: str) -> str | None:
        return self.response.headers.get(name)


def answer_through_pages(study: Study, taste: Taste, n_people: int, *, seen: list[Page]) -> None:
    """Join and answer as people, one booklet each in turn, until no place is left.

    The first two do so on the pages, each of which is added to `seen`; the others, whose pages
    would be the same, through the services that the pages call.
    """
    crowd = over_http._Crowd(
        join_url=urljoin(_BASE, reverse("annotator:join", args=[study.join_token])),
        right_answer=str(study.comprehension.get("right", "")),
        taste=taste,
        patience=0.0,
        booklets_each=0,
        journal=over_http.Journal(),
    )
    on_pages: list[tuple[int, Browser, Page]] = []
    for number in range(1, min(n_people, _N_ON_PAGES) + 1):
        # Everybody is at home: few may join from one address in an hour.
        browser = _PageBrowser(seen, address=str(_HOMES[number]))
        # No token: this is nobody simulated.
        if page := crowd._join(browser, ""):
            on_pages.append((number, browser, page))
    others = join(study, range(_N_ON_PAGES + 1, n_people + 1))
    while on_pages or others:
        following = []
        for number, browser, start in on_pages:
            page, _n_answers = crowd._answer_booklet(browser, start, number)
            if more := page.form("/more/"):
                page = browser.send(more, {})
                if page.status == 200:
                    following.append((number, browser, page))
        on_pages, others = following, answer_booklets(others, taste)
