"""From an empty site to a downloaded data set, by the researcher's pages alone."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.answering.services import assignments
from annotation.core.services import jobs
from annotation.models import Job, Study
from tests.support.answering import answer_all
from tests.support.factories import join
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def run_job(client: Client, response) -> None:
    """What the worker does, and the page that the researcher waits on."""
    job = Job.objects.latest("pk")
    assert client.get(response["Location"]).status_code == 200
    jobs.run(job.pk)
    page = text(client.get(response["Location"]))
    assert "<span data-job-state>done</span>" in page


@pytest.mark.slow
def test_from_nothing_to_a_data_set() -> None:
    client = signed_in()
    client.post(
        reverse("admin:annotation_study_add"),
        {"title": "Whole", "preset": "giccs", "language": "en"},
    )
    study = Study.objects.get()
    lines = [
        {
            "id": f"d{d}",
            "turns": [{"speaker": "AB"[t % 2], "text": f"turn {t}"} for t in range((3, 5)[d % 2])],
            "candidates": [{"text": f"text {d} {c}"} for c in range(5)],
        }
        for d in range(2)
    ]
    file = SimpleUploadedFile("d.jsonl", "\n".join(map(json.dumps, lines)).encode())
    looked = client.post(url(study, "upload"), {"file": file})["Location"]
    name = looked.split("/preview/")[1].split("/")[0]
    run_job(client, client.post(url(study, "import_start", name), {"filename": "d.jsonl"}))

    form = client.get(url(study, "design")).context["form"]
    numbers = {field.name: field.value() for field in form}
    run_job(client, client.post(url(study, "design"), {**numbers, "make": "1"}))
    assert client.get(url(study, "try_screen", 1, 1)).status_code == 200

    form = client.get(url(study, "describe")).context["form"]
    texts = {field.name: field.value() or "" for field in form}
    texts["consent"] = texts["consent"].replace("[name of the researcher, e-mail]", "Ada")
    client.post(url(study, "describe"), texts)
    client.post(url(study, "open"))
    study.refresh_from_db()
    assert study.state == "open"
    refused = client.post(url(study, "describe"), {"title": "Whole", "instructions": "other"})
    assert refused.status_code == 409
    assignment = join(study).assignment
    answer_all(assignment)
    assignments.submit(assignment=assignment)

    for step in ("pause", "close", "finish"):
        client.post(url(study, step))
    run_job(client, client.post(url(study, "score"), {"population": "people"}))
    response = client.get(url(study, "archive"))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))

    study.refresh_from_db()
    assert study.state == "finished"
    answered = archive.read("judgments.tsv").decode().splitlines()
    assert len(answered) == 1 + assignment.booklet.questions.count()
    history = text(client.get(url(study, "history")))
    for line in ("Created the study.", "Started to import d.jsonl.", "The study is open."):
        assert line in history
