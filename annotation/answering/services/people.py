"""Rosters, personal links, withdrawal, exclusion."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import translation

from annotation.answering.services import erased_words
from annotation.answering.services.assignments import promote_next
from annotation.basics import clock, keys
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said, read, storable
from annotation.basics.sentences import sentence as _
from annotation.core.services import release_events, wiping
from annotation.core.services.imported_rules import refuse_asking
from annotation.core.services.locks import lock_study
from annotation.kinds.services import recognition
from annotation.models import (
    Annotator,
    AnnotatorStatistics,
    Assignment,
    Choice,
    Draft,
    Exclusion,
    Judgment,
    Person,
    PhaseRun,
    Pick,
    Study,
    Telling,
    Visit,
)
from annotation.models.kinds import Outcome
from annotation.people.services import places
from annotation.releases.services import downloads
from annotation.results.services import comparisons

ROSTER = recognition.ROSTER


@dataclass(frozen=True)
class RosterEntry:
    """One line of a roster: an id or a name, and an address if there is one."""

    platform_id: str
    name: str = ""
    email: str = ""


@dataclass(frozen=True)
class PersonalKey:
    annotator: Annotator
    key: str
    # The earlier round from which somebody was recognised.
    known_from: Study | None = None


@transaction.atomic
def add_roster(
    *,
    study: Study,
    entries: Sequence[RosterEntry],
    same: Collection[str] = (),
    others: Collection[str] = (),
    in_doubt: recognition.Doubt = "ask",
) -> list[PersonalKey]:
    """Make a personal key for everybody on a roster who has none yet.

    The keys are returned once; afterwards only their hashes are known. Whoever took part in an
    earlier round stays the same person. Where that is in doubt, `same` and `others` are the ids of
    those who are and are not, and `in_doubt` is for the rest. Raises recognition.InDoubtError
    where it has to be asked; then nobody is added.
    """
    study = lock_study(study.pk)
    refuse_asking(study)
    if study.erased_at:
        raise StateError(
            _("The personal data of this study were erased; nobody is put on its roster any more.")
        )
    known = set(
        Person.objects.filter(platform=ROSTER, annotators__study=study).values_list(
            "platform_id", flat=True
        )
    )
    new = [entry for entry in entries if entry.platform_id not in known]
    earlier = _recognised(study, new, same=same, others=others, in_doubt=in_doubt)
    here = set(study.annotators.values_list("person_id", flat=True))
    people: list[tuple[Person, Study | None]] = []
    for entry in new:
        match = earlier.get(entry.platform_id)
        # Twice on this list, or on this roster by another id.
        if entry.platform_id in known or (match and match.person.pk in here):
            continue
        known.add(entry.platform_id)
        person = (
            _brought_up_to_date(match.person, entry)
            if match
            else Person(
                platform=ROSTER, platform_id=entry.platform_id, name=entry.name, email=entry.email
            )
        )
        people.append((person, match.study if match else None))
    # Together: one by one, a roster of a thousand would keep others from saving for a while.
    Person.objects.bulk_create([person for person, _study in people if person.pk is None])
    new_keys = [keys.new_key(study_id=study.pk, nonce=keys.new_nonce()) for _person in people]
    annotators = Annotator.objects.bulk_create(
        Annotator(study=study, person=person, key_hash=keys.key_hash(key))
        for (person, _study), key in zip(people, new_keys, strict=True)
    )
    return [
        PersonalKey(annotator, key, known_from)
        for annotator, key, (_person, known_from) in zip(annotators, new_keys, people, strict=True)
    ]


def _recognised(
    study: Study,
    entries: Sequence[RosterEntry],
    *,
    same: Collection[str],
    others: Collection[str],
    in_doubt: recognition.Doubt,
) -> dict[str, recognition.Match]:
    """By the id of the entry, who of them is a person of an earlier round."""
    found = recognition.matches(study, entries)
    recognised = dict(found.sure)
    open_ones = []
    for key, match in found.in_doubt.items():
        if key in same or (key not in others and in_doubt == "same"):
            recognised[key] = match
        elif key not in others and in_doubt == "ask":
            open_ones.append(match)
    if open_ones:
        raise recognition.InDoubtError(open_ones)
    return recognised


def _brought_up_to_date(person: Person, entry: RosterEntry) -> Person:
    """What was not known of somebody in the earlier round, and is now."""
    name, email = person.name or entry.name, person.email or entry.email
    if (name, email) != (person.name, person.email):
        person.name, person.email = name, email
        person.save(update_fields=["name", "email"])
    return person


@transaction.atomic
def reissue_key(*, annotator: Annotator) -> PersonalKey:
    """Give somebody a new personal link; the old one stops working at once."""
    annotator = Annotator.objects.select_for_update().get(pk=annotator.pk)
    if refusal := reissue_refusal(annotator):
        raise StateError(refusal)
    return change_own_key(annotator=annotator)


@transaction.atomic
def change_own_key(*, annotator: Annotator) -> PersonalKey:
    """Give somebody who holds their link another one, such as after others have seen it."""
    annotator = Annotator.objects.select_for_update().get(pk=annotator.pk)
    if annotator.withdrawn_at:
        raise StateError(_("This person has withdrawn; there is nothing to come back to."))
    key = keys.new_key(study_id=annotator.study_id, nonce=keys.new_nonce())
    annotator.first_key_hash = annotator.first_key_hash or annotator.key_hash
    annotator.key_hash = keys.key_hash(key)
    annotator.save(update_fields=["first_key_hash", "key_hash"])
    return PersonalKey(annotator, key)


def reissue_refusal(annotator: Annotator) -> Said:
    """Why somebody needs no new link; empty if they may have one."""
    # Whoever has answered may still want to withdraw.
    if annotator.study.state == Study.State.FINISHED and not annotator.assignments.exists():
        return _("The study is finished: nobody may answer any more.")
    return ""


@transaction.atomic
def remove_unstarted(*, annotator: Annotator) -> None:
    """Take somebody off a roster again, such as one who was added by mistake.

    Raises StateError once they have started: collected data stay.
    """
    # Starting takes the same lock first, so nobody starts in between.
    lock_study(annotator.study_id)
    annotator = Annotator.objects.select_for_update().get(pk=annotator.pk)
    if refusal := removal_refusal(annotator):
        raise StateError(refusal)
    person = annotator.person
    annotator.exclusions.all().delete()
    annotator.delete()
    if person and not person.annotators.exists():
        _forget(person, annotator.study)
    transaction.on_commit(wiping.wipe)


def _forget(person: Person, study: Study) -> None:
    """Nobody would know afterwards which words in reasons and in the history are their name."""
    erased_words.erase(study, erased_words.words_of([person]))
    person.delete()


def removal_refusal(annotator: Annotator) -> Said:
    """Why somebody cannot be removed; empty if they can."""
    if annotator.withdrawn_at:
        return _("This person has withdrawn; there is nobody to be removed.")
    if annotator.assignments.exists() or annotator.consents.exists():
        return _("This person has started and cannot be removed any more: collected data stay.")
    return ""


@transaction.atomic
def withdraw(*, annotator: Annotator) -> Annotator:
    """Empty somebody's answers, comments and identity; their places become free again."""
    lock_study(annotator.study_id)
    annotator = Annotator.objects.select_for_update(no_key=True).get(pk=annotator.pk)
    if annotator.withdrawn_at:
        return annotator
    # Locked before they are emptied: an answer on its way is either in, and emptied, or refused.
    held = list(annotator.assignments.select_for_update(no_key=True).order_by("pk"))
    # The time is read only now: an answer that was waited for is dated before the withdrawal.
    now = clock.now()
    empty(held, now=now)
    person = annotator.person
    annotator.person = None
    annotator.withdrawn_at = now
    annotator.save(update_fields=["person", "withdrawn_at"])
    # A platform pays by its own name of a person, which stays until that is settled.
    if person and not person.annotators.exists() and not person.visits.exists():
        _forget(person, annotator.study)
    # Robust: the withdrawal stands, also where a file cannot be deleted; the log says so.
    transaction.on_commit(lambda: downloads.forget(annotator.study_id), robust=True)
    # The name also stands in the write-ahead log, until that is written back.
    transaction.on_commit(wiping.wipe)
    return annotator


def empty(held: Sequence[Assignment], *, now: datetime) -> None:
    """Withdraw these assignments of one annotator, which the caller holds with the study."""
    release_events.withdrawn(held, now=now)
    Judgment.objects.filter(assignment__in=held).update(
        best=None,
        worst=None,
        rating=None,
        shown_order=None,
        comment="",
        active_ms=None,
        withdrawn_at=now,
    )
    for said in (Pick, Choice, Telling):
        said.objects.filter(judgment__assignment__in=held).delete()
    Draft.objects.filter(assignment__in=held).delete()
    # What was computed of them alone goes; what many answers make up together stays as it was.
    comparisons.forget(held)
    AnnotatorStatistics.objects.filter(annotator__assignments__in=held).delete()
    counted = list(PhaseRun.objects.filter(assignment__in=held, is_counted=True))
    PhaseRun.objects.filter(assignment__in=held).update(
        is_counted=False, reminder_email="", way_back="", reason=""
    )
    Assignment.objects.filter(pk__in=[a.pk for a in held]).update(state=Assignment.State.WITHDRAWN)
    Visit.objects.filter(run__assignment__in=held, state=Visit.State.WORKING).update(
        state=Visit.State.ENDED, outcome=Outcome.NO_CONSENT, ended_at=now
    )
    for run in counted:
        assert run.place_id is not None  # constraint run_counted_is_complete
        promote_next(place_id=run.place_id, phase_id=run.phase_id)


@transaction.atomic
def blank_comment(*, annotator: Annotator, judgment: int) -> Judgment:
    """Put … in place of what somebody wrote beside an answer, such as a name; the answer stays.

    Earlier versions of the answer that say the same are blanked, too.
    """
    found = (
        Judgment.objects.filter(assignment__annotator=annotator, pk=judgment)
        .exclude(comment__in=("", erased_words.ERASED))
        .select_related("question", "assignment__booklet", "assignment__annotator")
        .first()
    )
    if found is None:
        raise StateError(_("This answer has no comment that could be blanked."))
    Assignment.objects.select_for_update(no_key=True).get(pk=found.assignment_id)
    Judgment.objects.filter(
        assignment=found.assignment_id, question=found.question_id, comment=found.comment
    ).update(comment=erased_words.ERASED)
    study_id = annotator.study_id
    transaction.on_commit(lambda: downloads.forget(study_id), robust=True)
    transaction.on_commit(wiping.wipe)
    return found


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
    said = _reason(reason)
    _lock(annotators)
    standing = set(
        Exclusion.objects.in_force()
        .filter(annotator__in=annotators)
        .values_list("annotator_id", flat=True)
    )
    new = [one for one in annotators if one.pk not in standing]
    now = clock.now()
    release_events.excluded(new, reason=said, now=now)
    made = Exclusion.objects.bulk_create(
        Exclusion(annotator=one, reason=said, by=by, gives_place_back=gives_place_back)
        for one in new
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
    said = storable(_reason(reason) if isinstance(reason, str) else reason)
    _lock(annotators)
    lifted = list(
        Exclusion.objects.in_force()
        .filter(annotator__in=annotators)
        .select_related("annotator")
        .order_by("pk")
    )
    now = clock.now()
    for one in lifted:
        one.lifted_at, one.lifted_by, one.lifted_reason = now, by, said
    Exclusion.objects.filter(pk__in=[one.pk for one in lifted]).update(
        lifted_at=now, lifted_by=by, lifted_reason=said
    )
    places.take_back([one.annotator for one in lifted if one.annotator and one.gives_place_back])
    again = [one.annotator for one in lifted if one.annotator]
    release_events.included(again, reason=_in_english(said), now=now)
    return lifted


def undo_exclusions(*, exclusions: Collection[Exclusion], by: User) -> list[Exclusion]:
    """Take back what was just excluded; of what somebody has lifted since nothing changes."""
    people = [one.annotator for one in exclusions if one.annotator and not one.lifted_at]
    return include_all(annotators=people, reason=_("Taken back at once."), by=by)


def _reason(reason: str) -> str:
    if not reason.strip():
        raise AnnotationError(_("Say why: the reason is kept with the exclusion."))
    if "\x00" in reason:
        raise AnnotationError(_("The reason has a character that cannot be stored (NUL)."))
    return reason.strip()


def _in_english(reason: str) -> str:
    """As a change log has it: what the software says itself is stored as a sentence."""
    with translation.override("en"):
        return read(reason)


def _lock(annotators: Collection[Annotator]) -> None:
    """In the order of their keys: two researchers may choose the same people."""
    # A release that is made now comes before or after, and either says so.
    for study_id in sorted({one.study_id for one in annotators}):
        lock_study(study_id)
    pks = [one.pk for one in annotators]
    list(Annotator.objects.select_for_update(no_key=True).filter(pk__in=pks).order_by("pk"))
