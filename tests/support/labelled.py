"""Studies in which pairs get labels, and people who give them through the services."""

from collections.abc import Callable, Sequence
from uuid import uuid4

from django.contrib.auth.models import User

from annotation.answering.services import assignments, judgments, phases
from annotation.basics import clock, keys
from annotation.basics.categories import Categories
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import (
    Adjudication,
    Assignment,
    Job,
    Judgment,
    Phase,
    PhaseRun,
    Pool,
    Question,
    Result,
    Study,
)
from annotation.models.kinds import Source
from annotation.simulation.through_services import prepare_places
from annotation.studies.services import studies
from tests.support.answering import read_instructions
from tests.support.factories import make_pairs, make_user, name_contact
from tests.support.rating import ONCE

NAMES = ("same", "related", "other")
SINGLE = {"names": list(NAMES), "several": False, "explanations": {"other": "Nothing in common."}}
SEVERAL = {**SINGLE, "several": True}
# What one person says of the items of a phase, by their keys.
Said = Callable[[str], Sequence[str]]


def make_label_study(
    *,
    pairs: int = 6,
    categories: dict | None = None,
    phases: list[PhaseParameters] | None = None,
    domains: Sequence[str] = (),
    owner: User | None = None,
    open_it: bool = True,
    **numbers,
) -> Study:
    """Pairs of sentences, each a turn of a document; by default one phase, three people a pair.

    `domains`: that of the documents of each pair, in turn.
    """
    study = studies.create(
        owner=owner or make_user(), title="How do two sentences relate?", preset="labels", seed=1
    )
    study.categories = categories or SINGLE
    study.worked_example = study.comprehension = {}
    study.save()
    name_contact(study)
    pool = Pool.objects.create(study=study, key="all", number=1)
    domain_of = {n: domains[(n - 1) % len(domains)] for n in range(1, pairs + 1) if domains}
    make_pairs(pool, pairs, n_sentences=3, domains=domain_of)
    usual = {"ratings_per_item": 3, "items_per_booklet": pairs, "phases": phases or ONCE}
    parameters = RatingParameters(**{**usual, **numbers})
    designs.set_parameters(study=study, parameters=parameters, seed=1)
    if open_it:
        designs.make(design=study.design)
        study = studies.open_study(study=study)
    return study


def join(study: Study, *, source: Source = Source.REAL) -> Assignment:
    if source == Source.SIMULATED:
        prepare_places(study)
    joined = assignments.join(
        study=study,
        nonce=keys.new_nonce(),
        consent=studies.current_consent(study),
        source=source,
    )
    joined.annotator.instructed_at = clock.now()
    joined.annotator.save()
    return joined.assignment


def label(
    assignment: Assignment,
    question: Question,
    *chosen: str,
    run: PhaseRun | None = None,
    active_ms: int | None = 4000,
) -> Judgment:
    """Answer one question as a page that was shown in the latest phase does."""
    read_instructions(assignment.annotator)
    run = run or phases.latest(assignment)
    return judgments.record(
        assignment=assignment,
        question=question,
        answer=LabelAnswer(chosen, active_ms=active_ms),
        shown=PresentedQuestion(
            (),
            clock.now(),
            "page",
            run=run.pk,
            categories=Categories.of(assignment.annotator.study.categories),
        ),
        idempotency_key=uuid4(),
    )


def label_phase(assignment: Assignment, said: Said, *, send: bool = True) -> None:
    """Answer the phase that is open, and send it."""
    run = phases.latest(assignment)
    for question in run.questions.select_related("item").order_by("screen", "position"):
        assert question.item is not None
        label(assignment, question, *said(question.item.key), run=run)
    if send:
        assignments.submit(assignment=assignment, run=run.pk)


def open_next_phase(assignment: Assignment) -> None:
    """As if the pause were over."""
    now = clock.now()
    PhaseRun.objects.filter(assignment=assignment, completed_at=None).update(
        opens_at=now, closes_at=None
    )


def label_all(
    study: Study, *people: Sequence[dict[str, str]], source: Source = Source.REAL
) -> list[Assignment]:
    """Each person's labels, by item in each phase; several categories parted by |."""
    held = []
    for of_phases in people:
        assignment = join(study, source=source)
        for number, of_phase in enumerate(of_phases):
            if number:
                open_next_phase(assignment)
            label_phase(assignment, lambda key, of=of_phase: of[key].split("|"))
        held.append(assignment)
    return held


def adjudicate(study: Study, key: str, *chosen: str, phase: int = 1) -> Adjudication:
    return Adjudication.objects.create(
        study=study,
        item=study.items.get(key=key),
        phase=Phase.objects.get(design=study.design, number=phase),
        categories=list(chosen),
        reason="Looked it up.",
        by=study.owner,
        made_at=clock.now(),
    )


def score(study: Study, population: str = "people") -> Result:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": population})
    assert job.state == Job.State.DONE, job.problems
    return job.result


def said_of(keys_: Sequence[str], codes: str, names: Sequence[str] = NAMES) -> dict[str, str]:
    """One letter an item: "sro" is same, related, other."""
    by_letter = {name[0]: name for name in names}
    return {key: by_letter[code] for key, code in zip(keys_, codes, strict=True)}
