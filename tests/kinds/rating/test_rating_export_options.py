"""What can be chosen for the ZIP of a rating study: on its page, by command, by API."""

import io
import json
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotation.basics.errors import AnnotationError
from annotation.core.services import jobs
from annotation.kinds.exports.options import ExportOptions
from annotation.models import (
    Item,
    Job,
)
from tests.support.rated_studies import (
    DEPENDENT,
    FREE,
    Rated,
)
from tests.support.rating_exports import export, rated_with_texts, rows
from tests.support.researcher_pages import said, signed_in, text, url
from tests.support.reviewing import scored_ratings

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated() -> Rated:
    return rated_with_texts()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"context_sentences": -1}, "Turns of context: choose a number from 0 to 1000."),
        ({"level": 0.0}, "Significance level: choose a number between 0 and 1; 0.05 is usual."),
        (
            {"level": float("nan")},
            "Significance level: choose a number between 0 and 1; 0.05 is usual.",
        ),
        ({"test": "sign"}, "Test: choose one of auto, pooled, welch, paired."),
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
        # The same people rated the items in both phases.
        "test": "paired",
    }


def test_the_page_refuses_what_is_no_number_with_a_message(rated: Rated) -> None:
    client = signed_in(rated.study.owner)

    response = client.get(url(rated.study, "archive"), {"level": "high"}, follow=True)

    assert said(response) == ["Significance level: Enter a number."]


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
    assert problem["sentence"] == (
        "Significance level: choose a number between 0 and 1; 0.05 is usual."
    )


def test_scoring_by_command_says_the_figures_of_each_phase(rated: Rated, capsys) -> None:
    call_command("score", rated.study.slug)

    printed = json.loads(capsys.readouterr().out)
    assert [phase["condition"] for phase in printed["phases"]] == [FREE, DEPENDENT]
    assert printed["judgments"] == 39


@pytest.mark.slow
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
