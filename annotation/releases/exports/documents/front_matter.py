"""The YAML at the head of a README, as Hugging Face reads it."""

from typing import Any

from annotation.core.exports.members import Table
from annotation.releases.exports.documents import citation, licences, naming
from annotation.releases.exports.documents.croissant import set_name
from annotation.releases.exports.documents.known import KnownFacts

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)
# Of texts that are compared with no other text.
_TEXT_SCORES = ("text-classification", "text-scoring")
_TYPES = {"integer": "int64", "number": "float64", "text": "string"}


def front_matter(known: KnownFacts) -> str:
    facts = known.release
    licence = licences.licence_of(facts)
    task, task_id = known.part.hugging_face_task
    if known.is_of_single_texts and task == "sentence-similarity":
        task, task_id = _TEXT_SCORES
    entries: dict[str, Any] = {
        "pretty_name": naming.title(facts),
        "language": [known.language],
        "license": licence.hugging_face if licence else "other",
        **_other_licence(licence),
        "annotations_creators": [_creators(known)],
        "multilinguality": ["monolingual"],
        "size_categories": [_size(known.main[1].n_rows)],
        # The second is of text classification there; a tag does not say of which task it is.
        "task_categories": [task],
        "tags": [*naming.keywords(facts), task_id],
        "configs": [
            _config(name, table, is_default=name == known.main[0])
            for name, table in known.tables
            # What has no rows is no configuration: the reader refuses it.
            if table.n_rows
        ],
    }
    return f"---\n{citation.as_yaml(entries)}---\n"


def _other_licence(licence: licences.Licence | None) -> dict[str, str]:
    if licence is None:
        return {"license_name": "all-rights-reserved", "license_link": "LICENSE"}
    if licence.hugging_face == "other":
        return {"license_name": licence.spdx.lower(), "license_link": licence.url}
    return {}


def _creators(known: KnownFacts) -> str:
    if not known.is_of_people:
        return "machine-generated"
    return "crowdsourced" if known.collected.platforms else "other"


def _size(n: int) -> str:
    return next((name for limit, name in _SIZES if n < limit), "1M<n<10M")


def _config(name: str, table: Table, *, is_default: bool) -> dict[str, Any]:
    """How one table is read: texts as they are, and numbers as numbers."""
    numbers = [column.name for column, kind in table.typed if kind == "number"]
    split = "test" if name.startswith(("test_", "held_out")) else "train"
    return {
        "config_name": set_name(name),
        "data_files": [{"split": split, "path": name}],
        **({"default": True} if is_default else {}),
        "sep": table.delimiter,
        # Else the text "NA" would be none, and an empty one neither.
        "keep_default_na": False,
        "na_values": {column: [""] for column in numbers},
        "features": [{"name": column.name, "dtype": _TYPES[kind]} for column, kind in table.typed],
    }
