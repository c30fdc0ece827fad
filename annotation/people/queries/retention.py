"""What a study still holds of people as persons, when that goes, and what keeps it from going."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.basics import clock
from annotation.basics.person_questions import OPEN_ENDED
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.queries.retention_days import days_of
from annotation.crowds.queries.listings import asked_to_return, naming_people, to_review
from annotation.models import (
    Annotator,
    Assignment,
    Intent,
    Job,
    Listing,
    Person,
    PhaseRun,
    PlatformEvent,
    QuestionnaireReply,
    Study,
    Visit,
)
from annotation.models.kinds import CrowdPlatform
from annotation.questionnaires.queries import definitions

# A platform that named no deadline lets nobody work longer than this.
_MAX_WORK_TIME = timedelta(days=30)
# A wrong clock is usually set right within hours. What is still due after them is due.
SIGHTINGS_APART = timedelta(hours=6)
# Steps of the ledger that somebody or something has still to settle.
_OPEN = (*Intent.UNSETTLED, Intent.State.NEEDS_PERSON)


@dataclass(frozen=True)
class Held:
    """How much there is that leads to persons."""

    n_people: int
    # Sittings with a platform's number, or with what was handed in there.
    n_visits: int
    # What platforms said, and what they were told about people.
    n_messages: int
    n_reminders: int
    # People who wrote something about themselves in their own words.
    n_texts: int
    # Listings that keep people out, or let them in, by their ids.
    n_listings: int
    # Imports whose refusal quotes a file, and letters.
    n_jobs: int

    @property
    def is_any(self) -> bool:
        return any(vars(self).values())


def due_at(study: Study) -> datetime | None:
    """When personal data go; None while nobody knows."""
    days, since = days_of(study), study.collected_until
    return since + timedelta(days=days) if days and since else None


def is_due(study: Study) -> bool:
    """Whether its time has come; what comes after an erasure goes with the next sweep."""
    if study.state not in Study.OVER:
        return False
    due = due_at(study)
    return study.erased_at is not None or (due is not None and due <= clock.shared_now())


def erased_from(study: Study) -> datetime | None:
    """From when on what is due is erased by itself; None: it is not due, or not seen to be."""
    if study.retention_due_seen_at is None or study.erased_at or not is_due(study):
        return None
    return study.retention_due_seen_at + SIGHTINGS_APART


def people_of(study: Study) -> QuerySet[Person]:
    return Person.objects.filter(
        Exists(Annotator.objects.filter(study=study, person=OuterRef("pk")))
        | Exists(Visit.objects.filter(listing__study=study, person=OuterRef("pk")))
    )


def visits_of(study: Study) -> QuerySet[Visit]:
    """Sittings that lead to a person."""
    return Visit.objects.filter(listing__study=study).filter(
        Q(person__isnull=False) | ~Q(submission_id="") | ~Q(handed_in={})
    )


def withdrawn_of(study: Study) -> QuerySet[Visit]:
    """Those whose answers were withdrawn, if nothing about their money is open any more."""
    open_steps = Intent.objects.filter(visit=OuterRef("pk"))
    return (
        visits_of(study)
        .filter(
            run__assignment__state=Assignment.State.WITHDRAWN,
            listing__state=Listing.State.CLOSED,
        )
        .exclude(Exists(open_steps.filter(state__in=_OPEN)))
        .exclude(Exists(open_steps.offered()))
        .exclude(to_review() | asked_to_return())
        .exclude(_may_still_be_handed_in())
        .select_related("person", "listing")
    )


def annotators_of(study: Study) -> QuerySet[Annotator]:
    return study.annotators.exclude(person=None)


def events_of(study: Study) -> QuerySet[PlatformEvent]:
    """What a failed poll said is about the platform, and of nobody."""
    return (
        PlatformEvent.objects.filter(
            Q(listing__study=study)
            | Q(visit__listing__study=study)
            | Q(intent__listing__study=study)
        )
        .exclude(payload={})
        .exclude(source=PlatformEvent.Source.POLL, visit=None, payload__has_key="said")
    )


def intents_of(study: Study) -> QuerySet[Intent]:
    """What platforms were told about somebody; the sums are columns of their own, and stay."""
    return Intent.objects.filter(listing__study=study, visit__isnull=False).exclude(payload={})


def reminders_of(study: Study) -> QuerySet[PhaseRun]:
    return PhaseRun.objects.filter(assignment__annotator__study=study).exclude(
        reminder_email="", way_back=""
    )


def texts_of(study: Study) -> QuerySet[QuestionnaireReply]:
    """Replies with what people wrote about themselves in their own words."""
    keys = open_ended_keys(study)
    replies = QuestionnaireReply.objects.filter(annotator__study=study)
    return replies.filter(values__has_any_keys=keys) if keys else replies.none()


def open_ended_keys(study: Study) -> list[str]:
    questions = definitions.of(study).questions
    return [question.key for question in questions if question.kind in OPEN_ENDED]


def jobs_of(study: Study) -> QuerySet[Job]:
    """Jobs that quote a refused file or hold a letter, which may name people unknown here."""
    ended = study.jobs.exclude(state__in=Job.UNFINISHED)
    return ended.filter(
        Q(kind=Job.Kind.IMPORT_ITEMS) & ~Q(error="")
        | Q(kind=Job.Kind.SEND_LINKS) & (~Q(error="") | Q(parameters__has_key="text"))
    )


def is_anything_held(study: Study) -> bool:
    querysets: tuple[QuerySet[Any], ...] = (
        annotators_of(study),
        visits_of(study),
        events_of(study),
        intents_of(study),
        reminders_of(study),
        texts_of(study),
        naming_people(study),
    )
    return any(rows.exists() for rows in querysets)


def held(study: Study) -> Held:
    return Held(
        n_people=people_of(study).count(),
        n_visits=visits_of(study).count(),
        n_messages=events_of(study).count() + intents_of(study).count(),
        n_reminders=reminders_of(study).count(),
        n_texts=texts_of(study).count(),
        n_listings=naming_people(study).count(),
        n_jobs=jobs_of(study).count(),
    )


def obstacles(study: Study) -> list[Said]:
    """Why nothing can be erased yet: what is still needed, above all to pay people."""
    return list(_obstacles(study))


def _obstacles(study: Study) -> Iterator[Said]:
    if study.is_draft:
        yield _("The study is a draft. Remove the people from its roster instead.")
    elif study.state not in Study.OVER:
        yield _("The study has not ended yet. Close or finish it first.")
    yield from unsettled(study)
    if study.state == Study.State.CLOSED and (n := _n_coming_back(study)):
        yield (
            ngettext(
                "%(n)s person from a platform may still answer, so the platform id is still "
                "needed. Wait, or finish the study.",
                "%(n)s people from a platform may still answer, so their platform ids are still "
                "needed. Wait, or finish the study.",
                n,
            )
            % {"n": n}
        )


def unsettled(study: Study) -> Iterator[Said]:
    """What goes on at platforms: listings that are not closed, and money that may be owed."""
    listings = study.listings.exclude(state__in=(Listing.State.DRAFT, Listing.State.CLOSED))
    for listing in listings:
        yield _("Listing %(n)s on %(platform)s is not closed. Close it first.") % {
            "n": listing.number,
            "platform": str(CrowdPlatform(listing.platform).label),
        }
    intents = Intent.objects.filter(listing__study=study)
    n = intents.filter(state__in=_OPEN).count()
    if n:
        yield (
            ngettext(
                "%(n)s step in the ledger is not settled. Settle it first.",
                "%(n)s steps in the ledger are not settled. Settle them first.",
                n,
            )
            % {"n": n}
        )
    if n := intents.offered().count():
        yield (
            ngettext(
                "%(n)s compensation can still be accepted. It is settled 31 days after it was "
                "offered.",
                "%(n)s compensations can still be accepted. They are settled 31 days after they "
                "were offered.",
                n,
            )
            % {"n": n}
        )
    visits = Visit.objects.filter(listing__study=study)
    if n := visits.filter(to_review() | asked_to_return()).count():
        yield (
            ngettext(
                "%(n)s visit is not decided. The person may be waiting for money, so decide "
                "first.",
                "%(n)s visits are not decided. The people may be waiting for money, so decide "
                "first.",
                n,
            )
            % {"n": n}
        )
    if n := visits.filter(_may_still_be_handed_in()).count():
        yield (
            ngettext(
                "%(n)s visit may still be submitted on the platform. Wait until its time is over.",
                "%(n)s visits may still be submitted on the platform. Wait until their time is "
                "over.",
                n,
            )
            % {"n": n}
        )


def _may_still_be_handed_in() -> Q:
    now = clock.now()
    return Q(remote_state=Visit.Remote.ACTIVE) & (
        Q(deadline__gt=now)
        | Q(deadline=None, listing__closed_at__gt=now - _MAX_WORK_TIME)
        | Q(deadline=None, listing__closed_at=None)
    )


def _n_coming_back(study: Study) -> int:
    """Those who wait for a part, or are in one, of a platform."""
    going_on = Assignment.objects.filter(
        annotator__study=study,
        state__in=(Assignment.State.ACTIVE, Assignment.State.WAITING),
        annotator__person__isnull=False,
    ).filter(Exists(Visit.objects.filter(run__assignment=OuterRef("pk"))))
    now = clock.now()
    can_go_on = PhaseRun.objects.filter(
        Q(closes_at=None) | Q(closes_at__gt=now), assignment=OuterRef("pk"), completed_at=None
    )
    return going_on.filter(Exists(can_go_on)).values("annotator").distinct().count()
