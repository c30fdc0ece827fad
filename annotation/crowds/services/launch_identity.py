"""Whom a launch is of: the person, the ticket, the key, and the visit that is theirs already."""

import json
from dataclasses import dataclass

from django.db.models import Q

from annotation.basics import keys
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import LaunchError
from annotation.models import Listing, Person, Ticket, Visit


@dataclass(frozen=True)
class EnteredVisit:
    """A visit and the key to it, which is kept nowhere."""

    key: str
    visit: Visit


def realm_of(listing: Listing) -> str:
    """Within which the ids of people are. Of a panel, people are known within a study."""
    return listing.environment or f"study-{listing.study_id}"


def key_of(listing: Listing, launch: Launch) -> str:
    """The same for each launch of the same sitting; without a sitting, for each use of a form."""
    parts = [listing.pk, listing.environment, launch.submission_id, launch.person_id]
    if launch.needs_code:
        parts.append(launch.nonce)
    return keys.new_key(study_id=listing.study_id, nonce="visit/" + json.dumps(parts))


def ticket_of(listing: Listing, launch: Launch) -> Ticket | None:
    """What was made on the platform, for this listing and no other."""
    if not launch.ticket_id:
        if launch.is_preview or not platform_of(listing.platform).capabilities.shows_submissions:
            return None
        raise LaunchError(_("The address you opened is incomplete."))
    ticket = Ticket.objects.filter(
        listing=listing, environment=listing.environment, remote_id=launch.ticket_id
    ).first()
    if ticket is None and not launch.is_preview:
        raise LaunchError(
            _(
                "We do not know this task yet. If it is new, please open it again in "
                "a minute; otherwise please return it."
            )
        )
    return ticket


def of_code(listing: Listing, launch: Launch, code: str) -> EnteredVisit | None:
    """What this person began in the study, by any listing, and knows the code of."""
    for key in keys.keys_of_code(study_id=listing.study_id, code=code):
        visit = (
            Visit.objects.select_related("run", "listing")
            .filter(
                key_hash=keys.key_hash(key),
                listing__study=listing.study_id,
                person__platform=listing.platform,
                person__environment=realm_of(listing),
                person__platform_id=launch.person_id,
            )
            .first()
        )
        if visit:
            return EnteredVisit(key, visit)
    return None


def find_or_make_person(listing: Listing, launch: Launch) -> Person:
    """The person whom a launch names, stored if they are new."""
    return Person.objects.get_or_create(
        platform=listing.platform,
        environment=realm_of(listing),
        platform_id=launch.person_id,
    )[0]


def known_person(listing: Listing, launch: Launch) -> Person | None:
    """The person whom a launch names, if they were here before."""
    return Person.objects.filter(
        platform=listing.platform,
        environment=realm_of(listing),
        platform_id=launch.person_id,
    ).first()


def of_submission(listing: Listing, launch: Launch) -> Q:
    """Visits of the submission that a launch names."""
    return Q(
        platform=listing.platform,
        environment=listing.submission_realm,
        submission_id=launch.submission_id,
    )


def own_visit(listing: Listing, launch: Launch, person: Person) -> Visit | None:
    """This person's visit of this sitting, whatever became of it."""
    mine = Visit.objects.select_related("run", "listing").filter(person=person)
    if not launch.submission_id:
        # If a panel names no sittings there is one for each person and listing.
        return mine.filter(listing=listing, submission_id="").first()
    visit = mine.filter(of_submission(listing, launch)).first()
    if visit and visit.listing_id not in {None, listing.pk}:
        raise LaunchError(_("This address belongs to another task."))
    return visit


def first_phase(listing: Listing) -> int:
    """Raises LaunchError if the study has no such phase as the listing is for."""
    numbers = sorted(listing.study.design.phases.values_list("number", flat=True))
    if listing.phase_number not in numbers:
        raise LaunchError(_("The study has no such part."))
    return int(numbers[0])
