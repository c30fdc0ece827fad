"""People who rate over HTTP, each with a browser that has no JavaScript."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from annotation.models import Study
from annotation.simulation.browser import Browser, Page

Rating = Callable[[int], str]  # of an item, by its primary key


class TurnedAwayError(Exception):
    """There is no place for them."""


class Rater:
    """Somebody who came by the open link."""

    def __init__(self, base: str, study: Study) -> None:
        self.browser = Browser(base)
        page = self.browser.get(urljoin(base, f"/j/{study.join_token}/"))
        consent = next(form for form in page.forms if form.checkboxes)
        page = self.browser.send(consent, {**consent.checkboxes})
        if page.status != 200:
            self.browser.close()
            raise TurnedAwayError(page.status)
        start = page.form("/instructions/")
        assert start is not None
        # Own pages are told by the key in their path.
        self.own = urljoin(start.action, "../")
        self.page = self.browser.send(start, {})

    def come_back(self) -> Page:
        """Open one's own page, and what it leads to."""
        self.page = self.browser.get(self.own)
        begin = [link for link in self.page.links if link.endswith("/s/1/")]
        if begin:
            self.page = self.browser.get(begin[0])
        return self.page

    def rate(self, rating: Rating, *, screens: int = 10_000) -> int:
        """Answer so many screens from here on, to the overview at most; how many questions."""
        n_answers = 0
        for _screen in range(screens):
            form = next((form for form in self.page.forms if form.selects), None)
            if form is None:
                break
            said = {name: rating(int(choice.item)) for name, choice in form.selects.items()}
            self.page = self.browser.send(form, {**said, "go": "next"})
            assert self.page.status == 200, self.page.status
            n_answers += len(said)
        return n_answers

    def send(self) -> Page:
        form = self.page.form("/submit/")
        assert form is not None, self.page.text[-2000:]
        self.page = self.browser.send(form, {})
        return self.page

    def rate_phase(self, rating: Rating) -> int:
        n_answers = self.rate(rating)
        self.send()
        assert self.page.status == 200
        return n_answers


def close(raters: list[Any]) -> None:
    for rater in raters:
        rater.browser.close()
