"""Simulated people who answer through the services, without a web server."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Max

from annotation.answering.services import assignments, judgments, phases
from annotation.basics import clock, keys
from annotation.basics.errors import AnnotationError, NothingLeftError
from annotation.kinds.answer_kinds import Answer, BestWorstAnswer, LabelAnswer, RatingAnswer
from annotation.kinds.queries.orders import shown_order
from annotation.kinds.services.design_rows import add_places
from annotation.models import Annotator, Assignment, PhaseRun, Place, Question, Study, Turn
from annotation.models.kinds import QuestionKind, Source
from annotation.simulation.choosing import AnyTaste, RatingTaste, SelectionTaste, Taste
from annotation.simulation.labelling import LabelTaste
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
    taste: AnyTaste,
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
    annotator: Annotator, assignment: Assignment, taste: AnyTaste, person: int
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


def _answer(
    taste: AnyTaste, question: Question, run: PhaseRun, person: int
) -> tuple[Answer, judgments.Shown]:
    if isinstance(taste, RatingTaste):
        return _rate(taste, question, run, person)
    if isinstance(taste, SelectionTaste):
        return _select(taste, question, run, person)
    if isinstance(taste, LabelTaste):
        return _label(taste, question, run, person)
    return _pick(taste, question, run, person)


def _pick(
    taste: Taste, question: Question, run: PhaseRun, person: int
) -> tuple[Answer, judgments.Shown]:
    assert question.tuple is not None  # constraint question_best_worst_has_tuple
    assignment = run.assignment
    order = shown_order(
        [(member.item.key, member.item_id) for member in question.tuple.members.all()],
        seed=assignment.booklet.design.seed,
        pseudonym=assignment.annotator.pseudonym,
        tuple_number=question.tuple.number,
    )
    best, worst = taste.pick(order, person=person, question=question.tuple.number)
    shown = judgments.Shown(order=order, at=clock.now(), page="simulated")
    return BestWorstAnswer(best, worst), shown


def _rate(
    taste: RatingTaste, question: Question, run: PhaseRun, person: int
) -> tuple[Answer, judgments.Shown]:
    assert question.item_id is not None  # constraint question_rating_or_label_has_item
    # A pair that is rated again is rated anew.
    rating = taste.rate(question.item_id, person=person, occasion=question.pk)
    shown = judgments.Shown(
        order=(),
        at=clock.now(),
        page="simulated",
        kind=QuestionKind.RATING,
        scale=taste.scale,
        run=run.pk,
    )
    return RatingAnswer(rating), shown


def _label(
    taste: LabelTaste, question: Question, run: PhaseRun, person: int
) -> tuple[Answer, judgments.Shown]:
    assert question.item_id is not None  # constraint question_rating_or_label_has_item
    chosen = taste.label(question.item_id, person=person, occasion=question.pk)
    shown = judgments.Shown(
        order=(),
        at=clock.now(),
        page="simulated",
        kind=QuestionKind.LABEL,
        run=run.pk,
        categories=taste.categories,
    )
    return LabelAnswer(chosen), shown


def _select(
    taste: SelectionTaste, question: Question, run: PhaseRun, person: int
) -> tuple[Answer, judgments.Shown]:
    assert question.turn is not None  # constraint question_selection_has_turn
    own = question.turn.context
    reports = Turn.objects.filter(context__group=own.group_id).exclude(context=own)
    options = list(reports.order_by("context_id", "position").values_list("pk", flat=True))
    shown = judgments.Shown(
        order=options,
        at=clock.now(),
        page="simulated",
        kind=QuestionKind.SELECTION,
        scale=taste.scale,
        run=run.pk,
    )
    return taste.select(question.pk, options, person=person), shown
