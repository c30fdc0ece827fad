"""The ZIP that an export is: its members, written as they are read, and their check sums."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from annotation.exports import tables
from annotation.exports.columns import Column
from annotation.exports.release_facts import ReleaseFacts
from annotation.models import Design, Study
from annotation.queries.answers import Population
from annotation.queries.exporting import Cell, iso

# Fixed, so that the same data give the same bytes; 1980 is where ZIP's calendar begins.
_DATE = (1980, 1, 1, 0, 0, 0)
_BUFFER = 1 << 16


Progress = Callable[[float, str], None]
# Between two words about how far it is.
_ROWS = 2000


def quietly(share: float, message: str) -> None:
    """Nobody watches."""


class Archive:
    """One ZIP under way; each kind of study has its own members."""

    def __init__(
        self,
        study: Study,
        design: Design,
        population: Population,
        archive: zipfile.ZipFile,
        spreadsheet: bool,
        *,
        progress: Progress,
        release: ReleaseFacts | None = None,
    ) -> None:
        self.study = study
        self.design = design
        self.population = population
        self.archive = archive
        self.spreadsheet = spreadsheet
        self.progress = progress
        self.release = release
        self.sums: list[str] = []

    def watched(
        self, rows: Iterable[Sequence[Cell]], total: int, name: str, low: float, high: float
    ) -> Iterator[Sequence[Cell]]:
        """The rows, with a word now and then about how far they are."""
        for n, row in enumerate(rows):
            if n % _ROWS == 0:
                self.progress(low + (high - low) * min(n / max(total, 1), 1.0), name)
            yield row

    def table(
        self,
        name: str,
        header: list[Column],
        rows: Iterable[Sequence[Cell]],
        delimiter: str = "\t",
    ) -> None:
        names = [[column.name for column in header]]
        self.member(
            name,
            tables.lines(chain(names, rows), delimiter=delimiter, spreadsheet=self.spreadsheet),
        )

    def study_json(self, facts: dict[str, Any]) -> None:
        # A release is of the moment at which it was made, whenever its file is written.
        moment = {"exported_at": iso(self.release.made_at)} if self.release else {}
        facts = {**facts, **moment}
        self.member("study.json", [json.dumps(facts, ensure_ascii=False, indent=1), "\n"])

    def member(self, name: str, texts: Iterable[str]) -> None:
        entry = zipfile.ZipInfo(name, _DATE)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3  # Unix, wherever it is written
        entry.external_attr = 0o644 << 16
        digest = hashlib.sha256()
        # How long it will be is not known when its header is written.
        with self.archive.open(entry, "w", force_zip64=True) as member:
            for piece in _pieces(texts):
                digest.update(piece)
                member.write(piece)
        self.sums.append(f"{digest.hexdigest()}  {name}\n")


def _pieces(texts: Iterable[str]) -> Iterator[bytes]:
    """UTF-8 in pieces of some size: compressing line by line would take twice the time."""
    held: list[str] = []
    length = 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length >= _BUFFER:
            yield "".join(held).encode()
            held, length = [], 0
    yield "".join(held).encode()
