"""What newer versions of Potato keep: a state for each user, beside the data of the project."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Judgment, Study
from tests.support.factories import make_study, make_user
from tests.support.finished_files import MAKE, answers_of, imported, refused
from tests.support.researcher_pages import signed_in, url

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
        "line 1: the object that begins here is broken JSON; use the file as the tool wrote it"
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
        "out/carl/user_state.json: instance_id_to_label_to_value is not an object",
        (
            "out/anna/user_state.json, instance 'p1': alike '9' is not on the study's "
            "scale, which goes from 0 to 2 in steps of 1"
        ),
        (
            "out/dora/annotated_instances.jsonl, line 1: alike '7' is not on the study's "
            "scale, which goes from 0 to 2 in steps of 1"
        ),
    ]


def offered(folder: Path, *, as_zip: bool) -> Path:
    """The folder itself, or a ZIP of it with entries for its folders."""
    if not as_zip:
        return folder
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder.parent))
    return path


LOST: dict[str, dict[str, Any]] = {
    "an empty state": {"out/bert/user_state.json": ""},
    "a blank state": {"out/bert/user_state.json": " \n\n"},
    "an empty state beside rows": {
        "out/bert/user_state.json": "",
        "out/bert/annotated_instances.jsonl": '{"id": "p1", "label_annotations": {"alike": 1}}',
    },
    "a list of no states": {"out/bert/user_state.json": "[]"},
    "empty rows": {"out/bert/annotated_instances.jsonl": ""},
    "a table with its header alone": {"out/bert/annotated_instances.csv": "id,alike:::1\n"},
    "an empty folder": {"out/bert": None},
    "other files of a person": {"out/bert/assigned_user_data.json": {"p1": {"id": "p1"}}},
    "a renamed state": {"out/bert/user_state.json.bak": state("bert", {})},
    "no data": {"out/bert/notes.txt": "x"},
    "unreadable answers": {
        "out/bert/user_state.json": {
            "user_id": "bert",
            "instance_id_to_label_to_value": {"p1": {"alike": {"scale_1": "true"}}},
        }
    },
}


@pytest.mark.parametrize("as_zip", [True, False])
@pytest.mark.parametrize("files", LOST.values(), ids=LOST)
def test_nobody_is_dropped_from_a_folder_without_a_word(
    tmp_path: Path, files: dict[str, Any], *, as_zip: bool
) -> None:
    folder = written(
        tmp_path / "project",
        {
            "data/pairs.jsonl": PAIRS,
            "out/anna/user_state.json": ANNA,
            **{name: content for name, content in files.items() if content is not None},
        },
    )
    for name, content in files.items():
        if content is None:
            (folder / name).mkdir()

    file = offered(folder, as_zip=as_zip)
    study = make_study(dialogues=0, preset="answer-similarity")
    problems = refused(file, "s", "potato", *MAKE, *RATING)

    assert len(problems) == 1
    assert "bert" in problems[0]
    assert "; " in problems[0]
    assert not Study.objects.filter(slug="s").exists()
    if as_zip:
        client = signed_in(study.owner)
        upload = SimpleUploadedFile("out.zip", file.read_bytes())
        page = client.post(url(study, "finished_upload"), {"format": "potato", "file": upload})
        assert page.status_code == 400
        (on_page,) = page.context["problems"]
        assert "bert" in on_page


@pytest.mark.parametrize("as_zip", [True, False])
def test_folders_that_are_nobodys_are_passed_over(tmp_path: Path, *, as_zip: bool) -> None:
    folder = written(
        tmp_path / "project",
        {
            "out/anna/user_state.json": ANNA,
            "out/data/pairs.jsonl": PAIRS,
            "out/old/carl/user_state.json": state("carl", {"p1": {"scale_1": "1"}}),
            "out/.cache/index.bin": "x",
            "out/task_assignment.json": {},
        },
    )
    (folder / "out/archived_users").mkdir()

    told = imported(offered(folder, as_zip=as_zip), "s", "potato", *MAKE, *RATING)

    assert (told["n_annotators"], told["people_without_answers"]) == (2, [])


def test_who_answered_nothing_is_named(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "out",
        {
            "pairs.jsonl": PAIRS,
            "anna/user_state.json": ANNA,
            "bert/user_state.json": state("bert", {}),
            "carl/user_state.json": state("carl", {"p1": {}}),
            "dora/annotated_instances.jsonl": '{"id": "p1", "label_annotations": {}}\n',
            "tool/user_state.json": {**ANNA, "user_id": "tool", "origin": {"kind": "llm"}},
        },
    )
    study = make_study(dialogues=0, preset="answer-similarity")
    client = signed_in(study.owner)
    file = packed(folder)

    upload = SimpleUploadedFile("out.zip", file.read_bytes())
    looked = client.post(url(study, "finished_upload"), {"format": "potato", "file": upload})
    page = client.get(looked["Location"])
    told = imported(file, "s", "potato", *MAKE, *RATING)

    assert told["left_out"] == {"unanswered": 2, "machine": 2, "people": 3}
    assert told["people_without_answers"] == ["bert", "carl", "dora"]
    assert any("bert, carl, dora" in str(said) for said in page.context["left_out"])


def test_other_archives_are_refused(tmp_path: Path, settings: Any) -> None:
    file = tmp_path / "book.xlsx"
    for name, said in (
        ("[Content_Types].xml", "This is an Excel workbook, not a text file"),
        ("readme.txt", "it contains neither user_state.json nor annotated_instances"),
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
    assert problem.startswith("the folder has 0.00477 MiB, and the limit is 0.000977 MiB")
