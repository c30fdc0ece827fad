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
    Visit,
)
from annotation.models.kinds import Outcome


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
