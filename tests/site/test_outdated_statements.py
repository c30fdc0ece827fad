"""Prepared statements that PostgreSQL no longer carries out, on a connection that is kept."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection, transaction

from annotation.core.queries.statements import Statement
from annotation.models import Study, Turn
from tests.support import factories
from tests.support.annotating import Participant, watched

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

WIDEN = "ALTER TABLE annotation_study ALTER COLUMN title TYPE varchar(250)"
NARROW = "ALTER TABLE annotation_study ALTER COLUMN title TYPE varchar(200)"
RESETS = ["DISCARD ALL", "DEALLOCATE ALL"]


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def statements() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements WHERE name LIKE 'likeness%'")
        return {name for (name,) in cursor.fetchall()}


def study_statement() -> Statement:
    return Statement("SELECT {study} FROM annotation_study AS study WHERE id = %s", study=Study)


@pytest.fixture
def title_as_before() -> Iterator[None]:
    yield
    execute(NARROW)


@pytest.mark.usefixtures("title_as_before")
def test_a_page_is_shown_after_a_column_changed_its_type() -> None:
    mine = Participant(factories.make_open_study())
    assert mine.get("s/1/").status_code == 200
    before = statements()
    assert before

    execute(WIDEN)

    assert mine.get("s/1/").status_code == 200
    # The server keeps none that nobody will ask for.
    assert not before & statements()


@pytest.mark.parametrize("reset", RESETS)
def test_a_page_is_shown_after_the_connection_was_reset(reset: str) -> None:
    mine = Participant(factories.make_open_study())
    assert mine.get("s/1/").status_code == 200

    execute(reset)

    assert mine.get("s/1/").status_code == 200


@pytest.mark.usefixtures("title_as_before")
@pytest.mark.parametrize("change", [WIDEN, *RESETS])
def test_inside_a_transaction_only_the_first_query_fails(change: str) -> None:
    study = factories.make_study()
    found = study_statement()
    titles = Statement("SELECT title FROM annotation_study WHERE id = %s")
    assert found.first(study.pk) == [study]
    assert titles.rows(study.pk) == [[study.title]]
    kept = connection.connection

    execute(change)

    with pytest.raises(DatabaseError), transaction.atomic():
        found.first(study.pk)
    for _ in range(2):
        with transaction.atomic():
            assert found.first(study.pk) == [study]
            assert titles.rows(study.pk) == [[study.title]]
    close_old_connections()
    assert connection.connection is kept


def test_another_error_is_not_asked_about_again() -> None:
    factories.make_study(dialogues=1)
    by_key = Statement("SELECT {turn} FROM annotation_turn AS turn WHERE id = %s", turn=Turn)

    with watched() as queries, pytest.raises(DatabaseError, match="out of range"):
        by_key.first(2**70)

    sent = [query["sql"] for query in queries.captured_queries]
    assert len([sql for sql in sent if sql.startswith("EXECUTE")]) == 1


def test_what_the_server_never_does_is_refused_and_leaves_the_connection_well() -> None:
    study = factories.make_study(dialogues=1)
    # PostgreSQL refuses to lock these rows with the SQLSTATE that a changed plan has, too.
    never = Statement("SELECT DISTINCT id FROM annotation_turn WHERE id = %s FOR UPDATE")
    found = study_statement()

    with pytest.raises(DatabaseError, match="DISTINCT"), transaction.atomic():
        never.first(1)

    assert found.first(study.pk) == [study]


ASK = """
from django.db import connection
from annotation.core.queries.statements import Statement

Statement("SELECT id FROM annotation_turn WHERE id = %s").first(1)
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM pg_prepared_statements")
    print(cursor.fetchone()[0])
"""


@pytest.mark.parametrize(("pooled", "n_statements"), [("0", 1), ("1", 0)])
def test_behind_a_pool_nothing_is_prepared(pooled: str, n_statements: int) -> None:
    ours = connection.settings_dict
    url = f"postgres://{ours['USER']}:{ours['PASSWORD']}@{ours['HOST']}:{ours['PORT']}/{ours['NAME']}"
    done = subprocess.run(
        [sys.executable, settings.BASE_DIR / "manage.py", "shell", "-v0", "-c", ASK],
        env={**os.environ, "DATABASE_URL": url, "DATABASE_POOLED": pooled},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == n_statements
