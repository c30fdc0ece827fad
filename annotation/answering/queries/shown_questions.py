"""Questions as a page shows them to one person: built from their rows, without a query."""

from collections.abc import Iterable

from annotation.kinds.question_rows import QuestionRows
from annotation.kinds.registry import kind_of
from annotation.kinds.shown_questions import ShownQuestion, Viewer
from annotation.models import Study


def shown_questions(
    questions: Iterable[QuestionRows], *, study: Study, seed: int, pseudonym: str
) -> list[ShownQuestion]:
    """The questions in the order and with the options as this person sees them."""
    viewer = Viewer(study, seed, pseudonym)
    part = kind_of(study).answering
    return [part.shown(rows, number, viewer) for number, rows in enumerate(questions, start=1)]
