"""Locks in one order: the study, then its assignments, then a place."""

from annotation.models import Study


def lock_study(study_id: int) -> Study:
    """Hold the study's row until the end of the transaction and return it as it is now.

    On SQLite the transaction itself is the lock (BEGIN IMMEDIATE). On PostgreSQL the weaker
    NO KEY lock lets rows that refer to the study be inserted meanwhile.
    """
    return Study.objects.select_for_update(no_key=True).get(pk=study_id)
