"""Finished answers in odd files: what can be read is read, the rest is refused with its place."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.core.services import jobs
from annotation.items.imports.foreign import roles
from annotation.models import Job, Judgment, Study
from tests.support.factories import make_study, make_user
from tests.support.finished_files import MAKE, TURK, answers_of, imported, refused
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

WHEN = "Mon Sep 07 10:12:13 PDT 2026"


@pytest.fixture(autouse=True)
def _researcher() -> None:
    make_user("researcher")


def row(assignment: str, *, status: str = "Approved", when: str = WHEN, s: str = "31") -> str:
    return f"h1,{assignment},W-{assignment},{status},{when},{s},red,blue,green,item1,green,\r\n"


def tasks(*created: Any) -> str:
    return json.dumps(
        [
            {
                "id": number,
                "data": {"text1": f"a{number}", "text2": "b"},
                "annotations": [
                    {
                        "completed_by": 1,
                        "created_at": at,
                        "lead_time": 2,
                        "result": [{"from_name": "score", "value": {"rating": 1}}],
                    }
                ],
            }
            for number, at in enumerate(created, start=1)
        ]
    )


def test_times_that_cannot_be_read_are_counted_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "batch.csv"
    when = "Mon Sep 07 10:12:13 CEST 2026"
    file.write_text(TURK + row("a1") + row("a2", when=when) + row("a3", s="-4", when=""))

    told = imported(file, "turk", "mturk", *MAKE)

    assert told["n_judgments"] == 3
    assert told["unread_times"] == 2
    assert told["first_unread_time"] == f"line 3: SubmitTime is '{when}'"
    kept = Judgment.objects.order_by("pk").values_list("active_ms", "answered_at__hour")
    # What is empty is no time that was not understood.
    assert list(kept) == [(31_000, 17), (31_000, None), (None, None)]

    file.write_text(tasks("2026-05-04T03:02:01Z", "yesterday", None))
    told = imported(file, "ls", "label-studio", *MAKE, "--preset", "answer-similarity")
    assert (told["unread_times"], told["first_unread_time"]) == (
        1,
        "task 2: created_at is 'yesterday'",
    )


def test_rejected_assignments_count_only_where_that_is_said(tmp_path: Path) -> None:
    file = tmp_path / "batch.csv"
    file.write_text(TURK + row("a1", status="Rejected"))
    (problem,) = refused(file, "turk", "mturk", *MAKE)
    assert problem.startswith("all assignments of the file are rejected, so none is counted")

    file.write_text(TURK + row("a1", status="Rejected") + row("a2"))
    assert imported(file, "turk", "mturk", *MAKE)["left_out"] == {"rejected": 1}
    told = imported(file, "all", "mturk", "--with-rejected", *MAKE)
    assert (told["n_judgments"], told["left_out"]) == (2, {})


@pytest.mark.slow
def test_the_file_of_another_tool_is_told_from_that_of_this_one(tmp_path: Path) -> None:
    file = tmp_path / "file"
    ours = "Item1,Item2,BestItem,WorstItem\na,b,a,b\n"
    json_min = '[{"id": 1, "text": "a", "annotator": 1, "annotation_id": 5, "label": "x"}]'
    csv = "annotation_id,annotator,text,label\n1,1,a,x\n"
    potato = "user,instance_id,kind:::same\nu,i,true\n"
    turk = "these are results of Mechanical Turk; choose the format Mechanical Turk"
    is_json = (
        "this is JSON, but the chosen format is a table; choose the format Label Studio or Potato"
    )
    studio = "this is a table of Label Studio; export the project as JSON or JSON-MIN"
    table = "this is a table with BestItem and WorstItem; choose that format"
    page = "this is a web page, not a file with answers; download the file again"
    for content, file_format, said in (
        (TURK + row("a1"), "nrc", turk),
        (TURK + row("a1"), "label-studio", turk),
        (TURK + row("a1"), "potato", turk),
        (json_min, "nrc", is_json),
        (json_min, "mturk", is_json),
        (csv, "label-studio", studio),
        (csv, "mturk", studio),
        (csv, "nrc", studio),
        (ours, "mturk", table),
        (ours, "potato", table),
        (ours, "label-studio", table),
        (potato, "mturk", "this is a file of Potato; choose the format Potato"),
        ("text\na\n", "label-studio", "this is not JSON; export the project of Label Studio"),
        ("<!DOCTYPE html>\n<html>", "mturk", page),
        ("<html>", "label-studio", page),
    ):
        file.write_text(content)
        (problem,) = refused(file, "s", file_format, *MAKE)
        assert problem.startswith(f"line 1: {said}"), (content, file_format)
    assert not Study.objects.exists()


@pytest.mark.parametrize("file_format", ["nrc", "mturk", "label-studio", "potato"])
def test_files_that_hold_nothing_or_no_text(tmp_path: Path, file_format: str) -> None:
    file = tmp_path / "file"
    for content in (b"", b"\r\n\n", b"\xef\xbb\xbf"):
        file.write_bytes(content)
        (problem, *_more) = refused(file, "s", file_format, *MAKE)
        assert "is empty; " in problem or "are needed" in problem
    file.write_bytes(TURK.encode("utf-16"))
    assert refused(file, "s", file_format, *MAKE) == [
        "line 1: the file is UTF-16; save it as UTF-8"
    ]
    file.write_bytes(TURK.encode() + "h1,é".encode("latin-1"))
    assert "line 2: not UTF-8 at byte 4 of the line (0xe9); save the file as UTF-8" in (
        refused(file, "s", "mturk", *MAKE)
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_tables_that_a_spreadsheet_saved_with_semicolons(
    tmp_path: Path, end: str, mark: str
) -> None:
    file = tmp_path / "file.csv"
    lines = ["AssignmentId;WorkerId;Input.item1;Input.item2;Answer.best", 'a1;W;"a; b";c, d;item2']
    file.write_bytes((mark + end.join(lines) + end).encode())
    imported(file, "turk", "mturk", *MAKE)
    assert answers_of("turk") == [("W", "c, d", "a; b")]

    lines = ["Annotator;Item1;Item2;BestItem;WorstItem", 'W;"a; b";c, d;c, d;a; b']
    lines[1] = 'W;"a; b";c, d;c, d;"a; b"'
    file.write_bytes((mark + end.join(lines) + end).encode())
    imported(file, "ours", "nrc", *MAKE)
    assert answers_of("ours") == [("W", "c, d", "a; b")]


def test_choices_that_cannot_be_are_named_with_line_and_remedy(tmp_path: Path) -> None:
    file = tmp_path / "ours.csv"
    head = "Annotator,Item1,Item2,Item3,BestItem,WorstItem\n"
    rows = ["u,a,b,c,a,a", "u,a,b,c,d,a", "u,a,,c,a,c", "u,a,b,c,,c", "u,a,b,c,a,c", "u,c,b,a,b,c"]
    file.write_text(head + "\n".join(rows) + "\n")

    problems = refused(file, "s", "nrc", *MAKE)

    assert problems == [
        "line 2: BestItem and WorstItem are both 'a'; choose two different items, or remove the"
        " line",
        "line 3: BestItem 'd' is not one of the 3 items shown; choose one of them, or remove the"
        " line",
        "line 4: Item2 is empty; name the item",
        "line 5: BestItem is empty; name the chosen item",
        "line 7: annotator 'u' answered these items in line 6; keep one of the two answers",
    ]


def test_the_page_says_what_is_left_out_and_keeps_what_was_asked() -> None:
    study = make_study(dialogues=0, preset="best-worst")
    client = signed_in(study.owner)
    content = TURK + row("a1", status="Rejected") + row("a2", when="yesterday")
    pages = {}
    for asked in ({}, {"with_rejected": "on"}):
        file = SimpleUploadedFile("batch.csv", content.encode())
        fields = {"format": "mturk", "file": file, **asked}
        looked = client.post(url(study, "finished_upload"), fields)
        pages[bool(asked)] = text(client.get(looked["Location"]))

    assert "1 rejected assignment is not counted." in pages[False]
    assert "1 answer of 1 person about 3 items." in pages[False]
    assert "rejected" not in pages[True].split("The first answers")[0].split("with_rejected")[0]
    assert "2 answers of 2 people about 3 items." in pages[True]
    for page in pages.values():
        assert "1 time cannot be read and stays empty (line 3: SubmitTime is " in page

    job = client.post(
        looked["Location"].split("?")[0],
        {"filename": "batch.csv", "format": "mturk", "with_rejected": "on"},
    )
    assert job.status_code == 302
    jobs.run(Job.objects.get().pk)
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["item1", "item2", "item3"], ("item1", "item2", "item3")),
        (["Input.option_b", "Input.option_a"], ("Input.option_a", "Input.option_b")),
        (["text 10", "text 9"], ("text 9", "text 10")),
        # A separator before the end can be cut in as many ways as it is long.
        (["_" * 200_000 + "x", "item.1", "item.2"], ("item.1", "item.2")),
    ],
)
def test_numbered_fields_are_found_in_time_that_grows_with_their_length(
    names: list[str], options: tuple[str, ...]
) -> None:
    assert roles.numbered_fields(names) == options
