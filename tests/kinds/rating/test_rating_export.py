"""The ZIP of a rating study: what it says, what it leaves apart, and what can be read back."""

import csv
import hashlib
import io
import json
import math
import re
import subprocess
import sys
import zipfile
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotation.basics.errors import AnnotationError
from annotation.core.queries.item_texts import Side
from annotation.core.services import jobs
from annotation.kinds.exports.options import ExportOptions
from annotation.models import (
    ContextGroup,
    Exclusion,
    Item,
    Job,
    Person,
    PhaseRun,
    Pool,
    Study,
)
from annotation.models.kinds import Source
from annotation.releases.exports import archive
from tests.support.factories import make_user
from tests.support.rated_studies import (
    DEPENDENT,
    FREE,
    MONDAY,
    Rated,
    add_context,
    make_rated,
    rate,
)
from tests.support.researcher_pages import said, signed_in, text, url
from tests.support.reviewing import scored_ratings

pytestmark = pytest.mark.django_db


def export(
    study: Study, population: str = "people", *, spreadsheet: bool = False, **options: Any
) -> dict[str, bytes]:
    file = io.BytesIO()
    archive.write_archive(
        study, population, file, spreadsheet=spreadsheet, options=ExportOptions(**options)
    )
    with zipfile.ZipFile(file) as members:
        assert members.testzip() is None
        return {name: members.read(name) for name in members.namelist()}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), delimiter="\t"))


ITEMS = [
    {"key": "a", "intended_class": "similar", "earlier_rating": Decimal("5.5")},
    {"key": "b", "intended_class": "middle", "earlier_rating": 3},
    {"key": "c", "intended_class": "dissimilar"},
    {"key": "d", "candidate_text": "=1+1"},
]
SAID = [
    ({"a": 6, "b": 3, "c": 0, "d": 1}, {"a": 5, "b": 6, "c": 0, "d": 1}),
    ({"a": 5, "b": 2, "c": 1, "d": 2}, {"a": 6, "b": 5, "c": 0, "d": 4}),
    ({"a": 6, "b": 2, "c": 1, "d": 1}, {"a": 6, "b": 6, "c": 2, "d": 2}),
]


def add_texts(rated: Rated) -> None:
    """The sides of a are sentences of two documents of one incident."""
    group = ContextGroup.objects.create(study=rated.study, key="flood")
    summary = add_context(
        rated.study, "summary", ["Rain fell.", "The river rose.", "A bridge broke."], group=group
    )
    report = add_context(
        rated.study,
        "report",
        [f"Sentence {n}." for n in range(1, 7)],
        group=group,
        domain="weather",
        source="the gazette",
    )
    item = rated.items["a"]
    item.target_text = item.candidate_text = None
    item.target_turn, item.candidate_turn = summary[1], report[3]
    item.save()


@pytest.fixture
def rated() -> Rated:
    rated = make_rated(ITEMS, calibration={"none": 0, "all": 6}, with_repeats=True)
    add_texts(rated)
    for n, (free, dependent) in enumerate(SAID):
        rated.answer(
            free,
            dependent,
            calibration=[{"none": n, "all": 6}, {"none": 0, "all": 5}],
            repeats=[{"a": 4}, {}],
            gap_hours=72 + n,
        )
    return rated


def score(study: Study, population: str = "people") -> dict[str, Any]:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"population": population})
    assert job.state == Job.State.DONE, job.error
    statistics: dict[str, Any] = job.result.statistics
    return statistics


# -- The same numbers ---------------------------------------------------------------------------


def command_on(content: bytes, tmp_path: Path, *options: str) -> dict[str, Any]:
    path = tmp_path / "ratings.tsv"
    path.write_bytes(content)
    ran = subprocess.run(
        [sys.executable, "-m", "scoring", "ratings", path, *options],
        cwd=settings.BASE_DIR,
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def assert_same(page: Any, command: Any, path: str = "") -> None:
    """What the page has is what the command prints; the command prints more."""
    if isinstance(page, dict):
        for name, value in page.items():
            assert_same(value, command[name], f"{path}.{name}")
    elif isinstance(page, list):
        assert len(page) == len(command), path
        for n, value in enumerate(page):
            assert_same(value, command[n], f"{path}.{n}")
    elif isinstance(page, float):
        assert command == pytest.approx(page, rel=1e-12, abs=1e-12), path
    else:
        assert page == command, path


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_the_command_on_the_exported_ratings_gives_the_pages_numbers(
    rated: Rated, tmp_path: Path, number: int
) -> None:
    # What must not matter is there, too.
    rated.answer(*SAID[0], is_counted=False)
    rated.answer({"a": 1}, is_complete=False)
    rated.answer(*SAID[0], source=Source.SIMULATED)
    statistics = score(rated.study)
    files = export(rated.study)

    options = "--low 0 --high 6 --seed 1 --resamples 1000"
    found = command_on(files[f"ratings_{number}.tsv"], tmp_path, *options.split())

    assert options in files["README.md"].decode()
    summary = statistics["phases"][number - 1]["summary"]
    for kind, icc in summary["icc"].items():
        # The page says it without the command's numbers of people and units.
        if icc["reason"] is not None:
            assert found["icc"][kind].pop("reason") is not None
            icc.pop("reason")
    summary["raters"].pop("n_raters")
    assert summary["n_repeats"] == (3 if number == 1 else 0)
    assert summary["alpha"]["interval"]["low"] is not None
    assert_same(summary, found)


@pytest.mark.slow
def test_groups_are_drawn_as_wholes_from_ten_on_by_page_and_command(tmp_path: Path) -> None:
    keys = [f"{letter}{n}" for n in range(2) for letter in "abcdefghijk"]
    rated = make_rated(["first", *keys], conditions=(FREE,))
    # Last in the file and first in the study: numbered otherwise by either, drawn alike by both.
    pools = {
        letter: Pool.objects.create(study=rated.study, key=f"tuple {letter}", number=n)
        for n, letter in enumerate("kabcdefghij", start=2)
    }
    Item.objects.filter(pk=rated.items["first"].pk).update(pool=pools["k"])
    for key in keys:
        Item.objects.filter(pk=rated.items[key].pk).update(pool=pools[key[0]])
    for shift in range(3):
        rated.answer({key: (n * (shift + 1)) % 7 for n, key in enumerate(keys)})

    alpha = score(rated.study)["phases"][0]["summary"]["alpha"]["interval"]
    files = export(rated.study)

    assert alpha["resampled"] == "pools"
    assert rows(files["ratings_1.tsv"])[0]["pool"] == "tuple a"
    options = "--low 0 --high 6 --seed 1 --resamples 1000"
    found = command_on(files["ratings_1.tsv"], tmp_path, *options.split())
    # The command does not know the item that nobody rated.
    assert alpha.pop("n_dropped") == 1
    assert_same(alpha, found["alpha"]["interval"])
    page = text(signed_in(rated.study.owner).get(url(rated.study, "results")))
    assert "1,000 repeats in which the groups of items were drawn again." in page


def test_the_files_read_back_give_the_pages_numbers(rated: Rated) -> None:
    statistics = score(rated.study)

    files = export(rated.study)

    means = {condition: [] for condition in ("free", "dependent")}
    for condition, of in means.items():
        for row in rows(files[f"test_{condition}.tsv"]):
            values = json.loads(row["ratings"])
            assert float(row["mean"]) == pytest.approx(sum(values) / len(values))
            assert int(row["n"]) == len(values) == 3
            of.append(float(row["mean"]))
    for condition, phase in zip(means, statistics["phases"], strict=True):
        average = sum(means[condition]) / 4
        assert phase["summary"]["distribution"]["mean"] == pytest.approx(average)
    gains = [b - a for a, b in zip(means["free"], means["dependent"], strict=True)]
    of_context = statistics["context"]["tests"]["pooled"]
    assert of_context["gains"]["mean"] == pytest.approx(sum(gains) / 4)
    items = {row["id"]: row for row in rows(files["items.tsv"])}
    assert float(items["b"]["gain"]) == pytest.approx(17 / 3 - 7 / 3)
    n_below = sum(float(row["p_pooled"] or 1) < 0.05 for row in items.values())
    assert n_below == of_context["n_below"] == 1
    facts = json.loads(files["study.json"])
    assert facts["statistics"] == statistics
    assert facts["result"]["is_current"] is True


def test_the_judgments_that_count_in_the_main_block_are_those_of_the_scores(rated: Rated) -> None:
    rated.answer(*SAID[0], is_counted=False)
    files = export(rated.study)

    kept = [
        (row["annotator"], row["item"], row["rating"], row["order"])
        for row in rows(files["judgments.tsv"])
        if (row["status"], row["block"], row["phase"]) == ("counted", "main", "2")
    ]

    scored = [
        (row["annotator"], row["unit"], row["value"], row["order"])
        for row in rows(files["ratings_2.tsv"])
    ]
    assert sorted(kept) == sorted(scored)
    assert len(kept) == 12


# -- The files ----------------------------------------------------------------------------------


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
    readme = " ".join(export(rated.study)["README.md"].decode().split())

    assert "its annotator has not completed the phase (yet)" in readme
    assert "the place was given to somebody else" in readme
    assert (
        "excluded, unverified, returned, rejected, unfinished and superseded answers are in"
        " `judgments.tsv`" in readme
    )
    assert "the value that they name most often" in readme
    assert "in a phase without context they saw the two texts alone" in readme
    assert "standard deviation (n - 1 in the denominator) of the ratings in the cal" in readme
    assert "people with at least one answer in `judgments.tsv`" in readme


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
    assert "p below 0.05, **not corrected**" in plain["README.md"].decode()
    readme = strict["README.md"].decode()
    assert "adjusted p at most 0.0001, **corrected** after Benjamini and Hochberg" in readme
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
    assert [one["unit"] for one in rows(files["ratings_1.tsv"])] == ["a"]


def test_everybodys_way_through_the_phases_has_the_actual_gap(rated: Rated) -> None:
    run = PhaseRun.objects.filter(phase=rated.phases[1]).order_by("pk")[2]
    run.opened_early_by, run.reason = make_user(), "Ill next week."
    run.opens_at -= timedelta(hours=1)
    run.save()
    Exclusion.objects.create(annotator=rated.people[0], reason="A robot.", by=rated.study.owner)
    rated.answer(*SAID[0], is_counted=False)

    found = rows(export(rated.study)["phases.tsv"])

    assert len(found) == 8
    assert [row["gap_hours"] for row in found[:6]] == ["", "72.0", "", "73.0", "", "74.0"]
    assert found[1]["planned_delay_hours"] == "72.0"
    assert [row["opened_early"] for row in found[:6]] == ["no"] * 5 + ["yes"]
    assert found[5]["reason"] == "Ill next week."
    assert [row["status"] for row in found[::2]] == ["excluded", "counted", "counted", "surplus"]


def test_how_annotators_rate_is_said_for_each_phase(rated: Rated) -> None:
    found = rows(export(rated.study)["annotators.tsv"])

    first = [row for row in found if row["phase"] == "1"]
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
    assert "Gain: mean difference of those who rated both." in definition
    page = text(signed_in(rated.study.owner).get(url(rated.study, "result_items")))
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


@pytest.mark.slow
def test_without_the_time_of_every_rating_the_commands_file_has_no_times(tmp_path: Path) -> None:
    rated = make_rated(["a", "b"], conditions=(FREE,))
    for value in (1, 2):
        assignment = rated.answer({"a": value, "b": 3})
    assignment.judgments.filter(rating=3).update(active_ms=None)

    files = export(rated.study)

    assert "thinking_ms" not in rows(files["ratings_1.tsv"])[0]
    readme = " ".join(files["README.md"].decode().split())
    assert "`thinking_ms` is left out" in readme
    assert "the scores by intended class, domain and source, and the agreement with ear" in readme
    assert "and with the earlier round, and for the error by thinking time:" in readme
    assert command_on(files["ratings_1.tsv"], tmp_path)["n_ratings"] == 4


def test_nobody_answered_yet_and_the_files_are_there() -> None:
    files = export(make_rated(calibration={"none": 0}).study)

    assert [row["n"] for row in rows(files["test_free.tsv"])] == ["0"] * 4
    assert rows(files["judgments.tsv"]) == []
    assert json.loads(files["study.json"])["statistics"] is None


def test_excluded_superseded_and_unfinished_ratings_have_their_status(rated: Rated) -> None:
    Exclusion.objects.create(annotator=rated.people[0], reason="A robot.", by=rated.study.owner)
    kept = rated.people[1].assignments.get()
    rate(kept, rated.questions[0]["main", "a"], 0, superseded_at=MONDAY)
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
    readme = " ".join(simulated["README.md"].decode().split())
    assert "The answers are simulated" in readme
    assert "of simulated people, whose pauses are left out, a sentence that says so" in readme


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


# -- Options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"context_sentences": -1}, "Turns of context: choose a number from 0 to 1000."),
        ({"level": 0.0}, "Level: choose a number between 0 and 1; 0.05 is usual."),
        ({"level": float("nan")}, "Level: choose a number between 0 and 1; 0.05 is usual."),
        ({"test": "sign"}, "Test: choose one of pooled, welch, paired."),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        ExportOptions(**options)


def test_the_command_takes_the_options(rated: Rated, tmp_path: Path) -> None:
    path = tmp_path / "study.zip"
    arguments = [rated.study.slug, "--output", str(path)]

    call_command("export", *arguments, "--context-sentences", "0", "--level", "0.2", "--corrected")

    with zipfile.ZipFile(path) as files:
        assert "<sent>The river rose.</sent>\t" in files.read("test_free.tsv").decode()
        assert json.loads(files.read("study.json"))["export"]["level"] == 0.2
    with pytest.raises(CommandError, match="Turns of context"):
        call_command("export", *arguments, "--context-sentences", "-1")


def test_the_download_page_offers_the_options(rated: Rated) -> None:
    client = signed_in(rated.study.owner)

    page = text(client.get(url(rated.study, "download")))
    response = client.get(
        url(rated.study, "archive"),
        {"population": "people", "context_sentences": "0", "level": "0.01", "corrected": "on"},
    )

    assert 'name="context_sentences" value="2"' in page
    content = b"".join(response.streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        exported = json.loads(files.read("study.json"))["export"]
    assert exported == {
        "context_sentences": 0,
        "level": 0.01,
        "corrected": True,
        "test": "pooled",
    }


def test_the_page_refuses_what_is_no_number_with_a_message(rated: Rated) -> None:
    client = signed_in(rated.study.owner)

    response = client.get(url(rated.study, "archive"), {"level": "high"}, follow=True)

    assert said(response) == ["Level: Enter a number."]


def test_a_large_file_is_prepared_with_its_options(rated: Rated, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(settings, "EXPORT_IN_BACKGROUND_FROM", 1)
    monkeypatch.setattr(settings, "DATA", tmp_path)
    client = signed_in(rated.study.owner)

    client.post(url(rated.study, "prepare"), {"population": "people", "context_sentences": "4"})
    job = Job.objects.get(kind=Job.Kind.EXPORT)
    jobs.run(job.pk)

    assert job.parameters["context_sentences"] == 4
    assert "with 4 sentences of context" in text(client.get(url(rated.study, "download")))
    with closing(client.get(url(rated.study, "prepared", job.pk))) as response:
        assert zipfile.is_zipfile(io.BytesIO(b"".join(response.streaming_content)))


def test_the_api_takes_the_options_and_refuses_what_cannot_be(rated: Rated) -> None:
    client = signed_in(rated.study.owner)
    address = f"/api/v1/studies/{rated.study.slug}/export/"

    response = client.get(address, {"context_sentences": "0", "test": "paired"})
    refused = client.get(address, {"level": "2"})

    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as files:
        exported = json.loads(files.read("study.json"))["export"]
    assert (exported["context_sentences"], exported["test"]) == (0, "paired")
    assert refused.status_code == 400
    (problem,) = refused.json()["problems"]
    assert problem["field"] == "level"
    assert problem["sentence"] == "Level: choose a number between 0 and 1; 0.05 is usual."


def test_scoring_by_command_says_the_figures_of_each_phase(rated: Rated, capsys) -> None:
    call_command("score", rated.study.slug)

    said = json.loads(capsys.readouterr().out)
    assert [phase["condition"] for phase in said["phases"]] == [FREE, DEPENDENT]
    assert said["judgments"] == 39


def test_the_data_set_has_the_questions_and_the_most_frequent_ratings_of_labels() -> None:
    labels = {"0": "different", "1": "partly the same", "2": "the same"}
    scale = {"low": "0", "high": "2", "step": "1", "labels": labels}
    ratings = {"p1": ("2", "0", "2"), "p2": ("0", "1", "2")}
    study = scored_ratings(ratings, scale=scale)
    Item.objects.filter(study=study, key="p1").update(metadata={"question": "Who came?"})

    files = export(study)

    for name in ("items.tsv", "test_free.tsv"):
        assert [row["question"] for row in rows(files[name])] == ["Who came?", ""]
    assert [row["majority"] for row in rows(files["test_free.tsv"])] == ["2", ""]
    readme = files["README.md"].decode()
    assert readme.count("\n| `question` |") == 2
    assert readme.count("\n| `majority` |") == 1


def test_other_ratings_have_neither_column(rated: Rated) -> None:
    files = export(rated.study)

    for name in ("items.tsv", "test_free.tsv", "test_dependent.tsv"):
        assert not {"question", "majority"} & rows(files[name])[0].keys()
