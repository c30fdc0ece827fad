"""What the tests of imported files share: files of our own, and what is wrong with them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.basics.errors import ImportProblemsError
from annotation.items.imports import items as item_files
from annotation.items.imports.parsed import ParsedItems, Spot
from annotation.items.services import imports
from annotation.kinds.registry import KINDS
from annotation.models import Study
from annotation.models.kinds import QuestionKind
from tests.support.factories import make_study

NASTY = [
    "<script>alert(1)</script>",
    "tab\there",
    "quotes \"inside\" and 'single'",
    "two\nlines",
    "windows\r\nlines",
    "old mac\rlines",
    "=1+1",
    "-",
    "@x",
    "None",
    "nan",
    "false",
    "\u05e9\u05dc\u05d5\u05dd \u202b\u0639\u0631\u0628\u064a\u202c",
    "e\u0301 is not \u00e9",
    " leading and trailing ",
    "\ufeffmark",
    "\u2028\u0085 odd line ends",
    "\U0001f600",
    "a, b; c",
    "'",
    '"',
]
REPORT = ["The river rose.", "It flooded the mill.", "Nobody was hurt."]


def jsonl(*entries: object) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def read(
    content: str | bytes, filename: str = "pairs.jsonl", kind: str = "rating", **options: int
) -> ParsedItems:
    data = content if isinstance(content, bytes) else content.encode()
    return item_files.read(
        io.BytesIO(data),
        filename=filename,
        kind=KINDS[kind].items,
        **{"limit_bytes": 10_000_000, **options},
    )


def problems(content: str | bytes, filename: str = "pairs.jsonl", **options: Any) -> list[str]:
    with pytest.raises(ImportProblemsError) as caught:
        read(content, filename, **options)
    return caught.value.problems


def at(parsed: ParsedItems, spot: Spot | None) -> tuple[str, list[str], int] | None:
    """The key of a context, its texts, and the position of the rated one."""
    if spot is None:
        return None
    context = parsed.contexts[spot.context]
    return context.key, [turn.text for turn in context.turns], spot.position


def empty_study(kind: QuestionKind = QuestionKind.RATING) -> Study:
    return make_study(dialogues=0, kind=kind)


def import_text(study: Study, folder: Path, content: str, filename: str) -> imports.ImportedItems:
    path = folder / filename
    path.write_text(content, newline="")
    return imports.import_items(study=study, path=path, filename=filename)


def dialogue(key: object = "d1", n: int = 3, **columns: object) -> dict[str, object]:
    return {
        "id": key,
        "domain": "travel",
        "source": "written",
        "turns": [{"speaker": "A", "text": "Hello?"}, {"speaker": "B", "text": "Yes."}],
        "candidates": [{"text": f"Candidate {c}"} for c in range(1, n + 1)],
        **columns,
    }


def table(*rows: str, header: str = "id\ttarget\tcandidate") -> str:
    return "\n".join([header, *rows, ""])


def pair(key: object = "p1", **columns: object) -> dict[str, object]:
    return {"id": key, "target": f"Target {key}", "candidate": f"Candidate {key}", **columns}


def within(position: object = 2, **columns: object) -> dict[str, object]:
    return {"sentences": REPORT, "position": position, **columns}
