"""A study listed on the simulated Prolific, and an outbox that sends one intent at a time."""

import itertools
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from annotation.basics import clock
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.prolific import tokens as prolific_tokens
from annotation.crowds.platforms.prolific.platform import Prolific
from annotation.models import Listing, Person, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.crowds.platforms.outbox_lab import LAB, PUBLIC_URL, OutboxLab, listing_on
from tests.crowds.platforms.prolific_documentation import undocumented
from tests.simulators.prolific import ProlificSimulator

# Of the simulated account: the academic fee, without tax.
OPTIONS: dict[str, Any] = {
    "title": "How alike are two answers?",
    "description": "You read short dialogues and compare answers.",
    "pricing": "academic",
    "vat_percent": "0",
}
_people = itertools.count(1)


def person_id(n: int) -> str:
    return f"{n:024x}"


def make_listing(**columns: Any) -> Listing:
    """A draft for three people at 1.50 USD, ready to be published."""
    return listing_on(CrowdPlatform.PROLIFIC, OPTIONS, **columns)


class Lab(OutboxLab):
    """The simulator, and our side of it as the services would have it."""

    def __init__(self, simulator: ProlificSimulator) -> None:
        self.sim = simulator
        self.platform = Prolific()

    def launch(self, url: str) -> dict[str, str]:
        """The parameters that somebody comes with."""
        return dict(parse_qsl(urlsplit(url).query))

    def visit(self, listing: Listing, *, outcome: str = Outcome.COMPLETED) -> Visit:
        """Somebody takes part and comes back with the code of an outcome."""
        ticket = listing.tickets.latest("pk")
        who = person_id(next(_people))
        bot = self.sim.bot(who)
        submission = bot.work(
            ticket.remote_id,
            lambda bot, _url: bot.follow(
                f"{self.sim.complete_url}?cc={listing.codes[str(outcome)]}"
            ),
        )
        person = Person.objects.create(
            platform=listing.platform, environment=listing.environment, platform_id=who
        )
        return Visit.objects.create(
            listing=listing,
            ticket=ticket,
            person=person,
            platform=listing.platform,
            environment=listing.environment,
            submission_id=submission,
            state=Visit.State.ENDED,
            outcome=Outcome.NO_CONSENT,
            ended_at=clock.now(),
        )

    def status(self, visit: Visit) -> str:
        return str(self.sim.submission(visit.submission_id)["status"])


@pytest.fixture
def lab(db: None, clock: Any, settings: Any, monkeypatch: Any) -> Iterator[Lab]:
    # A call that hangs is given up soon; the simulator answers in milliseconds.
    monkeypatch.setattr(rest, "READ_SECONDS", 1.0)
    prolific_tokens.forget_keys()
    with ProlificSimulator() as simulator:
        settings.PUBLIC_URL = PUBLIC_URL
        settings.PROLIFIC_ENDPOINTS = {LAB: [simulator.api, simulator.site]}
        monkeypatch.setenv("PROLIFIC_TOKEN_LAB", simulator.token)
        clock.set(simulator.now)
        yield Lab(simulator)
        calls = [row for row in simulator.journal() if row["surface"] == "api"]
        assert [problem for row in calls for problem in undocumented(row)] == []
    prolific_tokens.forget_keys()
