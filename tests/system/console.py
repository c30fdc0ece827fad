"""A process that runs one management command after the other, as `manage.py` does.

Each line that comes in is a list of words; each that goes out says how the command ended and what
it printed. Django is started once, which takes longer than most of the commands.
"""

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout

from django.core.management import execute_from_command_line


def main() -> None:
    # What a command writes past Python must not stand among the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        status, out, errors = 0, io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors):
            try:
                execute_from_command_line(["manage.py", *json.loads(line)])
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else int(end.code is not None)
            except BaseException:  # noqa: BLE001 - whoever asked is told
                status = 1
                sys.excepthook(*sys.exc_info())
        answers.write(json.dumps([status, out.getvalue(), errors.getvalue()]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
