"""Statements written by hand: the same rows and objects as the ORM finds, for every argument."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg2
import pytest
from django.db import connection, models, transaction
from django.db.transaction import TransactionManagementError

from annotation import models as ours
from annotation.answering.services import assignments
from annotation.core.queries.statements import Statement, columns
from annotation.models import Assignment, Design, Judgment, Phase, Pool, Question, Study, Turn
from tests.support import factories
from tests.support.annotating import Participant, watched
from tests.support.answering import answer_one

pytestmark = pytest.mark.django_db

TURNS = Statement(
    "SELECT {turn} FROM annotation_turn AS turn WHERE id IN (%s) ORDER BY id", turn=Turn
)


def values(instance: models.Model) -> dict[str, Any]:
    return {field.attname: getattr(instance, field.attname) for field in instance._meta.fields}


def test_every_argument_finds_its_own_rows() -> None:
    factories.make_open_study(dialogues=4)
    on_screen = Statement(
        "SELECT {question} FROM annotation_question AS question"
        " WHERE booklet_id = %s AND screen = %s ORDER BY id",
        question=Question,
    )

    for booklet in ours.Booklet.objects.all():
        for screen in (1, 2):
            expected = Question.objects.filter(booklet=booklet, screen=screen).order_by("pk")
            assert [row for (row,) in on_screen.rows(booklet.pk, screen)] == list(expected)


@pytest.mark.parametrize(
    "model", ["Study", "Annotator", "Assignment", "PhaseRun", "Phase", "Design", "Judgment"]
)
def test_an_object_has_the_values_that_the_orm_reads(model: str) -> None:
    mine = Participant(factories.make_open_study())
    answer_one(mine.assignment, mine.questions()[0])
    Phase.objects.update(delay=timedelta(days=2, seconds=1), closes_after=None)
    of_model = getattr(ours, model)
    expected = of_model.objects.get()
    every = Statement(f"SELECT {{it}} FROM {of_model._meta.db_table} AS it", it=of_model)

    found = every.first()

    assert found is not None
    assert values(found[0]) == values(expected)
    assert {n: type(v) for n, v in values(found[0]).items()} == {
        n: type(v) for n, v in values(expected).items()
    }
    # It is one that saving updates.
    assert not found[0]._state.adding


def test_several_objects_and_further_columns_come_in_one_row() -> None:
    factories.make_study(dialogues=1)
    both = Statement(
        "SELECT {pool}, {study}, 1 + 1 FROM annotation_pool AS pool"
        " LEFT JOIN annotation_study AS study ON study.id = pool.study_id AND study.id = %s",
        pool=Pool,
        study=Study,
    )
    pool = Pool.objects.get()

    assert both.rows(pool.study_id) == [[pool, pool.study, 2]]
    assert both.rows(0) == [[pool, None, 2]]


def test_a_column_that_is_left_out_is_read_when_it_is_asked_for() -> None:
    factories.make_open_study()
    design = Design.objects.get()
    short = Statement(
        "SELECT {design} FROM annotation_design AS design",
        design=columns(Design, but=("certificate",)),
    )

    with watched() as queries:
        [(found,)] = short.rows()
    assert "certificate" not in queries.captured_queries[0]["sql"]
    assert found.certificate == design.certificate


def test_lists_of_different_lengths_are_different_statements() -> None:
    factories.make_study(dialogues=3)
    turns = list(Turn.objects.order_by("pk"))

    for n in (1, 3, 2, len(turns)):
        assert [row for (row,) in TURNS.rows([turn.pk for turn in turns[:n]])] == turns[:n]


def test_an_empty_list_finds_nothing_without_asking() -> None:
    with watched() as queries:
        assert TURNS.rows([]) == []

    assert not queries.captured_queries


def test_a_text_is_compared_as_it_is() -> None:
    study = factories.make_study(slug="it-s-50%-done")
    of_slug = Statement(
        "SELECT {study} FROM annotation_study AS study WHERE slug = %s", study=Study
    )

    assert of_slug.first("it-s-50%-done") == [study]
    assert of_slug.first("%s") is None
    assert of_slug.first("' OR '1' = '1") is None


def test_a_uuid_is_compared_as_the_database_has_it() -> None:
    mine = Participant(factories.make_open_study())
    question, key = mine.questions()[0], uuid4()
    stored = answer_one(mine.assignment, question, key=key)
    by_key = Statement(
        "SELECT {judgment} FROM annotation_judgment AS judgment WHERE idempotency_key = %s",
        judgment=Judgment,
    )

    assert by_key.first(key) == [stored]
    assert by_key.first(uuid4()) is None


@pytest.mark.django_db(transaction=True)
def test_a_statement_is_asked_again_over_a_new_connection() -> None:
    factories.make_study(dialogues=1)
    turn = Turn.objects.order_by("pk")[0]
    assert TURNS.first([turn.pk]) == [turn]

    connection.close()

    # Inside a transaction what fails is not asked again.
    with transaction.atomic():
        assert TURNS.first([turn.pk]) == [turn]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_row_is_locked_inside_a_transaction_only() -> None:
    factories.make_study(dialogues=1)
    turn = Turn.objects.order_by("pk")[0]
    locked = Statement(
        "SELECT {turn} FROM annotation_turn AS turn WHERE id = %s", locks="turn", turn=Turn
    )

    for _ in range(2):
        with pytest.raises(TransactionManagementError):
            locked.first(turn.pk)
        # From here on the statement is prepared; the next turn must refuse all the same.
        with transaction.atomic():
            assert locked.first(turn.pk) == [turn]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_saving_holds_the_assignment_and_nothing_else() -> None:
    mine = Participant(factories.make_open_study())
    held = mine.assignment
    tables = {"annotation_assignment": held.pk, "annotation_annotator": held.annotator_id}
    free: dict[tuple[str, str], bool] = {}

    def look(_: Assignment) -> None:
        for table, pk in tables.items():
            for strength in ("NO KEY UPDATE", "KEY SHARE"):
                free[table, strength] = is_free(table, pk, strength)

    # The first time the statement is prepared, the second time it is only carried out.
    for _ in range(2):
        assignments.answering(look, assignment=held.pk, annotator=held.annotator_id)

        assert free == {
            ("annotation_assignment", "NO KEY UPDATE"): False,
            # Rows that refer to it can be inserted meanwhile.
            ("annotation_assignment", "KEY SHARE"): True,
            ("annotation_annotator", "NO KEY UPDATE"): True,
            ("annotation_annotator", "KEY SHARE"): True,
        }


def is_free(table: str, pk: int, strength: str) -> bool:
    """Whether somebody else could lock that row at once."""
    other = psycopg2.connect(**connection.get_connection_params() | {"cursor_factory": None})
    try:
        with other.cursor() as cursor:
            cursor.execute(f'SELECT 1 FROM "{table}" WHERE id = %s FOR {strength} NOWAIT', [pk])
            return True
    except psycopg2.errors.LockNotAvailable:
        return False
    finally:
        other.close()
