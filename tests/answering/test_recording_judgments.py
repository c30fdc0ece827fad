"""Answers: idempotent, revised and never overwritten, refused when they do not fit."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.answering.services import assignments, judgments
from annotation.basics.errors import AssignmentClosedError, InvalidAnswerError
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.models import Assignment, Draft, Judgment, Question
from tests.support.answering import answer_all, answer_one, draft_one, shown
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    return join(make_open_study()).assignment


@pytest.fixture
def question(assignment: Assignment) -> Question:
    return assignment.booklet.questions.first()


def test_a_resend_is_answered_with_the_stored_judgment(assignment, question) -> None:
    key = uuid4()

    first = answer_one(assignment, question, key=key)
    again = answer_one(assignment, question, key=key, best=2)

    assert again == first
    assert Judgment.objects.count() == 1


def test_a_resend_after_the_submission_is_answered_with_the_stored_judgment(
    assignment, question
) -> None:
    key = uuid4()
    answer_all(assignment)
    stored = answer_one(assignment, question, key=key, best=2)
    assignments.submit(assignment=assignment)

    assert answer_one(assignment, question, key=key, best=2) == stored
    with pytest.raises(AssignmentClosedError, match="already sent these answers"):
        answer_one(assignment, question, best=1, worst=0)


def test_a_change_of_mind_is_a_revision(assignment, question) -> None:
    first = answer_one(assignment, question, best=0, worst=1)
    second = answer_one(assignment, question, best=1, worst=2)

    first.refresh_from_db()
    assert first.superseded_at is not None
    assert list(Judgment.objects.current()) == [second]
    assert Judgment.objects.count() == 2


def test_a_late_resend_of_an_earlier_answer_does_not_undo_the_later_one(
    assignment, question
) -> None:
    early = uuid4()
    answer_one(assignment, question, key=early, best=0, worst=1)
    later = answer_one(assignment, question, best=1, worst=2)

    answer_one(assignment, question, key=early, best=0, worst=1)

    assert list(Judgment.objects.current()) == [later]


def test_without_a_key_of_its_own_going_back_to_the_first_answer_is_a_change(
    assignment, question
) -> None:
    derived = uuid4()
    answer_one(assignment, question, key=derived, key_is_derived=True, best=0, worst=1)
    answer_one(assignment, question, best=1, worst=2)

    answer_one(assignment, question, key=derived, key_is_derived=True, best=0, worst=1)

    current = Judgment.objects.current().get()
    assert current.best_id == judgments.members(question)[0]
    assert Judgment.objects.count() == 3


def test_a_complete_answer_replaces_the_draft(assignment, question) -> None:
    best = judgments.members(question)[0]
    draft_one(assignment, question, best=best)

    answer_one(assignment, question)

    assert not Draft.objects.exists()


def test_a_late_draft_does_not_replace_a_newer_one(assignment, question) -> None:
    first, second, *_ = judgments.members(question)
    for item, sequence in ((second, 2), (first, 1)):
        draft_one(assignment, question, best=item, sequence=sequence)

    assert Draft.objects.get().payload == {"best": second}


def test_another_page_of_the_same_person_may_always_change_the_draft(assignment, question) -> None:
    first, second, *_ = judgments.members(question)
    for page, item, sequence in (("a", first, 9), ("b", second, 1)):
        draft_one(assignment, question, best=item, page=page, sequence=sequence)

    assert Draft.objects.get().payload == {"best": second}


def test_a_cleared_choice_makes_the_question_open_again(assignment) -> None:
    answer_all(assignment)
    question = assignment.booklet.questions.first()
    draft_one(assignment, question)

    with pytest.raises(InvalidAnswerError, match="One question is not complete yet"):
        assignments.submit(assignment=assignment)

    assert Judgment.objects.current().count() == assignment.booklet.questions.count()


def test_a_booklet_with_open_questions_cannot_be_sent(assignment) -> None:
    n_open = assignment.booklet.questions.count()

    with pytest.raises(InvalidAnswerError, match=f"{n_open} questions are not complete"):
        assignments.submit(assignment=assignment)


def test_best_and_worst_must_differ(assignment, question) -> None:
    with pytest.raises(InvalidAnswerError, match="two different options"):
        answer_one(assignment, question, best=0, worst=0)

    assert not Judgment.objects.exists()


def test_an_option_of_another_tuple_is_refused(assignment, question) -> None:
    members = judgments.members(question)
    stranger = (
        question.tuple.pool.study.items.exclude(pk__in=members)
        .values_list("pk", flat=True)
        .first()
    )

    with pytest.raises(InvalidAnswerError, match="options of this question"):
        judgments.record(
            assignment=assignment,
            question=question,
            answer=BestWorstAnswer(members[0], stranger),
            shown=shown(question),
            idempotency_key=uuid4(),
        )

    assert not Judgment.objects.exists()


def test_the_database_refuses_a_best_that_is_the_worst(assignment, question) -> None:
    item = judgments.members(question)[0]

    with pytest.raises(IntegrityError, match="judgment_best_not_worst"), transaction.atomic():
        Judgment.objects.create(
            assignment=assignment,
            question=question,
            kind="best_worst",
            best_id=item,
            worst_id=item,
            idempotency_key=uuid4(),
        )


def test_the_database_refuses_two_current_answers(assignment, question) -> None:
    first = answer_one(assignment, question)

    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.create(
            assignment=assignment,
            question=question,
            kind="best_worst",
            best_id=first.best_id,
            worst_id=first.worst_id,
            idempotency_key=uuid4(),
        )


def test_a_judgment_keeps_what_was_seen(assignment, question) -> None:
    before = timezone.now()

    stored = answer_one(assignment, question, comment="hm\tso")

    assert sorted(stored.shown_order) == sorted(judgments.members(question))
    assert stored.answered_at >= before
    assert stored.comment == "hm\tso"


@pytest.mark.parametrize(
    ("comment", "sentence"), [("x" * 2001, "under 2000 characters"), ("a\x00b", "NUL")]
)
def test_a_comment_that_cannot_be_stored_is_refused(
    assignment, question, comment: str, sentence: str
) -> None:
    with pytest.raises(InvalidAnswerError, match=sentence):
        answer_one(assignment, question, comment=comment)
