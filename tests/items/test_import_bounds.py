"""Files in which nearly everything is wrong: reading stops early, and says where and why."""

import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from annotation.basics.errors import ImportProblemsError
from annotation.items.imports import (
    items,
    json_lines,
    judgments,
    lines,
    relabels,
    text_columns,
    text_pairs,
)
from annotation.items.imports.foreign import objects, reading
from annotation.items.imports.headers import MAX_COLUMNS
from annotation.items.imports.problems import LISTED, MAX_PROBLEMS, Problems, shape_problem
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import imports, relabellings
from annotation.kinds.registry import KINDS
from tests.support.factories import make_study, make_user
from tests.support.finished_files import MAKE, imported, refused
from tests.support.item_files import problems, read

LIMIT_BYTES = 64 * 1024**2
TURK = b"AssignmentId,WorkerId,Input.item1,Input.item2,Answer.best,Answer.worst\n"
NRC = b"Annotator,Item1,Item2,BestItem,WorstItem\n"


class Endless(io.RawIOBase):
    """A stream that begins with some bytes and then repeats a line, as often as it is read."""

    def __init__(self, head: bytes, line: bytes) -> None:
        self._head = io.BytesIO(head)
        self._line = line
        self.n_lines = self.n_bytes = 0

    def seekable(self) -> bool:
        return False

    def readline(self, size: int | None = -1, /) -> bytes:
        raw = (self._head.readline() or self._line)[:size]
        self.n_lines += 1
        self.n_bytes += len(raw)
        return raw


Reader = Callable[[IO[bytes]], object]


def of_items(filename: str, kind: str = "rating") -> Reader:
    return lambda file: items.read(
        file, filename=filename, limit_bytes=LIMIT_BYTES, kind=KINDS[kind].items
    )


def of_finished(file_format: str) -> Reader:
    how = reading.ReadOptions(LIMIT_BYTES, {}, "somebody")
    return lambda file: reading.read(
        file, file_format, reading.StudyContents(KINDS["best_worst"].items), how
    )


BROKEN: dict[str, tuple[Reader, bytes, bytes]] = {
    "objects": (of_items("a.jsonl"), b"", b'{"id": "a", \n'),
    "objects in one sign": (of_items("a.jsonl"), b"", b"{\n"),
    "bytes": (of_items("a.jsonl"), b"", b"\xff\n"),
    "columns": (of_items("a.csv"), b"id,target,candidate\n", b"a,b\n"),
    "tabs": (of_items("a.tsv"), b"id\ttext\n", b"a\n"),
    "quotes": (of_items("a.csv"), b"id,target,candidate\n", b'"a"b,c,d\n'),
    "the same text": (of_items("a.txt", "best_worst"), b"", b"a\n"),
    "a table of answers": (
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES),
        NRC,
        b"u,a\n",
    ),
    "a table of answers without its columns": (
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES),
        b"Annotator,Item1\n",
        b"u,a\n",
    ),
    "Mechanical Turk": (of_finished("mturk"), TURK, b"a,b\n"),
    "Label Studio, a list": (of_finished("label-studio"), b"[\n", b'{"id": 1},\n'),
    "Label Studio, no comma": (of_finished("label-studio"), b"[{}\n", b"{}\n"),
    "Potato": (of_finished("potato"), b'{"id": 1}\n', b'{"id": 1, \n'),
    "Potato, a table": (of_finished("potato"), b"id,a:::b\n", b"a\n"),
    "Potato, spread": (of_finished("potato"), b"", b"{\n}\n"),
    "pairs": (text_pairs.read, b"", b"a\tb\tc\n"),
    "columns of texts": (
        lambda file: text_columns.read(file, limit_bytes=LIMIT_BYTES),
        b"",
        b"a\tb\tc\n",
    ),
    "labels": (
        lambda file: relabels.read(file, limit_bytes=LIMIT_BYTES),
        b"id,domain\n",
        b"a\n",
    ),
}


@pytest.mark.parametrize(("reader", "head", "line"), BROKEN.values(), ids=BROKEN)
def test_reading_stops_after_so_many_problems(reader: Reader, head: bytes, line: bytes) -> None:
    file = Endless(head, line)

    with pytest.raises(ImportProblemsError) as caught:
        reader(file)

    assert 1 <= len(caught.value.problems) <= LISTED + 2
    assert file.n_lines < 20 * MAX_PROBLEMS
    assert file.n_bytes < LIMIT_BYTES // 10


def test_the_last_sentence_says_that_reading_stopped() -> None:
    found = problems("{\n" * 3 * MAX_PROBLEMS)

    assert len(found) == LISTED + 2
    assert found[-2] == f"and {MAX_PROBLEMS - LISTED} more"
    assert f"{MAX_PROBLEMS:,}" in found[-1]


def test_what_is_collected_without_reading_stops_as_well() -> None:
    collected = Problems()
    for number in range(1, MAX_PROBLEMS):
        collected.add(number, "wrong")

    with pytest.raises(ImportProblemsError):
        collected.add(MAX_PROBLEMS, "wrong")


@pytest.mark.parametrize(
    ("filename", "head"),
    [("a.jsonl", b'{"id": "'), ("a.csv", b'id,text\n1,"'), ("a.txt", b"text"), ("a", b"x")],
)
def test_a_line_has_a_length(filename: str, head: bytes) -> None:
    """The stream repeats something without a line end, for ever."""
    long_line = b"x" * (lines.MAX_LINE_BYTES + 1)
    file = Endless(head + long_line, b"y" * 1000)

    with pytest.raises(ImportProblemsError) as caught:
        of_items(filename, "best_worst")(file)

    line = head.count(b"\n") + 1
    assert any(problem.startswith(f"line {line}: ") for problem in caught.value.problems)
    assert file.n_bytes < 2 * lines.MAX_LINE_BYTES


def test_a_line_of_commas_is_not_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Potato writes one line for a person, of any length; a table has no such lines."""
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 1000)
    content = b"id,a:::b\n" + b"," * 2000 + b"\n"

    with pytest.raises(ImportProblemsError) as caught:
        of_finished("potato")(io.BytesIO(content))

    (problem,) = caught.value.problems
    assert problem.startswith("line 2: ")


@pytest.mark.slow
def test_a_quotation_mark_that_stays_open_does_not_swallow_the_file() -> None:
    file = Endless(b'id,target,candidate\n1,"a', b"b,c,d,e\n")

    with pytest.raises(ImportProblemsError) as caught:
        of_items("a.csv")(file)

    assert caught.value.problems[0].startswith("line 2: ")
    assert file.n_bytes < lines.MAX_LINE_BYTES * 1.5


@pytest.mark.parametrize(
    ("filename", "line"),
    [("a.jsonl", b"\n"), ("a.csv", b"\r\n"), ("a", b"\n"), ("a.tsv", b"\t\n")],
)
def test_so_many_lines_may_be_empty(
    monkeypatch: pytest.MonkeyPatch, filename: str, line: bytes
) -> None:
    monkeypatch.setattr(lines, "MAX_BLANK", 500)
    file = Endless(b"id\ttext\n", line)

    with pytest.raises(ImportProblemsError):
        of_items(filename, "best_worst")(file)

    assert file.n_lines < 5 * MAX_PROBLEMS


def test_a_task_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_OBJECT_LENGTH", 10_000)
    file = Endless(b'[\n{"a": [\n', b"1,\n")

    with pytest.raises(ImportProblemsError) as caught:
        of_finished("label-studio")(file)

    (problem,) = caught.value.problems
    assert problem.startswith("task 1: ")
    assert file.n_bytes < 50_000


ANSWERED = b'"annotations": [{"result": [], "completed_by": 1}]'
MIN = b'"annotator": 1, "annotation_id": 1'
# Each has one more than the limit.
LARGE: dict[str, tuple[Reader, str, int, bytes]] = {
    "values of an item": (
        of_items("a.jsonl"),
        "json_lines.MAX_VALUES",
        100,
        b'{"id": "a", "target": "b", "candidate": "c", "m": [' + b"[]," * 100 + b"[]]}",
    ),
    "values of a task in one line": (
        of_finished("label-studio"),
        "json_lines.MAX_VALUES",
        100,
        b'{"data": {"x": [' + b"[]," * 100 + b"[]]}, " + ANSWERED + b"}",
    ),
    "values of a task in a list": (
        of_finished("label-studio"),
        "json_lines.MAX_VALUES",
        20_000,
        b'[{"data": {"x": [' + b"[]," * 20_000 + b"[]]}, " + ANSWERED + b"}]",
    ),
    "length of a whole task": (
        of_finished("label-studio"),
        "json_lines.MAX_OBJECT_LENGTH",
        1000,
        b'{"data": {"x": "' + b"a" * 1000 + b'"}, ' + ANSWERED + b"}",
    ),
    "length of a whole task in a list": (
        of_finished("label-studio"),
        "json_lines.MAX_OBJECT_LENGTH",
        1000,
        b'[{"data": {"x": "' + b"a" * 1000 + b'"}, ' + ANSWERED + b"}]",
    ),
    "length of a state over several lines": (
        of_finished("potato"),
        "json_lines.MAX_OBJECT_LENGTH",
        1000,
        b'{\n"instance_id_to_label_to_value": {},\n"x": "' + b"a" * 1000 + b'"}',
    ),
    "values of all items": (
        of_items("a.jsonl"),
        "items.MAX_VALUES_KEPT",
        100,
        b"".join(b'{"id": "%d", "target": "b%d", "candidate": "c"}\n' % (n, n) for n in range(40)),
    ),
    "cells of all items": (
        of_items("a.csv"),
        "items.MAX_VALUES_KEPT",
        100,
        b"id,target,candidate\n" + b"".join(b"%d,t%d,c\n" % (n, n) for n in range(40)),
    ),
    "cells of a table of answers": (
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES),
        "judgments.MAX_CELLS_OF_ANSWERS",
        100,
        NRC + b"".join(b"u%d,a,b,a,b\n" % n for n in range(40)),
    ),
    "cells of Mechanical Turk": (
        of_finished("mturk"),
        "problems.MAX_VALUES_READ",
        100,
        TURK + b"".join(b"%d,w,a,b,a,b\n" % n for n in range(40)),
    ),
    "values of a cell": (
        of_finished("mturk"),
        "json_lines.MAX_VALUES",
        100,
        TURK.replace(b"Answer.best,Answer.worst", b"Answer.taskAnswers")
        + b'1,w,a,b,"[{}'
        + b",{}" * 40
        + b']"\n',
    ),
    "values of all tasks": (
        of_finished("label-studio"),
        "problems.MAX_VALUES_READ",
        100,
        b"[" + b'{"data": {"x": 1}, "annotations": []},' * 40 + b'{"data": {}}]',
    ),
    "texts of a task": (
        of_finished("label-studio"),
        "foreign.entries.MAX_TEXTS",
        20,
        b'{"data": {"x": [' + b'"a",' * 20 + b'"a"]}, ' + ANSWERED + b"}",
    ),
    "answers of a task": (
        of_finished("label-studio"),
        "foreign.entries.MAX_TEXTS",
        20,
        b"{" + MIN + b', "x": [' + b"1," * 20 + b"1]}",
    ),
    "texts of an annotated instance": (
        of_finished("potato"),
        "foreign.entries.MAX_TEXTS",
        20,
        b'{"id": 1, "labels": {"a": {"b": 1}}, "x": [' + b'"a",' * 20 + b'"a"]}',
    ),
}


@pytest.mark.parametrize(("reader", "limit", "n", "content"), LARGE.values(), ids=LARGE)
def test_what_is_too_large_is_refused_with_its_place(
    reader: Reader, limit: str, n: int, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"annotation.items.imports.{limit}", n)

    with pytest.raises(ImportProblemsError) as caught:
        reader(io.BytesIO(content))

    (problem,) = caught.value.problems
    assert problem.startswith(("line ", "task "))
    assert f"{n:,}" in problem


def test_what_has_too_many_values_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a whole line nor what follows the last value that a task may have."""
    monkeypatch.setattr(json_lines, "MAX_VALUES", 20_000)
    longest = 0
    decode = json_lines._decoder.raw_decode

    class Counted:
        def raw_decode(self, text: str, *given: int) -> object:
            nonlocal longest
            longest = max(longest, len(text))
            return decode(text, *given)

        decode = raw_decode

    monkeypatch.setattr(json_lines, "_decoder", Counted())
    monkeypatch.setattr(objects, "_decoder", Counted())
    content = b'{"data": {"x": [' + b"[]," * 100_000 + b"[]]}}"

    for before, behind in ((b"", b""), (b"[", b"]"), (b"{\n", b"}")):
        with pytest.raises(ImportProblemsError):
            of_finished("label-studio")(io.BytesIO(before + content + behind))

    assert longest <= 1.5 * json_lines.MAX_VALUES + len('[{"data": {"x": [')


@pytest.mark.parametrize("n_before", [0, 1, 500])
def test_a_task_of_as_many_values_as_there_may_be_is_read(
    n_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands behind it."""
    task = b'{"data": {"x": [%b0]}}' % (b"[]," * 20_000)
    monkeypatch.setattr(json_lines, "MAX_VALUES", json_lines.n_values(task.decode()))
    content = b"[" + b'{"data": {"x": 1}},' * n_before + task + b',{"data": {"x": 1}}' * 900 + b"]"

    text_lines = iter([(1, content.decode())])
    tasks = [*objects.read_objects(text_lines, Problems(of_tasks=True))]

    assert len(tasks) == n_before + 901
    assert len(tasks[n_before][1]["data"]["x"]) == 20_001


def test_a_value_is_looked_at_without_a_copy_of_what_it_holds() -> None:
    value: list[object] = [[[]] * 50_000]
    tracemalloc.start()
    try:
        assert not shape_problem(value)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 100_000


def test_an_object_has_at_most_as_many_keys_as_a_table_has_columns() -> None:
    def entry(n: int) -> str:
        return json.dumps(
            {"id": "a", "target": "b", "candidate": "c", **{f"k{i}": i for i in range(n)}}
        )

    (item,) = read(entry(MAX_COLUMNS)).items
    assert len(item.metadata) == MAX_COLUMNS
    (problem,) = problems("\n" + entry(MAX_COLUMNS + 1))
    assert problem.startswith("line 2: ")


def folder_with(tmp_path: Path, name: str) -> Path:
    make_user("researcher")
    answers = [
        {"id": key, "text1": key, "text2": "b", "label_annotations": {"alike": {"v": value}}}
        for key, value in (("p1", 1), ("p2", 2))
    ]
    good = tmp_path / "out" / "anna" / "annotated_instances.jsonl"
    good.parent.mkdir(parents=True)
    good.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    broken = tmp_path / "out" / name
    broken.parent.mkdir(exist_ok=True)
    broken.write_text('{"id": 1,\n' * 3 * MAX_PROBLEMS)
    return tmp_path / "out"


@pytest.mark.django_db
def test_a_persons_broken_file_is_named_where_reading_stops(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "bert/annotated_instances.jsonl")

    found = refused(folder, "s", "potato", *MAKE, "--preset", "answer-similarity")

    assert len(found) == LISTED + 2
    assert all(problem.startswith("bert/annotated_instances.jsonl: ") for problem in found)


@pytest.mark.django_db
def test_a_broken_file_that_is_nobodys_is_passed_over(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "log.jsonl")

    told = imported(folder, "s", "potato", *MAKE, "--preset", "answer-similarity")

    assert told["n_judgments"] == 2


@pytest.mark.django_db
def test_all_lines_together_have_at_most_as_many_keys_as_a_table_has_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(imports, "MAX_COLUMNS", 10)
    study = make_study(preset="stss-131", dialogues=0)

    def lines_of(first: int, n: int) -> io.BytesIO:
        """Each with two keys that no other has."""
        rows = [
            {"id": f"p{i}", "target": f"t{i}", "candidate": "c", f"a{i}": "x", f"b{i}": "y"}
            for i in range(first, first + n)
        ]
        return io.BytesIO("\n".join(map(json.dumps, rows)).encode())

    imports.import_items(study=study, path=lines_of(0, 5), filename="p.jsonl")
    for arguments in ({"path": lines_of(0, 6)}, {"path": lines_of(5, 1), "add": True}):
        with pytest.raises(ImportProblemsError) as error:
            imports.import_items(study=study, filename="p.jsonl", **arguments)
        assert "columns" in str(error.value.problems[0])

    assert study.items.count() == 5
    item = study.items.first()
    assert item is not None
    monkeypatch.setattr(relabellings, "MAX_COLUMNS", 10)
    with pytest.raises(ImportProblemsError):
        relabellings.relabel(
            study=study,
            wanted=[RequestedChange(item.key, "new", "x")],
            reason="One more.",
            by=study.owner,
        )
