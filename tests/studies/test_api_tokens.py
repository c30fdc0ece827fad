"""Tokens: shown once, kept as hashes, for reading alone or for writing, until they are revoked."""

import hashlib
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ApiToken, Study
from tests.support.api import address, token_of
from tests.support.clock import Clock
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import signed_in, text

PAGE = "/admin/token/"


def by_key(key: str) -> Client:
    return Client(headers={"authorization": f"Token {key}"})


def make(client: Client, **fields: Any) -> str:
    """Make a token on the page; the key that its answer shows."""
    sent = {"name": "nightly", "can_write": "0", "days": "", **fields}
    page = client.post(PAGE, sent)
    assert page.status_code == 200, text(page)
    assert "no-store" in page["Cache-Control"]
    found = re.search(r'id="token"[^>]* value="([^"]+)"', text(page))
    assert found
    return found[1]


@pytest.mark.django_db
def test_a_token_is_shown_once_used_and_revoked(clock: Clock) -> None:
    study = make_study()
    client = signed_in(study.owner)

    assert "You have no token yet." in text(client.get(PAGE))
    key = make(client, name="  nightly  ", days="2")
    other = make(client, can_write="1")

    token = ApiToken.objects.get(key_hash=hashlib.sha256(key.encode()).hexdigest())
    assert (token.name, token.can_write, token.begins) == ("nightly", False, key[:4])
    listed = text(client.get(PAGE))
    assert "nightly" in listed
    assert key not in listed

    assert by_key(key).get(address(study)).status_code == 200
    token.refresh_from_db()
    assert token.last_used_at == clock.time
    refused = by_key(key).patch(address(study), {}, content_type="application/json")
    assert refused.status_code == 403
    assert "This token can only read" in refused.json()["detail"]
    assert by_key(key).options(address(study)).status_code == 200
    written = by_key(other).patch(address(study), {}, content_type="application/json")
    assert written.status_code == 200

    clock.move(days=2)
    assert by_key(key).get(address(study)).status_code == 401
    assert "expired" in text(client.get(PAGE))
    of_other = ApiToken.objects.get(begins=other[:4], can_write=True)
    page = reverse("admin:api_token_revoke", args=[of_other.pk])
    assert client.get(page).status_code == 200
    assert by_key(other).get(address(study)).status_code == 200
    assert client.post(page).status_code == 302
    assert by_key(other).get(address(study)).status_code == 401
    assert client.put(PAGE).status_code == 405
    assert client.post(PAGE, {"name": " ", "can_write": "2"}).status_code == 400


@pytest.mark.django_db
def test_nobody_sees_or_revokes_the_token_of_somebody_else() -> None:
    user = make_user()
    key = token_of(user)
    token = ApiToken.objects.get()
    stranger = signed_in()

    assert key[:4] not in text(stranger.get(PAGE))
    page = reverse("admin:api_token_revoke", args=[token.pk])
    assert stranger.get(page).status_code == stranger.post(page).status_code == 404
    assert ApiToken.objects.exists()


@pytest.mark.django_db
def test_who_is_no_researcher_any_more_makes_nothing_by_token_or_session() -> None:
    user = make_user()
    key, client = token_of(user), signed_in(user)
    user.is_staff = False
    user.save()

    answered = [
        one.post("/api/v1/studies/", {"title": "Mine"}, content_type="application/json")
        for one in (by_key(key), client)
    ]

    assert [one.status_code for one in answered] == [401, 403]
    assert not Study.objects.exists()
