"""Erasing who people were, once nothing needs it: answers, pseudonyms and sums stay.

Done in batches, each in a transaction of its own that holds the study; a worker that is killed
leaves the rest to the next one.
"""

import logging
import time
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.dispatch import receiver

from annotation.answering.services import reminders
from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import redaction, wiping
from annotation.core.services.bounded_writes import let_others_in
from annotation.core.services.locks import lock_study
from annotation.core.signals import study_archiving
from annotation.crowds.services import listings, reconciling
from annotation.items.services import uploads
from annotation.models import (
    Annotator,
    Assignment,
    Erasure,
    Intent,
    Job,
    Person,
    PlatformEvent,
    QuestionnaireReply,
    Study,
    Visit,
)
from annotation.people.queries import retention

logger = logging.getLogger("annotation.retention")

BATCH = 250
# One sweep occupies a worker no longer than this, and goes on with the next.
MAX_SWEEP_SECONDS = 300


@receiver(study_archiving)
def reasons_against_archiving(study: Study, **_kwargs: object) -> list[Said]:
    return list(retention.unsettled(study))


@transaction.atomic
def set_days(*, study: Study, days: int | None) -> Study:
    """After how many days personal data go; None: when the installation says."""
    if days is not None and not 1 <= days <= settings.RETENTION_MAX_DAYS:
        raise StateError(
            _("Choose a number of days from 1 to %(most)s.")
            % {"most": settings.RETENTION_MAX_DAYS}
        )
    study = lock_study(study.pk)
    study.retention_days = days
    study.save(update_fields=["retention_days"])
    return study


def erase_due() -> int:
    """Erase what is due in all studies, those who wait longest first; return how many had any.

    What is still needed waits; a study that fails keeps no other from its turn.
    """
    until = time.monotonic() + MAX_SWEEP_SECONDS
    _forget_sightings_of_reopened()
    reminders.forget_over()
    uploads.forget_old()
    _forget_what_is_of_no_study()
    n_erased = 0
    ended = Study.objects.filter(state__in=Study.OVER)
    for study in ended.order_by(F("finished_at").asc(nulls_last=True), "closed_at", "pk"):
        if time.monotonic() > until:
            break
        try:
            while _erase_withdrawn(study.pk):
                let_others_in()
            if not _is_next(study):
                # Nobody need be known here for a refused file to have named somebody.
                if retention.jobs_of(study).exists() and confirm_due(study):
                    _erase_jobs(study)
                continue
            erase(study=study, by=None)
            n_erased += 1
        except Exception:
            # One strange study must not keep the names of all others.
            logger.exception("erasing personal data of study %s", study.pk)
    return n_erased


def _is_next(study: Study) -> bool:
    # An erasure that a killed worker left behind is ended, too.
    is_begun = study.erasures.filter(ended_at=None).exists()
    return (
        (is_begun or confirm_due(study))
        and (is_begun or retention.is_anything_held(study))
        and not retention.obstacles(study)
    )


def confirm_due(study: Study) -> bool:
    """Whether the time of a study was over hours ago, too; notes that it is over now.

    A clock that is wrong for a while erases nobody: the next look at the right time finds that
    the study is not due, and forgets what was seen before.
    """
    if study.erased_at is not None and retention.is_due(study):
        return True
    now, seen_at = clock.shared_now(), study.retention_due_seen_at
    if not retention.is_due(study):
        seen_at = None
    elif seen_at is None or seen_at > now:
        seen_at = now
    if seen_at != study.retention_due_seen_at:
        study.retention_due_seen_at = seen_at
        study.save(update_fields=["retention_due_seen_at"])
    return seen_at is not None and now >= seen_at + retention.SIGHTINGS_APART


def _forget_sightings_of_reopened() -> None:
    reopened = Study.objects.exclude(state__in=Study.OVER)
    reopened.exclude(retention_due_seen_at=None).update(retention_due_seen_at=None)


def erase(*, study: Study, by: User | None) -> Erasure | None:
    """Erase all personal data of a study, now; None if there were none.

    Raises StateError, with everything that stands in the way, while something is needed.
    """
    if not retention.held(study).is_any and not _is_begun(study):
        return None
    begun = _begin(study, by)
    for step in (_erase_visits, _erase_annotators, _erase_texts, _erase_messages):
        while step(begun):
            let_others_in()
    listings.forget_people(study=study)
    _erase_jobs(study)
    with transaction.atomic():
        lock_study(study.pk)
        begun.ended_at = clock.now()
        begun.save(update_fields=["ended_at"])
    begun.refresh_from_db()
    wiping.wipe()
    return begun


def find_names(study: Study) -> redaction.NamePlaces:
    """Where the people of a study are named in texts, as an erasure would find them now."""
    # Of ten thousand people no more than what may stand in a text.
    people = retention.people_of(study).only("platform", "platform_id", "email", "name")
    visits = Visit.objects.filter(listing__study=study)
    return redaction.find(
        study, people, list(visits.only("submission_id", "verified_at", "person"))
    )


def _is_begun(study: Study) -> bool:
    return study.erasures.filter(ended_at=None).exists()


@transaction.atomic
def _begin(study: Study, by: User | None) -> Erasure:
    study = lock_study(study.pk)
    if reasons := retention.obstacles(study):
        raise StateError(
            _("Nothing can be erased yet. %(why)s") % {"why": " ".join(map(str, reasons))}
        )
    now = clock.now()
    if study.erased_at is None:
        study.erased_at = now
        study.save(update_fields=["erased_at"])
    begun, _is_new = Erasure.objects.get_or_create(
        study=study, ended_at=None, defaults={"began_at": now, "by": by}
    )
    return begun


@transaction.atomic
def _erase_visits(erasure: Erasure) -> bool:
    """A batch of sittings, and what was said about them; whether there was one."""
    study = lock_study(erasure.study_id)
    batch = list(retention.visits_of(study).select_related("person").order_by("pk")[:BATCH])
    if not batch:
        return False
    annotators = study.annotators.filter(person__visits__in=batch)
    n_people, n_messages = _empty_visits(study, batch, annotators)
    _count(erasure, n_people=n_people, n_visits=len(batch), n_messages=n_messages)
    return True


@transaction.atomic
def _erase_withdrawn(study_id: int) -> bool:
    """Forget people who withdrew as soon as their money is settled, whatever the days."""
    study = lock_study(study_id)
    over = [listing for listing in study.listings.all() if reconciling.is_over(listing)]
    batch = list(retention.withdrawn_of(study).filter(listing__in=over).order_by("pk")[:BATCH])
    if not batch:
        return False
    annotators = study.annotators.filter(~Exists(_going_on()), person__visits__in=batch)
    _empty_visits(study, batch, annotators)
    transaction.on_commit(wiping.wipe)
    return True


def _empty_visits(
    study: Study, batch: Sequence[Visit], annotators: QuerySet[Annotator]
) -> tuple[int, int]:
    """Take the persons out of these visits, and from these annotators.

    Returns how many people the study knows no longer, and how many messages were emptied.
    """
    people = {visit.person.pk: visit.person for visit in batch if visit.person}
    redaction.erase(study, redaction.words_of(people.values(), batch), batch)
    n_messages = sum(
        rows.filter(visit__in=batch).exclude(payload={}).update(payload={})
        for rows in (PlatformEvent.objects.all(), Intent.objects.all())
    )
    nameless = list(annotators.values_list("pk", flat=True))
    _keep_earlier_selves(study, nameless)
    Annotator.objects.filter(pk__in=nameless).update(person=None)
    Visit.objects.filter(pk__in=[visit.pk for visit in batch]).update(
        person=None, submission_id="", handed_in={}
    )
    return _let_go(study, people), n_messages


@transaction.atomic
def _erase_annotators(erasure: Erasure) -> bool:
    """A batch of people of a roster, or of imported answers."""
    study = lock_study(erasure.study_id)
    batch = list(retention.annotators_of(study).select_related("person").order_by("pk")[:BATCH])
    if not batch:
        return False
    people = {annotator.person.pk: annotator.person for annotator in batch if annotator.person}
    redaction.erase(study, redaction.words_of(people.values()))
    nameless = [annotator.pk for annotator in batch]
    _keep_earlier_selves(study, nameless)
    Annotator.objects.filter(pk__in=nameless).update(person=None)
    _count(erasure, n_people=_let_go(study, people))
    return True


def _going_on() -> QuerySet[Assignment]:
    """Of an annotator, the booklets from which they have not withdrawn."""
    own = Assignment.objects.filter(annotator=OuterRef("pk"))
    return own.exclude(state=Assignment.State.WITHDRAWN)


def _keep_earlier_selves(study: Study, nameless: Collection[int]) -> None:
    """Let annotators of two rounds stay known as the same person, without a name.

    Those who withdrew from a round are known in no other.
    """
    taking_part = Annotator.objects.filter(Exists(_going_on()))
    own = dict(
        taking_part.filter(pk__in=nameless, person__isnull=False).values_list("person", "pk")
    )
    alike = taking_part.filter(person__in=own)
    if study.earlier_round_id:
        earlier = alike.filter(study=study.earlier_round_id)
        for pk, person in earlier.values_list("pk", "person"):
            Annotator.objects.filter(pk=own[person]).update(earlier_self=pk)
    later = alike.filter(study__earlier_round=study)
    for pk, person in later.values_list("pk", "person"):
        Annotator.objects.filter(pk=pk).update(earlier_self=own[person])


@transaction.atomic
def _erase_texts(erasure: Erasure) -> bool:
    """A batch of what people wrote about themselves; what they chose from a list stays."""
    study = lock_study(erasure.study_id)
    batch = list(retention.texts_of(study).order_by("pk")[:BATCH])
    for reply in batch:
        for key in retention.open_ended_keys(study):
            reply.values.pop(key, None)
    QuestionnaireReply.objects.bulk_update(batch, ["values"])
    return bool(batch)


@transaction.atomic
def _erase_messages(erasure: Erasure) -> bool:
    """A batch of what platforms said or were told of people; then addresses for reminders."""
    study = lock_study(erasure.study_id)
    for rows in (retention.events_of(study), retention.intents_of(study)):
        pks: list[Any] = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
        if pks:
            rows.model._default_manager.filter(pk__in=pks).update(payload={})
            _count(erasure, n_messages=len(pks))
            return True
    retention.reminders_of(study).update(reminder_email="", way_back="")
    return False


def _erase_jobs(study: Study) -> None:
    """Empty what jobs quoted of files, and the letters that they sent."""
    while batch := list(retention.jobs_of(study).order_by("pk")[:BATCH]):
        for job in batch:
            job.error = ""
            for name in ("subject", "text"):
                job.parameters.pop(name, None)
        Job.objects.bulk_update(batch, ["error", "parameters"])
        let_others_in()
    wiping.wipe()


def _let_go(study: Study, people: Iterable[Any]) -> int:
    """Delete whom nothing leads to any more; whom another study knows stays there.

    Returns how many this study knows no longer: sittings of the others come in a later batch.
    """
    known_here = Q(visits__listing__study=study) | Q(annotators__study=study)
    gone = Person.objects.filter(pk__in=list(people))
    known_pks = set(gone.filter(known_here).values_list("pk", flat=True))
    n_gone = gone.count() - len(known_pks)
    gone.filter(annotators=None, visits=None).delete()
    return n_gone


def _count(erasure: Erasure, **counts: int) -> None:
    Erasure.objects.filter(pk=erasure.pk).update(
        **{name: F(name) + n for name, n in counts.items()}
    )


def _forget_what_is_of_no_study() -> None:
    """What a platform told about nobody who was known here waits for nothing."""
    if not settings.RETENTION_DAYS:
        return
    before = clock.now() - timedelta(days=settings.RETENTION_DAYS)
    old = PlatformEvent.objects.filter(listing=None, seen_at__lt=before).exclude(payload={})
    pks = list(old.order_by("pk").values_list("pk", flat=True)[:BATCH])
    if pks:
        PlatformEvent.objects.filter(pk__in=pks).update(payload={})
        wiping.wipe()
