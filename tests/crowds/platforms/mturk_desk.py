"""A listing on a simulated Mechanical Turk, and what services do with a platform, in short."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from annotation.basics import clock as our_clock
from annotation.core.platforms.base import NewTicket, Planned, Sent
from annotation.crowds.platforms.mturk.platform import MTurk
from annotation.models import Intent, Listing, Person, Ticket, Visit
from tests.simulators.mturk import MturkSimulator
from tests.simulators.mturk.bot import Task, WorkerBot
from tests.support.clock import Clock
from tests.support.factories import make_study

LAB = "lab"
KEY_ID, SECRET = "MTURK_ACCESS_KEY_ID_LAB", "MTURK_SECRET_ACCESS_KEY_LAB"
OPTIONS = {
    "title": "Compare short texts",
    "description": "Say which texts are most and least alike.",
    "keywords": "text, similarity",
    "locales": ["DE"],
}
_ASSUMED = {"approved": 500, "percent": 99, "country": "DE"}


def make_listing(**columns: Any) -> Listing:
    options = columns.pop("options", {})
    columns = {"n_places": 25, "reward": Decimal("1.50"), "environment": LAB, **columns}
    study = columns.pop("study", None) or make_study()
    return Listing.objects.create(
        study=study,
        number=study.listings.count() + 1,
        platform="mturk",
        options={**OPTIONS, **options},
        **columns,
    )


class Desk:
    """One listing in the environment `lab`, which is the simulator."""

    def __init__(self, simulator: MturkSimulator, clock: Clock) -> None:
        self.simulator = simulator
        self.clock = clock
        self.platform = MTurk()
        self.listing = make_listing()

    def move(self, **units: float) -> None:
        """Time passes here and there."""
        self.clock.move(**units)
        self.simulator.set_clock(self.clock.time)

    def intent(self, kind: Intent.Kind, **columns: Any) -> Intent:
        """As the outbox has it while it is sent for the first time."""
        now = our_clock.now()
        columns = {"listing": self.listing, "currency": "USD", **columns}
        return Intent.objects.create(
            kind=kind,
            state=Intent.State.SENDING,
            attempts=1,
            planned_at=now,
            first_sent_at=now,
            last_sent_at=now,
            **columns,
        )

    def of_plan(self, planned: Planned, **columns: Any) -> Intent:
        return self.intent(
            planned.kind,
            reason_code=planned.reason_code,
            payload=dict(planned.payload),
            commits=planned.commits,
            **columns,
        )

    def publish(self) -> list[Ticket]:
        return [
            self.keep(self.platform.send(self.of_plan(planned)))
            for planned in self.platform.plan_publishing(self.listing)
        ]

    def keep(self, sent: Sent) -> Ticket:
        assert isinstance(sent.ticket, NewTicket)
        return Ticket.objects.create(
            listing=self.listing,
            platform=self.listing.platform,
            environment=self.listing.environment,
            remote_id=sent.ticket.remote_id,
            group_id=sent.ticket.group_id,
            n_places=sent.ticket.n_places,
            expires_at=sent.ticket.expires_at,
            details=sent.ticket.details,
            created_at=our_clock.now(),
        )

    def bot(self, worker_id: str) -> WorkerBot:
        self.simulator.add_worker(worker_id, **_ASSUMED)
        return WorkerBot(self.simulator.worker_site, worker_id)

    def accept(self, worker_id: str, ticket: Ticket) -> tuple[WorkerBot, Task]:
        bot = self.bot(worker_id)
        return bot, bot.accept(ticket.details["HITGroupId"], ticket.remote_id)

    def work(
        self, worker_id: str, ticket: Ticket, fields: Mapping[str, str] | None = None
    ) -> Visit:
        """Somebody accepts the HIT and hands it in."""
        bot, task = self.accept(worker_id, ticket)
        assert bot.submit(task, fields or {"receipt": "r"}) == "submitted"
        return self.visit(worker_id, ticket, task.assignment_id)

    def visit(self, worker_id: str, ticket: Ticket, assignment_id: str) -> Visit:
        place = {"platform": ticket.platform, "environment": ticket.environment}
        person, _made = Person.objects.get_or_create(platform_id=worker_id, **place)
        return Visit.objects.create(
            listing=self.listing,
            ticket=ticket,
            person=person,
            submission_id=assignment_id,
            state=Visit.State.REMOTE,
            **place,
        )

    def calls(self, operation: str) -> list[dict[str, Any]]:
        return self.simulator.journal(operation)


@contextmanager
def desk_at(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    clock.set(clock.time.replace(microsecond=0))
    with MturkSimulator(now=clock.time) as simulator:
        settings.MTURK_ENDPOINTS = {LAB: [simulator.endpoint, simulator.worker_site]}
        settings.PUBLIC_URL = "https://likeness.example"
        monkeypatch.setenv(KEY_ID, simulator.credentials.access_key)
        monkeypatch.setenv(SECRET, simulator.credentials.secret_key)
        yield Desk(simulator, clock)
