"""What the example files of the kinds are made of: items of our own writing, ready to import."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.basics.scale import Scale, plain
from annotation.models import Study

# So many of the demo's dialogues are items; its last ones calibrate.
N_DIALOGUES, _N_GROUPED_DIALOGUES = 6, 10
_CONTEXT = "{before}\n<sent>{text}</sent>"

Row = dict[str, str]


@dataclass(frozen=True)
class ExampleFile:
    filename: str
    content: bytes


def pairs(language: str) -> Iterator[Row]:
    for dialogue in dialogues(language)[:N_DIALOGUES]:
        for candidate in dialogue["candidates"]:
            yield _pair(dialogue, candidate, in_context=False)


def grouped(language: str, *, in_context: bool) -> Iterator[Row]:
    """Groups of three candidates for a target: similar, in between, and not similar.

    The design's repeats come 20 questions after the first time, so there have to be 20 groups: two
    for each dialogue, the second with an answer that another dialogue would need.
    """
    chosen = dialogues(language)[:_N_GROUPED_DIALOGUES]
    for number, dialogue in enumerate(chosen):
        best, good, middle, poor, worst = _by_class(dialogue)
        other = _by_class(chosen[number - 1])[0]
        stray = {**other, "id": f"{dialogue['id']}-6", "intended_class": worst["intended_class"]}
        for letter, candidates in (("a", (best, middle, worst)), ("b", (good, poor, stray))):
            for candidate in candidates:
                pair = _pair(dialogue, candidate, in_context=in_context)
                yield {**pair, "group": f"{dialogue['id']}{letter}"}


def calibration(study: Study, language: str, n: int, *, in_context: bool) -> Iterator[Row]:
    """Pairs whose rating is clear: the ends of the scale and, if it has one, the middle."""
    if not study.scale:
        return
    scale = Scale.of(study.scale)
    middle = (scale.low + scale.high) / 2
    known: dict[int, Decimal] = {1: scale.high, 5: scale.low}
    if n > len(known) and scale.has(middle):
        known[3] = middle
    for number, dialogue in enumerate(dialogues(language)[-n:], start=1):
        intended_class = sorted(known)[number % len(known)]
        pair = _pair(dialogue, _by_class(dialogue)[intended_class - 1], in_context=in_context)
        value = plain(known[intended_class])
        yield {**pair, "id": f"calibration-{number}", "expected": value}


def _by_class(dialogue: Any) -> list[Any]:
    """The candidates of a dialogue, the most similar one first."""
    return sorted(dialogue["candidates"], key=lambda candidate: candidate["intended_class"])


def _pair(dialogue: Any, candidate: Any, *, in_context: bool) -> Row:
    *before, target = (turn["text"] for turn in dialogue["turns"])
    texts = {"target": target, "candidate": candidate["text"]}
    if in_context:
        texts = {
            f"{name}_context": _CONTEXT.format(before="\n".join(before), text=text)
            for name, text in texts.items()
        }
    return {
        "id": candidate["id"],
        **texts,
        "intended_class": str(candidate["intended_class"]),
        "domain": dialogue["domain"],
        "source": dialogue["source"],
    }


def answers(language: str) -> Iterator[Row]:
    for number, entry in enumerate(material(language)["answers"], start=1):
        for place, candidate in enumerate(entry["candidates"], start=1):
            yield {
                "id": f"a{number}-{place}",
                "question": entry["question"],
                "target": entry["target"],
                "candidate": candidate,
            }


def checks(language: str, categories: list[str]) -> Iterator[Row]:
    for number, check in enumerate(material(language)["checks"], start=1):
        yield {
            "id": f"check-{number}",
            "target": check["target"],
            "candidate": check["candidate"],
            "check": check["style"],
            "expected": categories[check["category"] - 1],
            "explanation": check["explanation"],
        }


def table(language: str, each: Iterable[Row]) -> ExampleFile:
    """As a spreadsheet of that language opens it: with its delimiter and a byte order mark."""
    rows = list(each)
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO(newline="")
    delimiter = ";" if language == "de" else ","
    writer = csv.DictWriter(out, names, restval="", delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return ExampleFile(f"example-pairs.{language}.csv", out.getvalue().encode("utf-8-sig"))


def json_lines(what: str, language: str, entries: list[Any]) -> ExampleFile:
    lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    return ExampleFile(f"example-{what}.{language}.jsonl", lines.encode())


@cache
def dialogues(language: str) -> list[Any]:
    text = (settings.BASE_DIR / "demo" / f"dialogues.{language}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@cache
def material(language: str) -> Any:
    """What the demo's dialogues cannot show."""
    path = Path(__file__).with_name(f"examples.{language}.json")
    return json.loads(path.read_text("utf-8"))
