"""The ZIP of a rating study: what it says, what it leaves apart, and what can be read back."""

import hashlib
import json
import math
import re
from datetime import timedelta

import pytest

from annotation.core.queries.item_texts import Side
from annotation.core.queries.run_status import STATUSES
from annotation.models import (
    Exclusion,
    Person,
    PhaseRun,
)
from annotation.models.kinds import Source
from tests.support.factories import make_user
from tests.support.rated_studies import (
    DEPENDENT,
    FREE,
    MONDAY,
    Rated,
    make_rated,
    rate,
)
from tests.support.rating_exports import (
    SAID,
    export,
    rated_with_texts,
    rows,
    score,
)
from tests.support.researcher_pages import signed_in, unlabelled, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated() -> Rated:
    return rated_with_texts()


def test_the_zip_has_every_file_with_its_check_sum(rated: Rated) -> None:
    files = export(rated.study)

    assert set(files) == {
        "README.md",
        "SHA256SUMS",
        "adjudications.tsv",
        "annotators.tsv",
        "calibration.tsv",
        "items.tex",
        "items.tsv",
        "judgments.tsv",
        "phases.tsv",
        "ratings_1.tsv",
        "ratings_2.tsv",
        "relabelled.tsv",
        "consents.tsv",
        "working_times.tsv",
        "repeats.tsv",
        "study.json",
        "surplus.tsv",
        "test_dependent.tsv",
        "test_free.tsv",
        "test_significant_dependent.tsv",
        "test_significant_free.tsv",
    }
    sums = dict(
        reversed(line.split("  ")) for line in files.pop("SHA256SUMS").decode().splitlines()
    )
    assert sums == {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}


def test_the_readme_explains_every_column_of_every_file(rated: Rated) -> None:
    files = export(rated.study)

    readme = files["README.md"].decode()
    for name, content in files.items():
        if not name.endswith(".tsv"):
            continue
        part = next(part for part in readme.split("\n## ") if name in part.split("\n")[0])
        header = content.decode().split("\n")[0].split("\t")
        assert [f"`{column}`" for column in header] == [
            line.split(" | ")[0].removeprefix("| ")
            for line in part.split("\n")
            if line.startswith("| `")
        ]


def test_the_readme_says_what_counts_and_what_does_not(rated: Rated) -> None:
    readme = export(rated.study)["README.md"].decode()

    explained = readme.split("## Which answers count\n")[1].split("\n## ")[0]
    assert re.findall(r"^- `(\w+)`: ", explained, re.MULTILINE) == list(STATUSES)
    for name in ("calibration.tsv", "repeats.tsv"):
        assert f"`{name}`" in explained


def test_the_test_files_show_the_rated_sentence_in_its_context_row_by_row(rated: Rated) -> None:
    files = export(rated.study, context_sentences=1)

    free, dependent = (rows(files[f"test_{name}.tsv"]) for name in ("free", "dependent"))
    assert [row["id"] for row in free] == [row["id"] for row in dependent] == list("abcd")
    first = free[0]
    assert first["context_1"] == "Rain fell. <sent>The river rose.</sent> A bridge broke."
    assert first["context_2"] == "Sentence 3. <sent>Sentence 4.</sent> Sentence 5."
    assert (first["text_1"], first["text_2"]) == ("The river rose.", "Sentence 4.")
    assert (first["group"], first["domain"], first["source"]) == (
        "flood",
        "weather",
        "the gazette",
    )
    assert (first["earlier_rating"], first["intended_class"]) == ("5.5", "similar")
    assert (free[0]["ratings"], dependent[0]["ratings"]) == ("[6, 5, 6]", "[5, 6, 6]")
    assert free[1]["context_2"] == "<sent>Candidate of b.</sent>"


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (0, "<sent>Sentence 2.</sent>"),
        (1, "Sentence 1. <sent>Sentence 2.</sent> Sentence 3."),
        (9, "Sentence 1. <sent>Sentence 2.</sent> Sentence 3. Sentence 4."),
    ],
)
def test_at_most_so_many_sentences_stand_around_the_rated_one(n: int, expected: str) -> None:
    turns = [("", f"Sentence {i}.") for i in range(1, 5)]

    assert Side("Sentence 2.", "report", "", turns, 1).marked(n) == expected


def test_a_conversation_is_shown_line_by_line() -> None:
    turns = [("A", "Hello?"), ("B", "Yes.")]

    assert Side("Yes.", "talk", "", turns, 1).marked(1) == "A: Hello?\nB: <sent>Yes.</sent>"


def test_items_whose_effect_is_significant_are_apart_and_the_rule_is_said(rated: Rated) -> None:
    plain = export(rated.study)
    strict = export(rated.study, level=0.0001, corrected=True, test="paired")

    for name in ("free", "dependent"):
        content = plain[f"test_significant_{name}.tsv"]
        assert [row["id"] for row in rows(content)] == ["b"]
        assert rows(strict[f"test_significant_{name}.tsv"]) == []
    assert "0.05, **not corrected**" in plain["README.md"].decode()
    readme = strict["README.md"].decode()
    assert "0.0001, **corrected**" in readme
    assert "paired t-test" in readme
    assert json.loads(strict["study.json"])["export"] == {
        "context_sentences": 2,
        "level": 0.0001,
        "corrected": True,
        "test": "paired",
    }


def test_calibration_repeats_and_surplus_are_files_of_their_own(rated: Rated) -> None:
    rated.answer({"a": 0, "b": 0, "c": 0, "d": 0}, is_counted=False, calibration=[{"none": 6}])

    files = export(rated.study)

    calibration = rows(files["calibration.tsv"])
    assert len(calibration) == 12
    assert [row["deviation"] for row in calibration if row["phase"] == "1"] == [
        "0",
        "0",
        "1",
        "0",
        "2",
        "0",
    ]
    repeats = rows(files["repeats.tsv"])
    assert [(r["rating"], r["rating_before"], r["before_in"]) for r in repeats] == [
        ("4", "6", "booklet"),
        ("4", "5", "booklet"),
        ("4", "6", "booklet"),
    ]
    # b, c and d.
    assert {row["annotations_between"] for row in repeats} == {"3"}
    surplus = rows(files["surplus.tsv"])
    assert [(row["status"], row["item"]) for row in surplus] == [
        ("surplus", item) for item in ("none", "a", "b", "c", "d")
    ]
    # The surplus zeros are in no mean.
    assert [row["n"] for row in rows(files["test_free.tsv"])] == ["3"] * 4


def test_a_repeat_of_the_earlier_round_is_beside_the_rating_given_there() -> None:
    person = Person.objects.create(platform="roster", platform_id="1")
    before = make_rated(["x"], conditions=(FREE,))
    before.answer({"x": 2}, person=person)
    now = make_rated(
        ["a", {"key": "x again", "derived_from": before.items["x"]}],
        conditions=(FREE,),
        with_repeats=True,
        earlier_round=before.study,
    )
    now.answer({"a": 1}, repeats=[{"x again": 5}], person=person)

    files = export(now.study)

    (row,) = rows(files["repeats.tsv"])
    assert (row["rating_before"], row["before_in"]) == ("2", "earlier_round")
    assert row["annotations_between"] == ""
    # It is no score, and the command must not take it for one.
    assert [row["unit"] for row in rows(files["ratings_1.tsv"])] == ["a"]


def test_everybodys_way_through_the_phases_has_the_actual_gap(rated: Rated) -> None:
    run = PhaseRun.objects.filter(phase=rated.phases[1]).order_by("pk")[2]
    run.opened_early_by, run.reason = make_user(), "Ill next week."
    run.opens_at -= timedelta(hours=1)
    run.save()
    Exclusion.objects.create(annotator=rated.people[0], reason="A robot.", by=rated.study.owner)
    rated.answer(*SAID[0], is_counted=False)

    runs = rows(export(rated.study)["phases.tsv"])

    assert len(runs) == 8
    assert [row["gap_hours"] for row in runs[:6]] == ["", "72.0", "", "73.0", "", "74.0"]
    assert runs[1]["planned_delay_hours"] == "72.0"
    assert [row["opened_early"] for row in runs[:6]] == ["no"] * 5 + ["yes"]
    assert runs[5]["reason"] == "Ill next week."
    assert [row["status"] for row in runs[::2]] == ["excluded", "counted", "counted", "surplus"]


def test_how_annotators_rate_is_said_for_each_phase(rated: Rated) -> None:
    annotators = rows(export(rated.study)["annotators.tsv"])

    first = [row for row in annotators if row["phase"] == "1"]
    # Calibration 0 6, 1 6 and 2 6 where 0 and 6 are expected.
    assert [float(row["bias"]) for row in first] == [0.0, 0.5, 1.0]
    assert [row["ratings"] for row in first] == ["4"] * 3
    assert float(first[0]["mean"]) == 2.5
    assert float(first[0]["range_used"]) == 1.0


def test_the_paired_test_is_beside_the_gain_that_it_tests() -> None:
    rated = make_rated(["a"])
    rated.answer({"a": 1}, {"a": 2})
    rated.answer({"a": 2}, {"a": 5})
    # Rated one phase only: 6 without context, 0 in context.
    rated.answer({"a": 6})
    rated.answer({}, {"a": 0})

    files = export(rated.study)

    (row,) = rows(files["items.tsv"])
    # Means 3 and 7/3; differences 1 and 3.
    assert float(row["gain"]) == pytest.approx(-2 / 3)
    assert (row["gain_paired"], row["n_both"]) == ("2.0", "2")
    # t = 2 / (sqrt(2) / sqrt(2)) = 2, one degree of freedom: 1 - 2 arctan(2) / pi.
    assert float(row["p_paired"]) == pytest.approx(1 - 2 * math.atan(2) / math.pi)
    definition = score(rated.study)["context"]["tests"]["paired"]["definition"]
    assert "over the people who rated the item in both phases." in definition
    page = unlabelled(signed_in(rated.study.owner).get(url(rated.study, "result_items")))
    cells = [cell.strip() for cell in re.findall(r"<td>([^<]*)</td>", page)]
    assert cells[-5:] == ["−0.667", "0.768", "2.000", "2", "0.295"]


def test_a_study_without_context_has_one_test_file() -> None:
    rated = make_rated(["a"], conditions=(DEPENDENT,), scale={"low": 0, "high": 4, "step": 0.25})
    rated.answer({"a": 2.25})

    files = export(rated.study)

    assert rows(files["test_dependent.tsv"])[0]["ratings"] == "[2.25]"
    assert not [name for name in files if "free" in name or "significant" in name]
    assert "0.00 to 4.00 in steps of 0.25" in files["README.md"].decode()
    assert "gain" not in rows(files["items.tsv"])[0]


def test_nobody_answered_yet_and_the_files_are_there() -> None:
    files = export(make_rated(calibration={"none": 0}).study)

    assert [row["n"] for row in rows(files["test_free.tsv"])] == ["0"] * 4
    assert rows(files["judgments.tsv"]) == []
    assert json.loads(files["study.json"])["statistics"] is None


def test_excluded_superseded_and_unfinished_ratings_have_their_status(rated: Rated) -> None:
    Exclusion.objects.create(annotator=rated.people[0], reason="A robot.", by=rated.study.owner)
    assignment = rated.people[1].assignments.get()
    rate(assignment, rated.questions[0]["main", "a"], 0, superseded_at=MONDAY)
    rated.answer({"a": 3}, is_complete=False)

    files = export(rated.study)

    by_status = json.loads(files["study.json"])["counts"]["judgments"]["by_status"]
    assert by_status == {
        "counted": 26,
        "held": 0,
        "surplus": 0,
        "unverified": 0,
        "returned": 0,
        "rejected": 0,
        "unfinished": 1,
        "excluded": 13,
        "superseded": 1,
    }
    assert rows(files["test_free.tsv"])[0]["ratings"] == "[5, 6]"


def test_simulated_ratings_are_exported_apart(rated: Rated) -> None:
    rated.answer(*(dict.fromkeys("abcd", 0) for _ in range(2)), source=Source.SIMULATED)

    people, simulated = export(rated.study), export(rated.study, "simulated")

    assert {row["source"] for row in rows(people["judgments.tsv"])} == {"real"}
    assert {row["source"] for row in rows(simulated["judgments.tsv"])} == {"simulated"}
    assert [row["mean"] for row in rows(simulated["test_free.tsv"])] == ["0.0"] * 4
    assert len(rows(people["phases.tsv"])) == 6
    assert "The answers are simulated" in simulated["README.md"].decode()


def test_own_questions_are_counted_apart_and_of_one_population() -> None:
    rated = make_rated(["a", "b"], calibration={"none": 0}, with_repeats=True)
    rated.answer({"a": 1, "b": 2}, {"a": 1}, repeats=[{"a": 1}])
    rated.answer({"a": 1}, {"a": 1}, repeats=[{"a": 1}, {"a": 2}], source=Source.SIMULATED)

    people, simulated = (
        json.loads(export(rated.study, population)["study.json"])["counts"]
        for population in ("people", "simulated")
    )

    # Three screens in each of two phases.
    assert (people["questions"], people["own_questions"]) == (6, 1)
    assert (simulated["questions"], simulated["own_questions"]) == (6, 2)


def test_the_same_data_give_the_same_bytes(rated: Rated) -> None:
    first, again = export(rated.study), export(rated.study)

    for files in (first, again):
        files.pop("study.json")
        files.pop("SHA256SUMS")
    assert first == again


def test_a_copy_for_spreadsheets_computes_nothing(rated: Rated) -> None:
    exact = rows(export(rated.study)["items.tsv"])
    copy = rows(export(rated.study, spreadsheet=True)["items.tsv"])

    assert exact[-1]["candidate"] == "=1+1"
    assert copy[-1]["candidate"] == "'=1+1"
