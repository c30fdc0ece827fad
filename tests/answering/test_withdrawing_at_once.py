"""Somebody withdraws while an answer of theirs is being saved: nothing is dated afterwards."""

import pytest

from annotation.answering.services import withdrawal
from annotation.basics.errors import AssignmentClosedError
from annotation.models import Assignment, Judgment
from tests.support.answering import answer_one
from tests.support.at_once import waiting
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def test_an_answer_that_was_on_its_way_is_not_dated_after_the_withdrawal(clock: Clock) -> None:
    joined = join(make_open_study())
    question = joined.assignment.booklet.questions.first()

    def store() -> None:
        # Held as by an answer that takes its time and is dated only at the end of it.
        Assignment.objects.select_for_update(no_key=True).get(pk=joined.assignment.pk)
        clock.move(seconds=2)
        answer_one(joined.assignment, question)

    waiting(lambda: withdrawal.withdraw(annotator=joined.annotator), first=store)

    joined.annotator.refresh_from_db()
    judgment = Judgment.objects.get()
    assert judgment.best is None
    assert judgment.withdrawn_at == joined.annotator.withdrawn_at
    assert judgment.answered_at <= judgment.withdrawn_at


def test_an_answer_that_comes_while_somebody_withdraws_is_refused(clock: Clock) -> None:
    joined = join(make_open_study())
    question = joined.assignment.booklet.questions.first()

    answer = waiting(
        lambda: answer_one(joined.assignment, question),
        first=lambda: withdrawal.withdraw(annotator=joined.annotator),
    )

    assert isinstance(answer, AssignmentClosedError)
    assert not Judgment.objects.exists()
