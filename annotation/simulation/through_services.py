"""Simulated people who answer through the services, without a web server."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid5

from django.db import transaction

from annotation import clock, keys
from annotation.answer_kinds import BestWorstAnswer
from annotation.errors import AnnotationError, NothingLeftError
from annotation.models import Annotator, Assignment, Study
from annotation.models.kinds import Source
from annotation.queries.orders import shown_order
from annotation.services import assignments, designs, judgments, studies
from annotation.simulation.choosing import Taste

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
    design = study.design
    designs.add_places(
        booklets=design.booklets.all(),
        source=Source.SIMULATED,
        up_to=design.parameters["annotations_per_tuple"],
    )


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
    seed = assignment.booklet.design.seed
    questions = assignment.booklet.questions.select_related("tuple").prefetch_related(
        "tuple__members__item"
    )
    n_answers = 0
    for question in questions.order_by("screen", "position"):
        assert question.tuple is not None  # constraint question_best_worst_has_tuple
        order = shown_order(
            [(member.item.key, member.item_id) for member in question.tuple.members.all()],
            seed=seed,
            pseudonym=annotator.pseudonym,
            tuple_number=question.tuple.number,
        )
        best, worst = taste.pick(order, person=person, question=question.tuple.number)
        judgments.record(
            assignment=assignment,
            question=question,
            answer=BestWorstAnswer(best, worst),
            shown=judgments.Shown(order=order, at=clock.now(), page="simulated"),
            idempotency_key=uuid5(_NAMESPACE, f"{assignment.pk}/{question.pk}"),
        )
        n_answers += 1
    assignments.submit(assignment=assignment)
    return n_answers
