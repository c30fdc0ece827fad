"""`python -m scoring.neural score` as the worker starts it: a process of its own."""

import fcntl
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring.baselines import Pair
from scoring.neural.requests import read_pairs
from shell import InputError
from shell.messages import Message, of_data
from tests.scoring.neural.making import ModelFiles, some_pairs
from tests.scoring.neural.plain import plain_cosines
from tests.scoring.neural.prepared import PreparedProcess

REPOSITORY = Path(__file__).resolve().parents[3]


class Command:
    """A request in a folder, and processes that answer it."""

    def __init__(self, folder: Path, models: Path, pairs: list[Pair], **request: Any) -> None:
        self.folder = folder
        self.request = {
            "measure": "bi_encoder",
            "settings": {"model": "bi-encoder"},
            "pairs": str(folder / "pairs.jsonl"),
            "values": str(folder / "values.npy"),
            "store": str(folder / "store"),
            "models": str(models),
            **request,
        }
        lines = [
            json.dumps(
                {
                    "first": pair.first,
                    "second": pair.second,
                    "first_context": pair.first_context,
                    "second_context": pair.second_context,
                }
            )
            for pair in pairs
        ]
        (folder / "pairs.jsonl").write_text("\n".join(lines) + "\n")

    def start(self, *, prepared: bool = False, **environment: str) -> Any:
        path = self.folder / "request.json"
        path.write_text(json.dumps(self.request))
        popen: Any = PreparedProcess if prepared else subprocess.Popen
        return popen(
            [sys.executable, "-m", "scoring.neural", "score", str(path)],
            cwd=REPOSITORY,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def answer(self, **how: Any) -> tuple[int, list[dict[str, Any]], str]:
        """Exit status, lines, and what stands on the standard error."""
        process = self.start(**how)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        with process:
            # The input stays open, as that of a worker that lives.
            lines = [line_of(line) for line in process.stdout]
            errors = process.stderr.read()
            process.wait()
        return process.returncode, lines, errors

    @property
    def values(self) -> np.ndarray:
        found: np.ndarray = np.load(self.folder / "values.npy")
        return found


def line_of(text: str) -> dict[str, Any]:
    """What a line says, with its messages."""
    line: dict[str, Any] = json.loads(text, object_hook=of_data)
    return line


def n_kept(store: Path) -> int:
    (path,) = store.glob("bi-encoder-*.sqlite3")
    base = sqlite3.connect(path)
    n = int(base.execute("SELECT count(*) FROM vectors").fetchone()[0])
    base.close()
    return n


def test_killed_in_the_middle_it_goes_on_where_it_was(models: Path, tmp_path: Path) -> None:
    batch = 2
    pairs = some_pairs(400)
    different = {text for pair in pairs for text in (pair.first, pair.second)}
    command = Command(tmp_path, models, pairs, batch_size=batch)

    process = command.start(prepared=True)
    assert process.stdout
    # The pipe holds a page of lines, a quarter of all: once nobody reads them, the process waits.
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    lines = iter(process.stdout)
    while not line_of(next(lines))["message"].startswith(f"{3 * batch} of "):
        pass
    os.kill(process.pid, signal.SIGKILL)
    said = [line_of(line) for line in process.stdout if line.endswith("}\n")]
    assert process.stdin
    assert process.stderr
    process.stdin.close()
    process.stderr.close()
    process.stdout.close()
    process.wait()

    in_time = n_kept(tmp_path / "store")
    assert process.returncode == -signal.SIGKILL
    assert 3 * batch <= in_time < len(different)
    # What it said it had done is kept, and at most the batch in flight beside it.
    last = int(said[-1]["message"].split()[0].replace(",", "")) if said else 3 * batch
    assert last <= in_time <= last + batch
    assert not (tmp_path / "values.npy").exists()

    status, lines_again, errors = command.answer(prepared=True)

    done = lines_again[-1]["done"]
    assert (status, errors) == (0, "")
    assert (done["n_kept"], done["n_encoded"]) == (in_time, len(different) - in_time)
    assert command.values == pytest.approx(plain_cosines(models / "bi-encoder", pairs), abs=1e-5)
    assert [line["progress"] for line in lines_again[:-1]] == sorted(
        line["progress"] for line in lines_again[:-1]
    )
    assert len(lines_again) > (len(different) - in_time) / batch
    assert set(done) == {"device", "seconds", "revision", "n_encoded", "n_kept", "figures"}


def test_it_ends_when_its_parent_has_gone(tmp_path: Path) -> None:
    command = Command(tmp_path, tmp_path, [])
    # Nobody writes to it: who reads it waits, as for a model that takes long.
    os.remove(tmp_path / "pairs.jsonl")
    os.mkfifo(tmp_path / "pairs.jsonl")

    process = command.start()
    assert process.stdout
    first = line_of(process.stdout.readline())
    _, errors = process.communicate()

    assert first == {"progress": 0.0, "message": "starting"}
    assert process.returncode == 1
    assert errors == "ended, because its standard input was closed\n"


def test_it_ends_at_once_when_it_is_told_to(tmp_path: Path) -> None:
    command = Command(tmp_path, tmp_path, [])
    os.remove(tmp_path / "pairs.jsonl")
    os.mkfifo(tmp_path / "pairs.jsonl")

    process = command.start()
    assert process.stdout
    assert process.stdin
    assert process.stderr
    with process:
        process.stdout.readline()
        process.terminate()
        errors = process.stderr.read()
        process.wait()

    assert (process.returncode, errors) == (-signal.SIGTERM, "")


@pytest.mark.slow
def test_where_nothing_is_new_the_last_line_is_said_again(tmp_path: Path) -> None:
    command = Command(tmp_path, tmp_path, [])
    os.remove(tmp_path / "pairs.jsonl")
    os.mkfifo(tmp_path / "pairs.jsonl")

    process = command.start()
    assert process.stdout
    lines = [process.stdout.readline() for _ in range(3)]
    process.communicate()

    assert lines[1] == lines[2] == lines[0]


def test_without_the_packages_the_remedy_is_said(model_file: ModelFiles, tmp_path: Path) -> None:
    # A package of that name that cannot be imported, found before any that can.
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('not here')\n")
    (tmp_path / "sentence_transformers.py").write_text("import torch\n")
    command = Command(tmp_path, model_file.models, some_pairs(2), settings={"model": "some-model"})

    status, lines, errors = command.answer(PYTHONPATH=str(tmp_path))

    assert status == 2
    assert "done" not in lines[-1]
    assert errors == (
        "error: The packages that read models are missing here (sentence_transformers: not here):"
        " run `make models` on the machine where the worker runs, then start the worker again.\n"
    )


def test_a_missing_model_costs_one_sentence(tmp_path: Path) -> None:
    command = Command(tmp_path, tmp_path / "models", some_pairs(2))

    status, lines, errors = command.answer()

    assert status == 2
    assert f"put its files into the folder {tmp_path}/models/bi-encoder" in errors
    assert errors.count("\n") == 1
    refusal = lines[-1]["refused"]
    assert isinstance(refusal, Message)
    assert errors == f"error: {refusal}\n"


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"measure": "cosine"}, "asks for the measure 'cosine'; there are bi_encoder, "),
        ({"settings": {}}, "Bi-encoder needs the setting 'model'"),
        ({"settings": {"model": "a", "layer": 3}}, "Bi-encoder has no setting 'layer'"),
        ({"settings": []}, "the settings of the request are no JSON object"),
        ({"batch_size": 0}, "batch_size is a whole number from 1, not 0"),
        ({"layers": "x.npy"}, "only BERTScore has layers"),
        ({"values": ""}, "the request names no 'values'"),
        ({"colour": "red"}, "unknown parts: colour"),
    ],
)
def test_a_wrong_request_costs_one_sentence(
    request_: dict[str, Any], sentence: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from scoring.neural.__main__ import main

    command = Command(tmp_path, tmp_path, [], **request_)
    (tmp_path / "request.json").write_text(json.dumps(command.request))

    status = main(["score", str(tmp_path / "request.json")])

    said = capfd.readouterr()
    assert status == 2
    assert sentence in line_of(said.out)["refused"]
    assert sentence in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("content", [None, b"{", b"[]"])
def test_a_file_that_is_no_request_costs_one_sentence(
    content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from scoring.neural.__main__ import main

    path = tmp_path / "request.json"
    if content is not None:
        path.write_bytes(content)

    assert main(["score", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "line 2: no JSON"),
        ("[1]", "line 2: no JSON object"),
        ('{"first": "a"}', "line 2: 'first' and 'second' must be texts"),
        ('{"first": "a", "second": "b", "first_context": "c"}', "a context must be a list"),
    ],
)
def test_a_wrong_pair_is_named_by_its_line(line: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(f'{{"first": "a", "second": "b"}}\n{line}\n')

    with pytest.raises(InputError, match=sentence):
        read_pairs(path)


def test_the_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    from scoring.neural.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(["score", "--help"])

    assert ended.value.code == 0
    assert "python -m scoring.neural score request.json" in capsys.readouterr().out
