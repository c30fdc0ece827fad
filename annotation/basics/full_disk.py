"""Whether an exception says that a disk is full, which only the operator can mend, or a database
held by somebody else, which passes.
"""

import errno
import sqlite3
from collections.abc import Callable

RETRY_AFTER_SECONDS = 60

_ERRNOS = {errno.ENOSPC, errno.EDQUOT}
# The second is raised by the first process that opens a database in WAL mode on a full disk.
_SQLITE_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
# The code of PostgreSQL's error disk_full.
_PGCODE = "53100"


def is_disk_full(error: BaseException | None) -> bool:
    """Whether the exception, or one that led to it, is of a file or database without space."""
    return _is_or_led_to(error, _says_full)


def is_database_held(error: BaseException | None) -> bool:
    """Whether the exception, or one that led to it, is of SQLite's one writer taking too long."""
    return _is_or_led_to(error, _says_held)


def _is_or_led_to(error: BaseException | None, says_so: Callable[[BaseException], bool]) -> bool:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        if says_so(cause):
            return True
        waiting += [cause.__cause__, cause.__context__]
    return False


def _says_held(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", None) if isinstance(error, sqlite3.Error) else None
    # The lower byte is the error, the others say more of it.
    return code is not None and code & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _says_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _ERRNOS
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) in _SQLITE_CODES
    return getattr(error, "pgcode", None) == _PGCODE
