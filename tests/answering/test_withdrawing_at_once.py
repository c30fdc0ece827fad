"""Somebody withdraws while an answer of theirs is being saved: nothing is dated afterwards."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from annotation.answering.services import withdrawal
from annotation.basics.errors import AssignmentClosedError
from annotation.models import Assignment, Judgment
from tests.support.answering import answer_one
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def in_thread(work: Callable[[], Any]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def wait_until_a_lock_is_waited_for() -> None:
    until = time.monotonic() + 60
    with connection.cursor() as cursor:
        while time.monotonic() < until:
            # Else a transaction sees what it saw first.
            cursor.execute("select pg_stat_clear_snapshot()")
            cursor.execute(
                "select 1 from pg_stat_activity where datname = current_database()"
                " and wait_event_type = 'Lock'"
            )
            if cursor.fetchone():
                return
    raise AssertionError("nobody waits")


def test_an_answer_that_was_on_its_way_is_not_dated_after_the_withdrawal(clock: Clock) -> None:
    joined = join(make_open_study())
    question = joined.assignment.booklet.questions.first()

    # The assignment is held as `save` holds it, before the answer gets its date.
    with transaction.atomic():
        Assignment.objects.select_for_update(no_key=True).get(pk=joined.assignment.pk)
        withdrawing = in_thread(lambda: withdrawal.withdraw(annotator=joined.annotator))
        wait_until_a_lock_is_waited_for()
        clock.move(seconds=2)
        answer_one(joined.assignment, question)
    withdrawing.join(60)

    joined.annotator.refresh_from_db()
    judgment = Judgment.objects.get()
    assert judgment.best is None
    assert judgment.withdrawn_at == joined.annotator.withdrawn_at
    assert judgment.answered_at <= judgment.withdrawn_at


def test_an_answer_that_comes_while_somebody_withdraws_is_refused(clock: Clock) -> None:
    joined = join(make_open_study())
    question = joined.assignment.booklet.questions.first()
    refusals: list[AssignmentClosedError] = []

    def save() -> None:
        try:
            answer_one(joined.assignment, question)
        except AssignmentClosedError as error:
            refusals.append(error)

    with transaction.atomic():
        withdrawal.withdraw(annotator=joined.annotator)
        saving = in_thread(save)
        wait_until_a_lock_is_waited_for()
        clock.move(seconds=2)
    saving.join(60)

    assert len(refusals) == 1
    assert not Judgment.objects.exists()
