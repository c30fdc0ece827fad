"""The listings of a study as its researchers see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.basics.sentences import read
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Environment
from annotation.models import Exclusion, Intent, Listing, PlatformEvent, Study, Visit
from annotation.models.kinds import CrowdPlatform, Outcome

POLL_FAILED = "poll failed"
# Of a listing's options: people by their ids, whom it keeps out or lets in.
PEOPLE_OPTIONS = ("excluded_people", "allowed_people")
_DECISIONS = (Intent.Kind.APPROVE, Intent.Kind.REJECT)


@dataclass(frozen=True)
class ListingRow:
    """How far one listing is."""

    listing: Listing
    environment: Environment | None
    n_visits: int
    n_working: int
    # Handed in, and neither decided about nor asked to be returned.
    n_to_review: int
    n_approved: int
    n_doubts: int
    n_unsettled: int
    n_for_people: int
    # Whether the platform could not be asked for its visits when that was last tried.
    is_unread: bool

    @property
    def where(self) -> str:
        return platform_name(self.listing.platform, self.environment)


def platform_name(platform: str, environment: Environment | None) -> str:
    """The platform, and its environment unless that has the platform's name in its own."""
    name, label = str(CrowdPlatform(platform).label), str(environment.label if environment else "")
    if name.casefold() in label.casefold():
        return label
    return f"{name}: {label}" if label else name


@dataclass(frozen=True)
class PollFailure:
    """Why a platform could not be asked what was handed in; empty if no words were found."""

    message: str
    tried_at: datetime


def rows(study: Study) -> list[ListingRow]:
    """All of a study, in the order in which they were made."""
    listings = list(study.listings.order_by("number"))
    of_visits = {
        row["listing"]: row
        for row in Visit.objects.filter(listing__in=listings)
        .order_by()
        .values("listing")
        .annotate(
            n=Count("pk"),
            n_working=Count("pk", filter=Q(state=Visit.State.WORKING)),
            n_to_review=Count("pk", filter=to_review()),
            n_approved=Count("pk", filter=Q(remote_state=Visit.Remote.APPROVED)),
            n_doubts=Count("pk", filter=~Q(doubt="")),
        )
    }
    of_intents = {
        row["listing"]: row
        for row in Intent.objects.filter(listing__in=listings)
        .order_by()
        .values("listing")
        .annotate(
            n_unsettled=Count("pk", filter=Q(state__in=Intent.UNSETTLED)),
            n_for_people=Count("pk", filter=Q(state=Intent.State.NEEDS_PERSON)),
        )
    }
    unread = _unread(listings)
    return [
        _row(listing, of_visits, of_intents, is_unread=listing.pk in unread)
        for listing in listings
    ]


def poll_failure(listing: Listing) -> PollFailure | None:
    """Of the last poll; None if it went well."""
    if listing.pk not in _unread([listing]):
        return None
    event = _failures([listing]).latest("seen_at", "pk")
    return PollFailure(read(event.payload.get("said", "")), event.seen_at)


def refused_publication(listing: Listing) -> Intent | None:
    """What the platform refused to publish, if nothing was published or added since."""
    steps = listing.intents.filter(kind=Intent.Kind.PUBLISH)
    refused = steps.filter(state=Intent.State.REFUSED)
    if listing.state == Listing.State.DRAFT:
        return refused.order_by("-settled_at").first()
    done = steps.filter(state=Intent.State.CONFIRMED).aggregate(last=Max("planned_at"))
    # Those after the first say only that the one before failed.
    return (
        refused.filter(planned_at__gt=done["last"] or listing.created_at)
        .order_by("planned_at")
        .first()
    )


def _unread(listings: list[Listing]) -> set[int]:
    last = dict(_failures(listings).order_by().values_list("listing").annotate(Max("seen_at")))
    return {
        listing.pk
        for listing in listings
        if listing.pk in last
        and (listing.polled_at is None or last[listing.pk] >= listing.polled_at)
    }


def _failures(listings: list[Listing]) -> QuerySet[PlatformEvent]:
    return PlatformEvent.objects.filter(
        listing__in=listings, source=PlatformEvent.Source.POLL, kind=POLL_FAILED
    )


def _row(
    listing: Listing,
    of_visits: Mapping[int, Mapping[str, Any]],
    of_intents: Mapping[int, Mapping[str, Any]],
    *,
    is_unread: bool,
) -> ListingRow:
    nothing: Mapping[str, Any] = {}
    visits = of_visits.get(listing.pk, nothing)
    intents = of_intents.get(listing.pk, nothing)
    return ListingRow(
        listing,
        environment_of(listing),
        n_visits=visits.get("n", 0),
        n_working=visits.get("n_working", 0),
        n_to_review=visits.get("n_to_review", 0),
        n_approved=visits.get("n_approved", 0),
        n_doubts=visits.get("n_doubts", 0),
        n_unsettled=intents.get("n_unsettled", 0),
        n_for_people=intents.get("n_for_people", 0),
        is_unread=is_unread,
    )


def to_review() -> Q:
    """Visits handed in, about which nothing was decided: somebody waits for their money."""
    return (
        Q(remote_state=Visit.Remote.SUBMITTED)
        & ~Q(_is_asked_for(*_DECISIONS))
        & ~Q(_is_asked_for(Intent.Kind.ASK_RETURN))
    )


def clear_to_approve() -> Q:
    """Visits to be reviewed whose people passed the checks, with nothing to be looked at first.

    One whose approval came to nothing before is left to a person.
    """
    approvals = Intent.objects.filter(visit=OuterRef("pk"), kind=Intent.Kind.APPROVE)
    excluded = Exclusion.objects.in_force().filter(
        Q(annotator=OuterRef("run__assignment__annotator"))
        | Q(assignment=OuterRef("run__assignment"))
    )
    return (
        to_review()
        & Q(outcome=Outcome.COMPLETED, doubt="", verified_at__isnull=False)
        & ~Q(_is_asked_for(Intent.Kind.COMPENSATE))
        & ~Q(Exists(approvals))
        & ~Q(Exists(excluded))
    )


def asked_to_return() -> Q:
    """Visits whose people were asked to give them back, and about which nothing else was decided.

    They may refuse; then a person decides.
    """
    states = (Visit.Remote.ACTIVE, Visit.Remote.SUBMITTED)
    return (
        Q(remote_state__in=states)
        & ~Q(_is_asked_for(*_DECISIONS))
        & Q(_is_asked_for(Intent.Kind.ASK_RETURN))
    )


def decided() -> Q:
    """Visits that are approved or rejected, or will be as soon as the platform is asked."""
    states = (Visit.Remote.APPROVED, Visit.Remote.REJECTED)
    return Q(remote_state__in=states) | (
        Q(remote_state=Visit.Remote.SUBMITTED) & Q(_is_asked_for(*_DECISIONS))
    )


def _is_asked_for(*kinds: Intent.Kind) -> Exists:
    return Exists(Intent.objects.standing().filter(visit=OuterRef("pk"), kind__in=kinds))


def naming_people(study: Study) -> QuerySet[Listing]:
    return study.listings.filter(options__has_any_keys=PEOPLE_OPTIONS)


def environment_of(listing: Listing) -> Environment | None:
    """None if the operator has taken it out of this server since."""
    known = platform_of(listing.platform).environments()
    return next(
        (environment for environment in known if environment.name == listing.environment), None
    )
