"""Whether an exception says that a disk is full, which only the operator can mend."""

import errno
import sqlite3

RETRY_AFTER_SECONDS = 60

_ERRNOS = {errno.ENOSPC, errno.EDQUOT}
# The second is raised by the first process that opens a database in WAL mode on a full disk.
_SQLITE_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
# The code of PostgreSQL's error disk_full.
_PGCODE = "53100"


def is_disk_full(error: BaseException | None) -> bool:
    """Whether the exception, or one that led to it, is of a file or database without space."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        if _says_so(cause):
            return True
        waiting += [cause.__cause__, cause.__context__]
    return False


def _says_so(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _ERRNOS
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) in _SQLITE_CODES
    return getattr(error, "pgcode", None) == _PGCODE
