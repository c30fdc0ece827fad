"""The download of a label study: its files and their columns."""

import csv
import hashlib
import io
import json
import re
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.answering.services import withdrawal
from annotation.models import Annotator, Item, PhaseRun, Study
from annotation.models.kinds import Source
from tests.support.label_exports import KEYS, export, rows, study_labelled_twice
from tests.support.labelled import (
    SEVERAL,
    SINGLE,
    adjudicate,
    join,
    label,
    label_all,
    make_label_study,
    said_of,
    score,
)
from tests.support.once import made_once
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


@made_once
def study() -> Study:
    return study_labelled_twice()


def test_the_zip_has_every_file_with_its_check_sum(study: Study) -> None:
    files = export(study)

    assert set(files) == {
        "README.md",
        "SHA256SUMS",
        "adjudications.tsv",
        "annotators.tsv",
        "item_labels.tsv",
        "items.tsv",
        "judgments.tsv",
        "labels_1.tsv",
        "labels_2.tsv",
        "phases.tsv",
        "relabelled.tsv",
        "consents.tsv",
        "working_times.tsv",
        "repeats.tsv",
        "soft_labels.tsv",
        "study.json",
        "surplus.tsv",
    }
    sums = dict(
        reversed(line.split("  ")) for line in files.pop("SHA256SUMS").decode().splitlines()
    )
    assert sums == {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}


@pytest.mark.parametrize("categories", [SINGLE, SEVERAL])
def test_the_readme_explains_every_column_of_every_file(categories: dict) -> None:
    study = make_label_study(pairs=2, categories=categories)
    label_all(study, [said_of(KEYS[:2], "so")])

    files = export(study)

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
    assert "- *other*: Nothing in common." in readme


@pytest.mark.parametrize("categories", [SINGLE, SEVERAL])
def test_every_row_has_a_cell_for_each_column(categories: dict) -> None:
    study = make_label_study(pairs=2, categories=categories, n_repeats=1, repeat_distance=1)
    label_all(study, *[[said_of(KEYS[:2], "so")]] * 2)
    PhaseRun.objects.filter(assignment__annotator=study.annotators.first()).update(
        is_counted=False
    )

    for name, content in export(study).items():
        if name.endswith(".tsv"):
            lines = list(csv.reader(io.StringIO(content.decode()), delimiter="\t"))
            has_rows = len(lines) > 1
            assert has_rows is (name not in {"adjudications.tsv", "relabelled.tsv"}), name
            assert {len(line) for line in lines} == {len(lines[0])}, name


def test_item_labels_are_those_of_the_page_with_what_an_expert_decided(study: Study) -> None:
    adjudicate(study, "p4", "other")
    adjudicate(study, "p1", "related", phase=2)

    labels = {(row["id"], row["phase"]): row for row in rows(export(study)["item_labels.tsv"])}

    assert list(labels) == [(key, phase) for key in KEYS for phase in "12"]
    tied = labels["p4", "1"]
    assert (tied["n"], tied["n_same"], tied["n_related"], tied["n_other"]) == ("3", "1", "1", "1")
    assert (tied["majority"], tied["mode"], tied["tie"]) == ("", "", "yes")
    assert (tied["adjudicated"], tied["final"]) == ("other", "other")
    overridden = labels["p1", "2"]
    assert (overridden["mode"], overridden["share"]) == ("same", "1.0")
    assert (overridden["adjudicated"], overridden["final"]) == ("related", "related")
    plain = labels["p6", "1"]
    assert (plain["majority"], plain["mode"], plain["tie"]) == ("other", "other", "no")
    assert (plain["adjudicated"], plain["final"]) == ("", "other")
    assert float(plain["share"]) == 2 / 3
    assert plain["text_1"] == "Sentence 2 of summary 6."
    assert plain["context_1"] == (
        "Sentence 1 of summary 6. <sent>Sentence 2 of summary 6.</sent> Sentence 3 of summary 6."
    )
    assert (plain["condition"], plain["domain"]) == ("context_free", "sport")


def test_of_several_categories_no_label_has_a_tie_beside_it() -> None:
    study = make_label_study(pairs=2, categories=SEVERAL)
    label_all(study, [{"p1": "same|related", "p2": "other"}], [{"p1": "same", "p2": "related"}])

    files = export(study)

    labelled, torn = rows(files["item_labels.tsv"])
    assert (labelled["majority"], labelled["final"], labelled["tie"]) == ("same", "same", "no")
    assert (torn["majority"], torn["final"], torn["tie"]) == ("", "", "yes")
    [meaning] = re.findall(r"^\| `tie` .*$", files["README.md"].decode(), re.MULTILINE)
    assert "more than half" in meaning


def test_of_single_texts_nothing_is_said_of_a_first_one() -> None:
    study = make_label_study(pairs=1)
    Item.objects.update(target_turn=None, candidate_turn=None, candidate_text="a word")
    label_all(study, [{"p1": "same"}])

    row = rows(export(study)["item_labels.tsv"])[0]

    assert (row["text_1"], row["context_1"]) == ("", "")
    assert (row["text_2"], row["context_2"]) == ("a word", "<sent>a word</sent>")


def test_items_have_their_labels_of_each_phase(study: Study) -> None:
    items = {row["id"]: row for row in rows(export(study)["items.tsv"])}

    assert list(items) == KEYS
    assert [items["p2"][f"final_{n}"] for n in (1, 2)] == ["same", "related"]
    assert (items["p4"]["final_1"], items["p4"]["n_1"]) == ("", "3")
    assert json.loads(items["p1"]["target_context_json"])[1]["text"] == "Sentence 2 of summary 1."


def test_judgments_are_all_that_is_stored_each_with_its_status(study: Study) -> None:
    held = join(study)
    first = held.booklet.questions.filter(block__phase__number=1).order_by("screen").first()
    label(held, first, "other")
    label(held, first, "same", active_ms=None)
    withdrawn = Annotator.objects.filter(study=study).order_by("pk").first()
    withdrawal.withdraw(annotator=withdrawn)

    judgments = rows(export(study)["judgments.tsv"])

    status = [row["status"] for row in judgments]
    assert {name: status.count(name) for name in set(status)} == {
        "counted": 28,
        "superseded": 1,
        "unfinished": 1,
    }
    assert withdrawn.pseudonym not in {row["annotator"] for row in judgments}
    unfinished = next(row for row in judgments if row["status"] == "unfinished")
    superseded = next(row for row in judgments if row["status"] == "superseded")
    assert (unfinished["categories"], unfinished["active_ms"]) == ("same", "")
    assert (superseded["categories"], superseded["active_ms"]) == ("other", "4000")
    assert superseded["superseded_at"]
    assert {row["block"] for row in judgments} == {"main", "repeat"}


def test_the_judgments_that_count_in_the_main_block_are_those_of_the_labels(study: Study) -> None:
    files = export(study)

    counted = [
        (row["annotator"], row["item"], row["categories"], row["order"])
        for row in rows(files["judgments.tsv"])
        if (row["status"], row["phase"]) == ("counted", "2")
    ]

    scored = [
        (row["annotator"], row["unit"], row["categories"], row["order"])
        for row in rows(files["labels_2.tsv"])
    ]
    assert sorted(counted) == sorted(scored)
    assert len(counted) == 21


def test_surplus_answers_are_in_a_file_of_their_own(study: Study) -> None:
    PhaseRun.objects.filter(assignment__annotator=study.annotators.order_by("pk").first()).update(
        is_counted=False
    )

    files = export(study)

    assert len(rows(files["surplus.tsv"])) == 14
    assert {row["status"] for row in rows(files["surplus.tsv"])} == {"surplus"}
    assert {row["n"] for row in rows(files["item_labels.tsv"])} == {"2"}


def test_repeats_stand_beside_the_answer_before(study: Study) -> None:
    files = export(study)
    repeats = rows(files["repeats.tsv"])
    place = {
        (row["annotator"], row["phase"], row["item"]): int(row["order"])
        for row in rows(files["judgments.tsv"])
        if row["block"] == "main"
    }

    assert len(repeats) == 6
    for row in repeats:
        before = place[row["annotator"], row["phase"], row["item"]]
        assert row["categories"] == row["categories_before"]
        assert int(row["answers_between"]) == int(row["order"]) - before - 1


def test_annotators_have_their_agreement_and_their_categories(study: Study) -> None:
    annotators = [row for row in rows(export(study)["annotators.tsv"]) if row["phase"] == "2"]

    assert [row["labels"] for row in annotators] == ["6", "6", "6"]
    # In context only the last of p6 is alone: of it the two others' labels are compared in vain.
    assert sorted(row["agreement"] for row in annotators) == ["0.8333333333333334", "1.0", "1.0"]
    assert sorted(row["compared"] for row in annotators) == ["5", "5", "6"]
    assert [int(row["n_same"]) for row in annotators] == [2, 2, 2]


def test_simulated_answers_are_exported_alone(study: Study) -> None:
    label_all(study, [said_of(KEYS, "oooooo"), said_of(KEYS, "oooooo")], source=Source.SIMULATED)

    real, others = export(study), export(study, population="simulated")

    assert {row["source"] for row in rows(real["judgments.tsv"])} == {"real"}
    assert {row["source"] for row in rows(others["judgments.tsv"])} == {"simulated"}
    assert {row["n"] for row in rows(others["item_labels.tsv"])} == {"1"}
    assert "no human being gave them" in others["README.md"].decode()


def test_the_facts_have_the_categories_and_the_latest_statistics(study: Study) -> None:
    result = score(study)

    facts = json.loads(export(study)["study.json"])

    assert facts["study"]["categories"] == SINGLE
    assert facts["statistics"] == result.statistics
    assert facts["result"]["is_current"] is True
    assert facts["counts"]["items_of_the_main_block"] == 6
    assert facts["counts"]["judgments"]["by_status"]["counted"] == 42


def test_two_exports_of_the_same_data_are_the_same(study: Study) -> None:
    first, again = export(study), export(study)

    for name in set(first) - {"study.json", "SHA256SUMS"}:
        assert first[name] == again[name]


def test_the_copy_for_spreadsheets_disarms_a_category() -> None:
    study = make_label_study(pairs=1, categories={"names": ["=1+1", "other"], "several": False})
    label_all(study, [{"p1": "=1+1"}])

    exact, copy = export(study), export(study, spreadsheet=True)

    assert rows(exact["judgments.tsv"])[0]["categories"] == "=1+1"
    assert rows(copy["judgments.tsv"])[0]["categories"] == "'=1+1"


@pytest.mark.slow
def test_the_export_command_and_the_download_page_have_it(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "labels.zip"
    call_command("export", study.slug, "--output", str(path), "--context-sentences", "0")
    client = signed_in(study.owner)

    with zipfile.ZipFile(path) as archive:
        labels = rows(archive.read("item_labels.tsv"))
    assert labels[0]["context_1"] == "<sent>Sentence 2 of summary 1.</sent>"
    assert "their texts and labels" in text(client.get(url(study, "download")))
    with closing(client.get(url(study, "archive"))) as response:
        assert response.status_code == 200
