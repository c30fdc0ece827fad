"""Studies in which sentences are selected from reports, and people who do so."""

from decimal import Decimal
from uuid import uuid4

from annotation.answering.queries import screen_contents
from annotation.answering.services import assignments, judgments, phases
from annotation.answering.services.judgments import SavedAnswer
from annotation.basics import clock, keys
from annotation.basics.scale import Scale
from annotation.designs.services import designs
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.answer import SelectionAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import (
    Assignment,
    Context,
    ContextGroup,
    Judgment,
    Question,
    Study,
    Turn,
)
from annotation.studies.services import studies
from tests.support.answering import read_instructions
from tests.support.factories import make_user, name_contact

# Lopsided: one report is longer than the other.
REPORTS = (4, 2)


def add_incident(
    study: Study, key: str, *, summary: list[str], reports: dict[str, list[str]]
) -> ContextGroup:
    group = ContextGroup.objects.create(study=study, key=key)
    for name, sentences in {f"{key}/summary": summary, **reports}.items():
        context = Context.objects.create(
            study=study, group=group, key=name, n_turns=len(sentences)
        )
        for position, text in enumerate(sentences, start=1):
            Turn.objects.create(context=context, position=position, text=text)
    return group


def make_selection_study(
    *,
    incidents: int = 1,
    sentences: int = 2,
    reports: tuple[int, ...] = REPORTS,
    open_it: bool = True,
    seed: int = 1,
    **numbers,
) -> Study:
    """Incidents with a summary of some sentences, and reports of so many sentences each."""
    study = studies.create(
        owner=make_user(), title="Floods in the valley", preset="czech-round-1", seed=seed
    )
    study.comprehension = {}
    study.save()
    name_contact(study)
    for n in range(1, incidents + 1):
        add_incident(
            study,
            f"i{n}",
            summary=[f"Summary sentence {s} of incident {n}." for s in range(1, sentences + 1)],
            reports={
                f"i{n}r{r}": [
                    f"Sentence {s} of report {r} about incident {n}." for s in range(1, length + 1)
                ]
                for r, length in enumerate(reports, start=1)
            },
        )
    designs.set_parameters(study=study, parameters=SelectionParameters(**numbers), seed=seed)
    if open_it:
        designs.make(design=study.design)
        study = studies.open_study(study=study)
    return study


def join(study: Study) -> assignments.Participant:
    joined = assignments.join(
        study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
    )
    joined.annotator.instructed_at = clock.now()
    joined.annotator.save()
    return joined


def choices(question: Question) -> list[int]:
    """The sentences of the reports, in their order."""
    [rows] = [
        rows
        for rows in screen_contents.of_booklet(
            question.booklet_id, question.block.phase_id, question.screen
        )
        if rows.question.pk == question.pk
    ]
    return [turn for report in rows.incident.reports for turn, _text in report.turns]


def answer_to(question: Question, places=(0, 1, 2), ratings=("6", "3", "0"), **more):
    """An answer that names sentences by their place among all those of the reports."""
    turns = choices(question)
    picked = [None if place is None else turns[place] for place in places]
    rated = [None if text is None else Decimal(text) for text in ratings]
    return SelectionAnswer(*picked, *rated, **more)


def save(
    assignment: Assignment, question: Question, answer: SelectionAnswer, *, key=None, base=None
) -> SavedAnswer:
    """Send an answer as a page that was just shown does."""
    read_instructions(assignment.annotator)
    run = phases.latest(assignment)
    scale = Scale.of(assignment.annotator.study.scale)
    return judgments.save(
        assignment=assignment.pk,
        annotator=assignment.annotator_id,
        question=question.pk,
        answer=answer,
        shown=PresentedQuestion(choices(question), clock.now(), "page", scale, run.pk),
        idempotency_key=key or uuid4(),
        base=base,
    )


def select(assignment: Assignment, question: Question, **said) -> Judgment:
    row = save(assignment, question, answer_to(question, **said)).row
    assert isinstance(row, Judgment)
    return row


def select_all(assignment: Assignment, *, send: bool = True) -> None:
    for question in assignment.booklet.questions.order_by("screen"):
        select(assignment, question)
    if send:
        assignments.submit(assignment=assignment)
