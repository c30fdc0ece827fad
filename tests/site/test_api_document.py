"""The OpenAPI document: made from the code, told by the server, without a warning."""

import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from annotation.core.api.operations import AlwaysTheSame
from annotation.site.api_urls import urlpatterns
from tests.support.factories import make_user


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The document as the command writes it: whole, and without a warning."""
    file = tmp_path_factory.mktemp("api") / "openapi.yaml"
    with translation.override("de"):
        call_command("spectacular", file=str(file), validate=True, fail_on_warn=True)
    return file.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "media"),
    [("", "application/vnd.oai.openapi+json"), ("?type=yaml", "application/vnd.oai.openapi")],
)
@pytest.mark.django_db
def test_every_researcher_reads_the_same_document(query: str, media: str, written: str) -> None:
    client = Client(headers={"accept-language": "de"})
    client.force_login(make_user())
    answer = client.get(f"/api/v1/schema/{query}")

    assert answer.status_code == 200
    assert answer["Content-Type"].split(";")[0] == media
    if query:
        assert answer.content.decode() == written
    else:
        assert len(json.loads(answer.content)["paths"]) == len(urlpatterns) - 2


def test_no_address_of_the_api_reads_which_types_are_accepted() -> None:
    """The framework takes quadratic time for it: every view answers in one type."""
    views = [pattern.callback.cls for pattern in urlpatterns]

    assert len(views) > 50
    assert all(issubclass(view.content_negotiation_class, AlwaysTheSame) for view in views)
