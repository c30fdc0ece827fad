"""Studies on Prolific: drafted, published, paused, started again, stopped.

A draft costs nothing and is seen by nobody; publishing it holds the money.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import translation
from django.utils.translation import gettext

from annotation.basics.languages import spoken_for
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import LookedUp, LookUpResult, NewTicket, Planned, Sent
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.crowds.platforms.addresses import launch_address
from annotation.crowds.platforms.drafts import draft_of, mark, numbered
from annotation.crowds.platforms.intent_rows import NOT_DONE, ticket_id_of
from annotation.crowds.platforms.prolific import prices as prolific_prices
from annotation.crowds.platforms.prolific.groups import group_of
from annotation.crowds.platforms.prolific.http import Client, id_of
from annotation.crowds.platforms.prolific.options import (
    APPROVE,
    ASK_RETURN,
    SCREEN_OUT,
    Options,
    cents,
    from_cents,
)
from annotation.crowds.platforms.prolific.people import (
    named_people,
    picked,
    refuse_other_people,
    study_filters,
)
from annotation.crowds.platforms.prolific.rows import not_found
from annotation.crowds.platforms.prolific.tokens import PARAMETERS
from annotation.crowds.platforms.values import is_number
from annotation.models import Intent, Listing, Ticket
from annotation.models.kinds import Outcome

CODE_TYPES = {
    Outcome.COMPLETED: "COMPLETED",
    Outcome.FAILED_CHECKS: "FAILED_ATTENTION_CHECK",
    Outcome.SCREENED_OUT: "OTHER",
    Outcome.NO_CONSENT: "NO_CONSENT",
    Outcome.NOTHING_LEFT: "OTHER",
    Outcome.TOO_EARLY: "OTHER",
}
_VISIBLE = {"SCHEDULED", "PUBLISHING", "ACTIVE"}
_WAS_PUBLISHED = {*_VISIBLE, "PAUSED", "AWAITING REVIEW", "COMPLETED"}
# Of a ticket's details: the time limit that Prolific keeps, in minutes.
_LIMIT = "maximum_allowed_time"


@dataclass(frozen=True)
class Transition:
    """A change of a study's state."""

    action: str
    # What it leads to; and what is as good, because nobody is sent any more.
    wished: frozenset[str]
    # Those of them in which a study may be without it, too.
    unclear: frozenset[str] = frozenset()


_PUBLISHING = Transition("PUBLISH", frozenset(_WAS_PUBLISHED))
_TRANSITIONS: Mapping[str, Transition] = {
    Intent.Kind.PAUSE: Transition("PAUSE", frozenset({"PAUSED", "AWAITING REVIEW", "COMPLETED"})),
    Intent.Kind.RESUME: Transition(
        "START", frozenset({*_VISIBLE, "AWAITING REVIEW", "COMPLETED"})
    ),
    Intent.Kind.CLOSE: Transition(
        "STOP",
        frozenset({"AWAITING REVIEW", "COMPLETED"}),
        # A study that is full awaits review, too, and opens again if somebody returns.
        unclear=frozenset({"AWAITING REVIEW"}),
    ),
}


# -- what is planned --------------------------------------------------------------------------
def plan(listing: Listing) -> list[Planned]:
    """A group for a later part, the draft, and its publication, which alone costs something."""
    steps = []
    kind = Intent.Kind.PUBLISH
    before = listing.intents.filter(kind=kind)
    if listing.phase_number > 1 and not before.standing().filter(payload__step="group").exists():
        payload = {"step": "group", "body": _group_body(listing)}
        steps.append(Planned(kind, numbered("group", before), payload))
    draft = {"step": "draft", "body": draft_body(listing), "has_group": listing.phase_number > 1}
    steps.append(Planned(kind, numbered("draft", before), draft))
    estimate = prolific_prices.estimate(listing)
    publish: dict[str, Any] = {"step": "publish", "n_places": listing.n_places}
    _places, *screen_outs = estimate.lines
    if screen_outs:
        [line] = screen_outs
        publish["screen_outs"] = {"n": line.n, "commits": str(line.total)}
    steps.append(Planned(kind, numbered("publish", before), publish, commits=estimate.worst))
    return steps


def _group_body(listing: Listing) -> dict[str, Any]:
    options = Options.of(listing.options)
    name = f"{_internal_name(listing, options)} ({listing.phase_number})"
    return {"name": name, "workspace_id": options.workspace}


def _internal_name(listing: Listing, options: Options) -> str:
    return (options.internal_name or options.title).strip() or str(listing.study.title)


def draft_body(listing: Listing) -> dict[str, Any]:
    """What a study is made from, but for the ids of what is made on the way."""
    options = Options.of(listing.options)
    body = offer_body(
        options,
        address=launch_address(listing),
        codes=completion_codes(listing, options),
        n_places=listing.n_places,
        minutes=listing.minutes,
        reward=listing.reward,
    )
    body["internal_name"] = _internal_name(listing, options)
    body["filters"] = study_filters(listing)
    return body


def offer_body(
    options: Options,
    *,
    address: str,
    codes: list[dict[str, Any]],
    n_places: int,
    minutes: int,
    reward: Decimal,
) -> dict[str, Any]:
    """What is offered, as Prolific's API takes it."""
    query = "&".join(f"{name}={{{{%{name}%}}}}" for name in PARAMETERS)
    body: dict[str, Any] = {
        "name": options.title.strip(),
        "internal_name": options.internal_name.strip(),
        "description": options.description.strip(),
        "external_study_url": f"{address}?{query}",
        "is_external_study_url_secure": options.is_secure,
        "prolific_id_option": "url_parameters",
        "completion_codes": codes,
        "total_available_places": n_places,
        "estimated_completion_time": minutes,
        "maximum_allowed_time": options.longest(minutes),
        "reward": cents(reward),
        "device_compatibility": list(options.devices),
        "filters": picked(options),
        "submissions_config": {"max_submissions_per_participant": 1},
    }
    if options.screens_out:
        body["is_custom_screening"] = True
    if options.project:
        body["project"] = options.project
    return body


def completion_codes(listing: Listing, options: Options) -> list[dict[str, Any]]:
    """One for each outcome, with what Prolific does then."""
    return [
        {
            "code": listing.codes[outcome],
            "code_type": (
                "FIXED_SCREENOUT"
                if options.handling_of(outcome) == SCREEN_OUT
                else CODE_TYPES[outcome]
            ),
            "actor": "participant",
            "actions": [_action(listing, options, outcome)],
        }
        for outcome in Outcome
    ]


def _action(listing: Listing, options: Options, outcome: Outcome) -> dict[str, Any]:
    match options.handling_of(outcome):
        case choice if choice == APPROVE:
            return {"action": "AUTOMATICALLY_APPROVE"}
        case choice if choice == ASK_RETURN:
            return {"action": "REQUEST_RETURN", "return_reason": _return_reason(listing, outcome)}
        case choice if choice == SCREEN_OUT:
            return {
                "action": "FIXED_SCREEN_OUT_PAYMENT",
                "fixed_screen_out_reward": cents(options.screen_out_reward),
                "slots": options.screen_out_slots,
            }
    return {"action": "MANUALLY_REVIEW"}


def _return_reason(listing: Listing, outcome: Outcome) -> str:
    """What Prolific tells people, in the language of the study."""
    with translation.override(spoken_for(listing.study.language)):
        match outcome:
            case Outcome.NO_CONSENT:
                return gettext("You chose not to take part. Please return your submission.")
            case Outcome.TOO_EARLY:
                return gettext(
                    "This part was not open for you yet. Please return your submission; you can"
                    " take part later."
                )
            case Outcome.NOTHING_LEFT:
                return gettext("There was nothing left to do. Please return your submission.")
        return gettext(
            "You do not meet the conditions of this study. Please return your submission."
        )


# -- what is sent -----------------------------------------------------------------------------
def make_draft(client: Client, intent: Intent) -> Sent:
    body = dict(intent.payload["body"])
    body["internal_name"] = f"{body['internal_name']} {mark(intent)}"
    body["filters"] = _filters_of(intent)
    answer = client.change("POST", "studies/", body)
    return Sent(remote_id=id_of(answer), answer=_short(answer.body))


def _filters_of(draft: Intent) -> list[dict[str, Any]]:
    """As planned, with what is known, or may be stored, no earlier than when it is sent."""
    filters = [*draft.payload["body"]["filters"], *named_people(draft.listing)]
    if draft.payload.get("has_group"):
        group = [group_of(draft)]
        filters.append({"filter_id": "participant_group_allowlist", "selected_values": group})
    return filters


def look_up_draft(client: Client, intent: Intent) -> LookedUp:
    """A draft too many costs nothing and is seen by nobody."""
    for row in client.pages("studies/"):
        if mark(intent) in str(row.get("internal_name")):
            return LookedUp(LookUpResult.DONE, Sent(remote_id=str(row["id"]), answer=_short(row)))
    return not_found(intent)


def publish(client: Client, intent: Intent) -> Sent:
    draft = draft_of(intent)
    study = draft.remote_id
    fields = client.get(f"studies/{study}/")
    refuse_other_people(_filters_of(draft), fields)
    _refuse_dearer(client, intent, fields)
    _change(client, study, _PUBLISHING)
    return _published(intent, study, fields)


def look_up_published(client: Client, intent: Intent) -> LookedUp:
    try:
        study = draft_of(intent).remote_id
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    fields = client.get(f"studies/{study}/")
    if _status_in(fields) in _WAS_PUBLISHED:
        return LookedUp(LookUpResult.DONE, _published(intent, study, fields))
    return NOT_DONE


def _published(intent: Intent, study: str, fields: Any) -> Sent:
    limit = fields.get(_LIMIT) if isinstance(fields, dict) else None
    made = NewTicket(
        remote_id=study,
        n_places=int(intent.payload["n_places"]),
        details={_LIMIT: limit} if is_number(limit) and limit > 0 else {},
    )
    return Sent(remote_id=study, ticket=made)


def time_limit(ticket: Ticket) -> timedelta:
    """From beginning to handing in, as Prolific keeps it: that may be longer than we asked for."""
    listing = ticket.listing
    usual = Options.of(listing.options).longest(listing.minutes)
    return timedelta(minutes=ticket.details.get(_LIMIT, usual))


def _refuse_dearer(client: Client, intent: Intent, fields: Any) -> None:
    """Prolific's own figure decides: no more is spent than was agreed to."""
    currency = fields.get("presentment_currency_code") if isinstance(fields, dict) else None
    if isinstance(currency, str) and currency != intent.currency:
        raise RefusedError(prolific_prices.other_currency(currency, intent.currency))
    cost = fields.get("total_cost") if isinstance(fields, dict) else None
    figure = from_cents(cost) if is_number(cost) else Decimal(0)
    offer = copy(intent.listing)
    offer.n_places = int(intent.payload["n_places"])
    if "screen_outs" in intent.payload:
        # The rewards for those need not be part of the study's own figure.
        figure = max(figure, sum(prolific_prices.costs_of(offer, client), Decimal(0)))
    refuse_above_agreed(intent, offer, figure)


def refuse_above_agreed(intent: Intent, offer: Listing, figure: Decimal) -> None:
    """Raise RefusedError if an offer costs more on Prolific than was agreed to."""
    if figure > intent.commits:
        prolific_prices.keep_least(offer, figure)
        raise RefusedError(
            _(
                "According to Prolific, this costs %(theirs)s %(currency)s, but you agreed to "
                "%(ours)s. Request it again; the page then asks you to confirm the new price."
            )
            % {"theirs": figure, "ours": intent.commits, "currency": intent.currency}
        )


def completed(client: Client, listing: Listing) -> list[str]:
    """The open studies of which Prolific says that every submission was decided."""
    still_open = listing.tickets.filter(state=Ticket.State.OPEN).order_by("pk")
    ids = still_open.values_list("remote_id", flat=True)
    return [study for study in ids if _status(client, study) == "COMPLETED"]


def change_state(client: Client, intent: Intent) -> Sent:
    """Pause, start again, stop."""
    study = ticket_id_of(intent)
    _change(client, study, _TRANSITIONS[intent.kind])
    return Sent(remote_id=study)


def look_up_state(client: Client, intent: Intent) -> LookedUp:
    try:
        study = ticket_id_of(intent)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    transition = _TRANSITIONS[intent.kind]
    status = _status(client, study)
    is_unclear = status in transition.unclear and intent.attempts <= 1
    if status in transition.wished and not is_unclear:
        return LookedUp(LookUpResult.DONE, Sent(remote_id=study))
    return NOT_DONE


def _change(client: Client, study: str, transition: Transition) -> None:
    try:
        client.change("POST", f"studies/{study}/transition/", {"action": transition.action})
    except RefusedError as error:
        # What is so already is refused, and is what was wanted.
        try:
            status = _status(client, study)
        except UnavailableError:
            raise error from None
        if status not in transition.wished:
            raise


def _status(client: Client, study: str) -> str:
    return _status_in(client.get(f"studies/{study}/"))


def _status_in(fields: Any) -> str:
    status = fields.get("status") if isinstance(fields, dict) else None
    if not isinstance(status, str):
        raise UnavailableError(_("Prolific did not return the state of the study."))
    return status.replace("_", " ").upper()


def _short(fields: Any) -> dict[str, Any]:
    names = ("id", "status", "internal_name", "total_cost", "total_available_places", "reward")
    return {name: fields[name] for name in names if name in fields}
