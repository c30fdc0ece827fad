"""Erased text leaves the files of the database.

A deleted row stays in them for a while: on SQLite in the write-ahead log until that is written
back, on PostgreSQL in the tables until they are vacuumed.
"""

import logging

from django.apps import apps
from django.db import connection

from annotation.models import WipeRequest

logger = logging.getLogger(__name__)


def wipe() -> None:
    """After an erasure: write SQLite's log back; on PostgreSQL, request a vacuum."""
    if connection.vendor == "postgresql":
        # A worker does it, so that a person who withdraws does not wait for it.
        WipeRequest.objects.create()
    elif connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            # Most of it is written back while others go on; emptying it keeps them waiting.
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def vacuum_if_requested() -> bool:
    """Vacuum the tables if something was erased since the last time; others go on meanwhile.

    Returns whether it was done. Not in a transaction, which PostgreSQL refuses.
    """
    requests = list(WipeRequest.objects.values_list("pk", flat=True))
    if not requests or connection.vendor != "postgresql" or connection.in_atomic_block:
        return False
    tables = [model._meta.db_table for model in apps.get_app_config("annotation").get_models()]
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"VACUUM {connection.ops.quote_name(table)}")
    _warn_of_refusals()
    WipeRequest.objects.filter(pk__in=requests).delete()
    return True


def _warn_of_refusals() -> None:
    """PostgreSQL refuses to vacuum somebody else's table by a notice, not by an error."""
    notices = connection.connection.notices
    if any("VACUUM" in line.upper() and "permission" in line.lower() for line in notices):
        logger.warning(
            "The database's role may not vacuum all tables, so what was withdrawn or erased stays"
            " in their files until autovacuum comes: let the tables' owner run VACUUM, or make"
            " the role their owner. PostgreSQL says: %s",
            "".join(notices).strip(),
        )
    notices.clear()
