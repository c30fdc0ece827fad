"""Queries that are written once: the same rows as the ORM finds, for every argument."""

from uuid import uuid4

import django
import psycopg2
import pytest
from django.db import connection, transaction
from django.db.models import query
from django.db.transaction import TransactionManagementError

from annotation.answering.services import assignments
from annotation.core.queries import prepared as prepared_queries
from annotation.core.queries.prepared import Prepared
from annotation.models import Assignment, Booklet, Judgment, Question, Turn
from tests.support import factories
from tests.support.annotating import Participant, watched
from tests.support.answering import answer_one

pytestmark = pytest.mark.django_db


def test_every_argument_finds_its_own_rows() -> None:
    factories.make_open_study(dialogues=4)
    of_booklet = Prepared(
        lambda booklet, screen: (
            Question.objects.filter(booklet=booklet, screen=screen)
            .select_related("tuple__pool")
            .order_by("pk")
        )
    )

    for booklet in Booklet.objects.all():
        for screen in (1, 2):
            expected = Question.objects.filter(booklet=booklet, screen=screen).order_by("pk")
            assert of_booklet.objects(booklet.pk, screen) == list(expected)


def test_related_objects_come_with_the_row_and_cost_no_query() -> None:
    factories.make_open_study()
    booklet = Booklet.objects.first()
    assert booklet is not None
    prepared = Prepared(
        lambda pk: Question.objects.filter(booklet=pk).select_related("tuple__pool__context")
    )

    with watched() as queries:
        keys = [q.tuple.pool.context.key for q in prepared.objects(booklet.pk)]

    assert len(keys) > 1
    assert len(queries) == 1


def test_lists_of_different_lengths_are_different_queries() -> None:
    factories.make_study(dialogues=3)
    prepared = Prepared(lambda pks: Turn.objects.filter(pk__in=pks).order_by("pk"))
    turns = list(Turn.objects.order_by("pk"))

    for n in (1, 3, 2, len(turns)):
        assert prepared.objects([turn.pk for turn in turns[:n]]) == turns[:n]


def test_an_empty_list_finds_nothing_without_asking() -> None:
    prepared = Prepared(lambda pks: Turn.objects.filter(pk__in=pks))

    with watched() as queries:
        assert prepared.objects([]) == []

    assert not queries.captured_queries


def test_a_text_is_compared_as_it_is() -> None:
    study = factories.make_study(slug="it-s-50%-done")
    prepared = Prepared(lambda slug: type(study).objects.filter(slug=slug))

    assert prepared.first("it-s-50%-done") == study
    assert prepared.first("%s") is None


def test_rows_are_tuples_with_the_columns_asked_for() -> None:
    factories.make_study(dialogues=1)
    turn = Turn.objects.order_by("pk")[0]
    prepared = Prepared(lambda pk: Turn.objects.filter(pk=pk).values_list("position", "text"))

    assert prepared.rows(turn.pk) == [(1, turn.text)]


def test_an_argument_that_the_orm_changes_is_refused() -> None:
    # LIKE wants "%" around the text and a mark before those inside it.
    prepared = Prepared(lambda text: Turn.objects.filter(text__contains=text))

    with pytest.raises(LookupError, match="does not reach its SQL as it is"):
        prepared.objects("50%")


@pytest.mark.django_db(transaction=True)
def test_a_query_is_asked_again_over_a_new_connection() -> None:
    factories.make_study(dialogues=1)
    turn = Turn.objects.order_by("pk")[0]
    prepared = Prepared(lambda pk: Turn.objects.filter(pk=pk))
    assert prepared.first(turn.pk) == turn

    connection.close()

    assert prepared.first(turn.pk) == turn


@pytest.mark.postgres
def test_postgresql_is_sent_plain_statements_where_connections_are_pooled() -> None:
    factories.make_study(dialogues=1)
    turn = Turn.objects.order_by("pk")[0]
    prepared = Prepared(lambda pk: Turn.objects.filter(pk=pk))

    with watched() as kept:
        assert prepared.first(turn.pk) == turn
    connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"] = True
    try:
        with watched() as plain:
            assert prepared.first(turn.pk) == turn
    finally:
        connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"] = False

    assert kept.captured_queries[0]["sql"].startswith("EXECUTE")
    assert plain.captured_queries[0]["sql"].startswith("SELECT")


def test_queries_are_prepared_for_this_version_of_django() -> None:
    assert prepared_queries.fits_django(), (
        f"Django {django.__version__} is not the one that queries were prepared for: they are"
        " right, but slow. If everything else passes on SQLite and on PostgreSQL with this check"
        " left out, write the version into annotation/core/queries/prepared.py."
    )
    assert prepared_queries.IS_USED


def test_another_django_is_asked_ordinary_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(django, "VERSION", (6, 0, 0, "final", 0))
    assert not prepared_queries.fits_django()


def test_a_django_without_what_is_needed_is_asked_ordinary_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(query, "ModelIterable")
    assert not prepared_queries.fits_django()


def test_ordinary_queries_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    factories.make_study(dialogues=1)
    turns = list(Turn.objects.order_by("pk"))
    found = Prepared(lambda pks: Turn.objects.filter(pk__in=pks).order_by("pk"))
    texts = Prepared(lambda pk: Turn.objects.filter(pk=pk).values_list("text"))
    monkeypatch.setattr(prepared_queries, "IS_USED", False)
    # What is private in Django must not even be touched.
    monkeypatch.delattr(Prepared, "_compiler")

    assert found.objects([turn.pk for turn in turns]) == turns
    with watched() as queries:
        assert found.objects([]) == []
        assert texts.rows(turns[0].pk) == [(turns[0].text,)]
    assert len(queries) == 1


def test_a_uuid_is_compared_as_the_database_has_it() -> None:
    mine = Participant(factories.make_open_study())
    question, key = mine.questions()[0], uuid4()
    stored = answer_one(mine.assignment, question, key=key)
    by_key = Prepared(lambda key: Judgment.objects.filter(idempotency_key=key))

    assert by_key.first(key) == stored
    assert by_key.first(uuid4()) is None


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_row_is_locked_inside_a_transaction_only() -> None:
    factories.make_study(dialogues=1)
    turn = Turn.objects.order_by("pk")[0]
    locked = Prepared(lambda pk: Turn.objects.filter(pk=pk).select_for_update())

    for _ in range(2):
        with pytest.raises(TransactionManagementError):
            locked.first(turn.pk)
        # From here on the SQL is known; the next turn must refuse all the same.
        with transaction.atomic():
            assert locked.first(turn.pk) == turn


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

    # The first time the statement is written, the second time only its arguments are new.
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
