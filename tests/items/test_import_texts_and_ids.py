"""Texts that nobody sees, and ids that nobody can tell apart: refused in every kind of file."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.basics.errors import ImportProblemsError
from annotation.basics.scale import Scale
from annotation.items.imports import items, judgments, text_columns, text_pairs
from annotation.items.imports.foreign import reading
from annotation.items.imports.ids import look_of
from annotation.items.imports.problems import MAX_TEXT_LENGTH, item_text_problem, key_problem
from annotation.kinds.registry import KINDS
from tests.support.api import address, by_token
from tests.support.item_files import empty_study, jsonl, problems, read
from tests.support.researcher_pages import signed_in, url

LIMIT_BYTES = 64 * 1024**2
LONG = "x" * 4_000_000
INVISIBLE = {
    "zero width": "\u200b",
    "byte order marks": "\ufeff\ufeff",
    "soft hyphens": "\u00ad \u00ad",
    "no-break spaces and joiners": "\u00a0\u200d\u00a0",
    "word joiner": "\u2060",
    "directions": "\u202a\u202c",
    "a filler": "\u3164",
    "blank braille": "\u2800",
    "selectors": "\ufe0f",
    "control characters": "\x07",
    "tags": "\U000e0061",
}
VISIBLE = [
    "a",
    "\u200ba\u200b",
    "-",
    "👍🏽",
    "👩\u200d👩\u200d👧",
    "می\u200cخواهم",
    "e\u0301",
    "\u0301",
    "。",
]
CONTROL = ["a\x07", "a\x7f", "\x85a", "a\u2028b", "a\u202eb", "\u2066a"]
# Each is another id than the first, and looks like it.
ALIKE = [
    ("b1", "b1 "),
    ("b1", " b1"),
    ("b1", "b 1"),
    ("b 1", "b  1"),
    ("b 1", "b\u00a01"),
    ("12 1", "12\u20091"),
    ("caf\u00e9", "cafe\u0301"),
    ("\u212b", "\u00c5"),
    ("b1", "b\u200b1"),
    ("b1", "\ufeffb1"),
]
DISTINCT = [
    ("b1", "b2"),
    ("b1", "B1"),
    ("12 1", "1 21"),
    ("12 1", "121"),
    ("é", "e"),
    ("x²", "x2"),
]
Read = Callable[[str, str], list[str]]


def table(*rows: tuple[str, ...], delimiter: str = "\t") -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return file.getvalue()


def refusals(read_file: Callable[[io.BytesIO], object], content: str) -> list[str]:
    try:
        read_file(io.BytesIO(content.encode()))
    except ImportProblemsError as error:
        return error.problems
    return []


def of_items(content: str, filename: str, kind: str = "rating") -> list[str]:
    return refusals(
        lambda file: items.read(
            file, filename=filename, limit_bytes=LIMIT_BYTES, kind=KINDS[kind].items
        ),
        content,
    )


def of_finished(content: str, file_format: str, kind: str = "rating") -> list[str]:
    asked = reading.StudyContents(
        KINDS[kind].items, scale=Scale.of(SCALE) if kind == "rating" else None
    )
    how = reading.ReadOptions(LIMIT_BYTES, {})
    return refusals(lambda file: reading.read(file, file_format, asked, how), content)


SCALE = {"low": "0", "high": "6", "step": "1"}
TASK = {"completed_by": 1, "result": [{"from_name": "rating", "value": {"rating": 1}}]}


def task(key: str, text: str, other: str = "c", *, person: object = 1) -> dict[str, object]:
    annotation = {**TASK, "completed_by": person}
    return {"data": {"id": key, "text1": text, "text2": other}, "annotations": [annotation]}


def dialogue(text: str) -> dict[str, object]:
    return {"id": "i1", "turns": [{"text": "a"}, {"text": text}], "candidates": [{"text": "b"}]}


# Of each kind of file one whose second entry has the text.
TEXTS: dict[str, Callable[[str], list[str]]] = {
    "pairs, JSONL": lambda text: of_items(
        jsonl(
            {"id": "i0", "target": "t", "candidate": "c"},
            {"id": "i1", "target": "t", "candidate": text},
        ),
        "a.jsonl",
    ),
    "single texts, TSV": lambda text: of_items(
        table(("id", "text"), ("i1", text)), "a.tsv", "label"
    ),
    "pairs, CSV": lambda text: of_items(
        table(("id", "target", "candidate"), ("i1", text, "c"), delimiter=","), "a.csv"
    ),
    "texts alone": lambda text: of_items(f"one\n{text}\n", "a.txt", "label"),
    "a column": lambda text: of_items(f"one\n{text}\n", "a.csv", "label"),
    "a turn": lambda text: of_items(jsonl(dialogue(text)), "a.jsonl", "label"),
    "a candidate": lambda text: of_items(
        jsonl({**dialogue("b"), "candidates": [{"text": "b"}, {"text": text}]}), "a.jsonl", "label"
    ),
    "a marked context": lambda text: of_items(
        table(("id", "target_context", "candidate"), ("i1", f"{text}\n<sent>b</sent>", "c")),
        "a.tsv",
    ),
    "a marked sentence": lambda text: of_items(
        jsonl({"id": "i1", "target": {"text": f"a <sent>{text}</sent>"}, "candidate": "c"}),
        "a.jsonl",
    ),
    "an incident": lambda text: of_items(
        jsonl({"id": "i1", "summary": [text], "reports": [{"id": "r", "sentences": ["a"]}]}),
        "a.jsonl",
        "selection",
    ),
    "answers of a table": lambda text: refusals(
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES),
        table(("Item1", "Item2", "BestItem", "WorstItem"), ("one", text, "one", text)),
    ),
    "answers of Label Studio": lambda text: of_finished(
        json.dumps([task("i1", "b", text)]), "label-studio"
    ),
    "Answers, training pairs and design as one ZIP of TSV files": lambda text: refusals(
        text_pairs.read, table(("a", text))
    ),
    "columns of texts": lambda text: refusals(
        lambda file: text_columns.read(file, limit_bytes=LIMIT_BYTES), table(("a", text))
    ),
}
# Where no id stands in the file, the line says it; Label Studio counts its tasks.
WITHOUT_IDS = {
    *(
        "texts alone",
        "a column",
        "answers of a table",
        "Answers, training pairs and design as one ZIP of TSV files",
        "columns of texts",
    )
}


@pytest.mark.parametrize("file", TEXTS)
def test_a_text_has_a_length(file: str) -> None:
    found = TEXTS[file](LONG)

    assert len(found) == 1
    assert found[0].startswith(("line ", "task "))
    assert str(len(LONG)) in found[0]
    assert str(MAX_TEXT_LENGTH) in found[0]
    assert file in WITHOUT_IDS or "'i1'" in found[0]
    assert TEXTS[file]("x" * MAX_TEXT_LENGTH) == []


@pytest.mark.parametrize("text", INVISIBLE.values(), ids=INVISIBLE)
@pytest.mark.parametrize("file", TEXTS)
def test_a_text_that_nobody_sees_is_refused(file: str, text: str) -> None:
    found = TEXTS[file](text)

    assert len(found) == 1
    assert found[0].startswith(("line ", "task "))
    assert "; " in found[0]
    assert file in WITHOUT_IDS or "'i1'" in found[0]


@pytest.mark.parametrize("text", VISIBLE)
@pytest.mark.parametrize("file", TEXTS)
def test_a_text_that_somebody_sees_is_read(file: str, text: str) -> None:
    assert TEXTS[file](text) == []


def test_a_text_of_no_break_spaces_is_empty() -> None:
    (problem,) = problems(jsonl({"id": "i1", "target": "a", "candidate": "\u00a0\u00a0"}))

    assert problem.startswith("line 1: candidate is empty")
    # The caller says so: some of them ask for the line to be removed, others for the entry.
    assert not item_text_problem("\u00a0")


def test_what_stands_beside_the_texts_has_a_length_too() -> None:
    pair = {"id": "i1", "target": "a", "candidate": "b"}

    (of_json,) = problems(jsonl({**pair, "note": LONG}))
    (of_table,) = problems(
        table((*pair, "note"), (*pair.values(), LONG)), "a.tsv", limit_bytes=LIMIT_BYTES
    )

    assert of_json.startswith("line 1: note ")
    assert of_table.startswith("line 2: note ")


# Of each kind of file one with two ids.
IDS: dict[str, Callable[[str, str], list[str]]] = {
    "items, JSONL": lambda one, other: of_items(
        jsonl(
            *(
                {"id": key, "target": "t", "candidate": f"c{n}"}
                for n, key in enumerate((one, other))
            )
        ),
        "a.jsonl",
    ),
    "items, TSV": lambda one, other: of_items(
        table(("id", "text"), (one, "a"), (other, "b")), "a.tsv", "label"
    ),
    "items, CSV": lambda one, other: of_items(
        table(("id", "target", "candidate"), (one, "a", "c"), (other, "b", "c"), delimiter=","),
        "a.csv",
    ),
    "candidates": lambda one, other: of_items(
        jsonl(
            {
                **dialogue("b"),
                "candidates": [{"id": one, "text": "a"}, {"id": other, "text": "b"}],
            }
        ),
        "a.jsonl",
        "label",
    ),
    "dialogues": lambda one, other: of_items(
        jsonl({**dialogue("b"), "id": one}, {**dialogue("b"), "id": other}), "a.jsonl", "label"
    ),
    "contexts": lambda one, other: of_items(
        jsonl(
            *(
                {
                    "id": n,
                    "target": {"context": key, "sentences": [f"a{n}"], "position": 1},
                    "candidate": "c",
                }
                for n, key in enumerate((one, other))
            )
        ),
        "a.jsonl",
    ),
    "groups": lambda one, other: of_items(
        table(
            ("id", "target", "candidate", "group"), ("1", "a", "c", one), ("2", "b", "c", other)
        ),
        "a.tsv",
    ),
    "incidents": lambda one, other: of_items(
        jsonl(
            *(
                {"id": key, "summary": ["a"], "reports": [{"id": f"r{n}", "sentences": ["a"]}]}
                for n, key in enumerate((one, other))
            )
        ),
        "a.jsonl",
        "selection",
    ),
    "annotators of a table": lambda one, other: refusals(
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES),
        table(
            ("Annotator", "Item1", "Item2", "BestItem", "WorstItem"),
            (one, "a", "b", "a", "b"),
            (other, "a", "b", "a", "b"),
        ),
    ),
    "annotators of Label Studio": lambda one, other: of_finished(
        json.dumps([task("i1", "a", person=one), task("i1", "a", person=other)]), "label-studio"
    ),
    "items of Label Studio": lambda one, other: of_finished(
        json.dumps([task(one, "a"), task(other, "b")]), "label-studio"
    ),
    "pools of answers": lambda one, other: refusals(
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES, pool_column="pool"),
        table(
            ("Item1", "Item2", "BestItem", "WorstItem", "pool"),
            ("a", "b", "a", "b", one),
            ("c", "d", "c", "d", other),
        ),
    ),
    "columns of texts": lambda one, other: refusals(
        lambda file: text_columns.read(file, limit_bytes=LIMIT_BYTES),
        table(
            ("target_id", "target", "candidate_id", "candidate"),
            # Cells are stripped there.
            (f"x{one}x", "a", "1", "c"),
            (f"x{other}x", "b", "2", "d"),
        ),
    ),
}


@pytest.mark.parametrize(("one", "other"), ALIKE)
@pytest.mark.parametrize("file", IDS)
def test_ids_that_look_alike_are_refused(file: str, one: str, other: str) -> None:
    found = IDS[file](one, other)

    assert len(found) == 1
    assert found[0].startswith(("line ", "task "))
    # What nobody sees is spelled out.
    assert ascii(other)[1:-1] in found[0]
    assert ascii(one)[1:-1] in found[0]
    assert "; " in found[0]


@pytest.mark.parametrize(("one", "other"), DISTINCT)
@pytest.mark.parametrize("file", IDS)
def test_ids_that_people_can_tell_apart_are_read(file: str, one: str, other: str) -> None:
    assert IDS[file](one, other) == []


# An id that Label Studio's tasks have is not needed: an item whose id cannot be one gets another.
@pytest.mark.parametrize("key", CONTROL)
@pytest.mark.parametrize("file", [file for file in IDS if file != "items of Label Studio"])
def test_an_id_with_a_control_character_is_refused(file: str, key: str) -> None:
    found = IDS[file]("z9", key)

    assert found
    assert all(problem.startswith(("line ", "task ")) for problem in found)
    assert any("U+" in problem for problem in found)


def test_texts_that_are_their_own_ids_keep_their_words_apart() -> None:
    (one, other) = read("everyday\nevery day\n", "a.txt", "label").items
    assert (one.key, other.key) == ("everyday", "every day")

    for alike in ("every  day", "every\u00a0day", " every day"):
        (problem,) = problems(f"every day\n{alike}\n", "a.txt", kind="label")
        assert problem.startswith("line 2: ")
    # An item of a table may be its own id, too.
    assert (
        len(read("id\ttext\neveryday\teveryday\nevery day\tevery day\n", "a.tsv", "label").items)
        == 2
    )


def test_a_text_that_could_be_no_id_is_known_by_its_line() -> None:
    (item,) = read("a\u202eb\n", "a.txt", "label").items

    assert (item.key, item.candidate) == ("line-1", "a\u202eb")


def test_items_of_answers_that_look_alike_are_refused() -> None:
    found = refusals(
        lambda file: judgments.read(file, limit_bytes=LIMIT_BYTES),
        table(
            ("Item1", "Item2", "BestItem", "WorstItem"),
            ("caf\u00e9", "cafe\u0301", "caf\u00e9", "cafe\u0301"),
        ),
    )

    assert len(found) == 1
    assert found[0].startswith("line 2: Item2 ")


@pytest.mark.parametrize("key", ["a", "a b", "é", "می\u200cخواهم", "1/2", "x:y", "👩\u200d👧"])
def test_what_an_id_may_be(key: str) -> None:
    assert not key_problem(key)
    assert look_of(look_of(key)) == look_of(key)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "second",
    [
        {"id": "b 1", "target": "t", "candidate": "d"},
        {"id": "b\x071", "target": "t", "candidate": "d"},
        {"id": "b2", "target": "t", "candidate": "\u200b"},
        {"id": "b2", "target": "t", "candidate": "x" * (MAX_TEXT_LENGTH + 1)},
    ],
)
def test_the_page_and_the_api_refuse_what_the_reader_refuses(second: dict[str, str]) -> None:
    study = empty_study()
    content = jsonl({"id": "b1", "target": "t", "candidate": "c"}, second).encode()

    page = signed_in(study.owner).post(
        url(study, "upload"), {"file": SimpleUploadedFile("a.jsonl", content)}
    )
    answer = by_token(study.owner).post(
        address(study, "items/"), {"file": SimpleUploadedFile("a.jsonl", content)}
    )

    assert page.status_code == answer.status_code == 400
    (problem,) = page.context["problems"]
    assert problem.startswith("line 2: ")
    (of_api,) = answer.json()["problems"]
    assert (of_api["line"], study.items.count()) == (2, 0)
    assert of_api["field"]
    assert of_api["remedy"]
