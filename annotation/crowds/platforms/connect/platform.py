"""CloudResearch Connect, and installations that speak its API."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import (
    Again,
    Completion,
    Environment,
    Keep,
    Launch,
    LookedUp,
    NewTicket,
    Planned,
    Platform,
    Sent,
    Submission,
    keep_nowhere,
)
from annotation.core.platforms.capabilities import Capabilities
from annotation.core.platforms.costs import Estimate
from annotation.core.platforms.errors import LaunchError, RefusedError, UnavailableError
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms import installations as everywhere
from annotation.crowds.platforms.connect import assignments, prices, projects
from annotation.crowds.platforms.connect.environments import installation, installations
from annotation.crowds.platforms.connect.http import Client
from annotation.crowds.platforms.connect.options import Options
from annotation.crowds.platforms.values import is_money
from annotation.models import Intent, Listing, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

CURRENCY = "USD"
_PAGE_SECONDS = 4.0
_ID = re.compile(assumptions.CONNECT_ID)
# A project has one code. Whoever did nothing gets none, and returns the assignment.
_DONE = frozenset({Outcome.COMPLETED, Outcome.FAILED_CHECKS})
_KIND = Intent.Kind


@dataclass(frozen=True)
class _Action:
    """One kind of intent, or one step of publishing: how it is done, and looked up."""

    send: Callable[[Client, Intent], Sent]
    look_up: Callable[[Client, Intent], LookedUp]


_CHANGE_OF_STATE = _Action(projects.change_state, projects.look_up_state)
_ACTIONS: Mapping[str, _Action] = {
    "draft": _Action(projects.make_draft, projects.look_up_draft),
    "publish": _Action(projects.publish, projects.look_up_published),
    _KIND.PAUSE: _CHANGE_OF_STATE,
    _KIND.RESUME: _CHANGE_OF_STATE,
    _KIND.CLOSE: _CHANGE_OF_STATE,
    _KIND.APPROVE: _Action(assignments.approve, assignments.look_up_decided),
    _KIND.REJECT: _Action(assignments.reject, assignments.look_up_decided),
}


class Connect(Platform):
    key = CrowdPlatform.CONNECT
    capabilities = Capabilities(
        is_paid=True,
        shows_submissions=True,
        can_pause=True,
        can_reject=True,
        can_overturn=True,
    )
    notice = _(
        "Likeness has been tried with a simulated Connect only. Publish a listing of one place "
        "first, and compare Connect's own pages with the ledger."
    )

    # -- what it says about itself -------------------------------------------------------------
    def environments(self) -> list[Environment]:
        return [installation.as_environment() for installation in installations()]

    def obstacles(self, listing: Listing) -> list[Said]:
        try:
            where = installation(listing.environment)
        except RefusedError as error:
            return list(error.said)
        sentences = everywhere.obstacles(listing, missing=where.missing)
        sentences += Options.of(listing.options).problems(minutes=listing.minutes)
        if listing.currency != CURRENCY:
            sentences.append(_("Connect pays in US dollars: choose USD."))
        if listing.reward <= 0 or not is_money(listing.reward):
            sentences.append(_("Offer a reward above 0, with at most two decimals."))
        if listing.phase_number > 1:
            sentences.append(
                _(
                    "Likeness offers only the first part of a study on Connect: a project there "
                    "takes no further people in once it is published."
                )
            )
        if not listing.codes.get(Outcome.COMPLETED):
            sentences.append(
                _("The listing has no completion codes. Remove it and make a new one.")
            )
        return sentences

    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> Launch:
        everywhere.of_launch(installation, listing)
        ids = [query.get(name, "") for name in assumptions.CONNECT_PARAMETERS]
        if not all(map(_ID.fullmatch, ids)):
            raise LaunchError(
                _(
                    "This link is incomplete or no longer valid. Please open the study from "
                    "Connect."
                )
            )
        person, submission, project = ids
        return Launch(person, submission, project)

    # One code, of whoever has answered everything.
    outcomes_with_code = frozenset({Outcome.COMPLETED})

    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> Completion:
        assert visit.listing is not None  # as the interface says
        codes = visit.listing.codes
        return Completion(code=codes.get(Outcome.COMPLETED, "") if outcome in _DONE else "")

    def estimate(self, listing: Listing) -> Estimate:
        return prices.estimate(listing)

    def fee(self, listing: Listing, amount: Decimal, *, is_bonus: bool) -> Decimal:
        return prices.fee(listing, amount)

    def least_hourly(self, listing: Listing) -> Decimal | None:
        return assumptions.CONNECT_MIN_PER_HOUR if listing.currency == CURRENCY else None

    def approves_at(self, visit: Visit) -> datetime | None:
        since = visit.submitted_at
        return since + assumptions.CONNECT_APPROVES_AFTER if since else None

    def made_by_hand(self, intent: Intent, remote_id: str) -> NewTicket | None:
        if intent.payload.get("step") != "publish":
            return None
        return NewTicket(remote_id=remote_id, n_places=int(intent.payload["n_places"]))

    def is_marked(self, intent: Intent) -> bool:
        return bool(intent.payload.get("step") == "draft")

    def hand_in_time(self, listing: Listing, ticket: Ticket | None = None) -> timedelta:
        usual = timedelta(minutes=Options.of(listing.options).longest(listing.minutes))
        tickets = [ticket] if ticket else listing.tickets.select_related("listing")
        longest = max(map(projects.time_limit, tickets), default=usual)
        return longest + assumptions.CONNECT_COMPLETES_LATE

    # -- what calls out ------------------------------------------------------------------------
    def plan_publishing(self, listing: Listing) -> list[Planned]:
        return projects.plan(listing)

    def again(self, intent: Intent) -> Again:
        return Again.IF_YOUNG if intent.kind == _KIND.BONUS else Again.HARMLESS

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        client = _client(intent.listing)
        # Before anything is asked: what is missing must not be found out half-way.
        _token = client.installation.token
        if intent.kind == _KIND.BONUS:
            return assignments.pay(client, intent, keep)
        return _action_of(intent).send(client, intent)

    def look_up(self, intent: Intent) -> LookedUp:
        client = _client_to_look(intent.listing)
        if intent.kind == _KIND.BONUS:
            return assignments.look_up_bonus(client, intent)
        return _action_of(intent).look_up(client, intent)

    def submissions(self, listing: Listing) -> Iterator[Submission]:
        return assignments.listed(_client_to_look(listing), listing)

    def quote(self, listing: Listing) -> Mapping[str, Any]:
        client = _client_to_look(listing)
        client.read_seconds = _PAGE_SECONDS
        return {} if client.installation.missing else prices.quote(listing, client)


def _action_of(intent: Intent) -> _Action:
    action = _ACTIONS.get(str(intent.payload.get("step"))) or _ACTIONS.get(intent.kind)
    if action is None:
        raise RefusedError(_("Connect offers no way to do this."))
    return action


def _client(listing: Listing) -> Client:
    return Client(installation(listing.environment))


def _client_to_look(listing: Listing) -> Client:
    """For what changes nothing. Raises UnavailableError."""
    try:
        return _client(listing)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
