"""Commands of `python -m scoring.neural` as the worker starts them: processes of their own."""

import fcntl
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from shell.messages import of_data
from tests.scoring.neural.prepared import PreparedProcess

REPOSITORY = Path(__file__).resolve().parents[3]
# Of Linux: how much of a pipe nobody has read yet before whoever writes has to wait.
SET_PIPE_SIZE = 1031


def _start(command: str, request: dict[str, Any], folder: Path) -> PreparedProcess:
    file = folder / "request.json"
    file.write_text(json.dumps(request))
    return PreparedProcess(
        [sys.executable, "-m", "scoring.neural", command, str(file)],
        cwd=REPOSITORY,
        env=os.environ,
        # Nothing is read ahead of the line that is asked for.
        bufsize=0,
    )


def answered(command: str, request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What the last line of a command says."""
    with _start(command, request, folder) as process:
        assert process.stdout
        assert process.stderr
        # The input stays open, as that of a worker that lives.
        lines = [json.loads(line, object_hook=of_data) for line in process.stdout]
        errors = process.stderr.read()
    assert (process.returncode, errors) == (0, b"")
    done: dict[str, Any] = lines[-1]["done"]
    return done


def killed_at(words: str, command: str, request: dict[str, Any], folder: Path) -> None:
    """Kill a command by its number once its progress or its message has these words.

    It cannot be far ahead of what is read: it has to wait once 4 KB of lines are unread.
    """
    with _start(command, request, folder) as process:
        assert process.stdout
        fcntl.fcntl(process.stdout, SET_PIPE_SIZE, 4096)
        said = ""
        for line in process.stdout:
            said = json.dumps(json.loads(line, object_hook=of_data))
            if words in said:
                break
        assert words in said
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def write_lines(path: Path, objects: list[dict[str, Any]]) -> str:
    """Write a file of JSON Lines; return its path as requests have it."""
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    return str(path)
