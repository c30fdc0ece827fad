import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from tuples import make_tuples
from tuples.__main__ import main

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, content: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tuples", *arguments],
        cwd=ROOT,
        input=content,
        capture_output=True,
        check=False,
        # The locale of a container: what is read and written is UTF-8 all the same.
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    )


def refusal(*arguments: str, content: bytes = b"") -> str:
    """Said in this process: one of its own takes half a second."""
    given, output, errors = (io.TextIOWrapper(io.BytesIO(one)) for one in (content, b"", b""))
    with (
        patch.object(sys, "stdin", given),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        status = main(list(arguments))

    assert (status, output.buffer.getvalue()) == (1, b"")
    said = errors.buffer.getvalue()
    assert said.count(b"\n") == 1
    return said.decode().removeprefix("error: ").rstrip("\n")


def test_writes_the_tuples_of_the_seed(tmp_path: Path) -> None:
    items = ["Grüße", "Děkuji", "a b", '"quoted"', "=1+1", "-"]
    file = tmp_path / "items.txt"
    file.write_bytes("\n".join(items).encode())

    done = run(str(file), "--size", "3", "--factor", "1.5", "--seed", "4")

    assert (done.returncode, done.stderr) == (0, b"")
    written = [line.split("\t") for line in done.stdout.decode().splitlines()]
    expected = np.array(items)[make_tuples(6, size=3, factor=1.5, seed=4)]
    assert written == expected.tolist()


def test_reads_the_input_and_windows_line_ends() -> None:
    unix = run("-", "--size", "2", "--seed", "0", content=b"a\nb\nc\nd\ne\n")
    windows = run("-", "--size", "2", "--seed", "0", content=b"\xef\xbb\xbfa\r\nb\r\nc\r\nd\r\ne")

    assert unix.returncode == 0
    assert unix.stdout == windows.stdout
    assert b"\r" not in unix.stdout


def test_writes_a_certificate(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"

    run(
        "-",
        "--seed",
        "9",
        "--certificate",
        str(file),
        content=b"\n".join(b"%d" % i for i in range(40)),
    )

    figures = json.loads(file.read_text(encoding="utf-8"))
    assert (figures["seed"], figures["n_items"], figures["n_tuples"]) == (9, 40, 80)
    assert figures["distance_from_bound"] == 0
    assert "No pair of items appears together in more than one tuple." in figures["sentences"]


def test_explains_itself() -> None:
    done = run("--help")

    assert done.returncode == 0
    assert b"example:" in done.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there are no items"),
        (b"\n", "line 1: empty; each line holds one item"),
        (b"a\n\nb\n", "line 2: empty; each line holds one item"),
        (b"a\n \r\nb\n", "line 2: empty; each line holds one item"),
        (b"a\nb\nc\nb\n", "line 4: 'b' is already on line 2"),
        (b"a\nb\r\nb", "line 3: 'b' is already on line 2"),
        (b"a\nb\xff\n", "line 2: not UTF-8 (invalid start byte)"),
        (
            b"a\tb\nc\n",
            "line 1: a tab in an item; it could not be told from the separators of the output",
        ),
        (
            b"a\nc\0\n",
            "line 2: NUL in an item; it could not be told from the separators of the output",
        ),
        (
            b"a\rb\nc\n",
            "line 1: a carriage return in an item; it could not be told from the separators of "
            "the output",
        ),
        (
            b"a\nb\nc\nd\ne\n",
            "5 items give only 5 distinct tuples of 4, but factor 2 asks for 10: use factor 1, "
            "or tuples of 3 (10 exist)",
        ),
    ],
)
def test_wrong_items_are_refused_with_their_line(content: bytes, message: str) -> None:
    assert refusal("-", "--seed", "1", content=content) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "--seed", "1", "--size", "x"], "argument --size: invalid int value: 'x'"),
        (["-", "--seed", "1", "--factor", "two"], "argument --factor: invalid float value: 'two'"),
        (["-", "--seed", "-1"], "argument --seed: '-1' is not a whole number of 0 or more"),
        (["-"], "the following arguments are required: --seed"),
        (["-", "--seed", "1", "--sized", "3"], "unrecognized arguments: --sized 3"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(arguments: list[str], message: str) -> None:
    assert refusal(*arguments, content=b"a\nb\n") == f"{message} (see --help)"


def test_a_missing_file_is_refused() -> None:
    assert refusal("no/such", "--seed", "1") == "cannot read no/such: No such file or directory"


def test_a_certificate_that_cannot_be_written_is_refused_before_the_tuples() -> None:
    message = refusal(
        "-", "--size", "2", "--seed", "1", "--certificate", "no/such", content=b"a\nb\nc\nd\ne\n"
    )

    assert message == "cannot write no/such: No such file or directory"


@pytest.mark.slow
def test_a_reader_may_stop_early() -> None:
    content = b"\n".join(b"%d" % i for i in range(20_000))
    with subprocess.Popen(
        [sys.executable, "-m", "tuples", "-", "--seed", "1"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stdin
        assert command.stdout
        assert command.stderr
        command.stdin.write(content)
        command.stdin.close()
        command.stdout.readline()
        command.stdout.close()

        assert command.stderr.read() == b""
        assert command.wait() == 0


def test_importing_loads_numpy_only() -> None:
    program = (
        "import sys, tuples; "
        "print(*{'scipy', 'pandas', 'django', 'torch', 'celery'} & sys.modules.keys())"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True
    )

    assert done.stdout.strip() == b""
