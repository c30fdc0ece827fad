"""Sittings on a platform: how they end, what proves them, what closes them.

Locks are taken in the order of `locks`; a visit's row comes after its assignment's.
"""

import hmac
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal, InvalidOperation

from django.db import transaction

from annotation.answering.services import (
    assignments,
    disputes,
    instructions,
    open_places,
    withdrawal,
)
from annotation.basics import clock, keys, sentences
from annotation.basics.errors import AssignmentClosedError
from annotation.basics.sentences import Said
from annotation.core.platforms import platform_of
from annotation.core.services import wiping
from annotation.core.services.locks import lock_study
from annotation.core.signals import data_erased
from annotation.kinds.queries import check_answers
from annotation.models import Assignment, PhaseRun, Visit
from annotation.models.kinds import Outcome

# A person who reached one of these has sent everything.
DONE = frozenset({Outcome.COMPLETED, Outcome.FAILED_CHECKS})


def submit(*, visit: Visit) -> Assignment:
    """Send the phase that a visit is for, and end the visit.

    It is counted at once if the platform never shows what was handed in, or has vouched for
    the person already; else as soon as it does.
    """
    run = visit.run
    assert run is not None  # anybody who answers has claimed something

    def work(held: Assignment) -> Assignment:
        mine = Visit.objects.select_for_update(no_key=True, of=("self",)).get(pk=visit.pk)
        sent = assignments.complete(held, may_count=_is_vouched_for(mine))
        _end(mine, outcome=_outcome_of(mine, run))
        return sent

    return assignments.answering(
        work,
        assignment=run.assignment_id,
        annotator=run.assignment.annotator_id,
        shown_in=run.pk,
        visit=visit.pk,
    )


def try_comprehension(*, visit: Visit, chosen: int) -> bool:
    """Count a try at the comprehension question; one too many ends the visit.

    Returns whether it was right. How many there are is an option of the listing.
    """
    assert visit.run is not None
    annotator = visit.run.assignment.annotator
    is_right = instructions.try_comprehension(annotator=annotator, chosen=chosen)
    assert visit.listing is not None
    allowed = _number(visit.listing.options.get("comprehension_tries"))
    if not is_right and allowed:
        annotator.refresh_from_db(fields=["comprehension_tries", "instructed_at"])
        if annotator.instructed_at is None and annotator.comprehension_tries >= allowed:
            end(visit=visit, outcome=Outcome.SCREENED_OUT)
    return is_right


@transaction.atomic
def end(*, visit: Visit, outcome: Outcome) -> Visit:
    """Write down how a visit ended; a second time changes nothing.

    Raises AssignmentClosedError if another one took its place.
    """
    held = hold(visit)
    if held.state == Visit.State.CLOSED:
        raise AssignmentClosedError(assignments.SITTING_OVER)
    if held.state != Visit.State.ENDED:
        _end(held, outcome=outcome)
        if held.run and outcome not in DONE:
            open_places.give_back(held.run, now=clock.now())
    return held


@transaction.atomic
def change_key(*, visit: Visit) -> str:
    """Another key to a visit that is come back to by link and code; the old one opens nothing."""
    held = hold(visit)
    if held.state == Visit.State.CLOSED or held.submission_id or held.listing is None:
        raise AssignmentClosedError(assignments.SITTING_OVER)
    key = keys.new_key(study_id=held.listing.study_id, nonce=keys.new_nonce())
    held.key_hash = keys.key_hash(key)
    held.save(update_fields=["key_hash"])
    return key


def receipt(visit: Visit) -> str:
    """What the last page shows; the platform tells it us again as a proof of the work."""
    made = list(_receipts(visit))
    known = [receipt for receipt in made if keys.key_hash(receipt) == visit.receipt_hash]
    return (known or made)[0]


def is_receipt(visit: Visit, text: str) -> bool:
    """Whether this is what the visit's last page showed."""
    text_hash = keys.key_hash(text.strip())
    # Stored where the visit ended; it may also have seen its last page without an end.
    shown = [visit.receipt_hash, *(keys.key_hash(receipt) for receipt in _receipts(visit))]
    return any(hmac.compare_digest(text_hash, receipt_hash) for receipt_hash in shown)


@transaction.atomic
def verify(*, visit: Visit, at: datetime) -> None:
    """The platform vouches for it; what was sent counts now, if it is the first of its place.

    That holds also if somebody else's launch has closed the visit after it was sent.
    """
    if visit.listing:
        lock_study(visit.listing.study_id)
    held = hold(visit)
    if held.state == Visit.State.CLOSED and held.outcome in DONE:
        for other in _others_of_submission(held):
            close(visit=other)
        held.state = Visit.State.ENDED
    held.verified_at = held.verified_at or at
    held.save(update_fields=["state", "verified_at"])
    if held.run:
        disputes.settle_dispute(held.run.assignment)
    _count(held)


@transaction.atomic
def recount(*, visit: Visit) -> None:
    """After the platform's word of it has changed: what was given up is scored no longer.

    Its place is free, and the next one that is complete there counts. Approved after all, it
    counts again, unless another took its place.
    """
    if visit.listing:
        lock_study(visit.listing.study_id)
    held = hold(visit)
    run = held.run
    if held.remote_state not in Visit.GIVEN_UP:
        if held.verified_at:
            _count(held)
    elif run and run.completed_at and held.outcome in DONE:
        if run.is_counted:
            assert run.place_id is not None  # constraint run_counted_is_complete
            run.is_counted = False
            run.save(update_fields=["is_counted"])
            disputes.promote_next(place_id=run.place_id, phase_id=run.phase_id)
        open_places.give_back(run, now=clock.now())


def _count(held: Visit) -> None:
    """Of a visit that the platform vouches for, and that the caller holds."""
    run = held.run
    if run is None or held.state != Visit.State.ENDED or held.outcome not in DONE:
        return
    assignment = run.assignment
    if (
        run.completed_at
        and not run.is_counted
        and assignment.state != Assignment.State.WITHDRAWN
        and held.remote_state not in Visit.GIVEN_UP
        and assignments.is_first(run)
    ):
        run.is_counted = True
        run.save(update_fields=["is_counted"])
        if assignment.is_surplus and not _is_held(assignment):
            assignment.is_surplus = False
            assignment.save(update_fields=["is_surplus"])


@transaction.atomic
def doubt(*, visit: Visit, reason: Said) -> None:
    """A person must look at it. What no platform has ever shown gives its place back."""
    held = hold(visit)
    held.doubt = sentences.stored(reason)
    held.save(update_fields=["doubt"])
    if (
        held.run
        and held.state == Visit.State.ENDED
        and held.remote_state == Visit.Remote.UNSEEN
        and held.verified_at is None
    ):
        open_places.give_back(held.run, now=clock.now())


@transaction.atomic
def close(*, visit: Visit) -> None:
    """Another one takes its place: nothing more is taken, and what was answered stays."""
    held = hold(visit)
    if held.state == Visit.State.CLOSED:
        return
    held.state = Visit.State.CLOSED
    held.save(update_fields=["state"])
    if held.run:
        open_places.give_back(held.run, now=clock.now())


def is_theirs(visit: Visit) -> bool:
    """Whether what was answered in a sitting is still of whoever has its key.

    Also of one that was closed, unless another sitting went on with the same work.
    """
    if visit.state != Visit.State.CLOSED or visit.run_id is None:
        return True
    return not Visit.objects.filter(run=visit.run_id).exclude(pk=visit.pk).exists()


def may_withdraw(visit: Visit) -> bool:
    """Whether its key may empty what was answered, which goes with all parts of the study.

    A later part that nobody vouched for may not: it may be somebody's who only knew the id. The
    first part may.
    """
    if visit.run is None or not is_theirs(visit):
        return False
    if visit.verified_at or visit.run.phase.number == 1:
        return True
    earlier = Visit.objects.filter(
        run__assignment=visit.run.assignment_id, run__phase__number__lt=visit.run.phase.number
    )
    return not earlier.exists()


@transaction.atomic
def withdraw(*, visit: Visit) -> Visit:
    """Empty the answers of this sitting with those of its other parts, and of no other booklet.

    Whom the platform pays is kept until that is settled.
    """
    assert visit.run is not None
    assert visit.listing is not None
    lock_study(visit.listing.study_id)
    held = hold(visit)
    if not may_withdraw(held):
        raise AssignmentClosedError(assignments.SITTING_OVER)
    assert held.run is not None
    assignment = held.run.assignment
    if assignment.state != Assignment.State.WITHDRAWN:
        withdrawal.empty([assignment], now=clock.now())
        others = assignment.annotator.assignments.exclude(state=Assignment.State.WITHDRAWN)
        if not others.exists():
            withdrawal.forget_rounds(assignment.annotator)
        data_erased.send(Assignment, study_id=assignment.annotator.study_id)
        transaction.on_commit(wiping.wipe)
        held.refresh_from_db()
        if not held.receipt_hash:
            _write_receipt(held)
            held.save(update_fields=["receipt_hash"])
    return held


def hold(visit: Visit) -> Visit:
    """The visit as it is now, held until the end of the transaction, after its assignment."""
    assignment = None
    if visit.run_id:
        run = PhaseRun.objects.get(pk=visit.run_id)
        assignment = Assignment.objects.select_for_update(no_key=True).get(pk=run.assignment_id)
    held = (
        Visit.objects.select_related("run__phase", "listing", "person")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=visit.pk)
    )
    if held.run and assignment:
        held.run.assignment = assignment
    return held


def _end(visit: Visit, *, outcome: Outcome) -> None:
    visit.state = Visit.State.ENDED
    visit.outcome = outcome
    visit.ended_at = clock.now()
    _write_receipt(visit)
    visit.save(update_fields=["state", "outcome", "ended_at", "receipt_hash"])


def _write_receipt(visit: Visit) -> None:
    visit.receipt_hash = keys.key_hash(next(_receipts(visit)))


def _receipts(visit: Visit) -> Iterator[str]:
    return keys.receipts(visit.pk, visit.platform, visit.environment, visit.submission_id)


def _is_vouched_for(visit: Visit) -> bool:
    shows = platform_of(visit.platform).capabilities.shows_submissions
    if visit.remote_state in Visit.GIVEN_UP:
        return False
    return visit.verified_at is not None or not shows


def _outcome_of(visit: Visit, run: PhaseRun) -> Outcome:
    assert visit.listing is not None
    wanted = _share(visit.listing.options.get("checks_wanted"))
    if wanted is None:
        return Outcome.COMPLETED
    score = check_answers.score_in(run)
    if score is None or Decimal(score.n_right) >= wanted * score.n:
        return Outcome.COMPLETED
    return Outcome.FAILED_CHECKS


def _share(option: object) -> Decimal | None:
    """Empty: it is not asked for."""
    try:
        return None if option in {None, ""} else Decimal(str(option))
    except InvalidOperation:
        return None


def _number(option: object) -> int:
    return int(str(option)) if str(option or "").isdecimal() else 0


def _others_of_submission(visit: Visit) -> list[Visit]:
    if not visit.submission_id:
        return []
    return list(
        Visit.objects.filter(
            platform=visit.platform,
            environment=visit.environment,
            submission_id=visit.submission_id,
        )
        .exclude(pk=visit.pk)
        .exclude(state=Visit.State.CLOSED)
    )


def _is_held(assignment: Assignment) -> bool:
    """Whether somebody else holds its place."""
    others = Assignment.objects.holding().filter(place=assignment.place_id)
    return others.exclude(pk=assignment.pk).exists()
