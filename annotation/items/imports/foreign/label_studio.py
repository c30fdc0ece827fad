"""Exports of Label Studio: tasks with their annotations (JSON), or a row for each (JSON-MIN)."""

from collections.abc import Iterator
from typing import Any

from annotation.basics.sentences import Problem
from annotation.basics.sentences import sentence as _
from annotation.items.imports.foreign.entries import (
    Entry,
    Remarks,
    checked,
    refuse_texts,
    texts_of,
)
from annotation.items.imports.foreign.objects import read_objects
from annotation.items.imports.lines import Lines
from annotation.items.imports.problems import Problems

# What JSON-MIN says of a row beside the task's own fields and the answers.
_ABOUT = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
# The types of answers that are understood, and where the value of each is.
_VALUES = ("choices", "rating", "number", "selected", "text", "taxonomy", "ranker")


def read(lines: Lines, problems: Problems, remarks: Remarks) -> Iterator[Entry]:
    """Answers in the order of the file, without skipped ones; predictions are no answers."""
    for line, task in read_objects(lines, problems):
        if isinstance(task.get("data"), dict):
            yield from _of_task(line, task, problems, remarks)
        elif "annotator" in task or "annotation_id" in task:
            yield checked(_of_row(line, task, remarks), problems)
        else:
            problems.add(
                line,
                Problem(
                    "missing",
                    _("the task has neither data nor annotator"),
                    _("export the project as JSON or as JSON-MIN"),
                ),
            )


def _of_task(
    line: int, task: dict[str, Any], problems: Problems, remarks: Remarks
) -> Iterator[Entry]:
    shown = texts_of(task["data"])
    refuse_texts(line, shown, problems)
    if "id" in task:
        shown.setdefault("id", str(task["id"]))
    annotations = task.get("annotations", [])
    if not isinstance(annotations, list):
        problems.add(
            line,
            Problem(
                "wrong_value", _("annotations is not a list"), _("export the project as JSON")
            ),
        )
        return
    if not annotations:
        remarks.left_out["unanswered"] += 1
    for number, annotation in enumerate(annotations, start=1):
        if isinstance(annotation, int):
            problems.add(
                line,
                Problem(
                    "wrong_value",
                    _("the annotations are numbers only"),
                    _("export the project as JSON, not its tasks"),
                ),
            )
            return
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(results, list) or not all(
            isinstance(result, dict) for result in results
        ):
            problems.add(
                line,
                Problem(
                    "missing",
                    _("annotation %(n)s has no list of results"),
                    _("export the project as JSON"),
                )
                % {"n": number},
            )
            continue
        if annotation.get("was_cancelled"):
            remarks.left_out["skipped"] += 1
            continue
        answers = {
            str(result.get("from_name", "")): _values(result.get("value")) for result in results
        }
        entry = Entry(
            line,
            shown,
            answers,
            _person(annotation.get("completed_by")),
            remarks.milliseconds(line, "lead_time", annotation.get("lead_time")),
            remarks.moment(line, "created_at", annotation.get("created_at")),
        )
        yield checked(entry, problems)


def _of_row(line: int, row: dict[str, Any], remarks: Remarks) -> Entry:
    """Nothing says which fields are of the task and which are answers: both have all of them."""
    fields = {name: value for name, value in row.items() if name not in _ABOUT}
    return Entry(
        line,
        texts_of(fields),
        {name: _values(value) for name, value in fields.items()},
        _person(row.get("annotator")),
        remarks.milliseconds(line, "lead_time", row.get("lead_time")),
        remarks.moment(line, "created_at", row.get("created_at")),
    )


def _person(value: Any) -> str:
    """The number of a user, or what an export with more about users has."""
    if isinstance(value, dict):
        value = value.get("id", value.get("email"))
    return "" if value is None or isinstance(value, bool) else str(value)


def _values(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(text for element in value for text in _values(element))
    if isinstance(value, dict):
        return next((_values(value[name]) for name in _VALUES if name in value), ())
    if value is None or isinstance(value, bool):
        return ()
    return (str(value),)
