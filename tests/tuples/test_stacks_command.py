import json
import subprocess
import sys
from pathlib import Path

import pytest

from tuples.stacks import make_stacks

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "tuples.stacks", *arguments],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )


def test_writes_a_stack_a_line_and_a_certificate(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    numbers = ["--validators", "8", "--tuples", "3", "--ratings", "2", "--pairs", "4"]

    done = run(
        *numbers,
        *["--arrangement", "grouped", "--teams", "2", "--seed", "5", "--certificate", str(file)],
    )

    assert (done.returncode, done.stderr) == (0, b"")
    header, *lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert header == ["team", "tuple", "pair", "validator_1", "validator_2"]
    stacks = make_stacks(
        8,
        3,
        ratings_per_pair=2,
        pairs_per_tuple=4,
        arrangement="grouped",
        n_teams=2,
        seed=5,
    )
    assert [line[:3] for line in lines[:5]] == [
        ["1", "1", "A"],
        ["1", "1", "B"],
        ["1", "1", "C"],
        ["1", "1", "D"],
        ["1", "2", "A"],
    ]
    assert lines[-1][:3] == ["2", "6", "D"]
    written = [[int(v) - 1 for v in line[3:]] for line in lines]
    assert written == stacks.validators.reshape(-1, 2).tolist()
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert (figures["seed"], figures["n_stacks"], figures["n_conflicts"]) == (5, 24, 0)
    assert "Nobody rates two pairs of one tuple." in figures["sentences"]


def test_the_defaults_are_the_czech_study() -> None:
    done = run("--seed", "1")

    assert done.stdout.count(b"\n") == 151


def test_more_pairs_than_letters_have_numbers() -> None:
    done = run(
        *["--validators", "27", "--tuples", "1", "--ratings", "1", "--pairs", "27", "--seed", "1"]
    )

    assert [line.split(b"\t")[2] for line in done.stdout.splitlines()[1:]] == [
        b"%d" % number for number in range(1, 28)
    ]


def test_explains_itself() -> None:
    done = run("--help")

    assert done.returncode == 0
    assert b"example:" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: --seed (see --help)"),
        (["--seed", "x"], "argument --seed: 'x' is not a whole number of 0 or more (see --help)"),
        (
            ["--seed", "1", "--tuples", "many"],
            "argument --tuples: invalid int value: 'many' (see --help)",
        ),
        (
            ["--seed", "1", "--validators", "20"],
            "20 validators cannot give 9 ratings to each of 3 pairs, since nobody rates two pairs "
            "of a tuple: use at least 27 validators, or at most 6 ratings of each pair",
        ),
        (
            ["--seed", "1", "--certificate", "no/such"],
            "cannot write no/such: No such file or directory",
        ),
    ],
)
def test_wrong_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    done = run(*arguments)

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"error: {message}\n"
