"""Joining, claiming a place, coming back, submitting."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.answering.queries import pace
from annotation.answering.services import join_limits, pending_questions, phases
from annotation.answering.services.giving_way import NO_PLACE, place_given_up, refuse_if_full
from annotation.answering.services.open_places import (
    expire_overdue,
    free_places,
    has_given_back,
    is_excluded,
    unfilled,
    waiting_for_review,
)
from annotation.basics import clock, keys
from annotation.basics.errors import (
    AssignmentClosedError,
    FormUsedError,
    InvalidAnswerError,
    NoPlaceError,
    NothingLeftError,
    NotInstructedError,
    UnknownKeyError,
)
from annotation.basics.sentences import ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.queries.statements import Statement
from annotation.core.services.locks import lock_study
from annotation.kinds.rating.services import repeats
from annotation.models import (
    Annotator,
    Arrival,
    Assignment,
    Consent,
    ConsentText,
    PhaseRun,
    Place,
    Question,
    Study,
    Visit,
)
from annotation.models.kinds import Source

STOPPED = _("You have stopped. Your earlier answers are kept.")
SITTING_OVER = _(
    "This session has ended. To take part, please open the task on the platform again."
)
FINISHED = _("This study is finished. Thank you; nothing more is needed.")

# The assignment's row is held until the end of the transaction, and is as it stands once it is;
# the annotator and the study are as they stood when it was asked for.
_HELD = Statement(
    """
    SELECT {assignment}, {annotator}, {study}
    FROM annotation_assignment AS assignment
    JOIN annotation_annotator AS annotator ON annotator.id = assignment.annotator_id
    JOIN annotation_study AS study ON study.id = annotator.study_id
    WHERE assignment.id = %s AND assignment.annotator_id = %s
    """,
    locks="assignment",
    assignment=Assignment,
    annotator=Annotator,
    study=Study,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Participant:
    key: str
    annotator: Annotator
    assignment: Assignment


@transaction.atomic
def join(
    *,
    study: Study,
    nonce: str,
    consent: ConsentText,
    source: Source = Source.REAL,
    network: str = "",
    code: str = "",
) -> Participant:
    """Let somebody in who came by the open link: annotator, consent and place in one step.

    The nonce comes from the form, so a double click joins once. `network`: a name for where they
    came from, of which only so many are let in without the invitation `code`; empty: nobody
    counts. Raises NothingLeftError, join_limits.CrowdedError where the code is needed, and
    FormUsedError where the form was sent before its sender asked for a new link.
    """
    key = keys.new_key(study_id=study.pk, nonce=nonce)
    key_hash = keys.key_hash(key)
    study = lock_study(study.pk)
    if annotator := Annotator.objects.filter(key_hash=key_hash).first():
        return Participant(key, annotator, current(annotator))
    if Annotator.objects.filter(first_key_hash=key_hash).exists():
        raise FormUsedError
    arrival = None
    if network:
        # Before anything is counted: a code helps nobody while no place is free.
        refuse_if_full(study)
        arrival = join_limits.admit(study, network=network, code=code)
    annotator = Annotator.objects.create(
        study=study,
        key_hash=key_hash,
        source=source,
        consent_version=consent.version,
    )
    return Participant(key, annotator, claim(study, annotator, consent, arrival=arrival))


@transaction.atomic
def start(*, annotator: Annotator, consent: ConsentText) -> Assignment:
    """Let somebody in who has a personal link; starting twice is starting once."""
    study = lock_study(annotator.study_id)
    if annotator.assignments.exists():
        return current(annotator)
    annotator.refresh_from_db()
    if annotator.withdrawn_at:
        raise AssignmentClosedError(_("You have withdrawn from this study."))
    return claim(study, annotator, consent, comes_first=True)


@transaction.atomic
def claim_another(*, annotator: Annotator) -> Assignment:
    """One more booklet for somebody who has submitted theirs."""
    study = lock_study(annotator.study_id)
    latest = current(annotator)
    if latest.is_open or latest.state == Assignment.State.WAITING:
        return latest  # a double click, or a second tab
    if annotator.withdrawn_at or latest.state == Assignment.State.WITHDRAWN:
        raise AssignmentClosedError(_("You have withdrawn from this study."))
    if study.max_booklets and annotator.assignments.count() >= study.max_booklets:
        raise NothingLeftError(_("There is nothing more for you to do. Thank you."))
    if waiting_for_review(annotator).exists():
        raise NothingLeftError(_("There is nothing more for you to do. Thank you."))
    arrival = join_limits.admit_again(annotator)
    is_invited = annotator.person is not None and not annotator.person.environment
    assignment = _claim(study, annotator, clock.now(), comes_first=is_invited)
    join_limits.store(arrival, assignment)
    return assignment


def current(annotator: Annotator) -> Assignment:
    """The assignment an annotator works on: the latest."""
    assignment = annotator.assignments.select_related("booklet__design").order_by("-pk").first()
    if assignment is None:
        raise UnknownKeyError(_("Nothing has been started with this link yet."))
    return assignment


def may_claim_another(annotator: Annotator) -> bool:
    """Whether the page offers another booklet; the claim itself decides."""
    study = annotator.study
    if not study.takes_new_people or annotator.withdrawn_at:
        return False
    if study.max_booklets and annotator.assignments.count() >= study.max_booklets:
        return False
    return free_places(study.design, annotator).exists()


def claim(
    study: Study,
    annotator: Annotator,
    consent: ConsentText,
    *,
    comes_first: bool = False,
    arrival: Arrival | None = None,
) -> Assignment:
    """Take a free place and note the consent. The caller holds the study's lock.

    `comes_first`: somebody who is known or vouched for, whom nobody else keeps out. `arrival`: how
    somebody comes who is not.
    """
    now = clock.now()
    group = arrival.group if arrival else ""
    assignment = _claim(study, annotator, now, comes_first=comes_first, group=group)
    join_limits.store(arrival, assignment)
    note_consent(annotator, consent, now=now)
    return assignment


def note_consent(annotator: Annotator, consent: ConsentText, *, now: datetime) -> None:
    """Write down that somebody agreed to a text. The caller holds the study's lock."""
    Consent.objects.get_or_create(annotator=annotator, text=consent, defaults={"given_at": now})
    if annotator.consent_version < consent.version:
        annotator.consent_version = consent.version
        annotator.save(update_fields=["consent_version"])


def _claim(
    study: Study, annotator: Annotator, now: datetime, *, comes_first: bool, group: str = ""
) -> Assignment:
    """Take a free place. The caller holds the study's lock, so no two claims see the same."""
    if study.state == Study.State.PAUSED:
        raise NothingLeftError(
            _("This study is paused. Please come back later with the same link.")
        )
    if study.state == Study.State.FINISHED:
        raise NothingLeftError(FINISHED)
    if not study.takes_new_people:
        raise NothingLeftError(
            _("This study is no longer taking new participants. Thank you for your interest.")
        )
    if is_excluded(annotator.pk):
        raise NothingLeftError(_("There is nothing more for you to do. Thank you."))
    design = study.design
    expire_overdue(study, now)
    # Lowest place first: every booklet gets its first annotator before any gets its second.
    place = free_places(design, annotator).order_by("number", "booklet__number").first()
    if place is None:
        place = place_given_up(study, annotator, now, comes_first=comes_first, group=group)
    if place is None:
        raise NoPlaceError(NO_PLACE)
    assignment = Assignment.objects.create(
        annotator=annotator, booklet_id=place.booklet_id, place=place, last_active_at=now
    )
    first = design.phases.order_by("number").first()
    assert first is not None  # a made design has phases
    phases.begin(assignment, first, after=now)
    repeats.draw(assignment)
    return assignment


def resume(assignment: Assignment) -> Assignment:
    """A lapsed assignment goes on: in its place if that is free, in another, or as surplus.

    The caller is in a transaction and holds no lock on the assignment yet (see `locks`). Whoever
    changes one that lapsed holds the study.
    """
    study = lock_study(assignment.annotator.study_id)
    assignment.refresh_from_db()
    if assignment.state != Assignment.State.LAPSED:
        return assignment
    now = clock.now()
    expire_overdue(study, now)
    free = unfilled(
        Place.objects.filter(booklet=assignment.booklet_id, source=assignment.annotator.source)
    )
    if has_given_back(assignment.annotator_id):
        free = free.none()
    own = free.filter(pk=assignment.place_id) if assignment.place_id else free.none()
    place = own.first() or free.order_by("number").first()
    if place is None or not join_limits.takes_again(assignment):
        # A person who was let in may finish; what counts is decided when they complete.
        assignment.is_surplus = True
    else:
        assignment.place = place
        assignment.is_surplus = False
    assignment.state = Assignment.State.ACTIVE
    assignment.last_active_at = now
    assignment.save(update_fields=["place", "is_surplus", "state", "last_active_at"])
    assignment.runs.filter(completed_at=None).update(lapsed_at=None)
    return assignment


def answering(
    work: Callable[[Assignment], T],
    *,
    assignment: int,
    annotator: int,
    stored: Callable[[Assignment], T | None] = lambda held: None,
    shown_in: int | None = None,
    visit: int | None = None,
) -> T:
    """Do some work on an assignment that is held and takes answers, or say why it takes none.

    `shown_in`: see `phases.refuse_shut`. `visit`: the sitting on a platform whose key was used.

    Raises Assignment.DoesNotExist if the annotator has no such assignment. What `stored` finds
    is the answer whatever the assignment's state, and nothing is done then.

    One that lapsed is taken up again first, which needs the study's lock before its own, and so
    a transaction of its own; anybody who loses the race between the two tries once more.
    """
    while True:
        with transaction.atomic():
            held = _hold(assignment, annotator)
            if (answer := stored(held)) is not None:
                return answer
            _refuse_closed(held)
            if visit is not None:
                _refuse_over(visit)
            if held.annotator.instructed_at is None:
                # Forms can be made without the page, which is shown only afterwards.
                raise NotInstructedError
            phases.refuse_shut(held, shown_in=shown_in)
            pending_questions.refuse_unanswered(held)
            if held.state != Assignment.State.LAPSED:
                return work(held)
        with transaction.atomic():
            resume(held)


def _hold(assignment: int, annotator: int) -> Assignment:
    row = _HELD.first(assignment, annotator)
    if row is None:
        raise Assignment.DoesNotExist
    held: Assignment
    held, held.annotator, held.annotator.study = row
    return held


def _refuse_closed(held: Assignment) -> None:
    if held.state == Assignment.State.SUBMITTED:
        raise AssignmentClosedError(phases.SENT)
    if held.state == Assignment.State.WITHDRAWN:
        raise AssignmentClosedError(_("You have withdrawn from this study."))
    if not held.annotator.study.takes_answers:
        raise AssignmentClosedError(FINISHED)
    # A person who has not been asked yet may send: only pages from before the asking have a form.
    if held.annotator.must_agree_anew and declined_new_consent(held.annotator):
        raise AssignmentClosedError(STOPPED)


def declined_new_consent(annotator: Annotator) -> bool:
    """Whether they did not agree to a text that came after the one they agreed to."""
    return annotator.consent_refusals.filter(text__version__gt=annotator.consent_version).exists()


def _refuse_over(visit: int) -> None:
    # A visit is closed under the lock of its assignment: what is read here stays so.
    if not Visit.objects.filter(pk=visit, state=Visit.State.WORKING).exists():
        raise AssignmentClosedError(SITTING_OVER)


def submit(*, assignment: Assignment, run: int | None = None) -> Assignment:
    """Send a phase of the booklet: it is complete, and the first to complete a place is counted.

    `run`: the phase that is meant; by default the one that is open.
    Raises InvalidAnswerError, with the number of open questions, while one is unanswered.
    """
    return answering(
        complete, assignment=assignment.pk, annotator=assignment.annotator_id, shown_in=run
    )


def complete(assignment: Assignment, *, may_count: bool = True) -> Assignment:
    """Send the phase that is open. The caller holds the assignment.

    `may_count`: False if a platform has still to vouch for who it was; see `visits.verify`.
    """
    run = phases.latest(assignment)
    if n_open := open_questions(run).count():
        raise InvalidAnswerError(
            ngettext(
                "One question is not complete yet.",
                "%(n)s questions are not complete yet.",
                n_open,
            )
            % {"n": n_open}
        )
    if pending_questions.pending_at_end(run, assignment.annotator.study):
        raise InvalidAnswerError(_("Please answer the last questions first."))
    now = clock.now()
    run.completed_at = now
    run.place_id = assignment.place_id
    run.is_held = pace.is_too_fast(run)
    run.is_counted = may_count and is_first(run)
    run.save(update_fields=["completed_at", "place", "is_held", "is_counted"])
    assignment.state = Assignment.State.SUBMITTED
    if phase := phases.following(run):
        phases.begin(assignment, phase, after=now)
        assignment.state = Assignment.State.WAITING
    assignment.last_active_at = now
    assignment.save(update_fields=["state", "last_active_at"])
    return assignment


def open_questions(run: PhaseRun) -> QuerySet[Question]:
    """Questions without a complete answer, or with one that is being changed."""
    assignment = run.assignment
    return run.questions.exclude(
        Exists(assignment.judgments.current().filter(question=OuterRef("pk")))
        & ~Exists(assignment.drafts.filter(question=OuterRef("pk")))
    )


def is_first(run: PhaseRun) -> bool:
    """Whether a complete run is to be counted: the first of its place and phase.

    One that is held for review is not, nor that of somebody who gave the place to others, nor one
    that may be another's.
    """
    if run.is_held or run.assignment.is_disputed or has_given_back(run.assignment.annotator_id):
        return False
    # The place's lock keeps two who finish at once from both being the first.
    assert run.place_id is not None  # a live assignment has a place
    place = Place.objects.select_for_update(no_key=True).get(pk=run.place_id)
    if PhaseRun.objects.filter(place=place, phase=run.phase, is_counted=True).exists():
        return False
    return not run.assignment.is_surplus or join_limits.takes_again(
        run.assignment, has_completed=True
    )
