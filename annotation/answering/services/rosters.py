"""Rosters: people who are known by name, and their personal links."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from annotation.basics import keys
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services import redaction, wiping
from annotation.core.services.imported_rules import refuse_asking
from annotation.core.services.locks import lock_study
from annotation.kinds.services import recognition
from annotation.models import (
    Annotator,
    Person,
    Study,
)

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
    by: User | None = None,
) -> list[PersonalKey]:
    """Make a personal key for everybody on a roster who has none yet.

    The keys are returned once; afterwards only their hashes are known. A person who took part in
    an earlier round stays the same person. If that is in doubt, `same` and `others` are the ids of
    those who are and are not, and `in_doubt` is for the rest. People of rounds that `by` may not
    change are not recognised; None: the operator, by a command. Raises recognition.InDoubtError
    if it has to be asked; then nobody is added.
    """
    study = lock_study(study.pk)
    refuse_asking(study)
    if study.erased_at:
        raise StateError(
            _("The personal data of this study were erased, so nobody can be added to its roster.")
        )
    known = set(
        Person.objects.filter(platform=ROSTER, annotators__study=study).values_list(
            "platform_id", flat=True
        )
    )
    new = [entry for entry in entries if entry.platform_id not in known]
    earlier = _recognised(study, new, same=same, others=others, in_doubt=in_doubt, by=by)
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
    by: User | None,
) -> dict[str, recognition.Match]:
    """By the id of the entry, who of them is a person of an earlier round."""
    matches = recognition.matches(study, entries, by)
    recognised = dict(matches.sure)
    open_ones = []
    for key, match in matches.in_doubt.items():
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
    annotator = Annotator.objects.get(pk=annotator.pk)
    if refusal := reissue_refusal(annotator):
        raise StateError(refusal)
    return change_own_key(annotator=annotator)


@transaction.atomic
def change_own_key(*, annotator: Annotator) -> PersonalKey:
    """Give somebody who holds their link another one, such as after others have seen it."""
    annotator = Annotator.objects.select_for_update().get(pk=annotator.pk)
    if annotator.withdrawn_at:
        raise StateError(_("This person has withdrawn and cannot come back."))
    key = keys.new_key(study_id=annotator.study_id, nonce=keys.new_nonce())
    annotator.first_key_hash = annotator.first_key_hash or annotator.key_hash
    annotator.key_hash = keys.key_hash(key)
    annotator.save(update_fields=["first_key_hash", "key_hash"])
    return PersonalKey(annotator, key)


def reissue_refusal(annotator: Annotator) -> Said:
    """Why somebody needs no new link; empty if they may have one."""
    # A person who has answered may still want to withdraw.
    if annotator.study.state == Study.State.FINISHED and not annotator.assignments.exists():
        return _("The study is finished. Nobody can answer any more.")
    return ""


@transaction.atomic
def remove_unstarted(*, annotator: Annotator) -> None:
    """Take somebody off a roster again, such as one who was added by mistake.

    Raises StateError once they have started: collected data stay.
    """
    # Starting takes the same lock first, so nobody starts in between.
    lock_study(annotator.study_id)
    annotator = Annotator.objects.get(pk=annotator.pk)
    if refusal := removal_refusal(annotator):
        raise StateError(refusal)
    person = annotator.person
    annotator.exclusions.all().delete()
    annotator.delete()
    if person:
        redaction.forget(person, annotator.study, since=annotator.created_at)
    transaction.on_commit(wiping.wipe)


def removal_refusal(annotator: Annotator) -> Said:
    """Why somebody cannot be removed; empty if they can."""
    if annotator.withdrawn_at:
        return _("This person has withdrawn, so there is nobody to remove.")
    if annotator.assignments.exists() or annotator.consents.exists():
        return _("This person has started and can no longer be removed. Collected data are kept.")
    return ""
