"""What happens to what releases hold: written beside them, in the transaction in which it happens.

A release itself stays as it is. Who calls these holds the study.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import F, Max, QuerySet, Sum

from annotation.models import (
    Annotator,
    Assignment,
    Job,
    Release,
    ReleaseEvent,
    ReleaseShare,
    Study,
)


def withdrawn(held: Sequence[Assignment], *, now: datetime) -> None:
    """Somebody's assignments will be emptied: told once of each, before it is."""
    here = ReleaseShare.objects.filter(assignment__in=held)
    _of_people(here, ReleaseEvent.Kind.WITHDRAWN, now=now)


def source_withdrawn(study: Study, pseudonym: str, *, n_judgments: int, now: datetime) -> None:
    """Somebody of an earlier round withdrew, whose answers items of this study were made of."""
    _of_texts(
        study,
        ReleaseEvent.Kind.WITHDRAWN,
        now=now,
        pseudonym=pseudonym,
        n_judgments=n_judgments,
    )


def excluded(annotators: Collection[Annotator], *, reason: str, now: datetime) -> None:
    _of_people(_held_of(annotators), ReleaseEvent.Kind.EXCLUDED, now=now, reason=reason)


def included(annotators: Collection[Annotator], *, reason: str, now: datetime) -> None:
    _of_people(_held_of(annotators), ReleaseEvent.Kind.INCLUDED, now=now, reason=reason)


def readmitted(annotators: Collection[Annotator], *, reason: str, now: datetime) -> None:
    """Somebody is excluded no more, and yet nothing of theirs counts."""
    _of_people(_held_of(annotators), ReleaseEvent.Kind.READMITTED, now=now, reason=reason)


def promoted(assignment: Assignment, *, now: datetime) -> None:
    """Answers that had no place count by themselves, because another person's do not any more."""
    here = ReleaseShare.objects.filter(assignment=assignment)
    _of_people(here, ReleaseEvent.Kind.PROMOTED, now=now)


def relabelled(study: Study, *, n_values: int, reason: str, now: datetime) -> None:
    """Values were changed for one reason; those that were changed at the same time are added."""
    kind = ReleaseEvent.Kind.RELABELLED
    same = ReleaseEvent.objects.filter(release__study=study, kind=kind, at=now, reason=reason)
    if releases := list(same.values_list("release", flat=True)):
        # The base manager: what is told is otherwise never changed.
        ReleaseEvent._base_manager.filter(pk__in=same).update(n_values=F("n_values") + n_values)
    _of_texts(study, kind, now=now, but=releases, n_values=n_values, reason=reason)


def adjudicated(study: Study, *, item: str, reason: str, now: datetime) -> None:
    _of_texts(study, ReleaseEvent.Kind.ADJUDICATED, now=now, item=item, reason=reason)


def lifted(study: Study, *, item: str, now: datetime) -> None:
    _of_texts(study, ReleaseEvent.Kind.LIFTED, now=now, item=item)


def _held_of(annotators: Collection[Annotator]) -> QuerySet[ReleaseShare]:
    return ReleaseShare.objects.filter(assignment__annotator__in=annotators)


def _of_people(
    shares: QuerySet[ReleaseShare], kind: ReleaseEvent.Kind, *, now: datetime, reason: str = ""
) -> None:
    # One that is being stored notices it by itself, and is made anew.
    stored = shares.filter(release__job__state=Job.State.DONE)
    stored = stored.exclude(assignment__state=Assignment.State.WITHDRAWN)
    rows = list(
        stored.order_by("release", "assignment__annotator__pseudonym")
        .values_list("release", "release__study", "assignment__annotator__pseudonym")
        .annotate(n=Sum("n_judgments"))
    )
    latest = {study: _latest_number(study) for study in {study for _r, study, _p, _n in rows}}
    ReleaseEvent.objects.bulk_create(
        ReleaseEvent(
            release_id=release,
            kind=kind,
            at=now,
            pseudonym=pseudonym,
            n_judgments=n,
            reason=reason,
            latest_number=latest[study],
        )
        for release, study, pseudonym, n in rows
    )


def _of_texts(
    study: Study,
    kind: ReleaseEvent.Kind,
    *,
    now: datetime,
    but: Collection[int] = (),
    **columns: object,
) -> None:
    """An event of each release of the study, but for those whose keys are named."""
    releases = list(Release.objects.filter(study=study).order_by("number"))
    ReleaseEvent.objects.bulk_create(
        ReleaseEvent(
            release=release, kind=kind, at=now, latest_number=releases[-1].number, **columns
        )
        for release in releases
        if release.pk not in but
    )


def _latest_number(study_id: int) -> int:
    newest = Release.objects.filter(study=study_id).aggregate(latest=Max("number"))
    latest: int = newest["latest"]
    return latest
