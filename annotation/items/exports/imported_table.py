"""The members of an imported table's export: items with their values, and leaderboards."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from annotation.basics import clock
from annotation.basics.cells import Cell, as_json, iso
from annotation.core.exports.columns import Column, opening, section
from annotation.core.exports.members import Archive
from annotation.core.queries import counted_answers
from annotation.core.queries.item_texts import ItemTexts, Side, item_texts
from annotation.core.shown_items import beside_columns
from annotation.items.queries import number_columns
from annotation.kinds.queries.study_facts import versions
from annotation.kinds.rating.queries.answers import item_table
from annotation.kinds.rating.queries.exporting import known
from annotation.kinds.registry import kind_of
from annotation.models import Study

_CHUNK = 2000


def write(archive: Archive) -> dict[str, Any]:
    """Write the files that only an imported table has; returns it as one JSON object."""
    study = archive.study
    names = value_names(study)
    numbers = number_columns.plain_columns(study)
    archive.readme(_readme(archive, names, numbers))
    archive.progress(0.2, "items.tsv")
    archive.table("items.tsv", _columns(names, numbers), _records(study))
    return _facts(study, archive.population, names)


def value_names(study: Study) -> list[str]:
    """Columns of the imported file that are written as columns again, in alphabetical order."""
    names: set[str] = set()
    rows = study.items.values_list("metadata", flat=True)
    for metadata in rows.iterator(chunk_size=_CHUNK):
        names |= metadata.keys()
    # Under a name that has another meaning here a column is in `metadata` alone.
    return sorted(name for name in names if name not in {column.name for column in _texts()})


class _ItemRecord(NamedTuple):
    """An item with all that a table says of it; what is missing of its numbers is nan."""

    texts: ItemTexts
    domain: str
    source: str
    intended_class: str
    expected: float
    earlier: float

    @property
    def metadata(self) -> dict[str, Any]:
        return beside_columns(self.texts.metadata, domain=self.domain, source=self.source)


def _texts() -> list[Column]:
    return [
        Column("id", "the item's id, as imported", lambda row: row.texts.key),
        Column(
            "pool",
            "the pool of the item: `all`, or the group that the file named",
            lambda row: row.texts.pool,
        ),
        Column(
            "group",
            "what its contexts belong to, or the named group",
            lambda row: row.texts.group,
        ),
        Column(
            "domain",
            "of the contexts; where they say nothing, what the file said",
            lambda row: row.domain,
        ),
        Column(
            "source",
            "of the contexts; where they say nothing, what the file said",
            lambda row: row.source,
        ),
        Column(
            "target",
            "the first text; empty where the item is a single text",
            lambda row: row.texts.target.text,
        ),
        Column("candidate", "the second text", lambda row: row.texts.candidate.text),
        *_context_columns("target", "first", lambda row: row.texts.target),
        *_context_columns("candidate", "second", lambda row: row.texts.candidate),
        Column(
            "intended_class",
            "as imported; empty if the file did not say",
            lambda row: row.intended_class,
        ),
        Column("expected", "the known answer, as imported", lambda row: known(row.expected)),
        Column(
            "earlier_rating",
            "as imported; empty if the file did not say",
            lambda row: known(row.earlier),
        ),
        Column(
            "metadata",
            "every further column of the imported file, as JSON",
            lambda row: as_json(row.metadata) if row.metadata else "",
        ),
    ]


def _context_columns(
    name: str, which: str, side_of: Callable[[_ItemRecord], Side]
) -> list[Column]:
    return [
        Column(
            f"{name}_context",
            f"id of the {which} text's context; empty without one",
            lambda row: side_of(row).context,
        ),
        Column(
            f"{name}_context_json",
            "its turns, in order: `[{speaker, text}]`",
            lambda row: _turns(side_of(row)),
        ),
        Column(
            f"{name}_position",
            "place of the text among them, from 1",
            lambda row: None if (place := side_of(row).place) is None else place + 1,
        ),
    ]


def _turns(side: Side) -> str:
    if side.place is None:
        return ""
    return as_json([{"speaker": speaker, "text": text} for speaker, text in side.turns])


def _columns(names: Sequence[str], numbers: Sequence[str]) -> list[Column]:
    return [
        *_texts(),
        *(
            Column(
                name,
                "as imported",
                _imported(name),
                is_number=name in numbers,
                is_named_by_others=True,
            )
            for name in names
        ),
    ]


def _imported(name: str) -> Callable[[_ItemRecord], Cell]:
    return lambda row: _cell(row.texts.metadata.get(name))


def _records(study: Study) -> Iterator[_ItemRecord]:
    items = item_table(study)
    for n, texts in enumerate(item_texts(study)):
        yield _ItemRecord(
            texts=texts,
            domain=items.domains[n],
            source=items.sources[n],
            intended_class=items.classes[n],
            expected=items.expected[n],
            earlier=items.earlier[n],
        )


def _cell(value: Any) -> Cell:
    """Texts as they were imported; what JSON Lines nested, as JSON."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _facts(study: Study, population: str, names: Sequence[str]) -> dict[str, Any]:
    return {
        "exported_at": iso(clock.now()),
        "population": population,
        "note": counted_answers.NOT_COLLECTED_HERE,
        "study": {
            "slug": study.slug,
            "title": study.title,
            "language": study.language,
            "kind": study.kind,
            "state": study.state,
            "preset": study.preset,
            "imported_at": iso(study.closed_at),
            # What was asked elsewhere, as the researchers describe it.
            **kind_of(study).studies.question(study),
        },
        "value_columns": list(names),
        "counts": {"items": study.items.without_checks().count(), "pools": study.pools.count()},
        "statistics": None,
        "result": None,
        "versions": versions(),
    }


def _readme(archive: Archive, names: Sequence[str], numbers: Sequence[str]) -> str:
    parts = [
        *opening(
            archive.study.title,
            f"An imported table, exported from Likeness. {counted_answers.NOT_COLLECTED_HERE}",
            spreadsheet=archive.spreadsheet,
        ),
        section(
            "items.tsv",
            "Every item with its imported values, in the order of the import.",
            _columns(names, numbers),
        ),
        *archive.further_sections(),
        "## study.json\n\n"
        "One object: `exported_at`; `note`; `study` (title, language, kind, state, when it was"
        " imported, and the question and its scale or categories as the researchers describe"
        " them); `value_columns` (the columns of `items.tsv` that the imported file had);"
        " `counts` (`items` without checks, `pools`); `versions`. `statistics` and `result` are"
        " null: there are no answers to compute them from.\n",
        "## SHA256SUMS\n\n"
        "Check sums of the other files: `sha256sum -c SHA256SUMS`. Two exports of the same data"
        " are the same, byte by byte, except for `exported_at` and so for the sum of"
        " `study.json`.\n",
    ]
    return "\n".join(parts)
