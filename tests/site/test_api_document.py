"""The OpenAPI document: stored with the code, told by the server, without a warning."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from annotation.site.api_urls import urlpatterns
from tests.support.factories import make_user

STORED = settings.BASE_DIR / "docs" / "openapi.yaml"


@pytest.mark.slow
def test_the_stored_document_is_what_the_code_says(tmp_path: Path) -> None:
    written = tmp_path / "openapi.yaml"
    with translation.override("de"):
        call_command("spectacular", file=str(written), validate=True, fail_on_warn=True)

    # After a change: manage.py spectacular --file docs/openapi.yaml, and a higher VERSION.
    assert STORED.read_text("utf-8") == written.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "media"),
    [("", "application/vnd.oai.openapi+json"), ("?type=yaml", "application/vnd.oai.openapi")],
)
@pytest.mark.django_db
def test_every_researcher_reads_the_same_document(query: str, media: str) -> None:
    client = Client(headers={"accept-language": "de"})
    client.force_login(make_user())
    answer = client.get(f"/api/v1/schema/{query}")

    assert answer.status_code == 200
    assert answer["Content-Type"].split(";")[0] == media
    if query:
        assert answer.content.decode() == STORED.read_text("utf-8")
    else:
        assert len(json.loads(answer.content)["paths"]) == len(urlpatterns) - 2
