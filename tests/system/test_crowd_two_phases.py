"""A rating study in two parts, 72 hours apart, on both paid platforms: not a second too early."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urljoin

import pytest

from annotation.core.platforms import platform_of
from annotation.crowds.platforms.prolific import tokens as prolific_tokens
from annotation.crowds.services import (
    listings,
    next_phases,
    outbox,
    publishing,
    reconciling,
    spending,
)
from annotation.kinds.design_parameters import PhaseParameters
from annotation.models import Intent, Listing, PhaseRun, Study, Visit
from annotation.simulation.browser import Form, Page, read
from annotation.studies.services import studies
from tests.crowds.platforms.prolific_lab import person_id
from tests.simulators.mturk import MturkSimulator
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot
from tests.simulators.prolific import ProlificSimulator
from tests.simulators.prolific.bot import PlaceRefusedError
from tests.support.clock import Clock
from tests.support.designed_ratings import made
from tests.system.crowding import GOOD, LAB

pytestmark = pytest.mark.django_db(transaction=True)

PAUSE = timedelta(hours=72)
INVITATION = "The second part is open for you."
# One request of a person without JavaScript.
Ask = Callable[[str, str, dict[str, str] | None], Page]


@dataclass
class Side:
    """A platform with one person on it who may take part."""

    platform: str
    currency: str
    options: dict[str, Any]
    simulator: Any
    clock: Clock
    # Take a place in a listing; the address that it leads to. None: there is none to be had.
    take: Callable[[Listing], str | None]
    ask: Ask
    # Tell the platform, after the last page, that all is done.
    hand_in: Callable[[Page], None]
    invitations: Callable[[], list[str]]

    def at(self, moment: Any) -> None:
        self.clock.set(moment)
        self.simulator.set_clock(moment)


@pytest.fixture
def study() -> Study:
    phases = [
        PhaseParameters(),
        PhaseParameters("context_dependent", delay_hours=72, closes_after_days=14),
    ]
    numbers = {"ratings_per_item": 1, "items_per_booklet": 2, "phases": phases}
    return studies.open_study(study=made(pairs=2, numbers=numbers).study)


@pytest.fixture(params=["mturk", "prolific"])
def side(
    request: pytest.FixtureRequest,
    open_server: Any,
    clock: Clock,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Side]:
    settings.PUBLIC_URL = open_server.url
    clock.set(clock.time.replace(microsecond=0))
    if request.param == "mturk":
        with MturkSimulator(now=clock.time) as turk:
            settings.MTURK_ENDPOINTS = {LAB: [turk.endpoint, turk.worker_site]}
            monkeypatch.setenv("MTURK_ACCESS_KEY_ID_LAB", turk.credentials.access_key)
            monkeypatch.setenv("MTURK_SECRET_ACCESS_KEY_LAB", turk.credentials.secret_key)
            yield _mturk(turk, clock)
        return
    prolific_tokens.forget_keys()
    with ProlificSimulator() as simulator:
        settings.PROLIFIC_ENDPOINTS = {LAB: [simulator.api, simulator.site]}
        monkeypatch.setenv("PROLIFIC_TOKEN_LAB", simulator.token)
        clock.set(simulator.now.replace(microsecond=0) + timedelta(seconds=1))
        simulator.set_clock(clock.time)
        yield _prolific(simulator, clock)
    prolific_tokens.forget_keys()


def _mturk(turk: MturkSimulator, clock: Clock) -> Side:
    bot = WorkerBot(turk.worker_site, turk.add_worker("AWORKER", **GOOD))
    tasks = []

    def take(listing: Listing) -> str | None:
        ticket = listing.tickets.get()
        try:
            tasks.append(bot.accept(ticket.details["HITGroupId"], ticket.remote_id))
        except BotRefusedError:
            return None
        return tasks[-1].frame

    def ask(method: str, url: str, form: dict[str, str] | None) -> Page:
        page = bot.fetch(method, url, form=form)
        return read(page.status, page.url, page.text)

    def hand_in(page: Page) -> None:
        last = page.form("/mturk/externalSubmit")
        assert last is not None, page.text
        assert bot.submit(tasks[-1], last.fields) == "submitted"

    return Side(
        platform="mturk",
        currency="USD",
        options={"title": "Rate pairs", "description": "Say how alike they are."},
        simulator=turk,
        clock=clock,
        take=take,
        ask=ask,
        hand_in=hand_in,
        invitations=lambda: [each["text"] for each in turk.letters()],
    )


def _prolific(simulator: ProlificSimulator, clock: Clock) -> Side:
    bot = simulator.bot(person_id(1))

    def take(listing: Listing) -> str | None:
        try:
            _submission, url = bot.take(listing.tickets.get().remote_id)
        except PlaceRefusedError:
            return None
        return url

    def ask(method: str, url: str, form: dict[str, str] | None) -> Page:
        answer = bot.follow(url, method, data=form)
        return read(answer.status_code, answer.url, answer.text)

    def hand_in(page: Page) -> None:
        [link] = [link for link in page.links if "/submissions/complete" in link]
        bot.follow(link).close()

    return Side(
        platform="prolific",
        currency="USD",
        options={
            "title": "Rate pairs",
            "description": "Say how alike they are.",
            "pricing": "academic",
            "workspace": simulator.workspace,
        },
        simulator=simulator,
        clock=clock,
        take=take,
        ask=ask,
        hand_in=hand_in,
        invitations=bot.messages,
    )


def published(side: Side, study: Study, *, part: int, **options: Any) -> Listing:
    listing = listings.create(
        study=study, platform=side.platform, environment=LAB, phase_number=part
    )
    listing = listings.edit(
        listing=listing,
        values={
            "n_places": 1,
            "reward": Decimal("3.00"),
            "currency": side.currency,
            "minutes": 10,
            "options": {**side.options, **options},
        },
    )
    sum_ = platform_of(side.platform).estimate(listing).worst
    publishing.publish(listing=listing, typed=sum_, by=study.owner)
    send()
    listing.refresh_from_db()
    assert listing.state == Listing.State.PUBLISHED
    return listing


def send() -> None:
    """As the worker does, until there is nothing left to send."""
    while outbox.send_due():
        pass
    assert set(Intent.objects.values_list("state", flat=True)) <= {"confirmed"}


def answer(side: Side, url: str) -> None:
    """From the address that the platform leads to until the platform is told."""
    page = side.ask("GET", url, None)
    agree = next((form for form in page.forms if ("do", "agree") in form.buttons), None)
    assert agree is not None, page.text
    page = sent(side, agree, {"do": "agree"})
    while True:
        assert page.status == 200, page.text
        if submit := page.form("/submit/"):
            side.hand_in(sent(side, submit, {}))
            return
        if screen := next((form for form in page.forms if form.selects), None):
            said = {**dict.fromkeys(screen.selects, "3"), "go": "next"}
            page = sent(side, screen, said)
        elif start := page.form("/instructions/"):
            page = sent(side, start, {})
        else:
            [way_on] = [link for link in page.links if link.endswith("/s/1/")]
            page = side.ask("GET", urljoin(page.url, way_on), None)


def sent(side: Side, form: Form, values: dict[str, str]) -> Page:
    return side.ask("POST", form.action, {**form.fields, **values})


@pytest.mark.timeout(300)
def test_the_second_part_opens_after_72_hours_and_once(side: Side, study: Study) -> None:
    spending.set_cap(study=study, currency=side.currency, cap=Decimal(100), by=study.owner)
    spending.set_dry_run(study=study, dry_run=False, by=study.owner)
    first = published(side, study, part=1)
    side.at(side.clock.time + timedelta(minutes=1))
    url = side.take(first)
    assert url is not None
    answer(side, url)
    side.at(side.clock.time + timedelta(minutes=1))
    reconciling.poll(first)
    send()
    [visit] = Visit.objects.all()
    assert (visit.outcome, visit.doubt, visit.verified_at is None) == ("completed", "", False)
    second = published(side, study, part=2, invitation=INVITATION)
    run = PhaseRun.objects.get(phase__number=2)
    opens_at = PhaseRun.objects.get(phase__number=1).completed_at + PAUSE
    assert run.opens_at == opens_at

    side.at(opens_at - timedelta(seconds=1))
    assert next_phases.grant_due() == 0
    send()
    assert side.take(second) is None
    assert side.invitations() == []

    side.at(opens_at)
    granted = [next_phases.grant_due()]
    send()
    granted.append(next_phases.grant_due())
    send()
    granted.append(next_phases.grant_due())
    # Let in, then written to, then nothing.
    assert granted == [1, 1, 0]
    assert side.invitations() == [INVITATION]
    url = side.take(second)
    assert url is not None
    answer(side, url)
    side.at(opens_at + timedelta(minutes=5))
    reconciling.poll(second)
    send()
    run.refresh_from_db()
    assert run.completed_at == opens_at
    assert side.take(second) is None
    assert Visit.objects.filter(outcome="completed", doubt="").count() == 2
    assert next_phases.grant_due() == 0
