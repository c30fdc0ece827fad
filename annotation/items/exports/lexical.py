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
            "which texts: `contexts` (dialogues and documents), `targets` or `candidates` (the"
            " texts of the items). If people were asked about tuples, texts that are turns of a"
            " context are only counted in `contexts`. A text that several items share counts"
            " once. The texts of attention checks and calibration items are left out",
            itemgetter("part"),
        ),
        Column(
            "level",
            "what the row is about: `cell` (one source and one number of turns), `source` (one"
            " source), `turns` (one number of turns) or `all` (all texts of the part). Rows that"
            " would repeat another row are left out",
            itemgetter("level"),
        ),
        Column(
            "source",
            "source of the texts; empty if unknown, and at the levels `turns` and `all`",
            itemgetter("source"),
        ),
        Column(
            "turns",
            "number of turns of the dialogue or document, or a range such as 6-10; empty for texts"
            " without a context, and at the levels `source` and `all`",
            itemgetter("turns"),
        ),
    ]
    for name, meaning in CORPUS_FIGURES.items():
        description = _without_stop(meaning)
        if name == "n_lemmas":
            source = figures["lemma_source"]
            description += (
                f", found by {source}"
                if source
                else "; empty, because the library simplemma has no dictionary of the language"
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
    about = "How long and how varied the texts are, by source and number of turns."
    if not figures["is_by_source"]:
        about += (
            f" The texts have {figures['n_sources']} sources. Because these are more than"
            f" {lexical.MAX_SOURCES}, all sources are combined, and `source` is empty."
        )
    return [section(NAME, about, columns(figures))]


def _without_stop(meaning: str) -> str:
    return meaning[0].lower() + meaning[1:].rstrip(".") if meaning[1].islower() else meaning[:-1]
