"""What was deleted stands in the database's own files for a while.

On SQLite in the write-ahead log until that is written back, on PostgreSQL in the tables until they
are vacuumed.
"""

import logging

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection

from annotation.models import Throttle
from annotation.services import throttle

logger = logging.getLogger(__name__)

# A row that says that something was emptied since the tables were vacuumed.
_MARK = "emptied"


def empty() -> None:
    """After something was emptied for good: write the log back, or have the tables vacuumed."""
    if connection.vendor == "postgresql":
        # A worker does it: whoever withdraws does not wait for it.
        throttle.write_one(bucket=_MARK)
    elif connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            # Most of it is written back while others go on; emptying it keeps them waiting.
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def vacuum_emptied() -> bool:
    """Vacuum the tables if something was emptied since the last time; others go on meanwhile.

    Returns whether it was done. Not in a transaction, which PostgreSQL refuses.
    """
    marks = list(Throttle.objects.filter(bucket=_MARK).values_list("pk", flat=True))
    if not marks or connection.vendor != "postgresql" or connection.in_atomic_block:
        return False
    tables = [model._meta.db_table for model in apps.get_app_config("annotation").get_models()]
    with connection.cursor() as cursor:
        for table in [*tables, LogEntry._meta.db_table]:
            cursor.execute(f"VACUUM {connection.ops.quote_name(table)}")
    _tell_refusals()
    Throttle.objects.filter(pk__in=marks).delete()
    return True


def _tell_refusals() -> None:
    """Who does not own a table is not told by an error."""
    notices = connection.connection.notices
    if any("VACUUM" in line.upper() and "permission" in line.lower() for line in notices):
        logger.warning(
            "The database's role may not vacuum all tables, so what was withdrawn or erased stays"
            " in their files until autovacuum comes: let the tables' owner run VACUUM, or make"
            " the role their owner. PostgreSQL says: %s",
            "".join(notices).strip(),
        )
    notices.clear()
