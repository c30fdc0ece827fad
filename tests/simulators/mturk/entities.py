"""What the simulated service keeps: plain data, times as seconds since 1970, money as Decimal."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

ACCEPTED, RETURNED, ABANDONED = "Accepted", "Returned", "Abandoned"
SUBMITTED, APPROVED, REJECTED = "Submitted", "Approved", "Rejected"
# The three that the requester can see.
VISIBLE = (SUBMITTED, APPROVED, REJECTED)


@dataclass
class Worker:
    worker_id: str
    country: str = "US"
    subdivision: str = ""
    approved: int = 0
    percent: int = 100
    submitted: int | None = None
    masters: bool = False
    adult: bool = False

    @property
    def n_submitted(self) -> int:
        return self.approved if self.submitted is None else self.submitted


@dataclass
class HitType:
    hit_type_id: str
    group_id: str
    title: str
    description: str
    keywords: str
    reward: Decimal
    duration_s: int
    auto_approval_s: int
    requirements: list[dict[str, Any]]
    seq: int

    def needs(self, qualification_type_id: str) -> bool:
        return any(r["QualificationTypeId"] == qualification_type_id for r in self.requirements)


@dataclass
class Hit:
    hit_id: str
    hit_type_id: str
    seq: int
    created_at: float
    expiration: float
    max_assignments: int
    question: str
    annotation: str
    reviewing: bool = False
    disposed_at: float | None = None
    # What was already announced, so that one change makes one event.
    told_expired: bool = False
    told_reviewable: bool = False
    held: Decimal = Decimal("0.00")
    assignment_ids: list[str] = field(default_factory=list)
    # Pairs of an assignment id given back and the worker who gave it back.
    given_back: list[list[str]] = field(default_factory=list)


@dataclass
class Assignment:
    assignment_id: str
    hit_id: str
    worker_id: str
    seq: int
    accepted_at: float
    deadline: float
    status: str = ACCEPTED
    ended_at: float | None = None
    submitted_at: float | None = None
    auto_approval_at: float | None = None
    approved_at: float | None = None
    rejected_at: float | None = None
    answer: str = ""
    feedback: str | None = None
    doubled: bool = False
    was_automatic: bool = False


@dataclass
class QualificationType:
    type_id: str
    name: str
    description: str
    keywords: str
    status: str
    created_at: float
    seq: int
    retry_delay_s: int | None = None
    auto_granted: bool = False
    auto_granted_value: int = 1
    deleted_at: float | None = None


@dataclass
class Grant:
    type_id: str
    worker_id: str
    value: int
    granted_at: float
    seq: int
    status: str = "Granted"
    # What counted before the last change, while that change has not arrived yet.
    changed_at: float = 0.0
    earlier_value: int | None = None


@dataclass
class Bonus:
    assignment_id: str
    hit_id: str
    worker_id: str
    amount: Decimal
    reason: str
    paid_at: float
    seq: int


@dataclass
class Entry:
    """One line of the ledger: deposit, hold, release, reward, reward_fee, bonus or bonus_fee."""

    seq: int
    at: float
    kind: str
    amount: Decimal
    hit_id: str = ""
    assignment_id: str = ""
    worker_id: str = ""
    token: str = ""


@dataclass
class UsedToken:
    at: float
    reference: str


@dataclass
class PageToken:
    at: float
    listing: str
    after: list[Any]


@dataclass
class Watch:
    """Who is told of the events of a HIT type."""

    specification: dict[str, Any]
    active: bool


@dataclass
class Notice:
    seq: int
    visible_at: float
    destination: str
    transport: str
    body: dict[str, Any]


@dataclass
class Letter:
    """A message of NotifyWorkers, as one worker got it."""

    worker_id: str
    subject: str
    text: str
    at: float
