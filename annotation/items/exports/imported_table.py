"""The members of an imported table's export: items with their values, and leaderboards."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from annotation.basics import clock
from annotation.basics.cells import Cell, as_json, iso
from annotation.core.exports.columns import SUMS, Column, opening, section
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
        Column("id", "id of the item, as imported", lambda row: row.texts.key),
        Column(
            "pool",
            "the pool that the item belongs to; `all` if the items are not divided into pools",
            lambda row: row.texts.pool,
        ),
        Column(
            "group",
            "the incident that the contexts belong to; without one, the pool. Empty if the"
            " items are not divided into pools",
            lambda row: row.texts.group,
        ),
        Column(
            "domain",
            "the domain of the contexts; if they have none, that of the item in the imported file",
            lambda row: row.domain,
        ),
        Column(
            "source",
            "the source of the contexts; if they have none, that of the item in the imported file",
            lambda row: row.source,
        ),
        Column(
            "target",
            "the first text; empty if the item is a single text",
            lambda row: row.texts.target.text,
        ),
        Column(
            "candidate",
            "the second text, or the single text",
            lambda row: row.texts.candidate.text,
        ),
        *_context_columns("target", "first", lambda row: row.texts.target),
        *_context_columns("candidate", "second", lambda row: row.texts.candidate),
        Column(
            "intended_class",
            "the class that the item was chosen for, as imported; empty if unknown",
            lambda row: row.intended_class,
        ),
        Column(
            "expected", "known answer of the item, as imported", lambda row: known(row.expected)
        ),
        Column(
            "earlier_rating",
            "an earlier rating of the item, as imported; empty if unknown",
            lambda row: known(row.earlier),
        ),
        Column(
            "metadata",
            "all other columns of the imported file, as JSON",
            lambda row: as_json(row.metadata) if row.metadata else "",
        ),
    ]


def _context_columns(
    name: str, which: str, side_of: Callable[[_ItemRecord], Side]
) -> list[Column]:
    return [
        Column(
            f"{name}_context",
            f"id of the context of the {which} text; empty if it has none",
            lambda row: side_of(row).context,
        ),
        Column(
            f"{name}_context_json",
            "the turns of this context in order, as JSON: `[{speaker, text}]`",
            lambda row: _turns(side_of(row)),
        ),
        Column(
            f"{name}_position",
            "number of the text among these turns, from 1",
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
                "a column of the imported file, as imported",
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
            "This is a table of texts with values, exported from Likeness, a web application that"
            f" collects human judgments of texts. {counted_answers.NOT_COLLECTED_HERE}",
            first="items.tsv",
            start="Open `items.tsv` first: it is the data set itself. It has one row for each"
            " item, with its texts and its values. The other sections of this README describe each"
            " file and each column.",
            words=("item", "pool", "context"),
            spreadsheet=archive.spreadsheet,
        ),
        section(
            "items.tsv",
            "One row for each item, in the order of the import.",
            _columns(names, numbers),
        ),
        *archive.further_sections(),
        "## study.json\n\n"
        "One JSON object with everything that is not a table:\n\n"
        "- `exported_at` and `note`: when this was exported, and that the values were imported.\n"
        "- `study`: title, language, kind, state, and when it was imported. It also has the"
        " question"
        " and its scale or categories, as the researchers describe them.\n"
        "- `value_columns`: the columns of `items.tsv` that come from the imported file.\n"
        "- `counts`: the number of items (without attention checks) and of pools.\n"
        "- `statistics` and `result`: null, because there are no answers to compute statistics"
        " from.\n"
        "- `versions`: the versions of the software.\n",
        SUMS,
    ]
    return "\n".join(parts)
