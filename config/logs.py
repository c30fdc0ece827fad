"""Keep keys, launches and invitations out of every log, and say once that a disk is full."""

import logging
import re
from time import monotonic

from annotation.basics.full_disk import is_disk_full

# The key is the bearer of the right to answer. It is known by its shape, because it also comes in
# damaged addresses, and by its place in a path, because a part of one is nothing for a log either.
# There a percent sign may stand for its dash.
_KEY = re.compile(r"(?:(?<=/a/)[\w~%-]{8,}|[0-9A-HJKMNP-TV-Z]{12}-[\w-]{20,})", re.IGNORECASE)


# A platform's signature over a launch lets its holder in for as long as it is young.
_SIGNED_LAUNCH = re.compile(r"(?<=prolific_token=)[^&\s\"']+")

# Whoever has the link of an invitation sets the password of that account.
_INVITATION = re.compile(r"(?<=/invitation/)[^\s\"']+")


def masked(text: str) -> str:
    return _INVITATION.sub("…", _SIGNED_LAUNCH.sub("…", _KEY.sub("…", text)))


class MaskKeys(logging.Filter):
    """Replaces the key in a record's message, its arguments and its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = masked(record.getMessage())
        record.args = ()
        if record.exc_info:
            if not record.exc_text:
                record.exc_text = logging.Formatter().formatException(record.exc_info)
            record.exc_text = masked(record.exc_text)
        return True


class FullDisk(logging.Filter):
    """One line a minute instead of the traceback of everything that could not be stored.

    It is all the alert there is: no other can be stored or sent from a full disk.
    """

    PAUSE_SECONDS = 60

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._told_at: float | None = None
        self._n_untold = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.exc_info or not is_disk_full(record.exc_info[1]):
            return True
        now = monotonic()
        if self._told_at is not None and now - self._told_at < self.PAUSE_SECONDS:
            self._n_untold += 1
            return False
        record.levelno, record.levelname = logging.CRITICAL, "CRITICAL"
        record.msg = (
            "THE DISK IS FULL: nothing can be stored until there is space again (docs/limits.md)."
            " %s failures since the last such line; now: %s"
        )
        record.args = (self._n_untold, " ".join(str(record.exc_info[1]).split()))
        record.exc_info = record.exc_text = None
        self._told_at, self._n_untold = now, 0
        return True
