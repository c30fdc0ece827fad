"""Pairs drawn by what a model makes of their texts; a program stands in for the model."""

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings, settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.core.services import jobs
from annotation.models import AuditEvent, Job, Study
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import signed_in, text, url
from tests.support.text_columns import NUMBERS, StandIn, columns_of


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    return StandIn(tmp_path / "program.py", monkeypatch)


@pytest.fixture
def study(db: None) -> Study:
    return make_study(dialogues=0, preset="sts-context")


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


@pytest.fixture
def folder(tmp_path: Path, settings: LazySettings) -> Path:
    """A folder of models with one encoder, and word vectors, which encode no sentence."""
    settings.MODELS = tmp_path / "models"
    (settings.MODELS / "tiny").mkdir(parents=True)
    (settings.MODELS / "tiny" / "config.json").write_text("{}")
    (settings.MODELS / "words.vec").write_text("")
    return settings.MODELS


def _sample(tmp_path: Path, *more: str) -> dict[str, object]:
    said = StringIO()
    call_command(
        "sample_pairs",
        str(columns_of(tmp_path / "c.tsv")),
        *("--pairs", "5", "--seed", "3", "--bins", "5", "--json"),
        *("--output", str(tmp_path / "out.tsv"), *more),
        stdout=said,
        stderr=StringIO(),
    )
    found: dict[str, object] = json.loads(said.getvalue())
    return found


def _cosine(one: str, other: str) -> float:
    signs = "abcdefghijklmnopqrstuvwxyz0123456789"
    a, b = (np.array([text.count(sign) for sign in signs], float) for text in (one, other))
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("measure", ["embedding", "mean"])
def test_the_command_draws_by_embedding(measure: str, program: StandIn, tmp_path: Path) -> None:
    figures = _sample(tmp_path, "--measure", measure, "--model", "tiny")

    assert (figures["measure"], figures["model"], figures["revision"]) == (measure, "tiny", "abc")
    # Six targets, and seven candidates of which one is there twice.
    assert (figures["n_encoded"], figures["n_drawn"]) == (13, 5)
    with (tmp_path / "out.tsv").open(newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    for row in rows:
        cosine = _cosine(row["target"], row["candidate"])
        if measure == "embedding":
            assert float(row["similarity"]) == pytest.approx(cosine, abs=1e-4)
            assert "words" not in row
        else:
            words, embedding = float(row["words"]), float(row["embedding"])
            assert embedding == pytest.approx(cosine, abs=1e-4)
            assert float(row["similarity"]) == pytest.approx((words + embedding) / 2, abs=1e-4)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("refuse('no such model')", "no such model"),
        ("sys.exit(1)", "tiny: something went wrong; the server's log says what."),
        ("done(encode()[:-1])", "tiny: something went wrong"),
        ("done(encode().astype(float))", "tiny: something went wrong"),
        ("v = encode(); v[3] = 0; done(v)", "tiny cannot encode the text 'red blue green stone"),
        ("v = encode(); v[12] = np.nan; done(v)", "tiny cannot encode the text 'W00 w01"),
    ],
)
def test_what_a_model_cannot_do_is_said_and_no_table_is_written(
    body: str, said: str, program: StandIn, tmp_path: Path
) -> None:
    program.does(body)

    with pytest.raises(CommandError) as refused:
        _sample(tmp_path, "--measure", "embedding", "--model", "tiny")

    assert said in str(refused.value)
    assert refused.value.returncode == 1
    assert not (tmp_path / "out.tsv").exists()


def test_without_a_model_the_choice_is_seen_with_reason_and_remedy(
    client: Client, study: Study, settings: LazySettings, tmp_path: Path
) -> None:
    settings.MODELS = tmp_path / "none"

    page = text(client.get(url(study, "sample")))
    refused = client.post(url(study, "sample"), {**NUMBERS, "measure": "embedding"})

    assert '<option value="embedding" disabled>' in page
    assert '<option value="mean" disabled>' in page
    assert '<option value="characters">' in page
    assert "The measures with an embedding are not available" in page
    assert 'name="model"' not in page
    assert refused.status_code == 400
    assert "into the folder, or start Likeness with" in text(refused)
    assert not Job.objects.exists()
    settings.HUB = True
    assert '<option value="embedding">' in text(client.get(url(study, "sample")))


def test_a_job_draws_by_the_model_that_the_page_proposes(
    client: Client, study: Study, folder: Path, program: StandIn, tmp_path: Path
) -> None:
    page = text(client.get(url(study, "sample")))
    assert 'value="tiny"' in page
    assert "words.vec" not in page
    file = SimpleUploadedFile("c.tsv", columns_of(tmp_path / "c.tsv").read_bytes())
    asked = {**NUMBERS, "measure": "embedding", "model": "tiny", "file": file}

    client.post(url(study, "sample"), asked)

    job = Job.objects.get()
    # The web server has started nothing: a worker does.
    assert job.figures is None
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.problems
    assert (job.figures["model"], job.figures["revision"]) == ("tiny", "abc")
    # What was encoded before was so for some study: whoever guesses a text is not told of it.
    assert not job.figures.keys() & {"n_encoded", "n_kept"}
    page = text(client.get(url(study, "sampled", job.pk)))
    assert "5 of the 5 requested pairs" in page
    assert "from a model (tiny)" in page
    # Nothing of the process is left.
    assert not list((settings.DATA / "baselines").iterdir())


def test_a_model_needs_a_name_and_one_of_others_is_refused(
    client: Client, study: Study, folder: Path, tmp_path: Path
) -> None:
    others = make_study(owner=make_user())
    numbers = {**NUMBERS, "measure": "mean"}
    file = SimpleUploadedFile("c.tsv", columns_of(tmp_path / "c.tsv").read_bytes())

    nameless = client.post(url(study, "sample"), {**numbers, "model": " ", "file": file})
    file.seek(0)
    model = f"trained/{others.pk}/a/model"
    strange = client.post(url(study, "sample"), {**numbers, "model": model, "file": file})

    assert "Enter the name of a sentence encoder" in text(nameless)
    assert "does not belong to a study that you can see" in text(strange)
    assert not Job.objects.exists()


def _held(page: str) -> str:
    return page.partition('name="held" value="')[2].partition('"')[0]


def test_a_refused_drawing_keeps_the_file(
    client: Client, study: Study, folder: Path, program: StandIn, tmp_path: Path
) -> None:
    content = columns_of(tmp_path / "c.tsv").read_bytes()
    file = SimpleUploadedFile("mine.tsv", content)

    # The numbers are wrong, then the model fails; the file was sent once.
    refused = client.post(url(study, "sample"), {**NUMBERS, "n_bins": "0", "file": file})
    assert refused.status_code == 400
    held = {"held": _held(text(refused)), "filename": "mine.tsv"}
    assert "<bdi>mine.tsv</bdi>" in text(refused)
    asked = {**NUMBERS, **held, "measure": "embedding", "model": "tiny"}
    client.post(url(study, "sample"), asked)
    program.does("refuse('no such model')")
    failed = Job.objects.get()
    jobs.run(failed.pk)
    page = text(client.get(url(study, "job", failed.pk)))

    assert "no such model" in page
    assert "The file is kept for two days: change the numbers or the measure" in page
    assert "Upload the file again" not in page
    assert "Fix the file, then upload it again" not in page
    again = text(client.get(url(study, "sample") + f"?of={failed.pk}"))
    assert _held(again) == held["held"]
    client.post(url(study, "sample"), {**NUMBERS, **held})
    second = Job.objects.latest("pk")
    jobs.run(second.pk)
    second.refresh_from_db()
    assert (second.pk != failed.pk, second.state) == (True, Job.State.DONE)
    assert second.parameters["filename"] == "mine.tsv"
    # Only the study's own files can be named.
    other = make_study(owner=study.owner, dialogues=0, preset="sts-context")
    stolen = client.post(url(other, "sample"), {**NUMBERS, **held})
    assert "Upload it again" in text(stolen)


def test_a_cancelled_drawing_speaks_of_drawing(
    client: Client, study: Study, tmp_path: Path
) -> None:
    file = SimpleUploadedFile("c.tsv", columns_of(tmp_path / "c.tsv").read_bytes())
    client.post(url(study, "sample"), {**NUMBERS, "file": file})
    job = Job.objects.get()
    Job.objects.update(state=Job.State.RUNNING, started_at=job.queued_at)

    asked = text(client.get(url(study, "job_cancel", job.pk)))
    client.post(url(study, "job_cancel", job.pk), {"confirmed": "1"})
    page = text(client.get(url(study, "job", job.pk)))

    assert "The comparisons so far are lost, but text vectors already computed are kept" in asked
    assert "<title>Draw pairs |" in page
    assert "No pairs were drawn." in page
    assert "Nothing was imported or changed" not in asked + page
    assert str(AuditEvent.objects.latest("pk").said) == "Cancelled: draw pairs."
