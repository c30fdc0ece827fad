"""More places on a study that is out: its total is raised, and one that had ended opens again.

Prolific takes the total and not the difference, and only a greater one: told twice is told once.
"""

import math
from copy import copy
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult, Planned, Sent
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.core.queries import commitments
from annotation.crowds.platforms.intent_rows import UNKNOWN
from annotation.crowds.platforms.prolific import prices, studies
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import REVIEW, Options, from_cents
from annotation.crowds.platforms.prolific.rows import not_found
from annotation.crowds.platforms.values import is_number
from annotation.models import Intent, Listing, Ticket
from annotation.models.kinds import Outcome

_TOTAL = "total_available_places"


def to_extend(listing: Listing) -> Ticket | None:
    """The study that gets more places; None: another study is made.

    One that ended before all its places were taken would offer those again, too.
    """
    ticket = listing.tickets.order_by("-pk").first()
    if ticket is None or ticket.state == Ticket.State.OPEN:
        return ticket
    is_full = commitments.is_over(ticket) and commitments.n_unused(ticket) <= 0
    return ticket if is_full else None


def without_screen_outs(listing: Listing) -> dict[str, Any]:
    """The options of places that bring no further rewards for being screened out."""
    handling = {**listing.options.get("handling", {}), Outcome.SCREENED_OUT: REVIEW}
    return {**listing.options, "handling": handling, "screen_out_reward": "0.00"}


def plan(more: Listing) -> list[Planned]:
    ticket = to_extend(more)
    if ticket is None:
        return studies.plan(more)
    payload = {"step": "more", "ticket_id": ticket.remote_id, "n_places": more.n_places}
    commits = prices.estimate(more).worst
    return [Planned(Intent.Kind.PUBLISH, "more", payload, commits=commits, ticket=ticket)]


def add(client: Client, intent: Intent) -> Sent:
    listing, ticket = intent.listing, _ticket_of(intent)
    if listing.state != Listing.State.PUBLISHED:
        # It would be offered again by it.
        raise RefusedError(
            _("The listing was paused or closed in the meantime, so no places were added.")
        )
    fields = client.get(_path(ticket))
    total, wanted = _total_in(fields), ticket.n_places + int(intent.payload["n_places"])
    if total == wanted and intent.attempts > 1:
        return Sent(remote_id=ticket.remote_id)
    if total != ticket.n_places:
        raise RefusedError(
            _(
                "The study on Prolific has %(theirs)s places, but Likeness made %(ours)s. Add "
                "places on Prolific's own page, or make another listing."
            )
            % {"theirs": total, "ours": ticket.n_places}
        )
    _refuse_dearer(client, intent, fields)
    answer = client.change("PATCH", _path(ticket), {_TOTAL: wanted})
    return Sent(remote_id=ticket.remote_id, answer={_TOTAL: answer.body.get(_TOTAL)})


def look_up_added(client: Client, intent: Intent) -> LookedUp:
    try:
        ticket = _ticket_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    total = _total_in(client.get(_path(ticket)))
    if total == ticket.n_places + int(intent.payload["n_places"]):
        return LookedUp(LookUpResult.DONE, Sent(remote_id=ticket.remote_id))
    # Another number was set by somebody else, before it or after it: a person looks.
    return not_found(intent) if total == ticket.n_places else UNKNOWN


def _refuse_dearer(client: Client, intent: Intent, fields: Any) -> None:
    """By what a place of this very study costs there, or by Prolific's calculator."""
    offer = copy(intent.listing)
    offer.n_places = int(intent.payload["n_places"])
    offer.options = without_screen_outs(offer)
    cost = fields.get("total_cost")
    if Options.of(intent.listing.options).screens_out or not is_number(cost):
        # The rewards for those may be a part of the study's own figure.
        figure = sum(prices.costs_of(offer, client), Decimal(0))
    else:
        figure = from_cents(math.ceil(cost * offer.n_places / _total_in(fields)))
    studies.refuse_above_agreed(intent, offer, figure)


def _ticket_of(intent: Intent) -> Ticket:
    if intent.ticket is None:
        raise RefusedError(_("Likeness does not know which study on the platform this is about."))
    return intent.ticket


def _path(ticket: Ticket) -> str:
    return f"studies/{ticket.remote_id}/"


def _total_in(fields: Any) -> int:
    total = fields.get(_TOTAL) if isinstance(fields, dict) else None
    if not is_number(total) or total < 1:
        raise UnavailableError(_("Prolific did not return the number of places of the study."))
    return int(total)
