"""Several questions in one task of another tool: each is an answer of its own."""

import csv
import io
import json
from pathlib import Path

import pytest

from annotation.models import Judgment
from tests.support.factories import make_user
from tests.support.finished_files import MAKE, answers_of, imported, refused

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _researcher() -> None:
    make_user("researcher")


def batch(path: Path, *rows: dict[str, str]) -> Path:
    out = io.StringIO()
    rows = tuple(
        {"AssignmentId": f"a{number}", "WorkerId": "W", **row}
        for number, row in enumerate(rows, start=1)
    )
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue())
    return path


TEXTS = ("red", "blue", "green", "sun", "moon", "star")


def inputs(*names: str) -> dict[str, str]:
    return {f"Input.{name}": text for name, text in zip(names, TEXTS, strict=True)}


PICKS = {"Answer.best1": "red", "Answer.worst1": "blue", "Answer.best2": "moon"}
BOTH = [("W", "red", "blue"), ("W", "moon", "star")]
NAMES = {
    "question first": ("q1_item1", "q1_item2", "q1_item3", "q2_item1", "q2_item2", "q2_item3"),
    "question last": ("item1_q1", "item2_q1", "item3_q1", "item1_q2", "item2_q2", "item3_q2"),
    "numbers, question first": ("item1_1", "item1_2", "item1_3", "item2_1", "item2_2", "item2_3"),
    "numbers, question last": ("item1_1", "item2_1", "item3_1", "item1_2", "item2_2", "item3_2"),
    "letters": ("a1", "b1", "c1", "a2", "b2", "c2"),
    "a word for it": ("tuple1_1", "tuple1_2", "tuple1_3", "tuple2_1", "tuple2_2", "tuple2_3"),
}


@pytest.mark.parametrize("how", NAMES)
def test_columns_of_several_tuples_tell_them_by_number(tmp_path: Path, how: str) -> None:
    row = {**inputs(*NAMES[how]), **PICKS, "Answer.worst2": "star", "Answer.comment": "hm"}

    told = imported(batch(tmp_path / "b.csv", row), "s", "mturk", *MAKE)

    assert answers_of("s") == BOTH
    assert (told["n_judgments"], told["n_annotators"], told["n_items"]) == (2, 1, 6)
    assert told["columns"]["best"] == "Answer.best1;Answer.best2"
    assert told["columns"]["options"] == ";".join(
        ",".join(f"Input.{name}" for name in names) for names in (NAMES[how][:3], NAMES[how][3:])
    )
    # What was said of the whole task stands once.
    assert list(Judgment.objects.order_by("pk").values_list("comment", flat=True)) == ["hm", ""]


@pytest.mark.parametrize(
    "packed",
    [
        [{"best1": "red", "worst1": {"item1": False, "item2": True}, "best2": "2", "worst2": "c"}],
        [{"q1": {"best": "red", "worst": "item2"}, "q2": {"best": "moon", "worst": "star"}}],
        [{"best": "red", "worst": "blue"}, {"best": "moon", "worst": "star"}],
        {"best1": {"label": "red"}, "worst1": "blue", "best2": "moon", "worst2": "star"},
    ],
)
def test_all_answers_in_one_cell_of_json(tmp_path: Path, packed: object) -> None:
    row = {**inputs(*NAMES["question first"]), "Answer.taskAnswers": json.dumps(packed)}

    imported(batch(tmp_path / "b.csv", row), "s", "mturk", *MAKE)

    assert answers_of("s") == BOTH


def test_a_wrong_choice_is_named_by_its_own_column(tmp_path: Path) -> None:
    names = NAMES["question first"]
    full = {**inputs(*names), **PICKS, "Answer.worst2": "moon"}
    # The last task of a batch has one question only.
    part = {**full, **{f"Input.{name}": "" for name in names[3:]}}
    part |= {"WorkerId": "V", "Answer.best2": "", "Answer.worst2": ""}
    file = batch(tmp_path / "b.csv", full, part)

    assert refused(file, "s", "mturk", *MAKE) == [
        "line 2: Answer.best2 and Answer.worst2 are both 'moon'; choose two different items, or"
        " remove the line"
    ]

    file = batch(tmp_path / "b.csv", {**full, "Answer.worst2": "star"}, part)
    imported(file, "s", "mturk", *MAKE)
    assert answers_of("s") == [*BOTH, ("V", "red", "blue")]


def test_what_belongs_together_is_asked_for_where_no_name_tells_it(tmp_path: Path) -> None:
    names = ("item1", "item2", "item3", "item4", "item5", "item6")
    row = {**inputs(*names), **PICKS, "Answer.worst2": "star"}
    file = batch(tmp_path / "b.csv", row)

    (problem,) = refused(file, "s", "mturk", *MAKE)
    assert problem.startswith("The file has several questions in one task, and the names")
    assert "Input.item1, Answer.best1, Answer.worst1 do not show" in problem

    told = ("options=item1,item2,item3;item4,item5,item6", "best=best1;best2")
    columns = [f"--column={one}" for one in told]
    (problem,) = refused(file, "s", "mturk", *MAKE, *columns, "--column=worst=worst1")
    assert problem.startswith("worst is given for 1 questions, but others for 2")
    (problem,) = refused(
        file,
        "s",
        "mturk",
        *MAKE,
        "--column=options=item1,item2;item3,item4,item5",
        "--column=best=best1;best2",
        "--column=worst=worst1;worst2",
    )
    assert problem.startswith("The questions of a task show different numbers of texts")
    imported(file, "s", "mturk", *MAKE, *columns, "--column=worst=worst1;worst2")
    assert answers_of("s") == BOTH

    # An answer that is missing is no reason to read one question of two.
    file = batch(tmp_path / "b.csv", {**inputs(*NAMES["letters"]), **PICKS})
    (problem,) = refused(file, "t", "mturk", *MAKE)
    assert "Answer.best1, Answer.worst1, Answer.best2 do not show" in problem

    # Two numbers of which either may be the question's.
    names = ("item1_1", "item1_2", "item2_1", "item2_2", "x", "y")
    file = batch(tmp_path / "b.csv", {**inputs(*names), **PICKS, "Answer.worst2": "star"})
    (problem,) = refused(file, "t", "mturk", *MAKE)
    assert problem.startswith("The file has several questions in one task")


def test_several_ratings_in_one_task(tmp_path: Path) -> None:
    rating = ("--preset", "answer-similarity")
    names = ("target1", "candidate1", "target2", "candidate2", "target3", "candidate3")
    answers = {f"Answer.rating{n}": str(n - 1) for n in (1, 2, 3)}
    file = batch(tmp_path / "b.csv", {**inputs(*names), **answers})

    told = imported(file, "s", "mturk", *MAKE, *rating)

    assert told["n_judgments"] == 3
    rows = Judgment.objects.order_by("pk").select_related("question__item")
    assert [(r.question.item.target, r.question.item.candidate, r.rating) for r in rows] == [  # type: ignore[union-attr]
        ("red", "blue", 0),
        ("green", "sun", 1),
        ("moon", "star", 2),
    ]
    file = batch(tmp_path / "b.csv", {**inputs(*names), **answers, "Answer.rating2": "7"})
    (problem,) = refused(file, "t", "mturk", *MAKE, *rating)
    assert problem.startswith("line 2: Answer.rating2 '7' is not on the study's scale")

    # Two numbered texts are the sides of one pair, which may have several answers.
    row = {
        "Input.text1": "red",
        "Input.text2": "blue",
        "Answer.rating1": "0",
        "Answer.rating2": "2",
    }
    told = imported(batch(tmp_path / "b.csv", row), "u", "mturk", *MAKE, *rating)
    assert (told["n_judgments"], told["columns"]["candidate"]) == (1, "Input.text2")


@pytest.mark.parametrize("rates", [True, False])
def test_a_person_whose_task_is_empty_is_not_dropped(tmp_path: Path, *, rates: bool) -> None:
    names = ("target1", "candidate1", "target2", "candidate2", "target3", "candidate3")
    full = {**inputs(*NAMES["question first"]), **PICKS, "Answer.worst2": "star"}
    if rates:
        full = inputs(*names) | {f"Answer.rating{n}": "1" for n in (1, 2, 3)}
    empty = {**dict.fromkeys(full, ""), "WorkerId": "V"}
    file = batch(tmp_path / "b.csv", {**full, "WorkerId": "W"}, empty)

    found = refused(
        file, "s", "mturk", *MAKE, *(("--preset", "answer-similarity") if rates else ())
    )

    assert found
    assert all(problem.startswith("line 3: ") for problem in found)
