"""Who may still join without a signature from one network, and the classes that were announced.

That is: by the open link, or by the address of a panel, under whatever id.

From one network a tenth of a study's places may be taken in an hour, and newcomers get no more
than a third in a day, so that no stranger takes them all. A person who has the invitation code, or
the link of a class in its hours, is not counted.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from annotation.basics import clock, keys
from annotation.basics.errors import AnnotationError, TooManyError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.services.imported_rules import refuse_asking
from annotation.core.services.locks import lock_study
from annotation.models import (
    Annotator,
    Announcement,
    Arrival,
    Assignment,
    PhaseRun,
    Place,
    Study,
)
from annotation.models.kinds import Source
from annotation.models.studies import new_invitation_code

WINDOW = timedelta(hours=1)
SHARE_OF_PLACES = 10
# No longer than the fingerprint of an address is kept.
DAY = timedelta(days=1)
SHARE_IN_A_DAY = 3
# A small group behind one address fills a small study in a few hours.
MIN_HOURS_OF_A_DAY = 3
# Of the fingerprint of an address.
MAX_AGE = timedelta(days=1)
# So many from one network may be a household, or colleagues.
MAX_FEW = 3
MAX_PEOPLE = 100_000
MAX_HOURS = 24 * 14


@dataclass(frozen=True)
class Origin:
    """Where somebody came from who proves nothing, and the invitation code that they typed.

    Without a network nobody is counted.
    """

    network: str = ""
    invitation: str = ""


class CrowdedError(TooManyError):
    """As many have joined from this network as may without the invitation code."""


def limit_of(study: Study) -> int:
    """How many may join from one network in an hour, without the code."""
    return max(settings.JOINS_PER_ADDRESS_PER_HOUR, _n_places(study) // SHARE_OF_PLACES)


def limit_in_a_day(study: Study) -> int:
    """How many who came from one network within a day may hold a place, or have completed it."""
    at_least = MIN_HOURS_OF_A_DAY * settings.JOINS_PER_ADDRESS_PER_HOUR
    return max(at_least, _n_places(study) // SHARE_IN_A_DAY)


def _n_places(study: Study) -> int:
    design = study.designs.order_by("-number").first()
    return Place.objects.filter(booklet__design=design, source=Source.REAL).count()


def admit(study: Study, *, network: str, code: str) -> Arrival:
    """By what right somebody joins now; not stored yet. The caller holds the study's lock.

    Raises CrowdedError if they need the code.
    """
    arrival = arrival_from(study, network)
    now = arrival.at
    if is_invitation(study, code):
        arrival.has_code = True
        return arrival
    if announced := _with_room(study, now).filter(code=keys.typed_code(code)).first():
        arrival.announcement = announced
        return arrival
    wait = _wait_of(study, arrival.group, now)
    if not wait:
        return arrival
    if of_class := study.announcements.filter(code=keys.typed_code(code)).first():
        raise CrowdedError(_why_not_with(of_class, now), retry_after=_seconds(wait))
    raise _crowded(wait, typed=code)


def arrival_from(study: Study, network: str) -> Arrival:
    """Somebody comes from a network now; not stored yet."""
    now = clock.now()
    latest = (
        Arrival.objects.filter(assignment__annotator__study=study, network=network)
        .order_by("-pk")
        .first()
    )
    group = latest.group if latest else secrets.token_urlsafe(16)
    return Arrival(network=network, group=group, at=now, taken_at=now)


def crowd(holders: QuerySet[Assignment], *, beside: str) -> QuerySet[Assignment]:
    """Of these, those of the network from which most came, be it more than a few; else none.

    `beside`: the group of somebody new, for whom people of the same network need not give way.
    """
    largest = (
        holders.exclude(arrival=None)
        .values("arrival__group")
        .annotate(n=Count("pk"))
        .order_by("-n", "arrival__group")
        .first()
    )
    if largest is None or largest["n"] <= MAX_FEW or largest["arrival__group"] == beside:
        return holders.none()
    return holders.filter(arrival__group=largest["arrival__group"])


def least_active(holders: QuerySet[Assignment], *, beside: str) -> QuerySet[Assignment]:
    """Of these, those of networks from which more came than from that of somebody new.

    Those with the fewest answers come first, then those who were active longest ago: anybody who
    answers at the usual pace soon has more answers than a forgery is worth. `beside`: the group of
    the newcomer. One network cannot put those of smaller ones out, since its own share counts.
    """
    came = holders.exclude(arrival=None).values_list("arrival__group")
    n_holders = dict(came.annotate(n=Count("pk")).order_by())
    larger = [group for group, n in n_holders.items() if n > n_holders.get(beside, 0)]
    current = Count("judgments", filter=Q(judgments__superseded_at=None))
    return (
        holders.filter(arrival__group__in=larger)
        .annotate(n_answers=current)
        .order_by("n_answers", "last_active_at", "pk")
    )


def store(arrival: Arrival | None, assignment: Assignment) -> None:
    """Keep how a place was taken, instead of how it was taken before."""
    if arrival is not None:
        Arrival.objects.filter(assignment=assignment).delete()
        arrival.assignment = assignment
        arrival.save()


def admit_again(annotator: Annotator) -> Arrival | None:
    """By what right somebody takes another booklet; not stored yet. None: nobody counts them.

    It counts as joining: else one could take all places by hand. The caller holds the study's
    lock. Raises TooManyError if they have to wait.
    """
    before = Arrival.objects.filter(assignment__annotator=annotator).order_by("-pk").first()
    if before is None:
        return None
    now = clock.now()
    is_invited = before.has_code or before.announcement_id is not None
    wait = None if is_invited else _wait_of(annotator.study, before.group, now)
    if not wait:
        return Arrival(
            network=before.network, group=before.group, at=now, taken_at=now, has_code=is_invited
        )
    seconds = _seconds(wait)
    minutes = ceil(seconds / 60)
    sentence = ngettext(
        "Thank you for your answers. You can answer another set in %(n)s minute.",
        "Thank you for your answers. You can answer another set in %(n)s minutes.",
        minutes,
    )
    raise TooManyError(sentence % {"n": minutes}, retry_after=seconds)


def takes_again(assignment: Assignment, *, has_completed: bool = False) -> bool:
    """Whether somebody who gave a place back may take one again, which counts as taking it now.

    Else one could begin many booklets one after the other and go on with all of them at once. Who
    has completed it is counted by the day alone.
    """
    arrival = Arrival.objects.filter(assignment=assignment).first()
    is_proven = assignment.runs.filter(visits__verified_at__isnull=False).exists()
    if arrival is None or arrival.has_code or arrival.announcement_id or is_proven:
        return True
    now = clock.now()
    study = assignment.annotator.study
    if _wait_in_the_day(study, arrival.group, now):
        return False
    if not has_completed and _wait_in_the_hour(study, arrival.group, now):
        return False
    arrival.taken_at = now
    arrival.save(update_fields=["taken_at"])
    return True


def _wait_of(study: Study, group: str, now: datetime) -> timedelta | None:
    """How long until somebody more may take a place from a network; None: now."""
    return _wait_in_the_hour(study, group, now) or _wait_in_the_day(study, group, now)


def _wait_in_the_hour(study: Study, group: str, now: datetime) -> timedelta | None:
    """How long until fewer places than may be were taken from a network within an hour."""
    return _wait(_taken(study, group), WINDOW, limit_of(study), now)


def _wait_in_the_day(study: Study, group: str, now: datetime) -> timedelta | None:
    """The same of a day, and of the places that nobody else has got since."""
    counted = PhaseRun.objects.filter(assignment=OuterRef("assignment"), is_counted=True)
    bound = _taken(study, group).filter(
        Q(assignment__in=Assignment.objects.holding()) | Exists(counted)
    )
    return _wait(bound, DAY, limit_in_a_day(study), now)


def _taken(study: Study, group: str) -> QuerySet[Arrival]:
    """Who took a place from a network without the code."""
    return Arrival.objects.filter(
        assignment__annotator__study=study, group=group, has_code=False, announcement=None
    )


def _wait(
    taken: QuerySet[Arrival], window: timedelta, limit: int, now: datetime
) -> timedelta | None:
    lately = taken.filter(taken_at__gt=now - window).order_by("-taken_at")
    times = list(lately.values_list("taken_at", flat=True)[:limit])
    if len(times) < limit:
        return None
    return times[-1] + window - now if times else window


def is_invitation(study: Study, code: str) -> bool:
    return keys.typed_code(code) == study.invitation_code


def _with_room(study: Study, now: datetime) -> QuerySet[Announcement]:
    """Classes that are announced for this moment, and of which not all have come."""
    running = study.announcements.filter(starts_at__lte=now, ends_at__gt=now)
    return running.annotate(n=Count("arrivals")).filter(n__lt=F("n_people"))


_NOT_THE_CODE = _(
    "This invitation code is wrong. Please check it, ask the person who sent you the "
    "link, or come back tomorrow."
)
_NOT_TODAY = _(
    "Many people have joined from your network today. To join now, ask the person who "
    "sent you the link for the invitation code. Or come back tomorrow."
)


def _why_not_with(of_class: Announcement, now: datetime) -> Said:
    """Why the right link of a class lets nobody in at the moment."""
    if of_class.starts_at > now:
        return _("Your class can use this link from %(time)s. Please come back then.") % {
            "time": date_format(timezone.localtime(of_class.starts_at), "SHORT_DATETIME_FORMAT")
        }
    if of_class.ends_at <= now:
        return _("The time for your class is over. Please ask the person who sent you the link.")
    return _(
        "Your class already has as many people as were announced. Please ask the "
        "person who sent you the link."
    )


def _seconds(wait: timedelta) -> int:
    return max(1, ceil(wait.total_seconds()))


def _crowded(wait: timedelta, *, typed: str) -> CrowdedError:
    seconds = _seconds(wait)
    if wait > WINDOW:
        return CrowdedError(_NOT_THE_CODE if typed.strip() else _NOT_TODAY, retry_after=seconds)
    minutes = ceil(seconds / 60)
    sentence = (
        ngettext(
            "This invitation code is wrong. Please check it, ask the person who sent "
            "you the link, or come back in %(n)s minute.",
            "This invitation code is wrong. Please check it, ask the person who sent "
            "you the link, or come back in %(n)s minutes.",
            minutes,
        )
        if typed.strip()
        else ngettext(
            "Others have just joined from your network. To join now, ask the person "
            "who sent you the link for the invitation code. Or come back in %(n)s "
            "minute.",
            "Others have just joined from your network. To join now, ask the person "
            "who sent you the link for the invitation code. Or come back in %(n)s "
            "minutes.",
            minutes,
        )
    )
    return CrowdedError(sentence % {"n": minutes}, retry_after=seconds)


@transaction.atomic
def announce(
    *, study: Study, n_people: int, starts_at: datetime, hours: int, by: User
) -> Announcement:
    """Let a class in from one network: so many people, from then on for so many hours."""
    study = lock_study(study.pk)
    refuse_asking(study)
    if not 1 <= n_people <= MAX_PEOPLE:
        raise AnnotationError(_("You can announce 1 to %(most)s people.") % {"most": MAX_PEOPLE})
    if not 1 <= hours <= MAX_HOURS:
        raise AnnotationError(
            _("You can announce them for 1 to %(most)s hours.") % {"most": MAX_HOURS}
        )
    ends_at = starts_at + timedelta(hours=hours)
    if ends_at <= clock.now():
        raise AnnotationError(_("This time is in the past. Choose a later one."))
    return Announcement.objects.create(
        study=study, n_people=n_people, starts_at=starts_at, ends_at=ends_at, by=by
    )


@transaction.atomic
def cancel(*, announcement: Announcement) -> None:
    """Nobody more is let in by it; who came stays."""
    lock_study(announcement.study_id)
    announcement.delete()


@transaction.atomic
def renew_code(*, study: Study) -> Study:
    """Another invitation code; the one before lets nobody in any more."""
    study = lock_study(study.pk)
    study.invitation_code = new_invitation_code()
    study.save(update_fields=["invitation_code"])
    return study


def standing(study: Study) -> QuerySet[Announcement]:
    """Classes that come or are here, each with how many came as `n_came`."""
    coming = study.announcements.filter(ends_at__gt=clock.now())
    return coming.select_related("by").annotate(n_came=Count("arrivals"))


def code_shown(study: Study) -> str:
    """As people read it, in groups of four."""
    code = study.invitation_code
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def forget_networks() -> None:
    """Keep no fingerprint of an address longer than a day, and of withdrawn people none.

    Who came together is still known by the group, which leads to no address.
    """
    now = clock.now()
    Arrival.objects.filter(
        assignment__annotator__in=Annotator.objects.filter(withdrawn_at__isnull=False),
        at__lt=now - WINDOW,
    ).exclude(group="").update(network="", group="")
    Arrival.objects.filter(at__lt=now - MAX_AGE).exclude(network="").update(network="")
