"""Answers to questions about people: drafts, completed once; some end the study for a person."""

from collections.abc import Collection

from django.db import transaction

from annotation.answering.services import open_places, phases, visits
from annotation.basics import clock
from annotation.basics.errors import AssignmentClosedError
from annotation.basics.person_questions import Values
from annotation.basics.questionnaires import Questionnaire
from annotation.basics.sentences import sentence as _
from annotation.models import (
    Annotator,
    Assignment,
    PhaseRun,
    QuestionnaireReply,
    Study,
    Visit,
)
from annotation.models.kinds import Outcome, Source
from annotation.questionnaires.queries import definitions

Moment = QuestionnaireReply.Moment


class ScreenedOutError(AssignmentClosedError):
    """What somebody answered about themselves has ended the study for them."""

    code = "screened_out"

    def __init__(self) -> None:
        super().__init__(_("This study looks for other people. Thank you for your interest."))


def pending(run: PhaseRun, study: Study) -> str:
    """The moment whose questions come before anything else of this phase; empty: none.

    Raises ScreenedOutError for whom an answer has ended the study.
    """
    moment = Moment.BEFORE if run.phase.number == 1 else Moment.BETWEEN
    return _open(run, study, (Moment.BEFORE, moment))


def pending_at_end(run: PhaseRun, study: Study) -> str:
    """The moment whose questions come before the last phase is sent; empty: none."""
    if study.questionnaires and phases.following(run) is None:
        return _open(run, study, (Moment.AFTER,))
    return ""


def _open(run: PhaseRun, study: Study, moments: Collection[str]) -> str:
    """The first of these moments that has questions, and that the person has not completed."""
    annotator = run.assignment.annotator
    # Nobody is there to ask of the simulated.
    if not study.questionnaires or annotator.source != Source.REAL:
        return ""
    done = dict(
        QuestionnaireReply.objects.filter(annotator=annotator)
        .exclude(completed_at=None)
        .values_list("moment", "screened_out")
    )
    if any(done.values()):
        raise ScreenedOutError
    every = definitions.of(study)
    return next((str(m) for m in moments if m not in done and every.is_there(m)), "")


def draft(annotator: Annotator, moment: str) -> QuestionnaireReply | None:
    return QuestionnaireReply.objects.filter(annotator=annotator, moment=moment).first()


@transaction.atomic
def save_draft(
    *, run: PhaseRun, moment: str, values: Values, declined: Collection[str]
) -> QuestionnaireReply:
    """Keep what somebody has chosen so far; what is completed stays as it is."""
    held = _hold(run)
    now = clock.now()
    reply, _is_new = QuestionnaireReply.objects.get_or_create(
        annotator_id=held.annotator_id, moment=moment, defaults={"saved_at": now}
    )
    if reply.completed_at is None:
        reply.values, reply.declined = dict(values), sorted(declined)
        reply.saved_at = now
        reply.save(update_fields=["values", "declined", "saved_at"])
    return reply


@transaction.atomic
def complete(
    *,
    run: PhaseRun,
    visit: Visit | None,
    questionnaire: Questionnaire,
    values: Values,
    declined: Collection[str],
) -> QuestionnaireReply:
    """Take somebody's answers; sent twice, the first ones stay.

    An answer that screens out ends a sitting on a platform, and gives the place back.
    """
    reply = save_draft(run=run, moment=questionnaire.moment, values=values, declined=declined)
    if reply.completed_at is not None:
        return reply
    reply.completed_at = reply.saved_at
    reply.screened_out = questionnaire.does_screen_out(reply.values)
    reply.save(update_fields=["completed_at", "screened_out"])
    if reply.screened_out and visit:
        visits.end(visit=visit, outcome=Outcome.SCREENED_OUT)
    elif reply.screened_out:
        latest = PhaseRun.objects.select_related("assignment", "phase").get(pk=run.pk)
        open_places.give_back(latest, now=reply.saved_at)
    return reply


def _hold(run: PhaseRun) -> Assignment:
    """The assignment, held: whoever withdraws meanwhile leaves nothing behind."""
    held = Assignment.objects.select_for_update(no_key=True).get(pk=run.assignment_id)
    if held.state == Assignment.State.WITHDRAWN:
        raise AssignmentClosedError(_("You have withdrawn from this study."))
    if held.state == Assignment.State.SUBMITTED:
        raise AssignmentClosedError(phases.SENT)
    if held.state == Assignment.State.ACTIVE:
        # They are busy with the study, though not with its questions.
        held.last_active_at = clock.now()
        held.save(update_fields=["last_active_at"])
    return held
