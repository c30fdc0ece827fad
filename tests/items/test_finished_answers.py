"""Finished answers that other tools wrote become a closed study, which scores like any other."""

import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.core.services import jobs
from annotation.items.imports.foreign.entries import Remarks
from annotation.models import Annotator, Choice, Item, Job, Judgment, Person, Study
from annotation.models.kinds import Source
from annotation.people.queries import retention
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.finished_files import TURK, answers_of, imported, refused
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import finish_booklet, signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_a_batch_of_mechanical_turk(tmp_path: Path) -> None:
    make_user("researcher")
    make = ("--create", "--owner", "researcher")
    file = tmp_path / "batch.csv"
    when = "Mon Sep 07 10:12:13 PDT 2026"
    rows = [
        f'h1,a1,W1,Approved,{when},31,"red, dark",blue,green,item1,green,nice\r\n',
        f'h1,a2,W2,Submitted,{when},12,"red, dark",blue,green,2,C,\r\n',
        f'h1,a3,W3,Rejected,{when},2,"red, dark",blue,green,item1,item1,\r\n',
    ]
    file.write_bytes(b"\xef\xbb\xbf" + (TURK + "".join(rows)).encode())

    looked = imported(file, "turk", "mturk", "--dry-run", *make)
    assert not Study.objects.exists()
    told = imported(file, "turk", "mturk", *make)

    assert {**looked, "dry_run": False} == told
    assert (told["n_judgments"], told["n_annotators"], told["n_items"]) == (2, 2, 3)
    assert told["left_out"] == {"rejected": 1}
    assert told["columns"]["options"] == "Input.item1,Input.item2,Input.item3"
    assert answers_of("turk") == [("W1", "red, dark", "green"), ("W2", "blue", "green")]
    first = Judgment.objects.order_by("pk")[0]
    assert (first.active_ms, first.comment) == (31_000, "nice")
    assert first.answered_at
    assert first.answered_at.isoformat() == "2026-09-07T17:12:13+00:00"
    assert set(Annotator.objects.values_list("source", flat=True)) == {Source.IMPORTED}
    # Who reads the release knows nothing of the file.
    files = files_of(write(Study.objects.get(slug="turk"), facts()))
    assert b"1 that a requester had rejected" in files["METHODS.md"]
    assert b"Nobody was excluded" not in files["METHODS.md"]
    assert b"1 that a requester had rejected" in files["DATASHEET.md"]
    assert_erasure_is_due("turk")
    # A second time adds nothing.
    (problem,) = refused(file, "turk", "mturk")
    assert problem.startswith("This study has imported answers")
    assert Judgment.objects.count() == 2

    same = rows[0].replace("a1", "a4")
    wrong = [
        rows[0],
        same,
        rows[1].replace(",2,C,", ",2,item2,"),
        rows[1].replace("a2", "a5").replace(",2,C,", ",yellow,C,"),
        rows[1].replace("a2", "a6").replace("Submitted", "Pending"),
        rows[0],
    ]
    file.write_text(TURK + "".join(wrong))
    assert [problem[:75] for problem in refused(file, "other", "mturk", *make)] == [
        "line 3: annotator 'W1' answered these items in line 2; keep one of the two answers"[:75],
        "line 4: Answer.best and Answer.worst are both 'blue'; choose two different items"[:75],
        "line 5: Answer.best 'yellow' is not one of the 3 items shown; choose one of them"[:75],
        "line 6: AssignmentStatus is 'Pending'; write Approved, Submitted or Rejected"[:75],
        "line 7: AssignmentId 'a1' is that of line 2; remove one of the two lines",
    ]
    assert not Study.objects.filter(slug="other").exists()

    # Semicolons, boxes in columns of their own, and names that have to be told.
    file.write_text(
        "AssignmentId;WorkerId;Input.x;Input.y;Answer.up.x;Answer.up.y;Answer.down\n"
        "a1;W1;one;two;false;true;one\n"
    )
    (problem, _other) = refused(file, "boxes", "mturk", *make)
    assert problem.startswith("The file does not show which texts were compared. Its fields are")
    columns = ("options=x,y", "best=up", "worst=Answer.down")
    more = [f"--column={column}" for column in columns]
    imported(file, "boxes", "mturk", *make, *more)
    assert answers_of("boxes") == [("W1", "two", "one")]


def test_an_answer_that_names_no_option_is_refused_with_its_line(tmp_path: Path) -> None:
    make_user("researcher")
    file = tmp_path / "batch.csv"
    row = "h1,a{n},W{n},Approved,Mon Sep 07 10:12:13 PDT 2026,31,{options},{best},{worst},\r\n"
    rows = [
        row.format(n=1, options="red,green,blue", best="N/A", worst="blue"),
        row.format(n=2, options="Room 3,Room 1,Room 2", best="hall 1", worst="room 2"),
        row.format(n=3, options="red,green,blue", best="vitamin b", worst="blue"),
    ]
    file.write_text(TURK + "".join(rows))

    problems = refused(file, "turk", "mturk", "--create", "--owner", "researcher")

    for line, answer in ((2, "N/A"), (3, "hall 1"), (4, "vitamin b")):
        said = f"line {line}: Answer.best {answer!r} is not one of the 3 items shown"
        assert any(problem.startswith(said) for problem in problems), said


@pytest.mark.parametrize(
    ("options", "best", "worst"),
    [
        # Without a blank that the file has and the form did not send, or in other letters.
        ("Plan C ,Plan A ,Plan B ", "Plan A", "Plan B"),
        ("Room 3,Room 1,Room 2", "room 1", "ROOM  2"),
        # By name, place or letter.
        ("x,first,second", "item2", "Input.item3"),
        ("x,first,second", "2", "3."),
        ("x,first,second", "Option 2", "(c)"),
        ("x,first,second", "choice_b", "q1_item_3"),
        # A text that is a number is a text.
        ("3,2,1", "2", "1"),
    ],
)
def test_an_option_is_named_by_its_text_its_field_or_its_place(
    tmp_path: Path, options: str, best: str, worst: str
) -> None:
    make_user("researcher")
    file = tmp_path / "batch.csv"
    when = "Mon Sep 07 10:12:13 PDT 2026"
    file.write_text(f"{TURK}h1,a1,W1,Approved,{when},31,{options},{best},{worst},\r\n")

    imported(file, "turk", "mturk", "--create", "--owner", "researcher")

    _first, second, third = (text.strip() for text in options.split(","))
    ((_who, chosen_best, chosen_worst),) = answers_of("turk")
    assert (chosen_best.strip(), chosen_worst.strip()) == (second, third)


def assert_erasure_is_due(slug: str) -> None:
    """What was imported holds ids of people, too: their retention begins with the import."""
    assert retention.due_at(Study.objects.get(slug=slug))


def pages_open(study: Study) -> None:
    client = signed_in(study.owner)
    for name in ("change", "items", "describe", "privacy", "people", "results", "download"):
        assert client.get(url(study, name)).status_code == 200, name
    got = client.get(url(study, "label_studio"))
    assert got["Content-Disposition"].endswith('-label-studio.zip"')
    assert b"".join(got.streaming_content)


def task(
    number: int, data: dict[str, Any], *answers: tuple[Any, dict[str, Any]]
) -> dict[str, Any]:
    return {
        "id": number,
        "data": data,
        "annotations": [
            {
                "id": 100 * number + place,
                "completed_by": who,
                "lead_time": 4.25,
                "created_at": "2026-05-04T03:02:01.5Z",
                "was_cancelled": not said,
                "result": [
                    {"from_name": name, "to_name": "t", "type": "x", "value": value}
                    for name, value in said.items()
                ],
            }
            for place, (who, said) in enumerate(answers)
        ],
        "predictions": [],
    }


@pytest.mark.slow
def test_ratings_and_labels_of_label_studio(tmp_path: Path) -> None:
    make_user("researcher")
    make = ("--create", "--owner", "researcher")
    rating = ("--preset", "answer-similarity")
    data = [{"text1": "a cat", "text2": "a tomcat"}, {"text1": "rain", "text2": "a shoe"}]
    tasks = [
        task(1, data[0], (7, {"similarity": {"number": 2}}), (8, {"similarity": {"rating": 1}})),
        task(2, data[1], (7, {"similarity": {"number": 0}}), ({"id": 8}, {})),
    ]
    file = tmp_path / "export.json"
    file.write_text(json.dumps(tasks))

    told = imported(file, "ls", "label-studio", *make, *rating)

    assert_erasure_is_due("ls")
    assert (told["n_judgments"], told["n_annotators"], told["n_items"]) == (3, 2, 2)
    assert told["left_out"] == {"skipped": 1}
    call_command("score", "ls", "--splits", "1", stdout=StringIO(), stderr=StringIO())
    study = Study.objects.get(slug="ls")
    assert study.results.get().n_judgments == 3
    pages_open(study)
    call_command("export", "ls", "--output", str(tmp_path / "ls.zip"), stdout=StringIO())
    assert sorted(Judgment.objects.values_list("rating", "active_ms")) == [
        (0, 4250),
        (1, 4250),
        (2, 4250),
    ]

    # The same, indented; then with what cannot be.
    bad = [
        task(1, data[0], (7, {"similarity": {"number": 9}}), (8, {"similarity": {"rating": 1}})),
        task(2, data[0], (8, {"similarity": {"number": 0}})),
        task(3, {"text1": "", "text2": "b"}, (None, {"similarity": {"number": "x"}})),
    ]
    file.write_text(json.dumps(bad, indent=2))
    found = refused(file, "bad", "label-studio", *make, *rating)
    assert [problem.split(";")[0] for problem in found] == [
        "task 1: similarity '9' is not on the study's scale, which goes from 0 to 2 in steps of 1",
        "task 2: annotator '8' answered this item in task 1",
        "task 3: text1 is empty",
        "task 3: similarity is not a number from -9999 to 9999 with at most 3 decimals",
        "task 3: the annotator's id is empty",
    ]
    file.write_text(json.dumps(tasks)[:-20])
    (problem,) = refused(file, "bad", "label-studio", *make, *rating)
    assert problem == "task 2: the task that begins here is broken JSON; export the file again"

    # JSON-MIN, labels, into a study that has its categories and its items.
    rows = [
        {"id": 4, "text": "rain", "annotator": 7, "annotation_id": 1, "label": "same"},
        {"id": 4, "text": "rain", "annotator": 8, "label": {"choices": ["other"]}},
        {"id": 5, "text": "snow", "annotator": 8, "label": "same"},
    ]
    file.write_text(json.dumps(rows))
    items = tmp_path / "items.tsv"
    items.write_text("id\ttext\nx\train\n4\tsnow\n")
    quiet: dict[str, Any] = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("import_items", "labels", str(items), "--preset", "labels", *make, **quiet)
    study = Study.objects.get(slug="labels")
    study.categories = {"names": ["same", "new"], "several": False, "explanations": {}}
    study.save()
    (problem,) = refused(file, "labels", "label-studio")
    assert (
        problem == "task 2: label 'other' is not a category of the study; choose one of same, new"
    )
    Study.objects.filter(slug="labels").update(categories={})
    imported(file, "labels", "label-studio")
    study.refresh_from_db()
    assert study.categories["names"] == ["same", "other"]
    chosen = Choice.objects.filter(judgment__assignment__annotator__study=study).order_by("pk")
    assert list(chosen.values_list("judgment__question__item__key", "category")) == [
        ("x", "same"),
        ("x", "other"),
        ("4", "same"),
    ]
    call_command("score", "labels", **quiet)
    pages_open(study)


def test_what_cannot_be_read_or_shown_is_refused_with_its_task() -> None:
    study = make_study(dialogues=0, preset="best-worst")
    client = signed_in(study.owner)
    deep = "[" * 500 + "1" + "]" * 500
    half = '"\\ud800"'
    for value, name, created in (
        (deep, '"label"', "2026-05-04T03:02:01Z"),
        ('"a"', half, "2026-05-04T03:02:01Z"),
        ('"a"', '"label"', "9999-12-31T23:59:59-23:59"),
    ):
        tasks = (
            '[{"id": 1, "data": {"text1": "A", "text2": "B"}, "annotations": [{"completed_by": 1,'
            f' "created_at": "{created}",'
            f' "result": [{{"from_name": {name}, "value": {{"choices": [{value}]}}}}]}}]}}]'
        )
        file = SimpleUploadedFile("tasks.json", tasks.encode())
        answer = client.post(
            url(study, "finished_upload"), {"format": "label-studio", "file": file}, follow=True
        )
        if name == half or value == deep:
            assert answer.status_code == 400
            assert "task 1: the task " in text(answer)
    # Nobody answers in the last year that there is: a moment that cannot be shown is left out.
    assert Remarks().moment(1, "created_at", "9999-12-31T23:59:59-23:59") is None


def test_a_result_that_is_no_object_is_refused_with_its_task(tmp_path: Path) -> None:
    make_user("researcher")
    tasks = [
        {
            "id": 1,
            "data": {"text1": "A", "text2": "B"},
            "annotations": [
                {"completed_by": person, "result": [answer, *more]}
                for person, more in ((1, []), (2, ["lost"]))
            ],
        }
        for answer in [{"from_name": "alike", "value": {"rating": 1}}]
    ]
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps(tasks))

    (problem,) = refused(
        *(file, "s", "label-studio", "--create", "--owner", "researcher"),
        *("--preset", "answer-similarity"),
    )

    assert problem.startswith("task 1: annotation 2 ")


def exported(slug: str, folder: Path) -> tuple[Path, ElementTree.Element]:
    """The tasks of an export for Label Studio, and the interface that comes with them."""
    path = folder / f"{slug}.zip"
    quiet: dict[str, Any] = {"stdout": StringIO()}
    call_command("export", slug, "--format", "label-studio", "--output", str(path), **quiet)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / slug)
    interface = (folder / slug / "labelling.xml").read_text()
    return folder / slug / "tasks_1.json", ElementTree.fromstring(interface)


@pytest.mark.slow
def test_what_is_exported_for_label_studio_comes_back_the_same(tmp_path: Path) -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    make = ("--create", "--owner", study.owner.username)
    finish_booklet(study)

    tasks, interface = exported(study.slug, tmp_path)
    imported(tasks, "again", "label-studio", *make)

    def compared(of: Study) -> set[tuple[frozenset[str], str, str]]:
        rows = Judgment.objects.filter(assignment__annotator__study=of)
        return {
            (
                frozenset(m.item.candidate for m in row.question.tuple.members.all()),  # type: ignore[union-attr]
                row.best.candidate,  # type: ignore[union-attr]
                row.worst.candidate,  # type: ignore[union-attr]
            )
            for row in rows
        }

    again = Study.objects.get(slug="again")
    assert len(compared(study)) == 10
    assert compared(again) == compared(study)
    people = set(study.annotators.values_list("pseudonym", flat=True))
    of_again = Person.objects.filter(annotators__study=again)
    assert set(of_again.values_list("platform_id", flat=True)) == people
    names = [one.get("name") for one in interface if one.tag == "Choices"]
    assert names == ["best", "worst"]
    assert "context" in json.loads(tasks.read_text())[0]["data"]

    # Ratings and labels, once there and back and there again: the second file is the first.
    rows = [
        {
            "text1": "a & <b>",
            "text2": "b",
            "id": "p1",
            "annotator": 5,
            "score": 1,
            "comment": "?",
        },
        {"text1": "a & <b>", "text2": "c", "id": "p2", "annotator": 5, "score": 2},
    ]
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(rows))
    for preset, column in (("answer-similarity", "score"), ("labels", "text3")):
        for row in rows:
            row["text3"] = f"is {row['score']}"
        file.write_text(json.dumps(rows))
        more = ("--preset", preset)
        imported(file, f"{preset}-1", "label-studio", *make, *more, f"--column=answer={column}")
        first, interface = exported(f"{preset}-1", tmp_path)
        imported(first, f"{preset}-2", "label-studio", *make, *more)
        second, _interface = exported(f"{preset}-2", tmp_path)
        there, back = (json.loads(path.read_text()) for path in (first, second))
        for one in (*there, *back):
            for annotation in one["annotations"]:
                annotation.pop("completed_by")
        assert there == back
        assert there[0]["data"] == {"id": "p1", "target": "a & <b>", "candidate": "b"}
        assert len(there[0]["annotations"][0]["result"]) == 2


def test_what_potato_wrote(tmp_path: Path) -> None:
    make_user("researcher")
    make = ("--create", "--owner", "researcher")
    folder = tmp_path / "anna"
    folder.mkdir()
    file = folder / "annotated_instances.jsonl"
    pairs = {"p1": ("a cat", "a tomcat"), "p2": ("rain", "a shoe")}
    rows = [
        {"id": "p1", "label_annotations": {"alike": {"scale_2": "2"}}},
        {"id": "p2", "label_annotations": {"alike": {"slider": "0"}}},
        {"id": "p2", "label_annotations": {}},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (problem, *_more) = refused(file, "p", "potato", *make, "--preset", "answer-similarity")
    assert "the file has ids and no texts; import the items first, then the answers" in problem
    items = tmp_path / "items.tsv"
    items.write_text(
        "id\ttarget\tcandidate\n" + "".join(f"{k}\t{t}\t{c}\n" for k, (t, c) in pairs.items())
    )
    quiet: dict[str, Any] = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("import_items", "p", str(items), "--preset", "answer-similarity", *make, **quiet)
    told = imported(file, "p", "potato")
    assert (told["n_judgments"], told["left_out"]) == (2, {"unanswered": 1})
    assert Person.objects.get().platform_id == "anna"
    ratings = Judgment.objects.order_by("pk").values_list("question__item__key", "rating")
    assert list(ratings) == [("p1", 2), ("p2", 0)]

    # As a table, labels of two people.
    file = tmp_path / "annotated_instances.tsv"
    file.write_text(
        "user\tinstance_id\tdisplayed_text\tkind:::same\tkind:::other\n"
        "u1\ti1\train\ttrue\t\nu2\ti1\train\t\tother\n"
    )
    told = imported(file, "t", "potato", *make, "--preset", "labels", "--column", "answer=kind")
    assert sorted(Choice.objects.values_list("category", flat=True)) == ["other", "same"]
    assert Item.objects.get(study__slug="t").key == "i1"

    # Best and worst are letters: what they stand for must be in the file.
    row: dict[str, Any] = {
        "id": "t1",
        "user": "u1",
        "label_annotations": {"bws": {"best": "B", "worst": "C"}},
    }
    file = tmp_path / "bws.jsonl"
    file.write_text(json.dumps(row) + "\n")
    (problem, *_more) = refused(file, "b", "potato", *make)
    assert problem.startswith("The file does not show which texts were compared")
    shown = [{"position": "ABC"[n], "text": text} for n, text in enumerate(("x", "y", "z"))]
    file.write_text(json.dumps({**row, "bws_items": shown}) + "\n")
    imported(file, "b", "potato", *make)
    assert answers_of("b") == [("u1", "y", "z")]


def test_the_page_shows_what_was_read_before_it_is_imported() -> None:
    study = make_study(dialogues=0, preset="best-worst")
    client = signed_in(study.owner)
    assert "Import existing answers" in text(client.get(url(study, "items")))

    def sent(content: str, **fields: str) -> Any:
        file = SimpleUploadedFile("batch.csv", content.encode())
        return client.post(
            url(study, "finished_upload"), {"format": "mturk", "file": file, **fields}
        )

    row = "h1,a1,W1,Approved,,31,<b>red</b>,blue,green,item1,"
    wrong = sent(TURK + row + "item1,\n")
    assert wrong.status_code == 400
    assert "line 2: Answer.best and Answer.worst are both" in text(wrong)
    assert "write ROLE=NAME" in text(sent(TURK, columns="best"))
    looked = sent(TURK + row + "item2,\n", columns="best=Answer.best\n")
    page = text(client.get(looked["Location"]))
    assert "1 answer of 1 person about 3 items." in page
    assert "&lt;b&gt;red&lt;/b&gt;" in page
    assert "Input.item1,Input.item2,Input.item3" in page
    assert not Judgment.objects.exists()

    address, _question, query = looked["Location"].partition("?")
    fields = {name: values[0] for name, values in parse_qs(query).items()}
    started = client.post(address, fields)
    job = Job.objects.get()
    assert started["Location"] == url(study, "job", job.pk)
    jobs.run(job.pk)
    jobs.run(job.pk)

    study.refresh_from_db()
    assert (study.state, Judgment.objects.count()) == (Study.State.IMPORTED, 1)
    assert "imported answers" in text(client.get(url(study, "finished")))
    assert client.post(address, fields)["Location"] == url(study, "finished")
