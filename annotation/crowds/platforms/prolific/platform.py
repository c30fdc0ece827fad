"""Prolific, and installations that speak its API."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.core.platforms.messages import Message
from annotation.core.platforms.people_filters import ChosenFilter, PeopleFilter, Selection
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms import installations as everywhere
from annotation.crowds.platforms.prolific import messages, people, places, studies, submissions
from annotation.crowds.platforms.prolific import (
    prices as prolific_prices,
)
from annotation.crowds.platforms.prolific.actions import action_of
from annotation.crowds.platforms.prolific.environments import installation, installations
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import (
    REJECTION_CATEGORIES,
    REJECTION_LENGTH,
    Options,
)
from annotation.crowds.platforms.prolific.tokens import read_launch
from annotation.crowds.platforms.values import is_money
from annotation.models import Intent, Listing, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

_PAGE_SECONDS = 4.0
_NO_WAY = _("Prolific offers no way to do this.")


class Prolific(Platform):
    key = CrowdPlatform.PROLIFIC
    capabilities = Capabilities(
        is_paid=True,
        shows_submissions=True,
        can_pause=True,
        can_reject=True,
        can_ask_return=True,
        can_message=True,
        approves_together=True,
        shows_messages=True,
        takes_late_work=True,
        bonus_is_silent=True,
        bonuses_one_by_one=True,
        has_people_filters=True,
        reason_length=REJECTION_LENGTH,
        rejection_categories=REJECTION_CATEGORIES,
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
        sentences += Options.of(listing.options).problems(
            reward=listing.reward,
            currency=listing.currency,
            minutes=listing.minutes,
            needs_group=listing.phase_number > 1,
        )
        sentences += prolific_prices.obstacles(listing)
        if listing.currency not in assumptions.PROLIFIC_MIN_PER_HOUR:
            sentences.append(
                _("Prolific pays in GBP or USD: choose the currency of your account.")
            )
        if listing.reward <= 0 or not is_money(listing.reward):
            sentences.append(_("Offer a reward above 0, with at most two decimals."))
        if {*map(str, Outcome)} - {*listing.codes} or len(set(listing.codes.values())) < len(
            Outcome
        ):
            sentences.append(
                _("The listing has no completion codes. Remove it and make a new one.")
            )
        return sentences

    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> Launch:
        return read_launch(listing, everywhere.of_launch(installation, listing), query)

    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> Completion:
        listing = visit.listing
        assert listing is not None  # as the interface says
        code = str(listing.codes.get(outcome, ""))
        try:
            site = installation(listing.environment).site
        except RefusedError:
            # The operator took the endpoint away; the code can still be typed there.
            return Completion(code=code)
        if not code:
            return Completion(url=f"{site}/submissions")
        return Completion(url=f"{site}/submissions/complete?cc={code}", code=code)

    def estimate(self, listing: Listing) -> Estimate:
        return prolific_prices.estimate(listing)

    def fee(self, listing: Listing, amount: Decimal, *, is_bonus: bool) -> Decimal:
        return prolific_prices.fee(listing, amount, is_bonus=is_bonus)

    def earned(self, visit: Visit) -> Decimal:
        """Who does not fit is paid by Prolific itself, where the listing says how much."""
        if visit.listing and visit.remote_state == Visit.Remote.SCREENED_OUT:
            options = Options.of(visit.listing.options)
            return options.screen_out_reward if options.screens_out else Decimal("0.00")
        return super().earned(visit)

    def least_hourly(self, listing: Listing) -> Decimal | None:
        return assumptions.PROLIFIC_MIN_PER_HOUR.get(listing.currency)

    def approves_at(self, visit: Visit) -> datetime | None:
        since = visit.submitted_at
        return since + assumptions.PROLIFIC_APPROVES_AFTER if since else None

    def made_by_hand(self, intent: Intent, remote_id: str) -> NewTicket | None:
        if intent.payload.get("step") != "publish":
            return None
        return NewTicket(remote_id=remote_id, n_places=int(intent.payload["n_places"]))

    def is_marked(self, intent: Intent) -> bool:
        # In the names of a study and of a group; a batch of bonuses has no text.
        action = action_of(intent)
        return action is not None and action.is_marked

    def hand_in_time(self, listing: Listing, ticket: Ticket | None = None) -> timedelta:
        usual = timedelta(minutes=Options.of(listing.options).longest(listing.minutes))
        tickets = [ticket] if ticket else listing.tickets.select_related("listing")
        longest = max(map(studies.time_limit, tickets), default=usual)
        return longest + assumptions.PROLIFIC_COMPLETES_LATE

    def chosen_filters(self, listing: Listing) -> Sequence[ChosenFilter]:
        return people.chosen(Options.of(listing.options))

    def with_filter(
        self, listing: Listing, people_filter: PeopleFilter, selection: Selection
    ) -> dict[str, Any]:
        options = self.without_filter(listing, people_filter.key)
        filters = [*options["filters"], people.stored(people_filter, selection)]
        return {**options, "filters": filters}

    def without_filter(self, listing: Listing, key: str) -> dict[str, Any]:
        filters = Options.of(listing.options).filters
        others = [dict(row) for row in filters if row.get("filter_id") != key]
        return {**listing.options, "filters": others}

    # -- what calls out ------------------------------------------------------------------------
    def plan_publishing(self, listing: Listing) -> list[Planned]:
        return studies.plan(listing)

    def more_of(self, listing: Listing, n: int) -> Listing:
        more = super().more_of(listing, n)
        if places.to_extend(listing):
            # The study has its rewards for being screened out already.
            more.options = places.without_screen_outs(listing)
        return more

    def plan_more(self, more: Listing) -> list[Planned]:
        return places.plan(more)

    def again(self, intent: Intent) -> Again:
        action = action_of(intent)
        return action.again(intent) if action else Again.HARMLESS

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        client = _client(intent.listing)
        # Before anything is asked: what is missing must not be found out half-way.
        _token = client.installation.token
        action = action_of(intent)
        if action is None:
            raise RefusedError(_NO_WAY)
        return action.send(client, intent, keep)

    def approve_together(self, intents: Sequence[Intent]) -> None:
        submissions.approve_together(_client(intents[0].listing), intents)

    def look_up(self, intent: Intent) -> LookedUp:
        try:
            client = _client(intent.listing)
        except RefusedError as error:
            raise UnavailableError(error.said[0]) from error
        action = action_of(intent)
        if action is None:
            raise UnavailableError(_NO_WAY)
        return action.look_up(client, intent)

    def submissions(self, listing: Listing) -> Iterator[Submission]:
        try:
            client = _client(listing)
        except RefusedError as error:
            raise UnavailableError(error.said[0]) from error
        return submissions.listed(client, listing)

    def ended_tickets(self, listing: Listing) -> Collection[str]:
        try:
            client = _client(listing)
        except RefusedError as error:
            raise UnavailableError(error.said[0]) from error
        return studies.completed(client, listing)

    def quote(self, listing: Listing) -> Mapping[str, Any]:
        client = _client_of_page(listing)
        return {} if client.installation.missing else prolific_prices.quote(listing, client)

    def messages(self, visit: Visit) -> Sequence[Message]:
        if visit.listing is None or visit.person is None:
            return ()
        return messages.exchanged(_client_of_page(visit.listing), visit.person.platform_id)

    def unread_messages(self, listing: Listing) -> Sequence[Message]:
        return messages.unread(_client_of_page(listing))

    def people_filters(self, listing: Listing) -> Sequence[PeopleFilter]:
        return list(people.offered(_client_of_page(listing), listing))

    def n_eligible(self, listing: Listing) -> int:
        return people.n_eligible(_client_of_page(listing), listing)


def _client_of_page(listing: Listing) -> Client:
    """For what a person waits for. Raises UnavailableError."""
    try:
        client = _client(listing)
    except RefusedError as error:
        raise UnavailableError(error.said[0]) from error
    client.read_seconds = _PAGE_SECONDS
    return client


def _client(listing: Listing) -> Client:
    return Client(installation(listing.environment))
