"""Studies in which pairs are put into categories, and people who do so through the services."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from annotation.answering.services import assignments, judgments, phases
from annotation.answering.services.judgments import SavedAnswer
from annotation.basics import clock
from annotation.basics.categories import Categories
from annotation.designs.services import designs
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Assignment, Judgment, Question, Study
from annotation.studies.services import studies
from tests.support.answering import read_instructions
from tests.support.rating import make_rating_study

NAMES = ("same meaning", "related", "nothing in common")
EXPLANATIONS = {"related": "One says more, or something else."}


def make_label_study(
    *,
    names: Sequence[str] = NAMES,
    several: bool = False,
    explanations: Mapping[str, str] = EXPLANATIONS,
    open_it: bool = True,
    **numbers,
) -> Study:
    """The pairs and the phases of `make_rating_study`, put into categories."""
    study = make_rating_study(open_it=False, **numbers)
    study.kind = "label"
    study.scale = {}
    study.categories = Categories(names, several, explanations).as_json
    study.rating_question = "Which category fits this pair?"
    study.save()
    if open_it:
        designs.make(design=study.design)
        study = studies.open_study(study=study)
    return study


def save(
    assignment: Assignment,
    question: Question,
    *names: str,
    comment: str = "",
    key=None,
    base=None,
) -> SavedAnswer:
    """Send an answer as a page that was just shown does."""
    read_instructions(assignment.annotator)
    run = phases.latest(assignment)
    return judgments.save(
        assignment=assignment.pk,
        annotator=assignment.annotator_id,
        question=question.pk,
        answer=LabelAnswer(names or None, comment=comment),
        shown=PresentedQuestion(
            (),
            clock.now(),
            "page",
            run=run.pk,
            categories=Categories.of(assignment.annotator.study.categories),
        ),
        idempotency_key=key or uuid4(),
        base=base,
    )


def label(assignment: Assignment, question: Question, *names: str) -> Judgment:
    row = save(assignment, question, *names).row
    assert isinstance(row, Judgment)
    return row


def said(judgment: Judgment) -> list[str]:
    """The categories of an answer, in the order in which they were stored."""
    return list(judgment.choices.order_by("pk").values_list("category", flat=True))


def label_phase(assignment: Assignment, *, send: bool = True) -> None:
    """Answer the phase that is open with the first category, and send it."""
    run = phases.latest(assignment)
    first = assignment.annotator.study.categories["names"][0]
    for question in run.questions.order_by("screen", "position"):
        label(assignment, question, first)
    if send:
        assignments.submit(assignment=assignment, run=run.pk)
