"""The rows of one screen, each asked for by its key: as few joins as will do, nothing unused."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.basics.reviewed import Reviewed
from annotation.core.queries.prepared import Prepared
from annotation.core.shown_items import question_of
from annotation.kinds.question_rows import Document, Incident, Option, QuestionRows, RatedText
from annotation.models import (
    Assignment,
    Draft,
    Item,
    Judgment,
    Member,
    Phase,
    PhaseRun,
    Question,
    Turn,
)

PACE_OF = 20  # how many of the latest answers tell how fast somebody is


def _count(rows: QuerySet[Any], column: str) -> Coalesce:
    """How many rows fit, as a subquery."""
    count = rows.order_by().values(column).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(count), 0)


def _questions(**filters: int) -> QuerySet[Question]:
    return (
        Question.objects.filter(**filters)
        .select_related("block__phase", "tuple__pool")
        # Checks stand among the questions of another block.
        .order_by("position", "block__number")
    )


_QUESTIONS = Prepared(
    lambda booklet, phase, number: _questions(booklet=booklet, block__phase=phase, screen=number)
)
# Those drawn for one person.
_OWN_QUESTIONS = Prepared(
    lambda assignment, phase, number: _questions(
        assignment=assignment, block__phase=phase, screen=number
    )
)
_ITEMS = Prepared(
    lambda items: (
        Item.objects.filter(pk__in=items)
        .order_by("pk")
        .values_list(
            "pk",
            "metadata",
            "derived_from_id",
            "target_text",
            "target_turn__text",
            "target_turn_id",
            "target_turn__context_id",
            "candidate_text",
            "candidate_turn__text",
            "candidate_turn_id",
            "candidate_turn__context_id",
        )
    )
)
_OPTIONS = Prepared(
    lambda tuples: (
        Member.objects.filter(tuple__in=tuples)
        .order_by("tuple_id", "position")
        .values_list(
            "tuple_id",
            "item_id",
            "item__key",
            "item__candidate_text",
            "item__candidate_turn__text",
            "item__target_text",
            "item__target_turn__text",
            "item__target_turn_id",
        )
    )
)
_TURNS = Prepared(
    lambda contexts: Turn.objects.filter(context__in=contexts).order_by("context_id", "position")
)
# Of selection questions: the turn that is asked about, and every turn of its incident.
_ASKED_TURNS = Prepared(
    lambda turns: (
        Turn.objects.filter(pk__in=turns)
        .order_by("pk")
        .values_list("pk", "context_id", "context__group_id")
    )
)
_INCIDENTS = Prepared(
    lambda groups: (
        Turn.objects.filter(context__group__in=groups)
        .order_by("context_id", "position")
        .values_list("context__group_id", "context_id", "context__key", "pk", "text")
    )
)
_JUDGMENTS = Prepared(
    lambda assignment, questions: (
        Judgment.objects.current()
        .filter(assignment=assignment, question__in=questions)
        .order_by("pk")
    )
)
_DRAFTS = Prepared(
    lambda assignment, questions: Draft.objects.filter(
        assignment=assignment, question__in=questions
    ).order_by("pk")
)
_ACTIVE_MS = Prepared(
    lambda assignment: (
        Judgment.objects.current()
        .filter(assignment=assignment, active_ms__isnull=False)
        .order_by("-pk")
        .values_list("active_ms")[:PACE_OF]
    )
)
# Two plain counts by an index. Counting the questions that have an answer would look for one per
# question.
_COUNTS = Prepared(
    lambda assignment: Assignment.objects.filter(pk=assignment).values_list(
        _count(Question.objects.filter(booklet=OuterRef("booklet")), "booklet"),
        _count(_complete_judgments(), "assignment"),
    )
)
# If there are several phases they have to be told apart, which takes a look at each answer; and
# anybody who has questions of their own has them counted, too.
_COUNTS_OF_PHASE = Prepared(
    lambda assignment, phase, same_assignment, same_phase, phase_again: Assignment.objects.filter(
        pk=assignment
    ).values_list(
        _count(
            Question.objects.filter(booklet=OuterRef("booklet"), block__phase=phase),
            "booklet",
        ),
        _count(
            Question.objects.filter(assignment=same_assignment, block__phase=same_phase),
            "assignment",
        ),
        _count(_complete_judgments().filter(question__block__phase=phase_again), "assignment"),
    )
)


def _complete_judgments() -> QuerySet[Judgment]:
    """Of an assignment: complete answers that are not being changed."""
    drafted = Draft.objects.filter(
        assignment=OuterRef("assignment"), question=OuterRef("question")
    )
    return Judgment.objects.current().filter(assignment=OuterRef("pk")).exclude(Exists(drafted))


def screen_questions(run: PhaseRun, number: int) -> list[QuestionRows]:
    """The questions of one screen of a phase with everything they show: three queries."""
    assignment = run.assignment
    if number > assignment.booklet.n_screens:
        return _with_rows(_OWN_QUESTIONS.objects(assignment.pk, run.phase_id, number))
    return booklet_questions(assignment.booklet_id, run.phase_id, number)


def booklet_questions(booklet: int, phase: int, number: int) -> list[QuestionRows]:
    """The same of a booklet that nobody has."""
    return _with_rows(_QUESTIONS.objects(booklet, phase, number))


def _with_rows(questions: list[Question]) -> list[QuestionRows]:
    tuples = [question.tuple for question in questions if question.tuple]
    options = _options([row.pk for row in tuples])
    items = {row[0]: row[1:] for row in _ITEMS.rows([q.item_id for q in questions if q.item_id])}
    # Context-free questions show no context, so none is read for them.
    contexts: set[int | None] = set()
    for question in questions:
        if question.block.phase.condition == Phase.Condition.FREE:
            continue
        if question.tuple:
            contexts.add(question.tuple.pool.context_id)
        elif question.item_id:
            contexts |= {items[question.item_id][5], items[question.item_id][9]}
    turns: dict[int | None, list[Turn]] = defaultdict(list)
    for turn in _TURNS.objects(sorted(pk for pk in contexts if pk)):
        turns[turn.context_id].append(turn)
    incidents = _incidents([q.turn_id for q in questions if q.turn_id])
    rows = []
    for question in questions:
        row = question.tuple
        if row:
            shown = turns[row.pool.context_id] if row.pool.context_id in contexts else []
            rows.append(QuestionRows(question, row.number, options[row.pk], shown))
        elif question.item_id:
            stored, derived_from, *texts = items[question.item_id]
            metadata = _as_dict(stored)
            rows.append(
                QuestionRows(
                    question,
                    texts=_texts(texts, turns),
                    above=question_of(metadata),
                    # A file may have the same name for something of its own.
                    beside=_beside(metadata) if derived_from else None,
                )
            )
        elif question.turn_id:
            rows.append(QuestionRows(question, incident=incidents[question.turn_id]))
    return rows


def _incidents(turns: list[int]) -> dict[int, Incident]:
    """The incident of each of these turns of summaries."""
    turn_rows = _ASKED_TURNS.rows(turns)
    documents: dict[int, dict[int, Document]] = defaultdict(dict)
    for group, context, key, turn, text in _INCIDENTS.rows(sorted({row[2] for row in turn_rows})):
        documents[group].setdefault(context, Document(key)).turns.append((turn, text))
    return {
        turn: Incident(
            documents[group][summary],
            [report for context, report in documents[group].items() if context != summary],
        )
        for turn, summary, group in turn_rows
    }


def _as_dict(metadata: str | dict[str, Any]) -> dict[str, Any]:
    # Asked for past the model's field, SQLite gives JSON as it is stored.
    known = json.loads(metadata) if isinstance(metadata, str) else metadata
    return known if isinstance(known, dict) else {}


def _beside(metadata: dict[str, Any]) -> Reviewed | None:
    """What is known of a reviewed item, if it is to be seen: as a rule nobody sees a score."""
    reviewed = Reviewed.of(metadata)
    return reviewed if reviewed and reviewed.is_shown and reviewed.value is not None else None


def _texts(row: Sequence[Any], turns: dict[int | None, list[Turn]]) -> list[RatedText]:
    texts = []
    for text, turn_text, turn, context in (row[:4], row[4:]):
        if text is None and turn_text is None:
            continue  # a study of single texts has no target
        shown = turns.get(context, [])
        texts.append(RatedText(turn_text if text is None else text, turn, shown))
    return texts


def _options(tuples: list[int]) -> dict[int, list[Option]]:
    by_question = defaultdict(list)
    for pk, item, key, text, turn_text, target, target_turn_text, target_turn in _OPTIONS.rows(
        tuples
    ):
        by_question[pk].append(
            Option(
                pk=item,
                key=key,
                text=turn_text if text is None else text,
                target=(target_turn_text or "") if target is None else target,
                target_turn=target_turn,
            )
        )
    return by_question


def current_judgments(assignment: Assignment, questions: Iterable[int]) -> list[Judgment]:
    return _JUDGMENTS.objects(assignment.pk, list(questions))


def drafts(assignment: Assignment, questions: Iterable[int]) -> list[Draft]:
    return _DRAFTS.objects(assignment.pk, list(questions))


def counts(assignment: int, phase: int | None) -> tuple[int, int]:
    """How many questions there are, and how many answers are complete and not changing.

    `phase`: None if the design has only one.
    """
    if phase is None:
        rows: list[tuple[int, int]] = _COUNTS.rows(assignment)
        return rows[0]
    of_booklet, own, answered = _COUNTS_OF_PHASE.rows(assignment, phase, assignment, phase, phase)[
        0
    ]
    return of_booklet + own, answered


def latest_active_ms(assignment: Assignment) -> list[int]:
    """The active milliseconds of the latest answers that have some."""
    return [active_ms for (active_ms,) in _ACTIVE_MS.rows(assignment.pk)]
