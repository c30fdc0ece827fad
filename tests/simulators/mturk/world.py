"""The simulated service's whole memory, its clock, its identifiers and what is due when."""

import hashlib
import heapq
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.simulators.mturk.entities import (
    Assignment,
    Bonus,
    Entry,
    Grant,
    Hit,
    HitType,
    Letter,
    Notice,
    PageToken,
    QualificationType,
    UsedToken,
    Watch,
    Worker,
)
from tests.simulators.mturk.settings import Settings

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PRODUCTION, SANDBOX = "production", "sandbox"
MASTERS = {
    PRODUCTION: "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH",
    SANDBOX: "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
}


@dataclass
class World:
    """Data only: copied for stale reads, written to and read from a file as it is."""

    mode: str
    seed: int
    now: float
    settings: Settings = field(default_factory=Settings)
    workers: dict[str, Worker] = field(default_factory=dict)
    hit_types: dict[str, HitType] = field(default_factory=dict)
    hits: dict[str, Hit] = field(default_factory=dict)
    assignments: dict[str, Assignment] = field(default_factory=dict)
    # Holders of an assignment id before it was handed to somebody else.
    earlier: list[Assignment] = field(default_factory=list)
    qualification_types: dict[str, QualificationType] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    bonuses: list[Bonus] = field(default_factory=list)
    ledger: list[Entry] = field(default_factory=list)
    balance: Decimal = Decimal("0.00")
    on_hold: Decimal = Decimal("0.00")
    tokens: dict[str, UsedToken] = field(default_factory=dict)
    pages: dict[str, PageToken] = field(default_factory=dict)
    watches: dict[str, Watch] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    sessions: dict[str, str] = field(default_factory=dict)
    due: list[list[Any]] = field(default_factory=list)
    counter: int = 0

    def number(self) -> int:
        self.counter += 1
        return self.counter

    def new_id(self, kind: str) -> str:
        """An identifier that no other mode, seed or kind can produce."""
        digest = hashlib.sha256(f"{self.mode} {self.seed} {kind} {self.number()}".encode())
        left = int.from_bytes(digest.digest(), "big")
        letters = []
        for _ in range(29):
            left, rest = divmod(left, len(_ALPHABET))
            letters.append(_ALPHABET[rest])
        return "3" + "".join(letters)

    def plan(self, at: float, kind: str, subject: str) -> None:
        heapq.heappush(self.due, [at, self.number(), kind, subject])

    def next_due(self, until: float) -> tuple[float, str, str] | None:
        """Take what is due first, if that is not later than `until`."""
        if not self.due or self.due[0][0] > until:
            return None
        at, _, kind, subject = heapq.heappop(self.due)
        return at, kind, subject

    @property
    def masters_type(self) -> str:
        return MASTERS[self.mode]

    @property
    def available(self) -> Decimal:
        return self.balance - self.on_hold

    def hit_type(self, hit: Hit) -> HitType:
        return self.hit_types[hit.hit_type_id]

    def live_assignments(self, hit: Hit) -> list[Assignment]:
        return [self.assignments[i] for i in hit.assignment_ids]
