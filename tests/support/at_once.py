"""Several people in one moment, each with a database connection of their own (PostgreSQL)."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection, connections, transaction

from annotation.basics.errors import AnnotationError

_SECONDS = 60


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each call answers or is refused with; all begin in one moment, in any order."""
    gate, answers = threading.Barrier(len(calls)), []

    def run(call: Callable[[], Any]) -> None:
        try:
            gate.wait(_SECONDS)
            answers.append(call())
        except AnnotationError as error:
            answers.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * _SECONDS)
    return answers


def waiting(second: Callable[[], Any], *, first: Callable[[], Any]) -> Any:
    """What `second` answers or is refused with, that comes before `first` is committed.

    It must wait for a lock: one that finds nothing to wait for is a failure, so that a test of
    two in one moment says something whenever it runs.
    """
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.extend(at_once([second])))
    try:
        with transaction.atomic():
            first()
            thread.start()
            until_somebody_waits(thread)
    finally:
        if thread.ident is not None:
            thread.join(2 * _SECONDS)
    # Nothing is there where it was refused by an error that no page expects.
    [answer] = answers
    return answer


def until_somebody_waits(thread: threading.Thread) -> None:
    """Return once the thread waits for a lock of the database."""
    with connection.cursor() as cursor:
        while thread.is_alive():
            # Else a transaction sees what it saw first.
            cursor.execute("select pg_stat_clear_snapshot()")
            cursor.execute(
                "select 1 from pg_stat_activity where datname = current_database()"
                " and wait_event_type = 'Lock'"
            )
            if cursor.fetchone():
                return
    raise AssertionError("the second was done before the first, and has waited for nobody")
