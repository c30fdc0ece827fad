"""Studies in which pairs are rated, and people who rate them through the services."""

from decimal import Decimal
from uuid import uuid4

from annotation.answering.services import assignments, judgments, phases
from annotation.basics import clock, keys
from annotation.basics.scale import Scale
from annotation.designs.services import designs
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import (
    Assignment,
    Judgment,
    Phase,
    PhaseRun,
    Pool,
    Question,
    Study,
)
from annotation.studies.services import studies
from tests.support.answering import read_instructions
from tests.support.factories import make_pairs, make_user, name_contact

SCALE = {
    "low": "0",
    "high": "6",
    "step": "1",
    "labels": {"0": "nothing in common", "6": "the same meaning"},
}
ONCE = [PhaseParameters(Phase.Condition.FREE.value)]
IN_CONTEXT = [PhaseParameters(Phase.Condition.DEPENDENT.value)]
TWICE = [
    PhaseParameters(Phase.Condition.FREE.value),
    PhaseParameters(Phase.Condition.DEPENDENT.value, delay_hours=72, closes_after_days=14),
]


def make_rating_study(
    *,
    pairs: int = 6,
    sentences: int = 5,
    scale: dict | None = None,
    phases: list[PhaseParameters] | None = None,
    open_it: bool = True,
    **numbers,
) -> Study:
    """Pairs of sentences, each a turn of a document; by default one phase, one person a pair."""
    study = studies.create(owner=make_user(), title="How alike are two sentences?", seed=1)
    study.kind = "rating"
    study.scale = scale or SCALE
    study.rating_question = "How similar is what the two sentences say?"
    study.worked_example = study.comprehension = {}
    study.save()
    name_contact(study)
    pool = Pool.objects.create(study=study, key="all", number=1)
    make_pairs(pool, pairs, n_sentences=sentences)
    usual = {"ratings_per_item": 1, "items_per_booklet": pairs, "phases": phases or ONCE}
    parameters = RatingParameters(**{**usual, **numbers})
    designs.set_parameters(study=study, parameters=parameters, seed=1)
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


def rate(
    assignment: Assignment, question: Question, rating: str = "3", *, run: PhaseRun | None = None
) -> Judgment:
    """Answer one question as a page that was shown in the latest phase does."""
    read_instructions(assignment.annotator)
    run = run or phases.latest(assignment)
    scale = Scale.of(assignment.annotator.study.scale)
    return judgments.record(
        assignment=assignment,
        question=question,
        answer=RatingAnswer(Decimal(rating)),
        shown=PresentedQuestion((), clock.now(), "page", scale, run.pk),
        idempotency_key=uuid4(),
    )


def rate_phase(assignment: Assignment, *, ratings=lambda question: "3", send: bool = True) -> None:
    """Answer the phase that is open, and send it."""
    run = phases.latest(assignment)
    for question in run.questions.order_by("screen", "position"):
        rate(assignment, question, ratings(question), run=run)
    if send:
        assignments.submit(assignment=assignment, run=run.pk)
