"""Pairs that are drawn from two columns of texts."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.imports import items

WORDS = ["red", "blue", "green", "stone", "river", "cloud"]


def _columns(path: Path) -> Path:
    """Texts that share from none to all but one of their words; one is there twice."""
    lines = ["target\tcandidate"]
    for n in range(6):
        right = " ".join([*WORDS[:n], *(f"w{n}{k}" for k in range(6 - n))])
        lines.append(f"{' '.join(WORDS)} t{n} {'x' * 20 * n}\t{right}")
    path.write_text("\n".join([*lines, "\tW00 w01 w02  w03 w04 w05"]), encoding="utf-8")
    return path


def _sample(file: Path, output: Path, *more: str) -> dict[str, object]:
    said = StringIO()
    call_command(
        "sample_pairs",
        str(file),
        *("--pairs", "5", "--seed", "3", "--bins", "5", "--output", str(output), "--json", *more),
        stdout=said,
        stderr=StringIO(),
    )
    found: dict[str, object] = json.loads(said.getvalue())
    return found


def test_pairs_are_drawn_by_command_and_can_be_imported(tmp_path: Path) -> None:
    file = _columns(tmp_path / "columns.tsv")

    figures = _sample(file, tmp_path / "one.tsv")
    _sample(file, tmp_path / "two.tsv")

    assert (figures["n_drawn"], figures["n_duplicate_candidates"]) == (5, 1)
    assert figures["duplicate_candidates"] == [
        {
            "left_out": "W00 w01 w02  w03 w04 w05",
            "for": "w00 w01 w02 w03 w04 w05",
            "similarity": 1.0,
            "exact": True,
        }
    ]
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "two.tsv").read_bytes()
    parsed = items.read(
        tmp_path / "one.tsv", filename="one.tsv", kind="rating", limit_bytes=1_000_000
    )
    assert len(parsed.items) == 5


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (b"", (), "the first column has no text"),
        (b"one\ttwo\tthree\n", (), "3 columns, but two are needed"),
        (b"\xff\xfe\tb\n", (), "UTF-8"),
        (b"same\tSame\n", (), "No pair can be drawn"),
        (b"a\tb\n", ("--near", "0"), "must be above 0"),
        (b"a\tb\n", ("--bins", "0"), "n_bins is 0"),
        (b"a\tb\n", ("--seed", "-1"), "seed is -1"),
    ],
)
def test_what_is_wrong_is_said_and_no_table_is_written(
    tmp_path: Path, content: bytes, more: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "columns.tsv"
    file.write_bytes(content)

    with pytest.raises(CommandError, match=said):
        _sample(file, tmp_path / "out.tsv", *more)

    assert not (tmp_path / "out.tsv").exists()
