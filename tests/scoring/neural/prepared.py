"""Processes of `python -m scoring.neural` that need not load torch each for itself.

Loading it takes most of what a command with a tiny model takes. One process does so for all tests
of a session, and whoever is asked for is forked from it: still a process with a number, pipes and
an exit status of its own, which can be killed.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from multiprocessing import reduction
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Self

from scoring.neural.__main__ import main

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.scoring.neural.preloaded"])
_PIPE, _DEVNULL = subprocess.PIPE, subprocess.DEVNULL


class PreparedProcess:
    """Of `subprocess.Popen` what those who run these commands use."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str | Path = ".",
        stdin: Any = _PIPE,
        stdout: Any = _PIPE,
        stderr: Any = _PIPE,
        text: bool = False,
        bufsize: int = -1,
    ) -> None:
        python, flag, module, *words = arguments
        assert (python, flag, module) == (sys.executable, "-m", "scoring.neural")
        self.args = arguments
        theirs: list[_End] = []
        ours: list[Any] = []
        for number, wanted in enumerate((stdin, stdout, stderr)):
            if wanted == _PIPE:
                read, write = os.pipe()
                end, kept = (read, write) if number == 0 else (write, read)
                pipe: Any = os.fdopen(kept, "wb" if number == 0 else "rb", bufsize)
                ours.append(TextIOWrapper(pipe) if text else pipe)
                theirs.append(_End(end))
            else:
                file = os.open(os.devnull, os.O_RDWR) if wanted == _DEVNULL else None
                theirs.append(_End(os.dup(wanted.fileno()) if file is None else file))
                ours.append(None)
        self.stdin, self.stdout, self.stderr = ours
        self._process = _CONTEXT.Process(
            target=_run, args=(words, os.path.abspath(cwd), dict(env), theirs), daemon=True
        )
        self._process.start()
        for end in theirs:
            os.close(end.number)
        self.pid = self._process.pid
        assert self.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        return self.returncode

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pipe in (self.stdout, self.stderr, self.stdin):
            if pipe:
                pipe.close()
        self.wait()


# For modules that start the command by `subprocess`: what they use of it.
SUBPROCESS = SimpleNamespace(
    Popen=PreparedProcess, PIPE=_PIPE, DEVNULL=_DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
)


class _End:
    """The end of a pipe, which the new process gets."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> Any:
        return _detached, (reduction.DupFd(self.number),)


def _detached(sent: Any) -> "_End":
    return _End(sent.detach())


def _run(words: list[str], cwd: str, env: dict[str, str], ends: list[_End]) -> None:
    for number, end in enumerate(ends):
        os.dup2(end.number, number)
        os.close(end.number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate(("r", "w", "w"))
    )
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(one, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.exit(main(words))
