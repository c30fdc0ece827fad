"""Measures that need a model, computed by a process of its own: this one never imports torch.

The process reads a request, writes its values into a file, and says on its standard output how far
it is. It ends when its standard input is closed, and so when we die.
"""

import json
import logging
import math
import os
import re
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from django.conf import settings

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, translated
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs
from annotation.core.services.model_environment import environment
from annotation.models import Job
from scoring.arrays import FloatArray
from scoring.baselines import Pair, Specification
from shell.messages import Message, of_data

logger = logging.getLogger("annotation.baselines")

# What its arguments follow.
COMMAND: tuple[str, ...] = (sys.executable, "-m", "scoring.neural")
# By which the process says that the request cannot be done; its last line says why.
REFUSED = 2
# It is asked to end; after so long it is killed.
SECONDS_TO_END = 10
# Of what it wrote on standard error, in bytes: the end says what went wrong.
_KEPT_OF_ERRORS = 20_000
_SECONDS_BETWEEN = 0.5
# A process that says nothing for so long, such as one that reads a model, is asked no question,
# but whoever listens is told again: the job may have been cancelled.
SECONDS_OF_SILENCE = 5.0
_LONGEST = 60
# Characters of the columns for a device and a revision.
_LONGEST_TEXT = 100
# Folders without a job that were touched within so many seconds may be those of a job's start.
_SECONDS_LEFT = 600


# How many texts were encoded now, and how many were kept from before, for whichever study: who may
# not see those studies must not be told, else anybody could ask which texts they have.
OF_ALL_STUDIES = ("n_encoded", "n_kept")

Progress = Callable[[float, Message | None], None]


class BrokenProcessError(Exception):
    """The process ended otherwise than it is meant to; the log says how."""


@dataclass(frozen=True, eq=False)
class Computed:
    """Values in the order of the pairs, and what is known of how they came about."""

    values: FloatArray
    revision: str = ""
    device: str = ""
    seconds: float | None = None
    figures: dict[str, Any] = field(default_factory=dict)


def compute(
    specification: Specification,
    pairs: Sequence[Pair],
    *,
    folder: Path,
    progress: Progress,
    **more: str,
) -> Computed:
    """Let the process compute one measure of these pairs; `folder` is for its files.

    `more`: further parts of the request.

    Raises AnnotationError with what the process says where it cannot be done;
    BrokenProcessError where it ended otherwise.
    """
    pairs_file, values_file = folder / "pairs.jsonl", folder / "values.npy"
    write_pairs(pairs_file, pairs)
    values_file.unlink(missing_ok=True)
    done = converse(
        "score",
        {
            "measure": specification.measure,
            "settings": dict(specification.settings),
            "pairs": str(pairs_file),
            "values": str(values_file),
            **more,
        },
        folder=folder,
        progress=progress,
    )
    return computed(done, values_file, len(pairs))


def computed(done: dict[str, Any], values_file: Path, n: int) -> Computed:
    """What the process has said that it has done, with the values that it wrote."""
    figures: dict[str, Any] = done["figures"] if isinstance(done.get("figures"), dict) else {}
    # How many texts were computed for it, and how many were kept from before.
    for name in OF_ALL_STUDIES:
        if name in done:
            figures = {name: done[name], **figures}
    return Computed(
        read_array(values_file, (n,)),
        revision=text_of(done, "revision"),
        device=text_of(done, "device"),
        seconds=_number(done.get("seconds")),
        figures=figures,
    )


def text_of(done: dict[str, Any], name: str) -> str:
    """A text or message of what the process says at the end; a text fits into its column."""
    text = done.get(name) or ""
    return text if isinstance(text, Message) else str(text)[:_LONGEST_TEXT]


def write_pairs(path: Path, pairs: Sequence[Pair]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for pair in pairs:
            row = {
                "first": pair.first,
                "second": pair.second,
                "first_context": pair.first_context,
                "second_context": pair.second_context,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def converse(
    command: str, request: dict[str, Any], *, folder: Path, progress: Progress
) -> dict[str, Any]:
    """Run one command of the process with this request and return what it says at the end.

    Whatever `progress` raises ends the process. Raises as `compute` does.
    """
    request_file = folder / "request.json"
    folders = {"store": str(_made(settings.DATA / "vectors")), "models": str(settings.MODELS)}
    request_file.write_text(json.dumps({**folders, **request}), encoding="utf-8")
    with (folder / "errors.txt").open("w+b") as errors:
        # Its input stays open as long as we live; nothing is ever written into it.
        process = subprocess.Popen(  # noqa: S603 - a fixed command, and a file that we wrote
            [*COMMAND, command, str(request_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=settings.BASE_DIR,
            env=environment(),
        )
        assert process.stdout is not None  # it is a pipe
        with _ended(process):
            last_line = _listen(process.stdout, progress)
            status = process.wait()
        problem = _end_of(errors)
    if status == REFUSED and isinstance(refusal := last_line.get("refused"), str):
        logger.info("%s %s was refused: %s", COMMAND, command, refusal)
        raise AnnotationError(translated(without_our_folders(refusal)))
    if status != 0 or not isinstance(done := last_line.get("done"), dict):
        logger.error("%s %s ended with status %s: %s", COMMAND, command, status, problem)
        raise BrokenProcessError(f"status {status}")
    return done


def told(run: jobs.Run, name: str = "", *, low: float = 0.0, high: float = 1.0) -> Progress:
    """Tells a job's watchers of a part of its way, from `low` to `high`."""
    return paced(run.progress, name, low=low, high=high)


def paced(
    watcher: Callable[[float, Said], None], name: str = "", *, low: float = 0.0, high: float = 1.0
) -> Progress:
    """Tells a watcher of a part of the way, from `low` to `high`.

    Each word is a write, and a small model says one a hundred times a second: some are left out.
    """
    said_at = -math.inf

    def progress(share: float, message: Message | None = None) -> None:
        nonlocal said_at
        if time.monotonic() - said_at < _SECONDS_BETWEEN:
            return
        said_at = time.monotonic()
        # Both fit into their column, however they are written there.
        what: Said = translated(message.with_texts(_short)) if message else ""
        sentence: Said = _short(name) if name else what
        if name and message:
            sentence = _("%(name)s: %(message)s") % {"name": _short(name), "message": what}
        watcher(low + (high - low) * min(max(share, 0.0), 1.0), sentence)

    return progress


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def without_our_folders(message: str) -> str:
    """What the process says, for people who need not know where on this machine things lie."""
    if isinstance(message, Message):
        return message.with_texts(_without_our_folders)
    return _without_our_folders(message)


def _without_our_folders(text: str) -> str:
    hub = os.environ.get("HF_HUB_CACHE") or os.environ.get("HF_HOME")
    ours = {
        settings.MODELS: "<models>",
        settings.DATA: "<data>",
        Path(hub or Path.home() / ".cache" / "huggingface"): "<hub>",
        settings.BASE_DIR: "<likeness>",
        Path.home(): "~",
    }
    # A folder before that in which it lies.
    for folder, name in sorted(ours.items(), key=lambda entry: -len(str(entry[0]))):
        for written in {str(folder.resolve()), str(folder)} - {"/"}:
            text = re.sub(rf"(?<![\w.~>-]){re.escape(written)}(?![\w.-])", name, text)
    return text


@contextmanager
def own_folder(run: jobs.Run) -> Iterator[Path]:
    """A folder for the files of this run, gone afterwards; what dead workers left goes now."""
    every = _made(settings.DATA / "baselines")
    # Listed first: a job that starts meanwhile has its folder after that.
    there = list(every.iterdir())
    running = Job.objects.filter(state=Job.State.RUNNING).values_list("run_token", flat=True)
    alive = {run.token.hex, *(token.hex for token in running if token)}
    for left in there:
        if left.name not in alive and _is_old(left):
            shutil.rmtree(left, ignore_errors=True)
    folder = _made(every / run.token.hex)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_old(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > _SECONDS_LEFT
    except FileNotFoundError:
        # Its own job, or another, has removed it.
        return False


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


@contextmanager
def _ended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """See that the process is gone afterwards, also where something is raised meanwhile."""
    with process:
        try:
            yield
        except BaseException:
            process.terminate()
            try:
                process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
            raise


def _listen(output: IO[bytes], progress: Progress) -> dict[str, Any]:
    """Pass on what it says until it ends; the line in which it says what it has done, or why not.

    That line is empty where it says neither.
    """
    last_line: dict[str, Any] = {}
    last: tuple[float, Message | None] = (0.0, None)
    for line in _lines(output):
        if line is None:
            progress(*last)
            continue
        answer = _object(line)
        if "done" in answer or "refused" in answer:
            last_line = answer
        elif (share := _number(answer.get("progress"))) is not None:
            message = answer.get("message")
            last = share, message if isinstance(message, Message) else None
            progress(*last)
        else:
            # A library that prints is no reason to give up; what is missing at the end is.
            logger.warning("not of the protocol: %r", line[:200])
    return last_line


def _lines(output: IO[bytes]) -> Iterator[bytes | None]:
    """Its lines as they come; None each time that it has said nothing for a while."""
    begun = b""
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            if not selector.select(SECONDS_OF_SILENCE):
                yield None
                continue
            # Not by the file's own buffer, of whose lines the selector knows nothing.
            read = os.read(output.fileno(), 65_536)
            if not read:
                break
            *lines, begun = (begun + read).split(b"\n")
            yield from lines
    if begun:
        yield begun


def _object(line: bytes) -> dict[str, Any]:
    try:
        document = json.loads(line, object_hook=of_data)
    except (ValueError, KeyError, TypeError):
        return {}
    return document if isinstance(document, dict) else {}


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None


def _end_of(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(size - _KEPT_OF_ERRORS, 0))
    return errors.read().decode(errors="replace").strip()


def read_array(path: Path, shape: tuple[int | None, ...]) -> FloatArray:
    """An array that the process wrote; None: whatever length it has there.

    Raises BrokenProcessError where it is another one, or none.
    """
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        logger.exception("the values cannot be read")
        raise BrokenProcessError("no values") from error
    fits = len(values.shape) == len(shape) and all(
        wanted in (None, n) for wanted, n in zip(shape, values.shape, strict=True)
    )
    if not fits or values.dtype != np.float64 or np.isinf(values).any():
        logger.error("shape %s and type %s, not %s", values.shape, values.dtype, shape)
        raise BrokenProcessError("other values than were asked for")
    array: FloatArray = values
    return array
