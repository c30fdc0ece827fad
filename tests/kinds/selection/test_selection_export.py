"""The files of a selection study: every answer, every pick, and the pairs as training data."""

import csv
import io
import json
import zipfile

import pytest

from annotation.answering.services import withdrawal
from annotation.models import Study
from annotation.releases.exports.archive import write_archive
from tests.support import selecting
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def files_of(study: Study) -> dict[str, str]:
    file = io.BytesIO()
    write_archive(study, "people", file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def study() -> Study:
    """One person sends two answers, one of them changed once; another has not sent theirs."""
    study = selecting.make_selection_study(people_per_incident=2)
    first, second = (selecting.join(study).assignment for _person in range(2))
    question, two = first.booklet.questions.order_by("screen")
    selecting.select(first, question, places=(1, 0, 2))
    selecting.select(first, question, places=(5, 4, 3), ratings=("5", "1", "0"))
    selecting.select(first, two, places=(0, 1, 2), ratings=("4", "3", "4"))
    selecting.assignments.submit(assignment=first)
    selecting.select(second, question)
    return study


def test_every_answer_is_a_row_with_its_status(study: Study) -> None:
    rows = rows_of(files_of(study)["judgments.tsv"])

    assert [row["status"] for row in rows] == ["superseded", "counted", "counted", "unfinished"]
    assert rows[1]["incident"] == "i1"
    assert [row["summary_sentence"] for row in rows] == ["1", "1", "2", "1"]
    # The second report begins after the four sentences of the first.
    chosen = [rows[1][role] for role in ("similar", "middle", "dissimilar")]
    assert chosen == ["i1r2:2", "i1r2:1", "i1r1:4"]
    assert [rows[1][f"{r}_rating"] for r in ("similar", "middle", "dissimilar")] == ["5", "1", "0"]
    assert rows[0]["superseded_at"]
    assert not rows[1]["superseded_at"]


def test_every_pick_is_a_row_with_both_sentences(study: Study) -> None:
    rows = rows_of(files_of(study)["picks.tsv"])

    assert len(rows) == 4 * 3
    assert rows[3]["role"] == "similar"
    assert rows[3]["summary_text"] == "Summary sentence 1 of incident 1."
    assert rows[3]["report_text"] == "Sentence 2 of report 2 about incident 1."
    assert (rows[3]["report"], rows[3]["report_sentence"]) == ("i1r2", "2")
    assert rows[3]["annotator"] == rows[6]["annotator"] != rows[9]["annotator"]


def test_training_data_are_the_counted_pairs_all_and_those_near_their_class(study) -> None:
    files = files_of(study)
    raw, n1, n2 = (rows_of(files[f"train{name}.tsv"]) for name in ("", "_n1", "_n2"))

    def said(rows):
        return [(row["intended_class"], row["rating"]) for row in rows]

    assert said(raw) == [
        ("similar", "5"), ("middle", "1"), ("dissimilar", "0"),
        ("similar", "4"), ("middle", "3"), ("dissimilar", "4"),
    ]  # fmt: skip
    assert said(n1) == [("similar", "5"), ("dissimilar", "0"), ("middle", "3")]
    assert said(n2) == said(raw)[:5]
    assert raw[0]["text1"] == "Summary sentence 1 of incident 1."


def test_withdrawn_answers_are_counted_and_nothing_else_is_said_of_them(study: Study) -> None:
    first = study.annotators.order_by("pk").first()
    withdrawal.withdraw(annotator=first)

    files = files_of(study)

    assert first.pseudonym not in "".join(files.values())
    facts = json.loads(files["study.json"])
    assert facts["counts"]["judgments"]["withdrawn"] == 2
    assert facts["counts"]["judgments"]["by_status"]["unfinished"] == 1
    assert rows_of(files["train.tsv"]) == []


def test_the_readme_explains_every_column(study: Study) -> None:
    files = files_of(study)

    assert set(files) == {
        "README.md", "judgments.tsv", "picks.tsv", "train.tsv", "train_n1.tsv", "train_n2.tsv",
        "held_out.tsv",
        "relabelled.tsv", "consents.tsv", "working_times.tsv", "study.json", "SHA256SUMS",
    }  # fmt: skip
    for name, content in files.items():
        if name.endswith(".tsv"):
            assert name in files["README.md"]
            for column in content.splitlines()[0].split("\t"):
                assert f"| `{column}` |" in files["README.md"], (name, column)


def test_the_download_page_offers_it(study: Study) -> None:
    client = signed_in(study.owner)

    assert "every chosen sentence with its rating" in text(client.get(url(study, "download")))
    response = client.get(url(study, "archive"))

    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        assert "picks.tsv" in archive.namelist()
