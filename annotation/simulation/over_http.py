"""Simulated people who answer the way people do: through the same pages, over HTTP."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urljoin
from uuid import uuid4

from django.urls import reverse

from annotation.answering.launch import simulation_token
from annotation.kinds.answer import Answer
from annotation.kinds.taste import AskedQuestion, Taste
from annotation.models import Study
from annotation.simulation.browser import Browser, Form, Page, SimulationError
from annotation.simulation.through_services import Answered, prepare_places, skip_pause


@dataclass(frozen=True)
class Acknowledged:
    """An answer that the server said it had stored."""

    question: int
    answer: Answer
    page: str


@dataclass
class Journal:
    """What all simulated people were told, to be checked against what is stored."""

    answers: list[Acknowledged] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def answer(
    *,
    study: Study,
    taste: Taste,
    n_annotators: int,
    base: str,
    booklets_each: int = 0,
    at_once: int = 50,
    patience: float = 0.0,
    journal: Journal | None = None,
    progress: Callable[[Answered], None] = lambda so_far: None,
) -> Answered:
    """Join by one-use signed tokens and answer until no place is left.

    `patience`: for how many seconds a simulated person goes on trying while the server is away.
    """
    prepare_places(study)
    done = Answered()
    # Everything of the study is read here: the threads below only speak HTTP.
    run = uuid4().hex
    tokens = [simulation_token(study, run, number) for number in range(1, n_annotators + 1)]
    crowd = _Crowd(
        join_url=urljoin(base, reverse("annotator:join", args=[study.join_token])),
        right_answer=str(study.comprehension.get("right", "")),
        taste=taste,
        patience=patience,
        booklets_each=booklets_each,
        journal=journal or Journal(),
    )

    def person(number: int) -> None:
        for n_answers in crowd.answer_booklets(number, tokens[number - 1]):
            with crowd.lock:
                done.n_booklets += 1
                done.n_answers += n_answers
                progress(done)

    def come_back(person_and_page: tuple[int, str]) -> None:
        n_answers = crowd.answer_next_phase(*person_and_page)
        with crowd.lock:
            done.n_answers += n_answers
            progress(done)

    with ThreadPoolExecutor(max_workers=min(at_once, n_annotators)) as pool:
        for outcome in [pool.submit(person, number) for number in range(1, n_annotators + 1)]:
            outcome.result()
        # Nobody waits for days: the pause is left out once all have come as far.
        while crowd.waiting:
            waiting, crowd.waiting = crowd.waiting, []
            skip_pause(study)
            for outcome in [pool.submit(come_back, one) for one in waiting]:
                outcome.result()
    done.n_annotators = crowd.n_joined
    return done


@dataclass
class _Crowd:
    """What all simulated people of one run share; its threads touch no database."""

    join_url: str
    right_answer: str
    taste: Taste
    patience: float
    booklets_each: int
    journal: Journal
    n_joined: int = 0
    # Who waits for a phase: their number, and their own page.
    waiting: list[tuple[int, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer_booklets(self, number: int, token: str) -> Iterator[int]:
        """Answer one booklet after the other; yield the number of answers of each."""
        browser = Browser(self.join_url, patience=self.patience)
        try:
            page = self._join(browser, token)
            if page is None:
                return
            n_booklets = 0
            while True:
                page, n_answers = self._answer_booklet(browser, page, number)
                yield n_answers
                n_booklets += 1
                self._note_waiting(number, page)
                more = page.form("/more/")
                if more is None or n_booklets == self.booklets_each:
                    return
                page = browser.send(more, {})
                if page.status == 409:
                    return
        finally:
            browser.close()

    def answer_next_phase(self, number: int, own: str) -> int:
        """Come back to one's own page, and answer the phase that is open now."""
        browser = Browser(own, patience=self.patience)
        try:
            page = browser.get(own)
            link = next((a for a in page.links if a.endswith("/s/1/")), None)
            if page.status != 200 or link is None:
                raise SimulationError(f"{_place(page)} answers {page.status} and opens no phase")
            page, n_answers = self._answer_booklet(browser, browser.get(link), number)
            self._note_waiting(number, page)
            return n_answers
        finally:
            browser.close()

    def _note_waiting(self, number: int, page: Page) -> None:
        if "data-opens-in" in page.text or any(a.endswith("/s/1/") for a in page.links):
            with self.lock:
                self.waiting.append((number, page.url))

    def _join(self, browser: Browser, token: str) -> Page | None:
        page = browser.get(self.join_url)
        # Another form stands above: the one for those who come back.
        form = next((form for form in page.forms if form.checkboxes), None)
        if form is None and "data-no-place" in page.text:
            # No place for a person is free, but simulated people have places of their own.
            form = Form(self.join_url, "post")
        if page.status != 200 or form is None:
            raise SimulationError(f"the join page answers {page.status} without a form")
        page = browser.send(form, {**form.checkboxes, "simulation": token})
        if page.status == 409:
            return None  # nothing left for this one
        if page.status != 200:
            raise SimulationError(f"joining answers {page.status}")
        with self.lock:
            self.n_joined += 1
        if start := page.form("/instructions/"):
            values = {name: self._right_answer(options) for name, options in start.radios.items()}
            page = browser.send(start, values)
        return page

    def _right_answer(self, options: list[str]) -> str:
        if self.right_answer not in options:
            raise SimulationError("the comprehension question has no right answer")
        return self.right_answer

    def _answer_booklet(self, browser: Browser, page: Page, number: int) -> tuple[Page, int]:
        # Somebody who is told of an answer sees the same screen again.
        answered: set[int] = set()
        while True:
            if page.status != 200:
                raise SimulationError(f"{_place(page)} answers {page.status}")
            if submit := page.form("/submit/"):
                return browser.send(submit, {}), len(answered)
            screen = next((form for form in page.forms if form.radios or form.selects), None)
            if screen is None:
                raise SimulationError(f"{_place(page)} shows neither questions nor a way on")
            answers = {
                asked.pk: self.taste.answer(asked, person=number)
                for asked in _questions_on(screen)
            }
            page = browser.send(screen, {**_sent(answers), "go": "next"})
            if page.status == 200:
                self._note({pk: answers[pk] for pk in answers.keys() - answered}, page)
                answered |= answers.keys()

    def _note(self, answers: Mapping[int, Answer], page: Page) -> None:
        with self.journal.lock:
            self.journal.answers += [
                Acknowledged(question, answer, _place(page))
                for question, answer in answers.items()
            ]


def _questions_on(screen: Form) -> list[AskedQuestion]:
    """The questions of a screen: what its controls offer, and the item that they are about."""
    items = {_question(name): choice.items for name, choice in screen.selects.items()}
    # Every role is offered the same; where each item has a list, the items are the options.
    options = {pk: named for pk, named in items.items() if len(named) > 1}
    options |= {_question(name): values for name, values in screen.radios.items()}
    return [
        AskedQuestion(
            pk,
            item=int(items[pk][0]) if len(items.get(pk, ())) == 1 else None,
            options=[int(value) for value in options.get(pk, ())],
            number=pk,
        )
        for pk in {**items, **options}
    ]


def _sent(answers: Mapping[int, Answer]) -> dict[str, list[str]]:
    """What the form says: of several choices each under the same name."""
    sent: dict[str, list[str]] = {}
    for question, answer in answers.items():
        for name, value in answer.as_fields:
            sent.setdefault(f"q{question}-{name}", []).append(str(value))
    return sent


def _question(name: str) -> int:
    """The question of a control: 17 of q17-best."""
    return int(name.removeprefix("q").partition("-")[0])


def _place(page: Page) -> str:
    """The address without the key, for messages."""
    return "/".join(part if len(part) < 20 else "…" for part in page.url.split("/")[3:])
