"""Prolific, and installations that speak its API."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms import installations as everywhere
from annotation.crowds.platforms.base import (
    Again,
    Capabilities,
    Completion,
    Environment,
    Estimate,
    Keep,
    Launch,
    LookedUp,
    NewTicket,
    Planned,
    Platform,
    RefusedError,
    Sent,
    Submission,
    UnavailableError,
    keep_nowhere,
)
from annotation.crowds.platforms.prolific import (
    bonuses as prolific_bonuses,
)
from annotation.crowds.platforms.prolific import (
    groups as prolific_groups,
)
from annotation.crowds.platforms.prolific import (
    prices as prolific_prices,
)
from annotation.crowds.platforms.prolific import studies, submissions
from annotation.crowds.platforms.prolific.environments import installation, installations
from annotation.crowds.platforms.prolific.http import Client
from annotation.crowds.platforms.prolific.options import (
    REJECTION_CATEGORIES,
    REJECTION_LENGTH,
    Options,
    is_money,
)
from annotation.crowds.platforms.prolific.tokens import read_launch
from annotation.models import Intent, Listing, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

Doing = Callable[[Client, Intent], Sent]
Looking = Callable[[Client, Intent], LookedUp]

_KIND = Intent.Kind
# What is published comes about in steps, told apart by their payload.
_STEPS: Mapping[str, tuple[Doing, Looking]] = {
    "group": (prolific_groups.make, prolific_groups.look_up_made),
    "draft": (studies.make_draft, studies.look_up_draft),
    "publish": (studies.publish, studies.look_up_published),
}
_KINDS: Mapping[str, tuple[Doing, Looking]] = {
    _KIND.PAUSE: (studies.change_state, studies.look_up_state),
    _KIND.RESUME: (studies.change_state, studies.look_up_state),
    _KIND.CLOSE: (studies.change_state, studies.look_up_state),
    _KIND.APPROVE: (submissions.approve, submissions.look_up_approved),
    _KIND.REJECT: (submissions.reject, submissions.look_up_rejected),
    _KIND.ASK_RETURN: (submissions.ask_return, submissions.look_up_asked),
    _KIND.GRANT: (prolific_groups.grant, prolific_groups.look_up_granted),
    _KIND.REVOKE: (prolific_groups.revoke, prolific_groups.look_up_revoked),
    _KIND.MESSAGE: (submissions.message, submissions.look_up_message),
}


class Prolific(Platform):
    key = CrowdPlatform.PROLIFIC
    capabilities = Capabilities(
        is_paid=True,
        shows_submissions=True,
        can_pause=True,
        can_reject=True,
        can_ask_return=True,
        can_message=True,
        reason_length=REJECTION_LENGTH,
        rejection_categories=REJECTION_CATEGORIES,
    )

    # -- what it says about itself -------------------------------------------------------------
    def environments(self) -> list[Environment]:
        return [one.as_environment() for one in installations()]

    def obstacles(self, listing: Listing) -> list[Said]:
        try:
            where = installation(listing.environment)
        except RefusedError as error:
            return list(error.said)
        found = everywhere.obstacles(listing, missing=where.missing)
        found += Options.of(listing.options).problems(
            reward=listing.reward,
            minutes=listing.minutes,
            needs_group=listing.phase_number > 1,
        )
        if listing.currency not in assumptions.PROLIFIC_LEAST_PER_HOUR:
            found.append(_("Prolific pays in GBP or USD: choose the currency of your account."))
        if listing.reward <= 0 or not is_money(listing.reward):
            found.append(_("Offer a reward above 0, with at most two decimals."))
        if {*map(str, Outcome)} - {*listing.codes} or len(set(listing.codes.values())) < len(
            Outcome
        ):
            found.append(_("The listing lacks completion codes. Remove it and make it anew."))
        return found

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

    def made_by_hand(self, intent: Intent, remote_id: str) -> NewTicket | None:
        if intent.payload.get("step") != "publish":
            return None
        return NewTicket(remote_id=remote_id, n_places=int(intent.payload["n_places"]))

    def is_marked(self, intent: Intent) -> bool:
        # In the names of a study and of a group; a batch of bonuses has no text.
        return intent.kind == _KIND.PUBLISH and intent.payload.get("step") in {"draft", "group"}

    def hand_in_time(self, listing: Listing) -> timedelta:
        longest = timedelta(minutes=Options.of(listing.options).longest(listing.minutes))
        return longest + assumptions.PROLIFIC_COMPLETES_LATE

    # -- what calls out ------------------------------------------------------------------------
    def plan_publishing(self, listing: Listing) -> list[Planned]:
        return studies.plan(listing)

    def again(self, intent: Intent) -> Again:
        if intent.kind == _KIND.BONUS:
            return Again.NEVER if intent.remote_id else Again.HARMLESS
        # Two messages would be two; everything else is so already the second time.
        return Again.NEVER if intent.kind == _KIND.MESSAGE else Again.HARMLESS

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        client = _client(intent.listing)
        # Before anything is asked: what is missing must not be found out half-way.
        _token = client.installation.token
        if intent.kind == _KIND.BONUS:
            return prolific_bonuses.pay(client, intent, keep)
        do, _look = _of(intent)
        return do(client, intent)

    def look_up(self, intent: Intent) -> LookedUp:
        try:
            client = _client(intent.listing)
            if intent.kind == _KIND.BONUS:
                return prolific_bonuses.look_up(client, intent)
            _do, look = _of(intent)
        except RefusedError as error:
            raise UnavailableError(error.said[0]) from error
        return look(client, intent)

    def submissions(self, listing: Listing) -> Iterator[Submission]:
        try:
            client = _client(listing)
        except RefusedError as error:
            raise UnavailableError(error.said[0]) from error
        return submissions.listed(client, listing)

    def quote(self, listing: Listing) -> Estimate | None:
        try:
            client = _client(listing)
        except RefusedError as error:
            raise UnavailableError(error.said[0]) from error
        if client.installation.missing:
            return None
        return prolific_prices.quote(listing, client)


def _client(listing: Listing) -> Client:
    return Client(installation(listing.environment))


def _of(intent: Intent) -> tuple[Doing, Looking]:
    if intent.kind == _KIND.PUBLISH:
        known = _STEPS.get(str(intent.payload.get("step")))
    else:
        known = _KINDS.get(intent.kind)
    if known is None:
        raise RefusedError(_("Prolific offers no way to do this."))
    return known
