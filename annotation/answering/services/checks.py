"""Telling somebody whether their answer to a check is right, and writing down that they know."""

from annotation.answering.queries import screens
from annotation.answering.queries.shown_checks import choose_the_same
from annotation.answering.services.assignments import answering
from annotation.basics import clock
from annotation.kinds.queries import known_answers
from annotation.kinds.queries.known_answers import KnownAnswer
from annotation.models import Assignment, Check, PhaseRun, Telling

# Nobody is kept at one question: after so many answers they go on, whatever they say.
MAX_TELLINGS = 3


def tell(*, run: PhaseRun, question: int, known: KnownAnswer, seen: str) -> bool:
    """Whether somebody who wants to go on is to be told of their answer first.

    `seen`: the key of the answer that their page has told of already. A person who keeps that
    choice, perhaps with another comment, goes on. Of one answer somebody is told once, in however
    many tabs: the first to come writes it down, and the others show the same.
    """
    if known.style == Check.Style.SILENT:
        return False

    def look(held: Assignment) -> bool:
        current = held.judgments.current().filter(question=question).first()
        if current is None or held.drafts.filter(question=question).exists():
            return False
        with_telling = list(held.judgments.filter(question=question, telling__isnull=False))
        same_answers = [answer for answer in with_telling if choose_the_same(answer, current)]
        if same_answers:
            return seen not in {str(answer.idempotency_key) for answer in same_answers}
        if len(with_telling) == MAX_TELLINGS:
            return False
        # A tutorial explains the right answer, too; a second time only a wrong one is worth it.
        if known.credit(current) == 1 and (with_telling or known.style != Check.Style.TUTORIAL):
            return False
        Telling.objects.create(judgment=current, told_at=clock.now())
        return True

    return answering(
        look,
        assignment=run.assignment_id,
        annotator=run.assignment.annotator_id,
        shown_in=screens.run_to_tell_apart(run),
    )


def tell_what_is_left(run: PhaseRun) -> int | None:
    """The screen of the first check whose answer somebody is to be told of before they send.

    A person who saves answers without going on from screen to screen was told of none.
    """
    for question, known in known_answers.untold(run):
        if tell(run=run, question=question.pk, known=known, seen=""):
            return question.screen
    return None
