"""Locks in one order: the study, its assignments, a visit, a place."""

from django.db import connection
from django.db.transaction import TransactionManagementError

from annotation.models import Study


def lock_study(study_id: int) -> Study:
    """Hold the study's row until the end of the transaction and return it as it is now.

    On SQLite the transaction itself is the lock (BEGIN IMMEDIATE). On PostgreSQL the weaker
    NO KEY lock lets rows that refer to the study be inserted meanwhile. Raises
    TransactionManagementError outside of a transaction, also where the database would not.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("A study is locked within a transaction only.")
    return Study.objects.select_for_update(no_key=True).get(pk=study_id)
