"""A measure that needs a model, computed by a process of its own: python -m scoring.neural score.

So that what libraries print, or a machine without the packages, does not concern this process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from scoring.arrays import FloatArray
from scoring.baselines.pairs import Pair
from scoring.baselines.specification import Specification
from shell import InputError

COMMAND: tuple[str, ...] = (sys.executable, "-m", "scoring.neural")
REPOSITORY = Path(__file__).resolve().parents[2]


def model_values(
    specification: Specification,
    pairs: Sequence[Pair],
    *,
    folder: Path,
    store: Path,
    models: Path | None,
    progress: Callable[[float], None],
) -> FloatArray:
    """Compute a measure of `scoring.neural`.

    Parameters
    ----------
    specification : Specification
    pairs : sequence of Pair, length n
    folder : path
        For the files of the request; it is there and empty.
    store : path
        Folder of the vectors that are kept.
    models : path or None
        Folder of models.
    progress : callable
        Told the share that is done.

    Returns
    -------
    float array, shape (n,)
        Nan where there is no value.

    Raises
    ------
    InputError
        With what the process says: a model or the packages are missing, a setting is unknown.
    """
    request, values = folder / "request.json", folder / "values.npy"
    pairs_file = folder / "pairs.jsonl"
    with pairs_file.open("w", encoding="utf-8") as file:
        for pair in pairs:
            row = {
                "first": pair.first,
                "second": pair.second,
                "first_context": pair.first_context,
                "second_context": pair.second_context,
            }
            file.write(json.dumps(row) + "\n")
    request.write_text(
        json.dumps(
            {
                "measure": specification.measure,
                "settings": dict(specification.settings),
                "pairs": str(pairs_file),
                "values": str(values),
                "store": str(store.absolute()),
                "models": "" if models is None else str(models.absolute()),
            }
        ),
        encoding="utf-8",
    )
    with (folder / "errors").open("w+b") as errors:
        # It ends when its input is closed, which we never write to: so it ends with us.
        with subprocess.Popen(  # noqa: S603 - our own command
            [*COMMAND, "score", str(request)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": _path()},
        ) as process:
            assert process.stdout is not None  # it is a pipe
            for line in process.stdout:
                if (share := _share(line)) is not None:
                    progress(share)
        errors.seek(0)
        complaints = errors.read().decode(errors="replace").strip().splitlines()
    if process.returncode:
        last = complaints[-1] if complaints else f"status {process.returncode}"
        raise InputError(f"{specification.measure}: {last.removeprefix('error: ')}")
    loaded: FloatArray = np.load(values, allow_pickle=False)
    return loaded


def _path() -> str:
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(REPOSITORY), *([inherited] if inherited else [])])


def _share(line: bytes) -> float | None:
    """The progress that a line tells; None if it tells something else."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    share = message.get("progress") if isinstance(message, dict) else None
    return float(share) if isinstance(share, (int, float)) else None
