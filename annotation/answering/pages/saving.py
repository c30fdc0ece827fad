"""Hand what a form says about one question to the services."""

from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.answering.forms import AnswerForm
from annotation.answering.services import judgments
from annotation.answering.services.judgments import SavedAnswer
from annotation.answering.showing import OutdatedPageError, read_shown
from annotation.basics.errors import InvalidAnswerError, UnknownKeyError
from annotation.models import Annotator, Assignment, Question, Visit


def save_answer(
    *,
    annotator: Annotator,
    question: int,
    form: AnswerForm,
    idempotency_key: UUID | None,
    sequence: int,
    visit: Visit | None = None,
) -> SavedAnswer:
    """Record a complete answer, keep a partial one as a draft.

    Without a key of its own the form came from a page without JavaScript. Also of an earlier
    booklet: a resend may arrive after the next one was begun; but of a sitting on a platform
    nothing that is of another one.
    """
    if not form.is_valid():
        raise InvalidAnswerError(_("Choose from the options of this question."))
    try:
        assignment, shown = read_shown(form.cleaned_data["shown"], question=question)
    except OutdatedPageError as error:
        raise _not_theirs(annotator, question) from error
    if visit and not _is_of(visit, assignment, shown.run):
        raise UnknownKeyError(_("This question is not in your booklet."))
    answer = form.answer()
    try:
        return judgments.save(
            # The note is signed: the question is of that assignment. Whose that is, is asked here.
            assignment=assignment,
            annotator=annotator.pk,
            question=question,
            answer=answer,
            shown=shown,
            idempotency_key=idempotency_key or form.derived_key(answer),
            key_is_derived=idempotency_key is None,
            base=form.cleaned_data["base"],
            sequence=sequence,
            visit=visit.pk if visit else None,
        )
    except Assignment.DoesNotExist as error:
        raise _not_theirs(annotator, question) from error


def _is_of(visit: Visit, assignment: int, run: int | None) -> bool:
    """Whether the page that was shown is one of this sitting."""
    if visit.run is None or visit.run.assignment_id != assignment:
        return False
    return run is None or run == visit.run_id


def _not_theirs(annotator: Annotator, question: int) -> InvalidAnswerError | UnknownKeyError:
    """Why there is no such assignment: it is the question that is another's, or only the note."""
    theirs = Q(booklet__assignments__annotator=annotator) | Q(assignment__annotator=annotator)
    if Question.objects.filter(theirs, pk=question).exists():
        return OutdatedPageError()
    return UnknownKeyError(_("This question is not in your booklet."))
