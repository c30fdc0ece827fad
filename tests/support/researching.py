"""A researcher who works through the pages of the site, from a plan to the downloaded files."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation.core.services import jobs
from annotation.models import Job, Study
from tests.support.factories import make_user, name_contact

Row = dict[str, str]


class Researcher:
    """Somebody signed in, whose pages answer as they shall; jobs are done while they wait."""

    def __init__(self) -> None:
        self.client = Client()
        self.client.force_login(make_user())

    def create(self, title: str, **form: object) -> Study:
        address = reverse("admin:annotation_study_add")
        answer = self._sent(self.client.post(address, {"title": title, "language": "en", **form}))
        study = Study.objects.get(title=title)
        # The items of an earlier round are copied in the background.
        if study.jobs.exists():
            self._work(answer)
        name_contact(study)
        return study

    def import_items(self, study: Study, entries: Iterable[object], **choice: str) -> None:
        """Upload JSON Lines, look at them, import them."""
        file = SimpleUploadedFile("items.jsonl", "\n".join(map(json.dumps, entries)).encode())
        looked = self._sent(self.client.post(_url(study, "upload"), {"file": file}))
        assert self.client.get(looked["Location"]).status_code == 200
        name = looked["Location"].split("/preview/")[1].split("/")[0]
        start = _url(study, "import_start", name)
        self._work(self.client.post(start, {"filename": "items.jsonl", **choice}))

    def make_design(self, study: Study, **changes: object) -> None:
        """Take the plan's numbers, but for these, and make the design."""
        form = self.client.get(_url(study, "design")).context["form"]
        numbers = {field.name: field.value() for field in form}
        given = {name: value for name, value in numbers.items() if value not in {None, False}}
        self._work(self.client.post(_url(study, "design"), {**given, **changes, "make": "1"}))

    def press(self, study: Study, button: str) -> Study:
        """Open, pause, close or finish a study."""
        self._sent(self.client.post(_url(study, button)))
        return Study.objects.get(pk=study.pk)

    def download(self, study: Study, *names: str) -> list[list[Row]]:
        """Tables of the archive, as rows."""
        response = self.client.get(_url(study, "archive"))
        assert response.status_code == 200
        content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [_rows(archive.read(name).decode()) for name in names]

    def _work(self, response: HttpResponse) -> None:
        """What the worker does, and the page that the researcher waits on."""
        page = self._sent(response)["Location"]
        jobs.run(Job.objects.latest("pk").pk)
        assert "<span data-job-state>done</span>" in self.client.get(page).content.decode()

    def _sent(self, response: HttpResponse) -> HttpResponse:
        assert response.status_code == 302, response.content.decode()
        return response


def _url(study: Study, name: str, *arguments: object) -> str:
    return reverse(f"admin:annotation_study_{name}", args=[study.pk, *arguments])


def _rows(table: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(table), delimiter="\t"))
