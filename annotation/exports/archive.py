"""One ZIP with everything about a study, written as it is read."""

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO

from django.conf import settings

from annotation.exports import columns, tables
from annotation.models import Design, Study
from annotation.queries import answers, exporting
from annotation.queries.answers import Population
from annotation.queries.exporting import Cell
from annotation.queries.study_facts import Facts, current_result, study_facts

# Fixed, so that the same data give the same bytes; 1980 is where ZIP's calendar begins.
_DATE = (1980, 1, 1, 0, 0, 0)
_BUFFER = 1 << 16


Progress = Callable[[float, str], None]
# Between two words about how far it is.
_ROWS = 2000


def _quietly(share: float, message: str) -> None:
    """Nobody watches."""


def write_archive(
    study: Study,
    population: Population,
    file: IO[bytes],
    *,
    spreadsheet: bool = False,
    progress: Progress = _quietly,
) -> None:
    """Write the export of one population to a file, which need not be seekable.

    Everything is read from one moment; memory does not grow with the answers.
    """
    with exporting.snapshot(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        study = Study.objects.get(pk=study.pk)
        _Archive(study, study.design, population, archive, spreadsheet, progress=progress).write()


def temporary_archive(
    study: Study, population: Population, *, spreadsheet: bool = False
) -> IO[bytes]:
    """The export as an open file without a name: closing it leaves nothing behind."""
    folder = Path(settings.DATA) / "exports"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - whoever answers closes it
    try:
        write_archive(study, population, file, spreadsheet=spreadsheet)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


class _Archive:
    def __init__(
        self,
        study: Study,
        design: Design,
        population: Population,
        archive: zipfile.ZipFile,
        spreadsheet: bool,
        *,
        progress: Progress,
    ) -> None:
        self.study = study
        self.design = design
        self.population = population
        self.archive = archive
        self.spreadsheet = spreadsheet
        self.progress = progress
        self.sums: list[str] = []

    def write(self) -> None:
        design, population = self.design, self.population
        table = answers.tuple_table(design)
        size = table.tuples.shape[1]
        note = exporting.other_population_only(self.study, population)
        judgments = exporting.JudgmentRows(design, population, table)

        self.member(
            "README.md",
            [
                columns.readme(
                    title=self.study.title,
                    population=population,
                    size=size,
                    spreadsheet=self.spreadsheet,
                    note=note,
                )
            ],
        )
        counts = answers.item_counts(design, population, table=table)
        result = current_result(design, population)
        self.table("items.tsv", columns.items(), exporting.item_rows(self.study, counts, result))
        self.table("tuples.tsv", columns.tuples(size), exporting.tuple_rows(design, table))
        self.table(
            "annotators.tsv",
            columns.annotators(),
            exporting.annotator_rows(design, population, result),
        )
        n_answers = answers.judgments_of(design, population).count()
        self.table(
            "judgments.tsv",
            columns.judgments(),
            self.watched(judgments, n_answers, "judgments.tsv", 0.1, 0.7),
        )
        self.table(
            "annotations_nrc.csv",
            columns.nrc(size),
            self.watched(
                exporting.nrc_rows(design, population, table),
                n_answers,
                "annotations_nrc.csv",
                0.7,
                1.0,
            ),
            delimiter=",",
        )
        facts = study_facts(
            Facts(self.study, design, population, table, judgments.by_status, note)
        )
        self.member("study.json", [json.dumps(facts, ensure_ascii=False, indent=1), "\n"])
        self.member("SHA256SUMS", list(self.sums))

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
        header: list[columns.Column],
        rows: Iterable[Sequence[Cell]],
        delimiter: str = "\t",
    ) -> None:
        names = [[column.name for column in header]]
        self.member(
            name,
            tables.lines(chain(names, rows), delimiter=delimiter, spreadsheet=self.spreadsheet),
        )

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
