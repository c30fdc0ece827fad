"""What the tests of the API share."""

from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from annotation.answering.services import assignments
from annotation.core.services import jobs, tokens
from annotation.models import Job, Study
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from tests.support.answering import answer_all
from tests.support.baseline_studies import compute
from tests.support.factories import join, make_open_study


def token_of(user: User, *, can_write: bool = True) -> str:
    return tokens.make(user=user, name="of the test", can_write=can_write).key


def by_token(user: User, **options: Any) -> Client:
    return Client(headers={"authorization": f"Token {token_of(user)}"}, **options)


def address(study: Study, path: str = "") -> str:
    return f"/api/v1/studies/{study.slug}/{path}"


class Caller:
    """A program with its token, and one study."""

    def __init__(self, study: Study, user: Any = None) -> None:
        self.study = study
        self.client = APIClient()
        token = token_of(user or study.owner)
        self.client.credentials(HTTP_AUTHORIZATION=f"Token {token}")

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(address(self.study, path), query)

    def post(self, path: str, **sent: Any) -> Any:
        return self.client.post(address(self.study, path), sent, format="json")

    def patch(self, path: str, **sent: Any) -> Any:
        return self.client.patch(address(self.study, path), sent, format="json")

    def delete(self, path: str) -> Any:
        return self.client.delete(address(self.study, path))

    def send(self, path: str, text: str, **sent: Any) -> Any:
        file = SimpleUploadedFile("sent.tsv", text.encode())
        return self.client.post(
            address(self.study, path), {"file": file, **sent}, format="multipart"
        )


def problems(response: Any) -> set[str]:
    """The fields that a 400 is about."""
    assert response.status_code == 400, response.content
    return {one["field"] for one in response.json()["problems"]}


def answered_study() -> Study:
    """An open study with everything that an address can name."""
    study = make_open_study()
    joined = join(study)
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE, parameters={"population": "people"}).pk)
    for n, item in enumerate(study.items.all()):
        item.metadata = {"mean": n}
        item.save()
    compute(study)
    description = Description.of({"title": study.title, "authors": [{"name": "Ada"}]})
    jobs.run(releases.start(study=study, description=description, by=study.owner).pk)
    return study
