"""Withdrawing: the answers of somebody who wants them gone are emptied; a comment alone, too."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q

from annotation.answering.services.disputes import promote_next
from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.queries import run_sums
from annotation.core.services import computed, redaction, release_events, wiping
from annotation.core.services.locks import lock_study
from annotation.core.signals import answers_withdrawn, data_erased
from annotation.models import (
    ANSWER_ROWS,
    Annotator,
    Assignment,
    Draft,
    Judgment,
    PhaseRun,
    QuestionnaireReply,
    Telling,
    Visit,
)
from annotation.models.kinds import Outcome


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
    forget_rounds(annotator)
    # A platform pays by its own name of a person, which stays until that is settled.
    if person and not person.visits.exists():
        redaction.forget(person, annotator.study)
    data_erased.send(Assignment, study_id=annotator.study_id)
    # The name also stands in the write-ahead log, until that is written back.
    transaction.on_commit(wiping.wipe)
    return annotator


def forget_rounds(annotator: Annotator) -> None:
    """Let nobody be known as the same person in an earlier or a later round."""
    annotator.earlier_self = None
    annotator.save(update_fields=["earlier_self"])
    annotator.later_selves.update(earlier_self=None)


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
        n_away=None,
        n_pasted=None,
        withdrawn_at=now,
    )
    rows: tuple[type[Model], ...] = (*ANSWER_ROWS, Telling)
    for model in rows:
        model._default_manager.filter(judgment__assignment__in=held).delete()
    Draft.objects.filter(assignment__in=held).delete()
    _delete_replies(held)
    computed.forget_with(held)
    answers_withdrawn.send(Assignment, held=held)
    counted = list(PhaseRun.objects.filter(assignment__in=held, is_counted=True))
    PhaseRun.objects.filter(assignment__in=held).update(
        is_counted=False,
        reminder_email="",
        way_back="",
        reason="",
        # Their answers are empty now.
        **dict.fromkeys(run_sums.OF_JUDGMENTS),
    )
    Assignment.objects.filter(pk__in=[a.pk for a in held]).update(state=Assignment.State.WITHDRAWN)
    Visit.objects.filter(run__assignment__in=held, state=Visit.State.WORKING).update(
        state=Visit.State.ENDED, outcome=Outcome.NO_CONSENT, ended_at=now
    )
    for run in counted:
        assert run.place_id is not None  # constraint run_counted_is_complete
        promote_next(place_id=run.place_id, phase_id=run.phase_id)


def _delete_replies(held: Sequence[Assignment]) -> None:
    """What they said about themselves goes with the last booklet that it belongs to.

    Of a platform another sitting may be of somebody else, who only knew the id.
    """
    answers = Judgment.objects.filter(assignment=OuterRef("pk"))
    others = Assignment.objects.filter(annotator=OuterRef("annotator")).exclude(
        Q(pk__in=[assignment.pk for assignment in held])
        | Q(state=Assignment.State.WITHDRAWN)
        | Q(~Exists(answers), state=Assignment.State.LAPSED)
    )
    QuestionnaireReply.objects.filter(
        ~Exists(others), annotator__in={assignment.annotator_id for assignment in held}
    ).delete()


@transaction.atomic
def blank_comment(*, annotator: Annotator, judgment: int) -> Judgment:
    """Put … in place of what somebody wrote beside an answer, such as a name; the answer stays.

    Comments of its earlier versions are blanked, too: no researcher sees them.
    """
    judgment_row = (
        Judgment.objects.filter(assignment__annotator=annotator, pk=judgment)
        .exclude(comment__in=("", redaction.ERASED))
        .select_related("question", "assignment__booklet", "assignment__annotator")
        .first()
    )
    if judgment_row is None:
        raise StateError(_("This answer has no comment to delete."))
    Assignment.objects.select_for_update(no_key=True).get(pk=judgment_row.assignment_id)
    Judgment.objects.filter(
        assignment=judgment_row.assignment_id, question=judgment_row.question_id
    ).exclude(comment="").update(comment=redaction.ERASED)
    data_erased.send(Assignment, study_id=annotator.study_id)
    transaction.on_commit(wiping.wipe)
    return judgment_row
