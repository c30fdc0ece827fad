"""What every crowd platform answers: the one interface between a study and where people come from.

What a platform says about itself (launches, last pages, prices) needs no network. What calls out
is done by a worker alone, for an intent that was written down before.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, ClassVar, Protocol

from annotation.basics.sentences import Said
from annotation.core.platforms.capabilities import Capabilities
from annotation.core.platforms.costs import Estimate
from annotation.core.platforms.messages import ReadsMessages
from annotation.core.platforms.people_filters import ChosenFilter, PeopleFilter, Selection
from annotation.models import Intent, Listing, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

# The field of the last form, and of `Submission.handed_in`, that proves the work.
RECEIPT = "receipt"
# The field that says how the visit ended.
OUTCOME = "outcome"


@dataclass(frozen=True)
class Environment:
    """One installation of a platform: production, sandbox, or an endpoint of the operator's.

    Parameters
    ----------
    name : str
        As rows keep it.
    label : str
        For researchers.
    endpoint : str
        Where the platform is called; empty if it never is.
    closed : str
        Why nothing can be published there any more; empty: it can.
    missing : sequence of str
        Names of the environment variables that are not set and must be.
    """

    name: str
    label: Said
    endpoint: str = ""
    closed: Said = ""
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Launch:
    """What the address says that somebody came by; a claim, until the platform vouches for it.

    Parameters
    ----------
    person_id, submission_id, ticket_id : str
        Who, in which sitting, for which HIT or platform's study. A panel may give the first only.
    is_preview : bool
        Somebody looks and has not accepted: nothing is written.
    is_signed : bool
        The platform's signature over the three was checked.
    nonce : str
        Of the form that the launch was read into. It makes the key where the address names nothing
        that only this person knows: see `needs_code`.
    """

    person_id: str = ""
    submission_id: str = ""
    ticket_id: str = ""
    is_preview: bool = False
    is_signed: bool = False
    nonce: str = ""

    @property
    def needs_code(self) -> bool:
        """Whether the address names a person and no sitting: to know the id is to have it all.

        What was begun under such an id is opened again by its code alone.
        """
        return not (self.submission_id or self.is_signed or self.is_preview)


@dataclass(frozen=True)
class Completion:
    """How somebody gets back to the platform from the last page.

    Parameters
    ----------
    url : str
        Where a link or, with fields, a form leads; empty: there is only a code.
    fields : sequence of (name, value)
        What the person's browser posts there.
    code : str
        To be typed where the link does not work; empty: there is none.
    """

    url: str = ""
    fields: Sequence[tuple[str, str]] = ()
    code: str = ""


@dataclass(frozen=True)
class Framing:
    """Origins that may frame the pages of a listing's visitors, and take their last form."""

    ancestors: Sequence[str] = ()
    form_targets: Sequence[str] = ()


@dataclass(frozen=True)
class Planned:
    """An intent before it is a row."""

    kind: Intent.Kind
    reason_code: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    commits: Decimal = Decimal("0.00")
    ticket: Ticket | None = None


@dataclass(frozen=True)
class NewTicket:
    """What was made on the platform, as it named it."""

    remote_id: str
    n_places: int
    group_id: str = ""
    expires_at: datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """What the platform answered to an intent that it carried out."""

    remote_id: str = ""
    ticket: NewTicket | None = None
    answer: Mapping[str, Any] = field(default_factory=dict)


class LookUpResult(Enum):
    """What asking the platform about a doubtful intent found."""

    DONE = "done"
    # It is certain that it did not happen, and will not by what was sent.
    NOT_DONE = "not done"
    # Not there, or not there yet: the platform shows things late.
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class LookedUp:
    result: LookUpResult
    sent: Sent = field(default_factory=Sent)


class Again(Enum):
    """Whether an intent may be sent once more after a doubtful answer, if it was not found."""

    # The platform knows it by its `Intent.token`, for less than a day.
    IF_YOUNG = "if young"
    # Doing it twice is the same as once, or the second is refused.
    HARMLESS = "harmless"
    # It would happen twice: a person decides.
    NEVER = "never"


@dataclass(frozen=True)
class Submission:
    """What a platform shows of one sitting."""

    submission_id: str
    person_id: str
    ticket_id: str
    state: Visit.Remote
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    deadline: datetime | None = None
    # Fields of the last form, or {"code": what was typed}.
    handed_in: Mapping[str, str] = field(default_factory=dict)
    # Why a person must look at it, whatever was handed in; empty: for no reason of the platform's.
    doubt: Said = ""
    raw: Mapping[str, Any] = field(default_factory=dict)


class Keep(Protocol):
    """Stores, at once and for good, what the platform calls the thing that an intent is about.

    With what it costs there, where the platform says so. Raises RefusedError if the cap does not
    allow that.
    """

    def __call__(self, remote_id: str, cost: Decimal | None = None) -> None: ...


def keep_nowhere(remote_id: str, cost: Decimal | None = None) -> None:
    """For intents that are sent in one step, so that nothing is known half-way."""


NEVER_ASKED = "nothing is planned for this platform, so it is never asked: a panel has no API"


class Platform(ReadsMessages, ABC):
    """One crowd platform."""

    key: ClassVar[CrowdPlatform]
    capabilities: ClassVar[Capabilities]
    # What the page of every listing begins with; empty: nothing.
    notice: ClassVar[Said] = ""

    # -- what it says about itself -------------------------------------------------------------
    @abstractmethod
    def environments(self) -> list[Environment]:
        """Those of this server, from the environment variables."""

    @abstractmethod
    def obstacles(self, listing: Listing) -> list[Said]:
        """What must be mended before the listing can be published; each with its remedy."""

    @abstractmethod
    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> Launch:
        """What the address says. Raises LaunchError; looks at no row but the listing."""

    # How a visit can end so that the person is shown a code of its own.
    outcomes_with_code: frozenset[Outcome] = frozenset(Outcome)

    @abstractmethod
    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> Completion:
        """How somebody gets back; `visit.listing` is set. Never from what their browser sent."""

    def framing(self, listing: Listing) -> Framing:
        """Whose pages may show ours."""
        return Framing()

    @abstractmethod
    def estimate(self, listing: Listing) -> Estimate:
        """What it costs, by `Listing.quote` if that is of this offer, else by published prices."""

    def fee(self, listing: Listing, amount: Decimal, *, is_bonus: bool) -> Decimal:
        """What it takes for itself when somebody receives an amount."""
        return Decimal("0.00")

    def earned(self, visit: Visit) -> Decimal:
        """What somebody receives for a visit as the platform shows it now, whatever decided it."""
        if visit.listing is None or visit.remote_state != Visit.Remote.APPROVED:
            return Decimal("0.00")
        return visit.listing.reward

    def least_hourly(self, listing: Listing) -> Decimal | None:
        """What people must earn by the hour at least, in the median; None: nothing is said."""
        return None

    def approves_at(self, visit: Visit) -> datetime | None:
        """When the platform approves a visit by itself that waits for a decision; None: never."""
        return None

    def made_by_hand(self, intent: Intent, remote_id: str) -> NewTicket | None:
        """The ticket of a publication that a person found there; None: that step makes none."""
        return None

    def hand_in_time(self, listing: Listing, ticket: Ticket | None = None) -> timedelta:
        """How long somebody may still hand in who came in at a ticket's last moment; at most.

        Of one ticket, or of the one with the longest time.
        """
        return timedelta(days=30)

    def chosen_filters(self, listing: Listing) -> Sequence[ChosenFilter]:
        """Those of a listing, in words."""
        return ()

    def with_filter(
        self, listing: Listing, people_filter: PeopleFilter, selection: Selection
    ) -> dict[str, Any]:
        """The listing's options with a filter, which replaces what was chosen of it before."""
        raise AssertionError(NEVER_ASKED)

    def without_filter(self, listing: Listing, key: str) -> dict[str, Any]:
        raise AssertionError(NEVER_ASKED)

    # -- what calls out: by a worker, for an intent --------------------------------------------
    def plan_publishing(self, listing: Listing) -> list[Planned]:
        """The intents that make it visible to people, in their order."""
        return []

    def more_of(self, listing: Listing, n: int) -> Listing:
        """What is offered by so many more places, to be priced and planned; it is no row."""
        more = copy(listing)
        more.n_places = n
        return more

    def plan_more(self, more: Listing) -> list[Planned]:
        """The intents that add the places: new tickets, if the platform has no better way."""
        return self.plan_publishing(more)

    def plan_verified(self, visit: Visit) -> list[Planned]:
        """What shall be asked for once the platform has vouched for a visit."""
        return []

    def plan_completed(self, visit: Visit) -> list[Planned]:
        """What shall be asked for once a person has completed the work here; both are set."""
        return []

    def is_marked(self, intent: Intent) -> bool:
        """Whether what is sent for it holds `Intent.reference`, for a person to find it by."""
        return False

    def again(self, intent: Intent) -> Again:
        """Whether it may be sent once more."""
        return Again.NEVER

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        """Carry it out, in one attempt.

        What is done in two steps calls `keep` between them, with what becomes `Intent.remote_id`:
        a process that ends there is known to have come so far. Raises RefusedError,
        UnavailableError or DoubtfulError, and nothing else.
        """
        raise AssertionError(NEVER_ASKED)

    def approve_together(self, intents: Sequence[Intent]) -> None:
        """Ask for many approvals in one call; what became of each is looked up afterwards.

        Raises what `send` raises: of any of it, one cannot tell which approvals it means.
        """
        raise AssertionError(NEVER_ASKED)

    def look_up(self, intent: Intent) -> LookedUp:
        """Ask what became of it. Raises UnavailableError where the platform cannot be asked."""
        raise AssertionError(NEVER_ASKED)

    def is_taken(self, intent: Intent) -> bool:
        """Whether a compensation that was offered has been accepted. Raises UnavailableError."""
        return True

    def submissions(self, listing: Listing) -> Iterator[Submission]:
        """Everything that the platform shows of a listing, to the last page."""
        return iter(())

    def ended_tickets(self, listing: Listing) -> Collection[str]:
        """Ids of the open ones from which nothing more can be spent. Raises UnavailableError."""
        return ()

    def quote(self, listing: Listing) -> Mapping[str, Any]:
        """The platform's own price by what is offered, as `Listing.quote` keeps it for `estimate`.

        Empty if it has none. Raises UnavailableError.
        """
        return {}

    def people_filters(self, listing: Listing) -> Sequence[PeopleFilter]:
        """Those that the platform has. Raises UnavailableError."""
        return ()

    def n_eligible(self, listing: Listing) -> int:
        """How many people pass all filters of a listing. Raises UnavailableError."""
        raise AssertionError(NEVER_ASKED)
