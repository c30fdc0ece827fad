"""Which places are free, and for whom; who has been idle; giving a place back."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.basics import clock
from annotation.core.platforms import platform_of
from annotation.kinds.rating.services import repeats
from annotation.models import (
    Annotator,
    Assignment,
    Design,
    Exclusion,
    Judgment,
    Phase,
    PhaseRun,
    Place,
    QuestionnaireReply,
    Study,
    Visit,
)
from annotation.models.kinds import CrowdPlatform, Source


def waiting_for_review(annotator: Annotator) -> QuerySet[PhaseRun]:
    """What of theirs waits for a researcher's look: until then there is nothing more for them.

    What came under their name and no platform has confirmed keeps nobody out: it may be another's.
    """
    unconfirmed = Visit.objects.filter(
        run=OuterRef("pk"), verified_at=None, platform__in=platforms_that_show()
    )
    return PhaseRun.objects.filter(
        ~Exists(unconfirmed), assignment__annotator=annotator.pk, is_held=True
    )


def free_places(design: Design, annotator: Annotator) -> QuerySet[Place]:
    """Free places in booklets that are new to this annotator; none for who is excluded."""
    return unfilled(places_for(design, annotator))


def places_for(design: Design, annotator: Annotator) -> QuerySet[Place]:
    places = Place.objects.filter(booklet__design=design, source=annotator.source)
    theirs = Assignment.objects.filter(annotator=annotator, is_disputed=False)
    return places.exclude(
        Exists(theirs.filter(booklet=OuterRef("booklet")))
        | Q(booklet__in=repeats.booklets_alike(design, annotator))
        | Exists(Exclusion.objects.in_force().filter(annotator=annotator.pk))
        | Exists(waiting_for_review(annotator))
    )


def unfilled(places: QuerySet[Place]) -> QuerySet[Place]:
    """Places nobody holds and in which nobody has completed the last phase."""
    return places.exclude(
        Exists(Assignment.objects.holding().filter(place=OuterRef("pk"))) | is_completed()
    )


def is_completed() -> Exists:
    """Of a place: somebody has completed the last phase in it."""
    return Exists(
        PhaseRun.objects.filter(place=OuterRef("pk"), is_counted=True).exclude(
            Exists(
                Phase.objects.filter(
                    design=OuterRef("phase__design"), number__gt=OuterRef("phase__number")
                )
            )
        )
    )


def expire_overdue(study: Study, now: datetime) -> int:
    """Give back the places of those who were idle too long in an open phase."""
    # The condition stands in the UPDATE itself: an answer that came in meanwhile is seen. With a
    # join Django would choose the rows beforehand, and what was just sent would lapse.
    lapsed = sum(overdue.update(state=Assignment.State.LAPSED) for overdue in overdue(study, now))
    if lapsed:
        _note_lapsed(study, now)
    return lapsed


def _note_lapsed(study: Study, now: datetime) -> None:
    PhaseRun.objects.filter(
        assignment__annotator__study=study,
        assignment__state=Assignment.State.LAPSED,
        completed_at=None,
        lapsed_at=None,
    ).update(lapsed_at=now)


def overdue(study: Study, now: datetime) -> Iterator[QuerySet[Assignment]]:
    """Those who were idle too long, each kind by itself."""
    of_study = Assignment.objects.filter(annotator__in=Annotator.objects.filter(study=study))
    yield of_study.filter(
        state=Assignment.State.ACTIVE,
        last_active_at__lt=now - timedelta(minutes=study.idle_minutes),
    )
    # A person who waits for a phase, or has not begun it yet, is not idle; but it ends.
    over = PhaseRun.objects.filter(
        assignment=OuterRef("pk"), completed_at=None, closes_at__lte=now
    )
    yield of_study.filter(Exists(over), state=Assignment.State.WAITING)
    silent_since = now - timedelta(minutes=settings.SILENT_LAUNCH_MINUTES)
    yield silent(study, silent_since).filter(is_unproven())


def silent_before(now: datetime) -> datetime:
    return now - timedelta(minutes=settings.SILENT_MINUTES)


def silent(study: Study, since: datetime) -> QuerySet[Assignment]:
    """Those nobody vouches for, who have completed no answer since they could begin.

    A draft is no answer: it takes one click, and would hold a place for anybody. Whoever has just
    completed the questions about people could not begin before.
    """
    people = Annotator.objects.filter(study=study, source=Source.REAL)
    began_later = PhaseRun.objects.filter(assignment=OuterRef("pk"), opens_at__gt=since)
    asked_before = QuestionnaireReply.objects.filter(
        annotator=OuterRef("annotator"), completed_at__gt=since
    )
    # No joins: see `expire_overdue`.
    return Assignment.objects.filter(
        Q(annotator__in=people.filter(person=None)) | is_unproven(),
        ~Exists(Judgment.objects.filter(assignment=OuterRef("pk"))),
        ~Exists(began_later),
        ~Exists(asked_before),
        annotator__in=people,
        state=Assignment.State.ACTIVE,
        is_surplus=False,
    )


def is_unproven() -> Exists:
    """Of a platform anybody can claim to be anybody, until it says who is there."""
    return Exists(
        Visit.objects.filter(
            run__assignment=OuterRef("pk"), state=Visit.State.WORKING, verified_at=None
        )
    )


def real_places(study: Study) -> QuerySet[Place]:
    return Place.objects.filter(booklet__design=study.design, source=Source.REAL)


def has_free_place(assignment: Assignment) -> bool:
    """Whether a place of its booklet is free. The caller holds the study's lock."""
    expire_overdue(assignment.annotator.study, clock.now())
    places = Place.objects.filter(
        booklet=assignment.booklet_id, source=assignment.annotator.source
    )
    return unfilled(places).exists()


def platforms_that_show() -> list[str]:
    """Those that say, sooner or later, which sittings there are."""
    return [
        platform
        for platform in CrowdPlatform.values
        if platform_of(platform).capabilities.shows_submissions
    ]


def give_back(run: PhaseRun, *, now: datetime) -> None:
    """Let somebody else have the place. The caller holds the assignment; its answers stay."""
    assignment = run.assignment
    if run.completed_at is None:
        if assignment.state in {Assignment.State.ACTIVE, Assignment.State.WAITING}:
            assignment.state = Assignment.State.LAPSED
            assignment.save(update_fields=["state"])
            PhaseRun.objects.filter(pk=run.pk).update(lapsed_at=now)
    elif not run.is_counted and assignment.state in Assignment.LIVE:
        assignment.is_surplus = True
        assignment.save(update_fields=["is_surplus"])


def is_excluded(annotator_id: int) -> bool:
    """Whether nothing of theirs is scored: another place would be lost on them."""
    return Exclusion.objects.in_force().filter(annotator=annotator_id).exists()


def has_given_back(annotator_id: int) -> bool:
    """Whether they were excluded, and their place given to others."""
    return Exclusion.objects.giving_back().filter(annotator=annotator_id).exists()
