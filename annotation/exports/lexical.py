"""Lexical statistics of a study's texts as a table: in its archive, and as a file."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from annotation import tables
from annotation.exports.columns import Column, section
from annotation.exports.members import Archive
from annotation.queries import lexical
from annotation.queries.exporting import Cell
from scoring.corpora import CORPUS_FIGURES

NAME = "lexical.tsv"


def columns(figures: Mapping[str, Any]) -> list[Column]:
    found = [
        Column(
            "part",
            "`contexts` (dialogues, documents), or `targets` and `candidates`: the texts of the"
            " items; where pairs are asked about, sentences of contexts are among them, else only"
            " texts that are no turn of one. A text that several items of a row share counts once."
            " Checks and calibration are left out",
        ),
        Column(
            "level",
            "`cell`: one source and number of turns; `source`: all numbers of turns of a source;"
            " `turns`: all sources of a number of turns; `all`: every text of the part. A row"
            " that would repeat another one is left out",
        ),
        Column("source", "of the texts; empty if unknown, and at the levels `turns` and `all`"),
        Column(
            "turns",
            "how many turns the dialogue or document has that the texts are or belong to, or from"
            " how many to how many (6-10); empty without one, and at the levels `source` and"
            " `all`",
        ),
    ]
    for name, meaning in CORPUS_FIGURES.items():
        said = _without_stop(meaning)
        if name == "n_lemmas":
            source = figures["lemma_source"]
            said += f", by {source}" if source else "; empty, since simplemma has no dictionary"
        found.append(Column(name, said))
    return found


def rows(figures: Mapping[str, Any]) -> Iterator[Sequence[Cell]]:
    names = ("part", "level", "source", "turns", *CORPUS_FIGURES)
    for row in figures["rows"]:
        yield [row[name] for name in names]


def tsv(figures: Mapping[str, Any]) -> str:
    header = [column.name for column in columns(figures)]
    return "".join(tables.lines(chain([header], rows(figures))))


def write(archive: Archive) -> None:
    """Write the table, if the texts as they are now were measured."""
    if (figures := lexical.current(archive.study)) is not None:
        archive.table(NAME, columns(figures), rows(figures))


def sections(archive: Archive) -> list[str]:
    """What the README says of it."""
    figures = lexical.current(archive.study)
    if figures is None:
        return []
    about = "Lexical statistics of the texts by source and number of turns."
    if not figures["is_by_source"]:
        about += (
            f" The texts have {figures['n_sources']} sources, more than {lexical.MAX_SOURCES}:"
            " they are taken together, and `source` is empty."
        )
    return [section(NAME, about, columns(figures))]


def _without_stop(meaning: str) -> str:
    return meaning[0].lower() + meaning[1:].rstrip(".") if meaning[1].islower() else meaning[:-1]
