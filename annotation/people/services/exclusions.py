"""Leaving people out of the scores, with a reason, and taking them in again."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import translation

from annotation.basics import clock
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, read, storable
from annotation.basics.sentences import sentence as _
from annotation.core.services import release_events
from annotation.core.services.locks import lock_study
from annotation.models import (
    Annotator,
    Exclusion,
)
from annotation.people.services import places


def exclude(
    *, annotator: Annotator, reason: str, by: User, gives_place_back: bool = False
) -> Exclusion:
    """Leave somebody's answers out of the scores, with the reason; they stay stored."""
    exclude_all(annotators=[annotator], reason=reason, by=by, gives_place_back=gives_place_back)
    return annotator.exclusions.in_force().get()


@transaction.atomic
def exclude_all(
    *, annotators: Collection[Annotator], reason: str, by: User, gives_place_back: bool = False
) -> list[Exclusion]:
    """Leave people's answers out of the scores for one reason; return what was not so before.

    `gives_place_back`: others may have their places, also of those who were excluded before.
    """
    text = _reason(reason)
    _lock(annotators)
    standing = set(
        Exclusion.objects.in_force()
        .filter(annotator__in=annotators)
        .values_list("annotator_id", flat=True)
    )
    new = [annotator for annotator in annotators if annotator.pk not in standing]
    now = clock.now()
    release_events.excluded(new, reason=text, now=now)
    made = Exclusion.objects.bulk_create(
        Exclusion(annotator=annotator, reason=text, by=by, gives_place_back=gives_place_back)
        for annotator in new
    )
    if gives_place_back:
        Exclusion.objects.in_force().filter(annotator__in=annotators).update(gives_place_back=True)
        places.free(annotators)
    return made


def include_again(*, annotator: Annotator, reason: str, by: User) -> None:
    """Lift an exclusion; that there was one stays on record."""
    include_all(annotators=[annotator], reason=reason, by=by)


@transaction.atomic
def include_all(*, annotators: Collection[Annotator], reason: Said, by: User) -> list[Exclusion]:
    """Lift people's exclusions for one reason; return those that were lifted.

    Who gave a place back has it again, unless somebody else has taken it: then what they sent is
    surplus.
    """
    text = storable(_reason(reason) if isinstance(reason, str) else reason)
    _lock(annotators)
    lifted = list(
        Exclusion.objects.in_force()
        .filter(annotator__in=annotators)
        .select_related("annotator")
        .order_by("pk")
    )
    now = clock.now()
    for exclusion in lifted:
        exclusion.lifted_at, exclusion.lifted_by, exclusion.lifted_reason = now, by, text
    Exclusion.objects.filter(pk__in=[exclusion.pk for exclusion in lifted]).update(
        lifted_at=now, lifted_by=by, lifted_reason=text
    )
    places.take_back(
        [
            exclusion.annotator
            for exclusion in lifted
            if exclusion.annotator and exclusion.gives_place_back
        ]
    )
    # What was held for review, or is surplus by now, does not count again.
    counting = Annotator.objects.filter(
        pk__in=[exclusion.annotator_id for exclusion in lifted],
        assignments__runs__is_counted=True,
    )
    counted = list(counting.distinct())
    reason = _in_english(text)
    release_events.included(counted, reason=reason, now=now)
    others = [
        exclusion.annotator
        for exclusion in lifted
        if exclusion.annotator and exclusion.annotator not in counted
    ]
    release_events.readmitted(others, reason=reason, now=now)
    return lifted


def undo_exclusions(*, exclusions: Collection[Exclusion], by: User) -> list[Exclusion]:
    """Take back what was just excluded; of what somebody has lifted since nothing changes."""
    people = [
        exclusion.annotator
        for exclusion in exclusions
        if exclusion.annotator and not exclusion.lifted_at
    ]
    return include_all(annotators=people, reason=_("Undone immediately."), by=by)


def _reason(reason: str) -> str:
    if not reason.strip():
        raise AnnotationError(_("Give a reason. It is stored with the exclusion."))
    if "\x00" in reason:
        raise AnnotationError(_("The reason contains a character that cannot be stored (NUL)."))
    return reason.strip()


def _in_english(reason: str) -> str:
    """As a change log has it: what the software says itself is stored as a sentence."""
    with translation.override("en"):
        return read(reason)


def _lock(annotators: Collection[Annotator]) -> None:
    """In the order of their keys: two researchers may choose the same people."""
    # A release that is made now comes before or after, and either says so.
    for study_id in sorted({annotator.study_id for annotator in annotators}):
        lock_study(study_id)
    pks = [annotator.pk for annotator in annotators]
    list(Annotator.objects.select_for_update(no_key=True).filter(pk__in=pks).order_by("pk"))
