"""A study listed on the simulated Connect, and an outbox that sends one intent at a time."""

import itertools
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from annotation.basics import clock as annotation_clock
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.connect.platform import Connect
from annotation.crowds.services import outbox, reconciling, spending
from annotation.models import Listing, Person, Study, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.crowds.platforms.connect_documentation import DOCUMENTATION
from tests.crowds.platforms.outbox_lab import LAB, PUBLIC_URL, OutboxLab, listing_on
from tests.simulators.connect import ConnectSimulator
from tests.support.factories import make_open_study

OPTIONS: dict[str, Any] = {
    "title": "How alike are two answers?",
    "summary": "You read short dialogues and compare answers.",
    "pricing": "academic",
}
_people = itertools.count(1)


def person_id(n: int) -> str:
    return f"{n:032X}"


def make_listing(**columns: Any) -> Listing:
    """A draft for three people at 1.50 USD, ready to be published: 5.64 with the academic fee."""
    return listing_on(CrowdPlatform.CONNECT, OPTIONS, **columns)


class ConnectLab(OutboxLab):
    """The simulator, and our side of it as the services would have it."""

    def __init__(self, simulator: ConnectSimulator) -> None:
        self.sim: ConnectSimulator = simulator
        self.platform = Connect()

    def work(self, *, n: int = 3, **units: float) -> None:
        """Let a worker send and read again and again."""
        for _ in range(n):
            self.advance(**(units or {"minutes": 10}))
            outbox.send_due()
            Listing.objects.update(polled_at=None)
            reconciling.poll_due()

    def visit(self, listing: Listing) -> Visit:
        """Somebody takes part and types the code."""
        ticket = listing.tickets.latest("pk")
        who = person_id(next(_people))
        assignment, _url = self.sim.take(ticket.remote_id, who)
        self.sim.complete(assignment, listing.codes[Outcome.COMPLETED])
        person = Person.objects.create(
            platform=listing.platform, environment=listing.environment, platform_id=who
        )
        return Visit.objects.create(
            listing=listing,
            ticket=ticket,
            person=person,
            platform=listing.platform,
            environment=listing.environment,
            submission_id=assignment,
            state=Visit.State.ENDED,
            outcome=Outcome.NO_CONSENT,
            ended_at=annotation_clock.now(),
        )

    def status(self, visit: Visit) -> str:
        return str(self.sim.assignment(visit.submission_id)["status"])

    def calls(self, path: str = "", method: str = "POST") -> list[Any]:
        return self.sim.journal(path, method)


@pytest.fixture
def connect(
    db: None, clock: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ConnectLab]:
    # A call that hangs is given up soon; the simulator answers in milliseconds.
    monkeypatch.setattr(rest, "READ_SECONDS", 1.0)
    with ConnectSimulator() as simulator:
        settings.PUBLIC_URL = PUBLIC_URL
        settings.CONNECT_ENDPOINTS = {LAB: [simulator.api]}
        monkeypatch.setenv("CONNECT_API_KEY_LAB", simulator.token)
        clock.set(simulator.now)
        yield ConnectLab(simulator)
        rows = simulator.journal()
        assert [each for row in rows for each in DOCUMENTATION.undocumented(row)] == []


@pytest.fixture
def spending_study(connect: ConnectLab) -> Study:
    """A study that may spend what two places and a bonus of 1.00 cost."""
    study = make_open_study()
    Study.objects.filter(pk=study.pk).update(dry_run=False)
    spending.set_cap(study=study, currency="USD", cap=Decimal("5.01"), by=None)
    return Study.objects.get(pk=study.pk)
