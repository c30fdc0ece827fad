"""Who gives way to whom where a study is full, in one order.

Nobody who gives way loses an answer: they may finish, and count if the place is free then.
"""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.answering.services import join_limits, phases
from annotation.answering.services.open_places import (
    give_back,
    is_completed,
    is_unproven,
    overdue,
    places_for,
    platforms_that_show,
    real_places,
    silent,
    silent_before,
    unfilled,
)
from annotation.basics import clock
from annotation.basics.errors import NoPlaceError
from annotation.basics.sentences import sentence as _
from annotation.models import Annotator, Assignment, PhaseRun, Place, Study, Visit
from annotation.models.kinds import Source

NO_PLACE = _(
    "All places are taken at the moment. One may become free, so please try again "
    "later. Thank you for coming."
)


def place_given_up(
    study: Study, annotator: Annotator, now: datetime, *, comes_first: bool, group: str
) -> Place | None:
    """The place of somebody who gives way to this annotator, or None if nobody has to."""
    if annotator.source != Source.REAL:
        return None
    places = places_for(study.design, annotator).exclude(is_completed())
    person = annotator.person
    is_shown = person is not None and person.platform in platforms_that_show()
    for holders in _who_gives_way(
        study, now, comes_first=comes_first, group=group, is_shown=is_shown
    ):
        if holder := give_way(holders.filter(place__in=places), now=now):
            return holder.place
    return None


def _who_gives_way(
    study: Study, now: datetime, *, comes_first: bool, group: str, is_shown: bool
) -> Iterator[QuerySet[Assignment]]:
    """Those nobody vouches for, each kind by itself, in the order in which they give way.

    A person who has been silent for long gives way to everybody. Of those whom a platform has not
    confirmed, the network from which most came gives way to people from elsewhere, and the least
    active give way to those who come by such a platform, too (`is_shown`). The others give way to
    those who come first: the silent, strangers who are held for review, unproven sittings at work
    (the least active before the others), and what was sent and no platform has shown.
    """
    yield silent(study, silent_before(now)).order_by("pk")
    if comes_first:
        yield silent(study, now).order_by("pk")
    yield join_limits.crowd(_unconfirmed(study), beside=group).order_by("pk")
    if not comes_first:
        if is_shown:
            yield join_limits.least_active(_unconfirmed(study), beside=group)
        return
    holding = Assignment.objects.holding().filter(annotator__study=study)
    runs = PhaseRun.objects.filter(assignment=OuterRef("pk"))
    yield holding.filter(Exists(runs.filter(is_held=True)), annotator__person=None).order_by("pk")
    yield holding.filter(is_unproven(), state=Assignment.State.ACTIVE).order_by(
        "last_active_at", "pk"
    )
    yield holding.filter(_is_sent_unconfirmed()).order_by("last_active_at", "pk")


def _unconfirmed(study: Study) -> QuerySet[Assignment]:
    """Who holds a place by a platform that may still show whether they are somebody."""
    holding = Assignment.objects.holding().filter(annotator__study=study)
    return holding.filter(
        is_unproven() | _is_sent_unconfirmed(),
        annotator__person__platform__in=platforms_that_show(),
    )


def _is_sent_unconfirmed() -> Q:
    sent = Visit.objects.filter(
        run__assignment=OuterRef("pk"),
        state=Visit.State.ENDED,
        verified_at=None,
        remote_state=Visit.Remote.UNSEEN,
    )
    counted = PhaseRun.objects.filter(assignment=OuterRef("pk"), is_counted=True)
    return Q(Exists(sent), ~Exists(counted))


def give_way(holders: QuerySet[Assignment], *, now: datetime) -> Assignment | None:
    """Let the first of these holders give the place back, and return them; None if there is none.

    They may finish, as surplus, and count after all if the place is free then. The caller holds
    the study's lock.
    """
    for pk in holders.values_list("pk", flat=True):
        # Locked, then looked at again: an answer that was just being stored is seen.
        list(Assignment.objects.select_for_update(no_key=True).filter(pk=pk))
        holder = holders.select_related("place").filter(pk=pk).first()
        if holder is None:
            continue
        if holder.state == Assignment.State.ACTIVE:
            give_back(phases.latest(holder), now=now)
        else:
            holder.is_surplus = True
            holder.save(update_fields=["is_surplus"])
        return holder
    return None


def has_room(study: Study) -> bool:
    """Whether a newcomer would get a place now. Writes nothing: the claim itself decides."""
    now = clock.now()
    places = real_places(study)
    if unfilled(places).exists():
        return True
    uncompleted = places.exclude(is_completed())
    return any(
        uncompleted.filter(Exists(holders.filter(place=OuterRef("pk"), is_surplus=False))).exists()
        for holders in (
            *overdue(study, now),
            silent(study, silent_before(now)),
            join_limits.crowd(_unconfirmed(study), beside=""),
        )
    )


def refuse_if_full(study: Study) -> None:
    """Raise NoPlaceError if the study takes new people, but has no place for them now."""
    if study.takes_new_people and not has_room(study):
        raise NoPlaceError(NO_PLACE)
