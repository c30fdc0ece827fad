"""Which questions about people come before anything else; answers are refused until then."""

from collections.abc import Collection
from typing import Any

from annotation.answering.services import phases
from annotation.basics.errors import AnnotationError, AssignmentClosedError
from annotation.basics.sentences import sentence as _
from annotation.models import Annotator, Assignment, PhaseRun, QuestionnaireReply, Study
from annotation.models.kinds import Source
from annotation.questionnaires.queries import definitions

Moment = QuestionnaireReply.Moment


class ScreenedOutError(AssignmentClosedError):
    """What somebody answered about themselves has ended the study for them."""

    code = "screened_out"

    def __init__(self) -> None:
        super().__init__(_("This study looks for other people. Thank you for your interest."))


class QuestionsFirstError(AnnotationError):
    """The questions about people come before any answer."""

    status = 409
    code = "questions_first"

    def __init__(self) -> None:
        super().__init__(_("Please answer the questions about you first."))

    @property
    def details(self) -> dict[str, Any]:
        return {"closed": True}


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


def refuse_unanswered(held: Assignment) -> None:
    """Refuse an answer of somebody who skipped these questions, or whom one has screened out.

    Forms can be made without the page, which is shown only afterwards.
    """
    study = held.annotator.study
    if study.questionnaires and pending(phases.latest(held), study):
        raise QuestionsFirstError


def was_screened_out(annotator: Annotator) -> bool:
    """Whether an answer about themselves has ended the study for somebody."""
    replies = QuestionnaireReply.objects.filter(annotator=annotator, screened_out=True)
    return replies.exists()


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
