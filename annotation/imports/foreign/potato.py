"""What Potato writes: annotated instances as JSON Lines, or as TSV with columns of labels."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.imports.foreign.entries import Entry, milliseconds, texts_of
from annotation.imports.foreign.objects import read_objects
from annotation.imports.lines import Lines, delimiter_of, read_records
from annotation.imports.problems import Problems
from annotation.sentences import sentence as _

_PEOPLE = ("user", "user_id", "annotator", "annotator_id", "username")
_ANSWERS = ("label_annotations", "annotations", "labels")
_PARTS = ":::"
# Labels that name the kind of answer and not what was answered.
_KINDS = {"slider", "vas", "text_box", "textbox", "label", "value", "number"}
_POINT = re.compile(r"scale_(-?\d+)")
_TIME = re.compile(r"(\d+)d (\d+)h (\d+)m (\d+)s")
_BEST_WORST = {"best", "worst"}


def read(
    lines: Lines,
    problems: Problems,
    left_out: Counter[str],
    *,
    limit_bytes: int,
    person: str,
    kind: str,
) -> Iterator[Entry]:
    """Answers in the order of the file; `person` gave those that name nobody."""
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return

    def all_lines() -> Lines:
        yield first
        yield from lines

    if first[1].lstrip()[0] in "[{":
        rows = read_objects(all_lines(), problems)
    else:
        rows = _table(all_lines(), problems, delimiter_of(first[1]), limit_bytes)
    for line, row in rows:
        answers = next((row[name] for name in _ANSWERS if name in row), None)
        if not isinstance(answers, dict):
            problems.add(
                line,
                _("label_annotations is missing; take annotated_instances as Potato wrote it"),
            )
        elif not any(answers.values()):
            left_out["unanswered"] += 1
        else:
            yield _entry(line, row, answers, person, kind)


def _table(
    lines: Lines, problems: Problems, delimiter: str, limit_bytes: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a table as the objects that the other kind of file has."""
    records = read_records(lines, problems, delimiter=delimiter, limit_bytes=limit_bytes)
    header = next(records, None)
    if header is None:
        return
    names = [name.strip() for name in header.cells]
    if not any(_PARTS in name for name in names):
        problems.add(
            header.line,
            _("no column is called SCHEME:::LABEL; take annotated_instances as Potato wrote it"),
        )
    for record in records:
        if not record.cells:
            continue
        if len(record.cells) != len(names):
            problems.add(
                record.line,
                _("%(n)s columns, but the header has %(wanted)s; put texts into quotation marks")
                % {"n": len(record.cells), "wanted": len(names)},
            )
            continue
        row: dict[str, Any] = {"label_annotations": {}}
        for name, text in zip(names, record.cells, strict=True):
            scheme, parts, label = name.partition(_PARTS)
            if not parts:
                row[name] = text
            elif text.strip():
                row["label_annotations"].setdefault(scheme, {})[label] = text
        yield record.line, row


def _entry(
    line: int, row: dict[str, Any], answers: dict[str, Any], person: str, kind: str
) -> Entry:
    who = next((row[name] for name in _PEOPLE if row.get(name) not in (None, "")), person)
    fields = {name: value for name, value in row.items() if name not in {*_PEOPLE, *_ANSWERS}}
    for name in ("data", "instance", "item"):
        if isinstance(fields.get(name), dict):
            fields |= fields.pop(name)
    said: dict[str, tuple[str, ...]] = {}
    for scheme, given in answers.items():
        if isinstance(given, dict) and given.keys() >= _BEST_WORST:
            said |= {f"{scheme} {name}": (str(given[name]),) for name in sorted(_BEST_WORST)}
        else:
            said[str(scheme)] = tuple(_chosen(given, kind))
    return Entry(line, dict(texts_of(fields)), said, str(who), _time(row.get("behavioral_data")))


def _chosen(given: Any, kind: str) -> Iterator[str]:
    """What was answered: Potato stores label and value, either of which may say it."""
    if not isinstance(given, Mapping):
        for one in given if isinstance(given, list) else [given]:
            if one is not None:
                yield str(one)
        return
    for label, value in given.items():
        text = "" if value is None else str(value).strip()
        point = _POINT.fullmatch(label)
        if not text or text.lower() in {"false", "none"}:
            continue
        if kind == "rating":
            is_number = re.fullmatch(r"-?\d+([.,]\d+)?", text)
            yield text if is_number else point[1] if point else label
        else:
            yield text if label.lower() in _KINDS or point else label


def _time(behaviour: Any) -> int | None:
    if not isinstance(behaviour, dict):
        return None
    if found := _TIME.search(str(behaviour.get("time_string", ""))):
        days, hours, minutes, seconds = map(int, found.groups())
        return milliseconds(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    return None
