"""What newer versions of Potato keep: a state for each user, beside the data of the project."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Judgment
from tests.annotation.finished_files import MAKE, answers_of, imported, refused
from tests.factories import make_user

pytestmark = pytest.mark.django_db

RATING = ("--preset", "answer-similarity")


@pytest.fixture(autouse=True)
def _researcher() -> None:
    make_user("researcher")


def state(user: str, answers: dict[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "user_id": user,
        "instance_id_ordering": list(answers),
        "instance_id_to_label_to_value": {
            key: [[{"schema": "alike", "name": name}, value] for name, value in said.items()]
            for key, said in answers.items()
        },
        "instance_id_to_behavioral_data": {
            key: {"session_start": 1.0, "session_end": 1788000000.5, "total_time_ms": 2500}
            for key in answers
        },
        **more,
    }


def written(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return folder


def packed(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*.*"):
            archive.write(file, file.relative_to(folder.parent))
    return path


def ratings_of(slug: str) -> list[tuple[str, str | None, Any]]:
    rows = Judgment.objects.filter(assignment__annotator__study__slug=slug)
    names = ("assignment__annotator__person__platform_id", "question__item__key", "rating")
    return sorted(rows.values_list(*names))


PAIRS = (
    '{"id": "p1", "text1": "cat", "text2": "tom"}\n{"id": "p2", "text1": "rain", "text2": "x"}\n'
)
ANNA = state("anna", {"p1": {"scale_2": "2"}, "p2": {"slider": 0}})
BERT = state("bert", {"p1": {"scale_1": "true"}, "p2": {}})


@pytest.mark.parametrize("as_zip", [True, False])
def test_the_folder_of_a_project_has_everybodys_answers(tmp_path: Path, as_zip: bool) -> None:
    folder = written(
        tmp_path / "project",
        {
            "data/pairs.jsonl": PAIRS,
            "config.json": {"task": "x"},
            "out/anna/user_state.json": ANNA,
            "out/anna/annotated_instances.jsonl": "an older version's",
            "out/anna/annotation_history.jsonl": '{"half',
            "out/bert/user_state.json": BERT,
            "out/tool/user_state.json": {**ANNA, "user_id": "t", "origin": {"kind": "llm"}},
        },
    )

    told = imported(packed(folder) if as_zip else folder, "s", "potato", *MAKE, *RATING)

    assert ratings_of("s") == [("anna", "p1", 2), ("anna", "p2", 0), ("bert", "p1", 1)]
    assert told["left_out"] == {"unanswered": 1, "machine": 2}
    first = Judgment.objects.order_by("pk")[0]
    assert first.active_ms == 2500
    assert first.answered_at
    assert first.answered_at.timestamp() == 1788000000.5


def test_what_each_user_was_assigned_says_what_was_compared(tmp_path: Path) -> None:
    options = [{"source_id": n, "text": n.upper(), "position": n.upper()} for n in "abc"]
    other = [{"source_id": n, "text": n.upper() * 2, "position": n.upper()} for n in "abc"]
    folder = written(
        tmp_path / "out",
        {
            "u1/user_state.json": state("u1", {"t": {"best": "B", "worst": "C"}}),
            "u1/assigned_user_data.json": {"t": {"id": "t", "_bws_items": options}},
            "u2/user_state.json": state("u2", {"t": {"best": "A", "worst": "B"}}),
            "u2/assigned_user_data.json": {"t": {"id": "t", "_bws_items": other}},
        },
    )

    imported(packed(folder), "s", "potato", *MAKE)

    assert answers_of("s") == [("u1", "B", "C"), ("u2", "AA", "BB")]


def test_a_state_alone_answers_items_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / "user_state.json"
    file.write_text(json.dumps(ANNA, indent=2))
    (problem, *_more) = refused(file, "s", "potato", *MAKE, *RATING)
    assert problem == (
        "anna, instance 'p1': the file has ids and no texts; import the items first, then the"
        " answers"
    )
    # Several states may stand behind one another, indented or one a line.
    for indent in (2, None):
        file.write_text("".join(json.dumps(one, indent=indent) + "\n" for one in (ANNA, BERT)))
        problems = refused(file, "s", "potato", *MAKE, *RATING)
        assert [problem.split(":")[0] for problem in problems] == [
            "anna, instance 'p1'",
            "anna, instance 'p2'",
            "bert, instance 'p1'",
        ]
    file.write_text(json.dumps(ANNA, indent=2)[:-9])
    (problem,) = refused(file, "s", "potato", *MAKE, *RATING)
    assert problem == (
        "line 1: the object that begins here is broken JSON; take the file as it was written"
    )


def test_what_is_wrong_in_a_folder_is_named_by_file_and_instance(tmp_path: Path) -> None:
    files = {
        "pairs.jsonl": PAIRS,
        "anna/user_state.json": state("anna", {"p1": {"scale_9": "9"}}),
        "bert/user_state.json": '{\n "user_id": "bert"',
        "carl/user_state.json": {"user_id": "carl", "instance_id_to_label_to_value": []},
        "dora/annotated_instances.jsonl": '{"id": "p1", "label_annotations": {"alike": {"v": 7}}}',
    }
    folder = written(tmp_path / "out", files)

    problems = refused(packed(folder), "s", "potato", *MAKE, *RATING)

    assert [problem.split(";")[0] for problem in problems] == [
        "out/bert/user_state.json: line 1: the object that begins here is broken JSON",
        "out/carl/user_state.json: instance_id_to_label_to_value is no object",
        "out/anna/user_state.json, instance 'p1': alike '9' is no point of the study's scale,"
        " from 0 to 2 in steps of 1",
        "out/dora/annotated_instances.jsonl, line 1: alike '7' is no point of the study's scale,"
        " from 0 to 2 in steps of 1",
    ]


def test_other_archives_are_refused(tmp_path: Path, settings: Any) -> None:
    file = tmp_path / "book.xlsx"
    for name, said in (
        ("[Content_Types].xml", "This is an Excel workbook, not a text file"),
        ("readme.txt", "no user_state.json and no annotated_instances is in it"),
    ):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, "x")
        (problem,) = refused(file, "s", "potato", *MAKE)
        assert problem.startswith(said)
    file.write_bytes(file.read_bytes()[:40])
    assert refused(file, "s", "potato", *MAKE) == ["The ZIP is damaged: pack the folder again."]

    settings.IMPORT_LIMIT_BYTES = 1024
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("u/user_state.json", "0" * 5000)
    (problem,) = refused(file, "s", "potato", *MAKE)
    assert problem.startswith("the folder has 0.00477 MiB, and at most 0.000977 MiB can be")
