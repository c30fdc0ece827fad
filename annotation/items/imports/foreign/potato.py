"""What Potato writes: annotated instances (JSON Lines or a table), or the states of its users."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.foreign.entries import (
    MAX_ACTIVE_MS,
    Entry,
    Remarks,
    checked,
    texts_of,
)
from annotation.items.imports.foreign.objects import read_objects
from annotation.items.imports.lines import Lines, delimiter_of, look_further, read_records
from annotation.items.imports.problems import Problems, cells_problem, shown
from annotation.kinds.contract.items import AnswerForm, ItemsPart

_PEOPLE = ("user", "user_id", "annotator", "annotator_id", "username")
_ANSWERS = ("label_annotations", "annotations", "labels")
STATE = "instance_id_to_label_to_value"
_ABOUT = {*_PEOPLE, *_ANSWERS, "behavioral_data"}
_PARTS = ":::"
# Labels that name the kind of answer and not what was answered.
_KINDS = {"slider", "vas", "text_box", "textbox", "label", "value", "number"}
_POINT = re.compile(r"scale_(-?\d+)")
_TIME = re.compile(r"\b(\d{1,9})d (\d{1,9})h (\d{1,9})m (\d{1,9})s")
_BEST_WORST = {"best", "worst"}


def read(
    lines: Lines,
    problems: Problems,
    remarks: Remarks,
    *,
    limit_bytes: int,
    person: str,
    kind: ItemsPart,
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
        if STATE in row:
            yield from of_state(row, problems, remarks, person=person, kind=kind)
            continue
        answers = next((row[name] for name in _ANSWERS if name in row), None)
        if not isinstance(answers, dict):
            problems.add(
                line,
                Problem(
                    "missing",
                    _("label_annotations is missing"),
                    _("use annotated_instances or user_state.json as Potato wrote it"),
                ),
            )
        elif not any(answers.values()):
            remarks.left_out["unanswered"] += 1
        else:
            entry = _entry(line, row, answers, person, kind=kind, remarks=remarks)
            yield checked(entry, problems)


def of_state(
    state: dict[str, Any],
    problems: Problems,
    remarks: Remarks,
    *,
    person: str,
    kind: ItemsPart,
    texts: Mapping[str, dict[str, str]] = {},
    where: str = "",
) -> Iterator[Entry]:
    """Answers of a user_state.json, which knows what was asked by its ids alone.

    `texts` are those of the instances by id, as a data file of the project has them. A problem
    names the person and the instance: the file is one long object.
    """
    who = str(state.get("user_id") or person)
    origin = state.get("origin")
    instances = state[STATE]
    if not isinstance(instances, dict):
        problems.add(
            None,
            Problem(
                "wrong_value",
                _("%(file)s: %(field)s is not an object"),
                _("use user_state.json as Potato wrote it"),
            )
            % {"file": where or shown(who), "field": STATE},
        )
        return
    behaviour = state.get("instance_id_to_behavioral_data")
    is_human = not isinstance(origin, dict) or origin.get("kind", "human") == "human"
    n_answered = 0
    for key, given in instances.items():
        line = problems.next_place(
            _("%(person)s, instance %(key)s") % {"person": where or who, "key": shown(str(key))}
        )
        answers: dict[str, dict[str, Any]] = {}
        labels = _labels(given)
        for scheme, name, value in labels or ():
            answers.setdefault(scheme, {})[name] = value
        n_answered += bool(answers or labels is None)
        if labels is None:
            problems.add(
                line,
                Problem(
                    "unreadable",
                    _("the answers cannot be read"),
                    _("use user_state.json as Potato wrote it"),
                ),
            )
        elif not answers:
            remarks.left_out["unanswered"] += 1
        elif not is_human:
            remarks.left_out["machine"] += 1
        else:
            row = {"id": key}
            if isinstance(behaviour, dict):
                row["behavioral_data"] = behaviour.get(key)
            entry = _entry(line, row, answers, who, kind=kind, remarks=remarks)
            yield with_texts(checked(entry, problems), texts.get(key))
    if not n_answered and is_human:
        remarks.add_person_without_answers(who or where)


def with_texts(entry: Entry, texts: dict[str, str] | None) -> Entry:
    """An answer with the texts of its instance, which all answers to that share."""
    return replace(entry, shown=ChainMap({**entry.shown}, texts)) if texts else entry


def _labels(given: Any) -> list[tuple[str, str, Any]] | None:
    """Scheme, label and value of what was answered to one instance; None: it cannot be read."""
    labels = []
    for pair in given if isinstance(given, list) else [given] if given else ():
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict)):
            return None
        label, value = pair
        labels.append((str(label.get("schema", "")), str(label.get("name", "")), value))
    return labels


def _table(
    lines: Lines, problems: Problems, delimiter: str, limit_bytes: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a table as the objects that the other kind of file has."""
    records = read_records(lines, problems, delimiter=delimiter)
    header = next(records, None)
    if header is None:
        return
    names = [name.strip() for name in header.cells]
    if not any(_PARTS in name for name in names):
        problems.add(
            header.line,
            Problem(
                "missing",
                _("no column is called SCHEME:::LABEL"),
                _("use annotated_instances as Potato wrote it"),
            ),
        )
        look_further(records)
        return
    for record in records:
        if not record.cells:
            continue
        if len(record.cells) != len(names):
            problems.add(
                record.line,
                cells_problem(len(record.cells), len(names)),
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
    line: int,
    row: dict[str, Any],
    answers: dict[str, Any],
    person: str,
    *,
    kind: ItemsPart,
    remarks: Remarks,
) -> Entry:
    who = next((row[name] for name in _PEOPLE if row.get(name) not in (None, "")), person)
    chosen_by_name: dict[str, tuple[str, ...]] = {}
    for scheme, given in answers.items():
        if isinstance(given, dict) and given.keys() >= _BEST_WORST:
            chosen_by_name |= {
                f"{scheme} {name}": (str(given[name]),) for name in sorted(_BEST_WORST)
            }
        else:
            chosen_by_name[str(scheme)] = tuple(_chosen(given, kind))
    active_ms, answered_at = _times(line, row.get("behavioral_data"), remarks)
    return Entry(line, texts_of_instance(row), chosen_by_name, str(who), active_ms, answered_at)


def texts_of_instance(row: Mapping[str, Any]) -> dict[str, str]:
    """The texts of an instance that an answer, or a data file, repeats."""
    fields = {name: value for name, value in row.items() if name not in _ABOUT}
    for name in ("data", "instance", "item"):
        if isinstance(fields.get(name), dict):
            fields |= fields.pop(name)
    return texts_of(fields)


def _chosen(given: Any, kind: ItemsPart) -> Iterator[str]:
    """What was answered: Potato stores label and value, either of which may say it."""
    if not isinstance(given, Mapping):
        for element in given if isinstance(given, list) else [given]:
            if element is not None:
                yield str(element)
        return
    for label, value in given.items():
        text = "" if value is None else str(value).strip()
        point = _POINT.fullmatch(label)
        if not text or text.lower() in {"false", "none"}:
            continue
        if kind.answer_form == AnswerForm.NUMBER:
            is_number = re.fullmatch(r"-?\d+([.,]\d+)?", text)
            yield text if is_number else point[1] if point else label
        else:
            yield text if label.lower() in _KINDS or point else label


def _times(line: int, behaviour: Any, remarks: Remarks) -> tuple[int | None, datetime | None]:
    """Milliseconds and the moment of the answer: older versions write a text, newer ones both."""
    if not isinstance(behaviour, dict):
        return None, None
    at = remarks.moment(line, "session_end", behaviour.get("session_end"))
    if text := str(behaviour.get("time_string", "")):
        time_match = _TIME.search(text)
        days, hours, minutes, seconds = (
            map(int, time_match.groups()) if time_match else (0, 0, 0, 0)
        )
        spent: Any = ((days * 24 + hours) * 60 + minutes) * 60 + seconds if time_match else text
        return remarks.milliseconds(line, "time_string", spent), at
    ms = behaviour.get("total_time_ms")
    # 0 was written before anything counted.
    if isinstance(ms, int | float) and ms:
        # A number of hundreds of digits is none that can be divided.
        spent = ms / 1000 if abs(ms) <= MAX_ACTIVE_MS else ms
        return remarks.milliseconds(line, "total_time_ms", spent), at
    return None, at
