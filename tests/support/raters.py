"""People who rate or select over HTTP, each with a browser that has no JavaScript."""

from collections.abc import Callable, Sequence
from urllib.parse import urljoin

from annotation.models import Study
from annotation.simulation.browser import Browser, Form, Page

Rating = Callable[[int], str]  # of an item, by its primary key
Selected = dict[str, tuple[int, str]]  # for each role a turn, by its primary key, and its rating
Selecting = Callable[[list[int]], Selected]  # of all turns that can be chosen


class TurnedAwayError(Exception):
    """There is no place for them."""


class Visitor:
    """Somebody who came by the open link with the invitation code, as a class does, and agreed."""

    def __init__(self, base: str, study: Study) -> None:
        self.browser = Browser(base)
        link = f"/j/{study.join_token}/?invitation={study.invitation_code}"
        page = self.browser.get(urljoin(base, link))
        consent = next((form for form in page.forms if form.checkboxes), None)
        if consent is None:  # a full study says so in place of its form
            self.browser.close()
            raise TurnedAwayError(page.status)
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

    def screen(self) -> Form | None:
        """The questions of the page, if it has any."""
        return next((form for form in self.page.forms if form.selects), None)

    def answer(self, form: Form, said: dict[str, str]) -> None:
        self.page = self.browser.send(form, {**said, "go": "next"})
        assert self.page.status == 200, self.page.status

    def send(self) -> Page:
        form = self.page.form("/submit/")
        assert form is not None, self.page.text[-2000:]
        self.page = self.browser.send(form, {})
        assert self.page.status == 200
        return self.page


class Rater(Visitor):
    """Somebody who rates items."""

    def rate(self, rating: Rating, *, screens: int = 10_000) -> int:
        """Answer so many screens from here on, to the overview at most; how many questions."""
        n_answers = 0
        for _screen in range(screens):
            form = self.screen()
            if form is None:
                break
            said = {name: rating(int(choice.items[0])) for name, choice in form.selects.items()}
            self.answer(form, said)
            n_answers += len(said)
        return n_answers

    def rate_phase(self, rating: Rating) -> int:
        n_answers = self.rate(rating)
        self.send()
        return n_answers


class Selector(Visitor):
    """Somebody who selects sentences of reports, one question a screen."""

    def select_all(self, choose: Selecting) -> list[Selected]:
        """Answer the whole booklet and send it; what was chosen for each question."""
        answers = []
        while form := self.screen():
            [similar] = [name for name in form.radios if name.endswith("-similar")]
            question = similar.removesuffix("similar")
            selected = choose([int(turn) for turn in form.radios[similar]])
            said = {}
            for role, (turn, rating) in selected.items():
                said |= {f"{question}{role}": str(turn), f"{question}{role}_rating": rating}
            self.answer(form, said)
            answers.append(selected)
        self.send()
        return answers


def close(visitors: Sequence[Visitor]) -> None:
    for visitor in visitors:
        visitor.browser.close()
