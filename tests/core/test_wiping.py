"""On PostgreSQL, what was withdrawn leaves the tables' files soon, and nobody waits for that."""

from datetime import timedelta

import pytest
import time_machine
from django.db import connection

from annotation.answering.services import withdrawal
from annotation.basics import clock
from annotation.core.services import throttle, wiping
from annotation.models import Judgment, WipeRequest
from annotation.people.tasks import erase_personal_data
from tests.support.answering import answer_one
from tests.support.factories import join, make_open_study

WORDS = "Ada Lovelace of Ockham Park"


def n_dead(table: str) -> int:
    """Rows that are deleted and still in the file, counted by reading it."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pgstattuple")
        cursor.execute("SELECT dead_tuple_count FROM pgstattuple(%s)", [table])
        return cursor.fetchone()[0]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_after_a_withdrawal_the_tables_are_vacuumed() -> None:
    joined = join(make_open_study(dialogues=1))
    answer_one(joined.assignment, joined.assignment.booklet.questions.first(), comment=WORDS)
    table = Judgment._meta.db_table
    assert not wiping.vacuum_if_requested()
    withdrawal.withdraw(annotator=joined.annotator)
    assert n_dead(table) > 0

    erase_personal_data()

    assert n_dead(table) == 0
    assert not wiping.vacuum_if_requested()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_request_waits_for_a_worker_however_long() -> None:
    with time_machine.travel(clock.now() - timedelta(days=3), tick=False):
        wiping.wipe()

    throttle.forget_old()

    assert wiping.vacuum_if_requested()
    assert not wiping.vacuum_if_requested()


@pytest.mark.django_db
def test_nothing_is_vacuumed_in_a_transaction_or_elsewhere() -> None:
    joined = join(make_open_study(dialogues=1))
    withdrawal.withdraw(annotator=joined.annotator)
    WipeRequest.objects.create()

    assert not wiping.vacuum_if_requested()
