"""A crowd platform for tests: its side is a ledger in a file of its own, with faults to switch on.

It knows nothing of our rows: what happened there is what stands in the file, and a process that is
killed leaves it as it was.
"""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from annotation.basics import clock
from annotation.core.platforms.base import (
    Again,
    Completion,
    Environment,
    Keep,
    Launch,
    LookedUp,
    LookUpResult,
    NewTicket,
    Planned,
    Platform,
    Sent,
    Submission,
    keep_nowhere,
)
from annotation.core.platforms.capabilities import Capabilities
from annotation.core.platforms.costs import CostLine, Estimate
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.services import spending
from annotation.kinds.services.design_rows import add_places
from annotation.models import Intent, Listing, Person, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome, Source
from tests.support.factories import make_open_study

# The platform shows what happened only so long afterwards.
LAG = timedelta(minutes=5)
TOKENS_LIVE = timedelta(hours=24)
FEE = Decimal("0.20")
PAYING = {Intent.Kind.PUBLISH, Intent.Kind.BONUS, Intent.Kind.COMPENSATE}


class LostError(Exception):
    """A mistake in an adapter: nothing that the interface allows."""


class Remote:
    """The platform's own side: who was paid what, and the tokens that it remembers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Taken from the front, one for each call; none left: all goes well.
        self.faults: list[str] = []
        self.shown: list[Submission] = []
        self.obstacles: list[str] = []
        self.calls: list[str] = []
        self.is_down = False
        self.endpoint = "https://requester.example"
        # Whether a token keeps it from doing the same twice, or nothing does.
        self.again = Again.IF_YOUNG
        self.n_per_ticket = 9
        self.extra_commit = Decimal(0)
        # A test may itself run in one.
        self._depth = _depth()

    def refuse_transactions(self) -> None:
        assert _depth() == self._depth, "a platform is called in a transaction"

    @property
    def entries(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def of(self, intent: Intent) -> list[dict[str, Any]]:
        """What stands there of an intent by now."""
        now = clock.now()
        return [
            entry
            for entry in self.entries
            if entry["token"] == intent.token and datetime.fromisoformat(entry["at"]) <= now
        ]

    def carry_out(self, intent: Intent, *, late: timedelta = timedelta(0)) -> str:
        """Do it, unless the token is remembered or the same can be done once only."""
        known = [entry for entry in self.entries if entry["token"] == intent.token]
        for entry in known:
            is_young = clock.now() < datetime.fromisoformat(entry["at"]) + TOKENS_LIVE
            once = intent.kind not in PAYING
            if once or (self.again is Again.IF_YOUNG and is_young):
                raise RefusedError("You have asked for this before.")
        entry = {
            "token": intent.token,
            "kind": intent.kind,
            "subject": intent.payload.get("submission_id", intent.reason_code),
            "amount": str(intent.commits),
            "id": f"{intent.kind}-{len(self.entries) + 1}",
            "at": (clock.now() + late).isoformat(),
        }
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        return str(entry["id"])


def _depth() -> tuple[bool, int]:
    return connection.in_atomic_block, len(connection.savepoint_ids)


class Fake(Platform):
    """Asks a `Remote`, in the place of Mechanical Turk."""

    key = CrowdPlatform.MTURK
    capabilities = Capabilities(
        is_paid=True,
        shows_submissions=True,
        can_pause=True,
        can_reject=True,
        can_overturn=True,
        can_ask_return=True,
        can_message=True,
        can_compensate=True,
        reason_length=20,
        rejection_categories=("low effort", "no data"),
    )
    remote: Remote
    # What a test of the process's death does at a point of a call.
    at: Any = staticmethod(lambda point: None)

    def environments(self) -> list[Environment]:
        return [Environment("sandbox", "Sandbox", endpoint=self.remote.endpoint)]

    def obstacles(self, listing: Listing) -> list[Any]:
        return list(self.remote.obstacles)

    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> Launch:
        return Launch()

    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> Completion:
        return Completion()

    def fee(self, listing: Listing, amount: Decimal, *, is_bonus: bool) -> Decimal:
        return (amount * FEE).quantize(Decimal("0.01"))

    def made_by_hand(self, intent: Intent, remote_id: str) -> NewTicket:
        expires = clock.now() + timedelta(days=3)
        return NewTicket(remote_id, intent.payload["n_places"], expires_at=expires)

    def hand_in_time(self, listing: Listing, ticket: Ticket | None = None) -> timedelta:
        return timedelta(hours=1)

    def estimate(self, listing: Listing) -> Estimate:
        fee = self.fee(listing, listing.reward, is_bonus=False)
        line = CostLine("places", listing.n_places, listing.reward, fee)
        return Estimate(listing.currency, [line], line.total, line.total)

    def plan_publishing(self, listing: Listing) -> list[Planned]:
        each = listing.reward + self.fee(listing, listing.reward, is_bonus=False)
        steps: list[Planned] = []
        left = listing.n_places
        while left:
            n = min(left, self.remote.n_per_ticket)
            left -= n
            steps.append(
                Planned(
                    Intent.Kind.PUBLISH,
                    reason_code=f"ticket {len(steps) + 1}",
                    payload={"n_places": n},
                    commits=n * each + self.remote.extra_commit,
                )
            )
        return steps

    def is_marked(self, intent: Intent) -> bool:
        return intent.kind == Intent.Kind.BONUS

    def again(self, intent: Intent) -> Again:
        return self.remote.again if intent.kind in PAYING else Again.HARMLESS

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        self.remote.refuse_transactions()
        remote = self.remote
        remote.calls.append(intent.kind)
        fault = remote.faults.pop(0) if remote.faults else "none"
        self.at("before the call")
        if remote.is_down or fault == "unavailable":
            raise UnavailableError("The platform is busy.")
        if fault == "refuses":
            raise RefusedError("There is not enough money.")
        if fault == "drops before":
            raise DoubtfulError("The connection was lost.")
        if fault == "hangs":
            remote.carry_out(intent, late=timedelta(minutes=2))
            raise DoubtfulError("There was no answer.")
        done = remote.carry_out(intent)
        self.at("after the call")
        if fault == "commits then drops":
            raise DoubtfulError("The connection was lost.")
        if fault == "duplicates" and remote.again is not Again.NEVER:
            # A library's own second try of a call whose answer was lost; such tries are switched
            # off where nothing keeps the second from being another payment.
            try:
                remote.carry_out(intent)
            except RefusedError as error:
                raise DoubtfulError("It was asked for twice.") from error
        if fault == "fails":
            raise LostError("a mistake in the adapter")
        return self._sent(intent, done)

    def look_up(self, intent: Intent) -> LookedUp:
        self.remote.refuse_transactions()
        fault = self.remote.faults.pop(0) if self.remote.faults else "none"
        if self.remote.is_down or fault == "unavailable":
            raise UnavailableError("The platform is busy.")
        if found := self.remote.of(intent):
            if fault == "stale read":
                return LookedUp(LookUpResult.UNKNOWN)
            return LookedUp(LookUpResult.DONE, self._sent(intent, found[0]["id"]))
        assert intent.last_sent_at is not None
        if clock.now() < intent.last_sent_at + LAG:
            return LookedUp(LookUpResult.UNKNOWN)
        return LookedUp(LookUpResult.NOT_DONE)

    def _sent(self, intent: Intent, done: str) -> Sent:
        ticket = None
        if intent.kind == Intent.Kind.PUBLISH:
            expires = clock.now() + timedelta(days=3)
            ticket = NewTicket(done, intent.payload["n_places"], expires_at=expires)
        return Sent(remote_id=done, ticket=ticket, answer={"id": done})

    def submissions(self, listing: Listing) -> Iterator[Submission]:
        self.remote.refuse_transactions()
        if self.remote.is_down:
            raise UnavailableError("The platform is busy.")
        yield from self.remote.shown


def install(monkeypatch: Any, path: Path) -> Remote:
    """Let the fake stand where Mechanical Turk does; its side is the file."""
    remote = Remote(path)
    made = type("Installed", (Fake,), {"remote": remote})
    monkeypatch.setattr(f"{__name__}.Installed", made, raising=False)
    monkeypatch.setitem(settings.CROWD_PLATFORMS, CrowdPlatform.MTURK, f"{__name__}.Installed")
    return remote


def make_listing(*, cap: str | None = "1000.00", n_places: int = 4, **columns: Any) -> Listing:
    """A draft of an open study that may spend so much."""
    study = columns.pop("study", None)
    if study is None:
        study = make_open_study(
            dialogues=1,
            parameters={"annotations_per_tuple": 4, "questions_per_screen": 1},
            dry_run=False,
        )
        # As many as it asks for, and some for those who ask for more.
        add_places(booklets=study.design.booklets.all(), source=Source.REAL, up_to=n_places + 50)
    if cap is not None:
        spending.set_cap(study=study, currency="USD", cap=Decimal(cap), by=None)
    columns = {"reward": Decimal("1.50"), "environment": "sandbox", **columns}
    return Listing.objects.create(
        study=study,
        number=study.listings.count() + 1,
        platform=CrowdPlatform.MTURK,
        n_places=n_places,
        **columns,
    )


def make_visit(listing: Listing, submission_id: str = "S1", **columns: Any) -> Visit:
    """A sitting that the platform shows as handed in, of somebody it vouches for."""
    person, _made = Person.objects.get_or_create(
        platform=listing.platform,
        environment=listing.environment,
        platform_id=columns.pop("person_id", f"W-{submission_id}"),
    )
    columns = {
        "remote_state": Visit.Remote.SUBMITTED,
        "verified_at": clock.now(),
        "ticket": listing.tickets.first(),
        "person": person,
        **columns,
    }
    return Visit.objects.create(
        listing=listing,
        platform=listing.platform,
        environment=listing.environment,
        submission_id=submission_id,
        **columns,
    )


def installed() -> type[Fake]:
    """The class that stands where Mechanical Turk does."""
    made: type[Fake] = globals()["Installed"]
    return made


def install_from_environment() -> Remote:
    """The same in a process of its own: the file and how often to ask stand in the environment."""
    remote = Remote(Path(os.environ["LEDGER_FILE"]))
    remote.again = Again(os.environ.get("LEDGER_AGAIN", Again.IF_YOUNG.value))
    globals()["Installed"] = type("Installed", (Fake,), {"remote": remote})
    settings.CROWD_PLATFORMS[CrowdPlatform.MTURK] = f"{__name__}.Installed"
    return remote
