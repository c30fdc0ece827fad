"""Small things at the door: caches, keys, sessions, where a sign-in leads, limits of guessing."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.core import tasks
from annotation.monitoring.api.live import EndSerializer
from annotation.monitoring.queries import live
from config.celery import app
from config.environment import secret_key
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Client:
    client = Client()
    client.force_login(make_user("ada", password="right", is_superuser=True))
    return client


@pytest.mark.slow
@pytest.mark.parametrize("path", ["studies/", "studies/none/", "schema/", "nowhere/"])
@pytest.mark.parametrize("is_signed_in", [False, True])
def test_no_cache_keeps_what_the_api_answers(ada: Client, path: str, is_signed_in: bool) -> None:
    client = ada if is_signed_in else Client()

    assert "no-store" in client.get(f"/api/v1/{path}")["Cache-Control"]


@pytest.mark.usefixtures("minute")  # it may take so long to write the document that one is over
@pytest.mark.slow
def test_the_document_of_the_api_is_for_researchers_and_counted(
    ada: Client, settings: Any
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 2

    assert Client().get("/api/v1/schema/").status_code == 401
    assert [ada.get("/api/v1/schema/").status_code for _ in range(3)] == [200, 200, 429]


def test_every_reason_why_there_is_no_forecast_is_in_the_document() -> None:
    named = set(re.findall(r'End\("(\w*)"', Path(live.__file__).read_text()))

    assert "over" in named
    assert named <= set(EndSerializer().fields["reason"].choices)  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["short", "a" * 60, "abcd" * 20])
def test_a_key_that_can_be_guessed_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    monkeypatch.setenv("SECRET_KEY", key)
    monkeypatch.setenv("DEBUG", "0")
    with pytest.raises(ImproperlyConfigured):
        secret_key(tmp_path)

    monkeypatch.setenv("DEBUG", "1")
    assert secret_key(tmp_path) == key


def test_expired_sessions_are_forgotten(ada: Client) -> None:
    Client().force_login(make_user("bob"))
    kept = ada.session.session_key
    Session.objects.exclude(session_key=kept).update(
        expire_date=timezone.now() - timedelta(seconds=1)
    )

    tasks.forget_outdated()

    assert [row.session_key for row in Session.objects.all()] == [kept]
    assert tasks.forget_outdated.name in {
        entry["task"] for entry in app.conf.beat_schedule.values()
    }


def test_a_refused_sign_in_says_once_what_is_wrong(client: Client) -> None:
    page = client.post(reverse("admin:login"), {"username": "nobody", "password": "wrong"})

    assert page.content.decode().count("errornote") == 1


def test_signing_in_without_a_way_on_leads_to_the_studies(ada: Client) -> None:
    answer = Client().post(
        "/admin/login/", {"username": "ada", "password": "right", "next": ""}, follow=True
    )

    assert answer.status_code == 200
    assert answer.request["PATH_INFO"] == "/admin/"


def test_the_log_computes_nothing_in_a_spreadsheet(ada: Client) -> None:
    make_user("@SUM(1+1)")
    Client().post("/admin/login/", {"username": "@SUM(1+1)", "password": "wrong"})

    rows = ada.get(reverse("admin:log"), {"as": "tsv"}).content.decode().splitlines()

    cells = [cell for row in rows for cell in row.split("\t")]
    assert any("@SUM" in cell for cell in cells)
    assert not [cell for cell in cells if cell[:1] in "=+-@" and cell]


# -- Wrong passwords ------------------------------------------------------------------------------


def sign_in(client: Client, password: str, *, username: str = "ada", address: str = "") -> int:
    return client.post(
        "/admin/login/",
        {"username": username, "password": password, "next": "/admin/"},
        REMOTE_ADDR=address or "192.0.2.1",
    ).status_code


@pytest.fixture
def minute(time_machine: Any) -> Any:
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    return time_machine


def test_wrong_passwords_for_one_name_keep_nobody_else_out(ada: Client, minute: Any) -> None:
    make_user("bob", password="right")
    attacker = Client()

    statuses = [sign_in(attacker, "wrong") for _ in range(6)]

    assert statuses == [200] * 5 + [429]
    assert sign_in(Client(), "right", username="bob") == 302
    # From elsewhere the same name is let in, too.
    assert sign_in(Client(), "right", address="198.51.100.7") == 302
    minute.shift(60)
    assert sign_in(Client(), "right") == 302


def test_a_browser_in_which_somebody_has_signed_in_before_is_not_kept_out_by_others(
    ada: Client, minute: Any, settings: Any
) -> None:
    settings.LOGIN_TRIES_PER_ADDRESS = 7
    known = Client()
    assert sign_in(known, "right") == 302
    known.post("/admin/logout/")
    for name in ("ada", "nobody", "somebody"):
        for _ in range(5):
            sign_in(Client(), "wrong", username=name)
    assert sign_in(Client(), "right") == 429

    assert sign_in(known, "right") == 302

    known.post("/admin/logout/")
    assert [sign_in(known, "wrong") for _ in range(6)] == [200] * 5 + [429]
    # The cookie speaks for one name alone.
    assert sign_in(known, "right", username="bob") == 429


@pytest.mark.slow
def test_a_guesser_has_twenty_guesses_of_one_name_in_an_hour(ada: Client, minute: Any) -> None:
    statuses = []
    for _hour in range(3):
        statuses += [sign_in(Client(), "wrong") for _ in range(6)]
        for _ in range(4):
            minute.shift(60)
            statuses += [sign_in(Client(), "wrong") for _ in range(6)]
        minute.shift(56 * 60)

    assert statuses.count(200) == 3 * 20
    assert set(statuses) == {200, 429}


@pytest.mark.slow
def test_many_addresses_have_few_guesses_each_and_do_not_keep_the_owner_out(
    ada: Client, minute: Any
) -> None:
    statuses = []
    for _minute in range(3):
        statuses += [
            sign_in(Client(), "wrong", address=f"203.0.113.{n}") for n in range(12) for _ in "123"
        ]
        # From a network that nobody guesses from, at once, and in any minute.
        assert sign_in(Client(), "right", address=f"198.51.100.{_minute}") == 302
        minute.shift(60)

    assert statuses.count(200) == 36
    # A slip of the finger is forgiven there, too.
    slips = [sign_in(Client(), "wrong", address="198.51.100.9") for _ in range(2)]
    assert [*slips, sign_in(Client(), "right", address="198.51.100.9")] == [200, 200, 302]


def test_no_name_that_was_typed_is_stored(ada: Client, minute: Any) -> None:
    from annotation.models import Throttle

    sign_in(Client(), "wrong", username="hunter2")

    assert not [row for row in Throttle.objects.all() if "hunter2" in row.bucket]
