"""Simulated people who answer through the services, without a web server."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Max

from annotation.answering.queries import screens
from annotation.answering.services import assignments, judgments, phases
from annotation.basics import clock, keys
from annotation.basics.errors import AnnotationError, NothingLeftError
from annotation.kinds.answer import Answer
from annotation.kinds.services.design_rows import add_places
from annotation.kinds.shown import Shown
from annotation.kinds.taste import Taste
from annotation.models import Annotator, Assignment, PhaseRun, Place, Question, Study
from annotation.models.kinds import Source
from annotation.studies.services import studies

_NAMESPACE = UUID("7f0f3a52-3a0f-4a39-8f3e-3f5f3a1d9a01")


@dataclass
class Answered:
    """What a simulation did."""

    n_annotators: int = 0
    n_booklets: int = 0
    n_answers: int = 0


def prepare_places(study: Study) -> None:
    """Give simulated people places of their own, as many as real ones have."""
    if not study.takes_new_people:
        raise AnnotationError(
            f"Study {study.slug} is {study.state}: simulated people, too, join only an open one."
        )
    booklets = study.design.booklets.all()
    real = Place.objects.filter(booklet__in=booklets, source=Source.REAL)
    add_places(
        booklets=booklets,
        source=Source.SIMULATED,
        up_to=real.aggregate(most=Max("number"))["most"] or 1,
    )


def skip_pause(study: Study) -> int:
    """Let simulated people who wait for a phase begin it now; how many do."""
    return PhaseRun.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__source=Source.SIMULATED,
        assignment__state=Assignment.State.WAITING,
        completed_at=None,
    ).update(opens_at=clock.now(), closes_at=None, reason="simulated: the pause was left out")


def answer(
    *,
    study: Study,
    taste: Taste,
    n_annotators: int,
    booklets_each: int = 0,
    progress: Callable[[Answered], None] = lambda so_far: None,
) -> Answered:
    """Let simulated people join and answer until no place is left for them.

    `booklets_each` limits how many booklets one answers; 0 leaves it to the study.
    """
    prepare_places(study)
    done = Answered()
    people: list[tuple[int, Annotator, Assignment]] = []
    for number in range(1, n_annotators + 1):
        try:
            joined = assignments.join(
                study=study,
                nonce=keys.new_nonce(),
                consent=studies.current_consent(study),
                source=Source.SIMULATED,
            )
        except NothingLeftError:
            break
        joined.annotator.instructed_at = clock.now()
        joined.annotator.save(update_fields=["instructed_at"])
        people.append((number, joined.annotator, joined.assignment))
    done.n_annotators = len(people)

    # In rounds, so that the first person does not take every booklet.
    round_number = 1
    while people:
        for number, annotator, assignment in people:
            # One transaction a booklet: thousands of answers need no fsync each.
            with transaction.atomic():
                done.n_answers += _answer_booklet(annotator, assignment, taste, number)
            done.n_booklets += 1
            progress(done)
        if round_number == booklets_each:
            break
        round_number += 1
        people = _next_booklets(people)
    return done


def _next_booklets(
    people: list[tuple[int, Annotator, Assignment]],
) -> list[tuple[int, Annotator, Assignment]]:
    following = []
    for number, annotator, _ in people:
        try:
            assignment = assignments.claim_another(annotator=annotator)
        except NothingLeftError:
            continue
        following.append((number, annotator, assignment))
    return following


def _answer_booklet(
    annotator: Annotator, assignment: Assignment, taste: Taste, person: int
) -> int:
    """All phases of a booklet, without the pause between them."""
    assignment.annotator = annotator
    n_answers = 0
    while True:
        run = phases.latest(assignment)
        questions = run.questions.select_related("tuple", "turn__context").prefetch_related(
            "tuple__members__item"
        )
        for question in questions.order_by("screen", "position"):
            said, shown = _answer(taste, question, run, person)
            judgments.record(
                assignment=assignment,
                question=question,
                answer=said,
                shown=shown,
                idempotency_key=uuid5(_NAMESPACE, f"{assignment.pk}/{question.pk}"),
            )
            n_answers += 1
        assignment = assignments.submit(assignment=assignment)
        if assignment.state != Assignment.State.WAITING:
            return n_answers
        skip_pause(annotator.study)


def _answer(taste: Taste, question: Question, run: PhaseRun, person: int) -> tuple[Answer, Shown]:
    asked = taste.read(question, run.assignment)
    shown = Shown(
        order=asked.options,
        at=clock.now(),
        page="simulated",
        scale=taste.scale,
        run=screens.run_to_tell_apart(run),
        categories=taste.categories,
    )
    return taste.answer(asked, person=person), shown
