"""Keep annotators' keys and signed launches out of every log."""

import logging
import re

# The key is the bearer of the right to answer. It is known by its shape, because it also comes in
# damaged addresses, and by its place in a path, because a part of one is nothing for a log either.
# There a percent sign may stand for its dash.
_KEY = re.compile(r"(?:(?<=/a/)[\w~%-]{8,}|[0-9A-HJKMNP-TV-Z]{12}-[\w-]{20,})", re.IGNORECASE)


# A platform's signature over a launch lets its holder in for as long as it is young.
_SIGNED_LAUNCH = re.compile(r"(?<=prolific_token=)[^&\s\"']+")


def masked(text: str) -> str:
    return _SIGNED_LAUNCH.sub("…", _KEY.sub("…", text))


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
