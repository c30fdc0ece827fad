"""Lexical statistics of a study's texts as a table: in its archive, and as a file."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from annotation.core.exports.columns import Column, lines, section
from annotation.core.exports.members import Archive
from annotation.items.queries import lexical
from scoring.texts.corpora import CORPUS_FIGURES

NAME = "lexical.tsv"


def columns(figures: Mapping[str, Any]) -> list[Column]:
    """Of the rows of stored figures, which call what they hold by the same names."""
    columns_of_rows = [
        Column(
            "part",
            "`contexts` (dialogues, documents), or `targets` and `candidates`: the texts of the"
            " items; where pairs are asked about, sentences of contexts are among them, else only"
            " texts that are no turn of one. A text that several items of a row share counts once."
            " Checks and calibration are left out",
            itemgetter("part"),
        ),
        Column(
            "level",
            "`cell`: one source and number of turns; `source`: all numbers of turns of a source;"
            " `turns`: all sources of a number of turns; `all`: every text of the part. A row"
            " that would repeat another one is left out",
            itemgetter("level"),
        ),
        Column(
            "source",
            "of the texts; empty if unknown, and at the levels `turns` and `all`",
            itemgetter("source"),
        ),
        Column(
            "turns",
            "how many turns the dialogue or document has that the texts are or belong to, or from"
            " how many to how many (6-10); empty without one, and at the levels `source` and"
            " `all`",
            itemgetter("turns"),
        ),
    ]
    for name, meaning in CORPUS_FIGURES.items():
        description = _without_stop(meaning)
        if name == "n_lemmas":
            source = figures["lemma_source"]
            description += (
                f", by {source}" if source else "; empty, since simplemma has no dictionary"
            )
        columns_of_rows.append(Column(name, description, itemgetter(name)))
    return columns_of_rows


def tsv(figures: Mapping[str, Any]) -> str:
    return "".join(lines(columns(figures), figures["rows"]))


def write(archive: Archive) -> None:
    """Write the table, if the texts as they are now were measured."""
    if (figures := lexical.current(archive.study)) is not None:
        archive.table(NAME, columns(figures), figures["rows"])


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
