"""How a paper's tables and figures are looked for: on pages, in TSV files, in LaTeX."""

import csv
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

Check = Callable[[Any], None]


def check_all(subtests: pytest.Subtests, checks: Mapping[str, Check], study: Any) -> None:
    """Run every check under the name of its table or figure: one that fails hides no other."""
    for name, check in checks.items():
        with subtests.test(name):
            check(study)


def read_tsv(archive: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of one table of an export or a release."""
    with zipfile.ZipFile(archive) as files:
        text = files.read(name).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def read_text(archive: Path, name: str) -> str:
    """Return one text file of an export or a release, such as tables.tex."""
    with zipfile.ZipFile(archive) as files:
        return files.read(name).decode("utf-8")


def of_days(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Rows of an export as a release has them: of moments, the day alone."""
    return [
        {name: cell[:10] if name.endswith("_at") else cell for name, cell in row.items()}
        for row in rows
    ]
