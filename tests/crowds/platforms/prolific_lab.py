"""A study listed on the simulated Prolific, and an outbox that sends one intent at a time."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from annotation.basics import clock
from annotation.core.platforms.base import LookedUp, LookUpResult, Planned, Sent
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.prolific import tokens as prolific_tokens
from annotation.crowds.platforms.prolific.platform import Prolific
from annotation.crowds.services.listings import new_codes
from annotation.models import Intent, Listing, Person, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.crowds.platforms.prolific_documentation import undocumented
from tests.simulators.prolific import ProlificSimulator
from tests.support.clock import CLOCK
from tests.support.factories import make_study

LAB = "lab"
PUBLIC_URL = "https://likeness.example.org"
# Of the simulated account: the academic fee, without tax.
OPTIONS: dict[str, Any] = {
    "title": "How alike are two answers?",
    "description": "You read short dialogues and compare answers.",
    "pricing": "academic",
    "vat_percent": "0",
}
_people, _planned = itertools.count(1), itertools.count(1)


def person_id(n: int) -> str:
    return f"{n:024x}"


def make_listing(**columns: Any) -> Listing:
    """A draft for three people at 1.50 USD, ready to be published."""
    study = columns.pop("study", None) or make_study()
    options = {**OPTIONS, **columns.pop("options", {})}
    return Listing.objects.create(
        **{
            "study": study,
            "number": study.listings.count() + 1,
            "platform": CrowdPlatform.PROLIFIC,
            "environment": LAB,
            "n_places": 3,
            "reward": Decimal("1.50"),
            "currency": "USD",
            "minutes": 10,
            "codes": new_codes(),
            "options": options,
            **columns,
        }
    )


class Lab:
    """The simulator, and our side of it as the services would have it."""

    def __init__(self, simulator: ProlificSimulator) -> None:
        self.sim = simulator
        self.platform = Prolific()

    def advance(self, **units: float) -> None:
        """Let time pass there and here."""
        self.sim.advance(**units)
        CLOCK.move(**units)

    # -- the outbox ----------------------------------------------------------------------------
    def plan(self, listing: Listing, planned: Planned, **columns: Any) -> Intent:
        return Intent.objects.create(
            listing=listing,
            kind=planned.kind,
            reason_code=planned.reason_code,
            payload=dict(planned.payload),
            commits=planned.commits,
            currency=listing.currency,
            planned_at=clock.now() + timedelta(microseconds=next(_planned)),
            **columns,
        )

    def send(self, intent: Intent) -> Sent:
        """As the outbox does it: the state is stored before the call and after it."""
        intent.refresh_from_db()
        now = clock.now()
        intent.state = Intent.State.SENDING
        intent.attempts += 1
        intent.first_sent_at = intent.first_sent_at or now
        intent.last_sent_at = now
        intent.save()
        try:
            sent = self.platform.send(
                intent, keep=lambda remote_id, cost=None: self._keep(intent, remote_id)
            )
        except RefusedError:
            doubtful = intent.attempts > 1
            self._settle(intent, "ambiguous" if doubtful else "refused")
            raise
        except UnavailableError:
            self._settle(intent, "planned")
            raise
        except DoubtfulError:
            self._settle(intent, "ambiguous")
            raise
        self._confirm(intent, sent)
        return sent

    def look_up(self, intent: Intent) -> LookedUp:
        intent.refresh_from_db()
        found = self.platform.look_up(intent)
        if found.result is LookUpResult.DONE:
            self._confirm(intent, found.sent)
        return found

    def _keep(self, intent: Intent, remote_id: str) -> None:
        Intent.objects.filter(pk=intent.pk).update(remote_id=remote_id)

    def _settle(self, intent: Intent, state: str) -> None:
        Intent.objects.filter(pk=intent.pk).update(state=state, settled_at=clock.now())
        intent.refresh_from_db()

    def _confirm(self, intent: Intent, sent: Sent) -> None:
        if sent.remote_id:
            self._keep(intent, sent.remote_id)
        self._settle(intent, "confirmed")
        if sent.ticket:
            Ticket.objects.create(
                listing=intent.listing,
                platform=intent.listing.platform,
                environment=intent.listing.environment,
                remote_id=sent.ticket.remote_id,
                n_places=sent.ticket.n_places,
                details=dict(sent.ticket.details),
                created_at=clock.now(),
            )

    # -- what happens --------------------------------------------------------------------------
    def publish(self, listing: Listing, *, prefix: str = "") -> str:
        """Through all its steps; the id of the study there. More places have a prefix."""
        for step in self.platform.plan_publishing(listing):
            self.send(self.plan(listing, replace(step, reason_code=prefix + step.reason_code)))
        return listing.tickets.latest("pk").remote_id

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

    def decide(self, visit: Visit, kind: str, reason_code: str = "", **columns: Any) -> Intent:
        """An intent about a visit; `payload` and `pays` where it has some."""
        assert visit.listing is not None
        planned = Planned(Intent.Kind(kind), reason_code, columns.pop("payload", {}))
        return self.plan(visit.listing, planned, visit=visit, **columns)

    def bonus(self, visit: Visit, amount: str = "1.50", reason: str = "more") -> Intent:
        return self.decide(visit, Intent.Kind.BONUS, reason, pays=Decimal(amount))

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
