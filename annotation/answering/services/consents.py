"""Consent asked anew: people in the middle agree to a changed text, or stop."""

from django.db import transaction

from annotation.answering.services import assignments, open_places, phases, visits
from annotation.basics import clock
from annotation.basics.errors import AssignmentClosedError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services import wiping
from annotation.core.services.locks import lock_study
from annotation.models import Annotator, Assignment, ConsentRefusal, PhaseRun, Study, Visit
from annotation.models.kinds import Outcome
from annotation.studies.services.current_consents import current_consent


class TextChangedError(StateError):
    """Another text has been published since the page was shown."""

    code = "text_changed"


@transaction.atomic
def agree(*, annotator: Annotator, version: int) -> None:
    """Agree to the text that is asked about; agreeing twice is agreeing once.

    Raises TextChangedError if that version is not the latest any more.
    """
    study, held = _hold(annotator)
    text = current_consent(study)
    if text.version != version:
        raise TextChangedError(
            _("The text has changed since you opened it. Please read it again.")
        )
    assignments.note_consent(held, text, now=clock.now())


@transaction.atomic
def stop(*, annotator: Annotator, visit: Visit | None) -> None:
    """Somebody does not agree: nothing more is taken, and what they answered stays.

    Their place is free again, and they are not reminded of it. A sitting on a platform ends;
    anybody who came by a link may agree yet.
    """
    study, held = _hold(annotator)
    if not held.must_agree_anew:
        return  # they agreed in another tab
    ConsentRefusal.objects.get_or_create(
        annotator=held, text=current_consent(study), defaults={"at": clock.now()}
    )
    if visit:
        visits.end(visit=visit, outcome=Outcome.NO_CONSENT)
        return
    latest = Assignment.objects.select_for_update(no_key=True).filter(annotator=held)
    assignment = latest.order_by("-pk").first()
    if assignment and (run := phases.latest(assignment)).completed_at is None:
        open_places.give_back(run, now=clock.now())
        if run.reminder_email:
            PhaseRun.objects.filter(pk=run.pk).update(reminder_email="", way_back="")
            transaction.on_commit(wiping.wipe)


def _hold(annotator: Annotator) -> tuple[Study, Annotator]:
    """The study and the person in it as they are now: nobody publishes or withdraws meanwhile."""
    study = lock_study(annotator.study_id)
    held = Annotator.objects.get(pk=annotator.pk)
    held.study = study
    if held.withdrawn_at:
        raise AssignmentClosedError(_("You have withdrawn from this study."))
    return study, held
