"""Mechanical Turk, and installations that speak its requester API."""

import logging
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import (
    OUTCOME,
    RECEIPT,
    Again,
    Completion,
    Environment,
    Framing,
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
from annotation.core.platforms.costs import CostLine, Estimate
from annotation.core.platforms.errors import DoubtfulError, LaunchError, RefusedError
from annotation.crowds.platforms import installations as everywhere
from annotation.crowds.platforms.addresses import launch_address
from annotation.crowds.platforms.mturk import (
    errors as mturk_errors,
)
from annotation.crowds.platforms.mturk import (
    fees as mturk_fees,
)
from annotation.crowds.platforms.mturk import (
    looking as mturk_looking,
)
from annotation.crowds.platforms.mturk import (
    qualifications as mturk_qualifications,
)
from annotation.crowds.platforms.mturk.client import client
from annotation.crowds.platforms.mturk.environments import (
    NOTICE,
    Installation,
    installation,
    installations,
    origin_of,
)
from annotation.crowds.platforms.mturk.looking import IntentLookUp
from annotation.crowds.platforms.mturk.options import HOUR, MINUTE, Options
from annotation.crowds.platforms.mturk.questions import external_question
from annotation.crowds.platforms.mturk.requester import Requester
from annotation.crowds.platforms.mturk.sending import MARKED, IntentSender
from annotation.models import Intent, Listing, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

logger = logging.getLogger("annotation.crowds.platforms.mturk.platform")

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_ENTITY = re.compile(r"[A-Z0-9]{1,64}")
_WORKER = re.compile(r"A[A-Z0-9]{1,63}")
_CURRENCY = "USD"
_MIN_REWARD = Decimal("0.01")
# Who came in and whom the work is to be paid: they hand the HIT in. The others return it.
_HANDED_IN = frozenset({Outcome.COMPLETED, Outcome.FAILED_CHECKS, Outcome.SCREENED_OUT})
# What may not always be sent once more without harm.
_AGAIN = {
    # The service knows these by a token, so that the second of two is refused.
    Intent.Kind.PUBLISH.value: Again.IF_YOUNG,
    Intent.Kind.BONUS.value: Again.IF_YOUNG,
    Intent.Kind.COMPENSATE.value: Again.IF_YOUNG,
    # It comes as often as it is sent.
    Intent.Kind.MESSAGE.value: Again.NEVER,
}


class MTurk(Platform):
    key = CrowdPlatform.MTURK
    notice = NOTICE
    capabilities = Capabilities(
        is_paid=True,
        is_framed=True,
        has_preview=True,
        shows_submissions=True,
        can_reject=True,
        can_overturn=True,
        can_message=True,
        can_compensate=True,
        returns_receipts=True,
    )

    # -- what it says about itself -------------------------------------------------------------
    def environments(self) -> list[Environment]:
        return [installation.as_environment() for installation in installations()]

    def obstacles(self, listing: Listing) -> list[Said]:
        try:
            where = installation(listing.environment)
        except RefusedError as error:
            return list(error.said)
        sentences = [where.closed] if where.closed else []
        missing = [] if where.closed else where.missing
        sentences += everywhere.obstacles(listing, missing=missing)
        sentences += Options.of(listing.options).problems()
        if listing.currency != _CURRENCY:
            sentences.append(_("Mechanical Turk pays in US dollars: set the currency to USD."))
        if listing.reward < _MIN_REWARD:
            sentences.append(_("Offer a reward of at least 0.01 USD."))
        return sentences

    def read_launch(self, listing: Listing, query: Mapping[str, str]) -> Launch:
        where = everywhere.of_launch(installation, listing)
        assignment_id = query.get("assignmentId", "")
        worker_id, hit_id = query.get("workerId", ""), query.get("hitId", "")
        _note_foreign(where, query.get("turkSubmitTo", ""))
        if assignment_id == PREVIEW:
            # Somebody may look at it before there is a HIT: a name that is none says nothing.
            known = hit_id if _ENTITY.fullmatch(hit_id) else ""
            return Launch(ticket_id=known, is_preview=True)
        if not (_ENTITY.fullmatch(assignment_id) and _ENTITY.fullmatch(hit_id)):
            raise LaunchError(
                _("This address is incomplete. Please open the task from Mechanical Turk again.")
            )
        if not _WORKER.fullmatch(worker_id):
            raise LaunchError(
                _("This address does not say who you are. Please accept the task first.")
            )
        return Launch(person_id=worker_id, submission_id=assignment_id, ticket_id=hit_id)

    # What is handed in is the form itself.
    outcomes_with_code = frozenset()

    def completion(self, visit: Visit, outcome: Outcome, receipt: str) -> Completion:
        is_handed_in = outcome in _HANDED_IN or (
            outcome == Outcome.NO_CONSENT and _has_answered(visit)
        )
        if visit.listing is None or not visit.submission_id or not is_handed_in:
            return Completion()
        where = installation(visit.listing.environment)
        fields = (("assignmentId", visit.submission_id), (RECEIPT, receipt), (OUTCOME, outcome))
        return Completion(url=where.submit_url, fields=fields)

    def framing(self, listing: Listing) -> Framing:
        origins = installation(listing.environment).origins
        # Browsers hold an address that the first one forwards to against the same list.
        return Framing(ancestors=origins, form_targets=origins)

    def estimate(self, listing: Listing) -> Estimate:
        options = Options.of(listing.options)
        per_hit = _per_hit(options)
        lines = []
        for size, n_hits in _sizes(listing, per_hit):
            fee = mturk_fees.reward_fee(
                listing.reward, n_assignments=size, masters=options.masters
            )
            label = ngettext(
                "Places in HITs for %(n)s person",
                "Places in HITs for %(n)s people each",
                "n",
            )
            lines.append(CostLine(label % {"n": size}, n_hits * size, listing.reward, fee))
        worst = sum((line.total for line in lines), Decimal("0.00"))
        share = _rejected_share(listing)
        n_unpaid = int(listing.n_places * share)
        each = lines[0].each + lines[0].fee if lines else Decimal("0.00")
        notes: list[Said] = [
            _("The platform reserves this sum in your account as soon as it offers the places."),
            _("The fee for a bonus is 20 % of the bonus, but at least 0.01 USD."),
        ]
        return Estimate(
            currency=_CURRENCY,
            lines=lines,
            worst=worst,
            expected=max(worst - n_unpaid * each, Decimal("0.00")),
            notes=notes,
        )

    def fee(self, listing: Listing, amount: Decimal, *, is_bonus: bool) -> Decimal:
        if is_bonus:
            return mturk_fees.bonus_fee(amount)
        options = Options.of(listing.options)
        return mturk_fees.reward_fee(
            amount, n_assignments=_per_hit(options), masters=options.masters
        )

    def approves_at(self, visit: Visit) -> datetime | None:
        if visit.listing is None or visit.submitted_at is None:
            return None
        hours = Options.of(visit.listing.options).auto_approval_hours
        return visit.submitted_at + timedelta(hours=hours)

    def made_by_hand(self, intent: Intent, remote_id: str) -> NewTicket | None:
        hit = intent.payload["hit"]
        # No sooner than it may have been made at last.
        since = intent.last_sent_at or intent.planned_at
        return NewTicket(
            remote_id=remote_id,
            n_places=int(hit["MaxAssignments"]),
            expires_at=since + timedelta(seconds=int(hit["LifetimeInSeconds"])),
        )

    def hand_in_time(self, listing: Listing, ticket: Ticket | None = None) -> timedelta:
        return timedelta(minutes=Options.of(listing.options).duration_minutes)

    # -- what calls out ------------------------------------------------------------------------
    def plan_publishing(self, listing: Listing) -> list[Planned]:
        """One HIT each, without content of its own: what is answered is chosen on arrival."""
        options = Options.of(listing.options)
        kind: dict[str, Any] = {
            "Title": options.title,
            "Description": options.description,
            "Reward": mturk_fees.in_cents(listing.reward),
            "AssignmentDurationInSeconds": options.duration_minutes * MINUTE,
            "AutoApprovalDelayInSeconds": options.auto_approval_hours * HOUR,
            "QualificationRequirements": mturk_qualifications.required(
                options, listing.environment
            ),
        }
        if options.keywords:
            kind["Keywords"] = options.keywords
        question = external_question(launch_address(listing), frame_height=options.frame_height)
        own = mturk_qualifications.own_required(listing, options)
        sizes = mturk_fees.hit_sizes(listing.n_places, per_hit=_per_hit(options))
        return [
            Planned(
                Intent.Kind.PUBLISH,
                reason_code=f"HIT {n}",
                payload={
                    "n_places": size,
                    "type": kind,
                    "own": own,
                    "hit": {
                        "MaxAssignments": size,
                        "LifetimeInSeconds": options.lifetime_hours * HOUR,
                        "Question": question,
                    },
                },
                commits=mturk_fees.hit_cost(
                    listing.reward, n_assignments=size, masters=options.masters
                ),
            )
            for n, size in enumerate(sizes, start=1)
        ]

    def plan_verified(self, visit: Visit) -> list[Planned]:
        """People who took part in a phase do not see its HITs any more, if that is asked for."""
        listing, person = visit.listing, visit.person
        if listing is None or person is None or not Options.of(listing.options).once:
            return []
        name = mturk_qualifications.done_name(listing.study, listing.phase_number)
        payload = {"qualification": name, "person_id": person.platform_id}
        return [Planned(Intent.Kind.GRANT, reason_code=Intent.TOOK_PART, payload=payload)]

    def is_marked(self, intent: Intent) -> bool:
        return intent.kind in MARKED

    def again(self, intent: Intent) -> Again:
        return _AGAIN.get(intent.kind, Again.HARMLESS)

    def send(self, intent: Intent, keep: Keep = keep_nowhere) -> Sent:
        return IntentSender(_requester_for(intent), intent).send()

    def look_up(self, intent: Intent) -> LookedUp:
        try:
            return IntentLookUp(_requester_for(intent), intent).look_up()
        except (RefusedError, DoubtfulError) as error:
            raise mturk_errors.cannot_ask(error) from error

    def is_taken(self, intent: Intent) -> bool:
        try:
            return mturk_looking.is_taken(_requester_for(intent), intent)
        except (RefusedError, DoubtfulError) as error:
            raise mturk_errors.cannot_ask(error) from error

    def submissions(self, listing: Listing) -> Iterator[Submission]:
        _refuse_strays(listing)
        for ticket in listing.tickets.all():
            _refuse_foreign(listing, ticket.platform, ticket.environment)
        yield from mturk_looking.submissions(requester(listing.environment), listing)


def _has_answered(visit: Visit) -> bool:
    """Whether they stopped or withdrew in the middle: nobody can be paid for a returned HIT."""
    return visit.run is not None and visit.run.assignment.judgments.exists()


def requester(environment: str) -> Requester:
    """The client of an environment. Raises RefusedError if nothing may be asked there."""
    where = installation(environment)
    credentials = where.credentials()
    return Requester(client(where.endpoint, credentials), credentials)


def _requester_for(intent: Intent) -> Requester:
    """Every row that an intent touches is of its listing's environment, or nothing is asked."""
    listing, visit, ticket = intent.listing, intent.visit, intent.ticket
    _refuse_strays(listing)
    if visit is not None:
        _refuse_foreign(listing, visit.platform, visit.environment)
        if visit.person is not None:
            _refuse_foreign(listing, visit.person.platform, visit.person.environment)
    if ticket is not None:
        _refuse_foreign(listing, ticket.platform, ticket.environment)
    return requester(listing.environment)


def _refuse_strays(listing: Listing) -> None:
    if listing.platform != CrowdPlatform.MTURK:
        raise RefusedError(_("This listing is not on Mechanical Turk."))


def _refuse_foreign(listing: Listing, platform: str, environment: str) -> None:
    if (platform, environment) != (listing.platform, listing.environment):
        raise RefusedError(
            _(
                "This belongs to “%(other)s”, but the listing belongs to “%(own)s”. "
                "Their ids cannot be mixed."
            )
            % {"other": environment or platform, "own": listing.environment}
        )


def _note_foreign(where: Installation, address: str) -> None:
    # Workers' pages say where to hand in. That is known without them, and they may lie.
    if address and origin_of(address) not in where.origins:
        logger.warning("a launch names %r as where to hand in: ignored", address[:100])


def _per_hit(options: Options) -> int:
    return max(1, min(options.assignments_per_hit, mturk_fees.MAX_ASSIGNMENTS_PER_HIT))


def _sizes(listing: Listing, per_hit: int) -> Iterator[tuple[int, int]]:
    """(assignments, how many HITs have as many)."""
    n_full, rest = divmod(listing.n_places, per_hit)
    if n_full:
        yield per_hit, n_full
    if rest:
        yield rest, 1


def _rejected_share(listing: Listing) -> Decimal:
    """Of what was reviewed in this study on this platform so far; rejected work costs nothing."""
    states = list(
        Visit.objects.filter(
            listing__study=listing.study_id,
            platform=listing.platform,
            environment=listing.environment,
            remote_state__in=(Visit.Remote.APPROVED, Visit.Remote.REJECTED),
        ).values_list("remote_state", flat=True)
    )
    if not states:
        return Decimal(0)
    return Decimal(states.count(Visit.Remote.REJECTED)) / len(states)
