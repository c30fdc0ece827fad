"""Signing in: how long a refusal takes does not tell who has an account."""

import re
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.core.services import account_log, throttle
from annotation.models import ApiToken, Throttle
from annotation.studies.pages import sign_in_limits
from tests.support.api import address
from tests.support.factories import make_study, make_user

pytestmark = pytest.mark.django_db

HASHED: list[str] = []


class CountingHasher(MD5PasswordHasher):
    """Says how often a password was hashed, which is what takes long."""

    def encode(self, password: str, salt: str) -> str:
        HASHED.append(password)
        return super().encode(password, salt)


@pytest.fixture
def hashed(settings: Any) -> list[str]:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    make_user("ada", password="right")
    make_user("gone", password="right", is_active=False)
    make_user("no-researcher", password="right", is_staff=False)
    User.objects.create_user("no-password", is_staff=True)
    HASHED.clear()
    return HASHED


def attempt(username: str, password: str) -> list[str]:
    """What was written by one attempt, without its values."""
    with CaptureQueriesContext(connection) as queries:
        page = Client().post(
            reverse("admin:login"), {"username": username, "password": password, "next": "/"}
        )
    assert page.status_code == 200
    writes = [q["sql"] for q in queries if re.match(r"(INSERT|UPDATE|DELETE)", q["sql"])]
    return [sql.split()[0] for sql in writes]


@pytest.mark.parametrize("n_before", [0, account_log.MAX_FAILURES])
def test_a_name_that_nobody_has_takes_the_work_of_a_wrong_password(
    hashed: list[str], settings: Any, n_before: int
) -> None:
    settings.LOGIN_TRIES_PER_ADDRESS = 10_000
    done = {}
    for name, password in (
        ("ada", "wrong"),
        ("nobody", "wrong"),
        ("gone", "right"),
        ("gone", "wrong"),
        ("no-researcher", "wrong"),
        ("no-password", "wrong"),
        ("\x00ada", "wrong"),
    ):
        for _time in range(n_before):
            account_log.failed(name)
        hashed.clear()
        wrote = attempt(name, password)
        done[name, password] = (len(hashed), wrote)

    # What no name can hold is refused before anybody is looked for.
    refused = done.pop(("\x00ada", "wrong"))
    assert refused[0] == 0
    expected = done["ada", "wrong"]
    assert expected[0] == 1
    # A line of the log, as long as there are not too many.
    assert len(expected[1]) == (11 if not n_before else 10)
    assert {asked: work for asked, work in done.items() if work != expected} == {}


def test_what_was_typed_for_a_name_is_nowhere(hashed: list[str]) -> None:
    attempt("my secret password", "wrong")

    buckets = [*Throttle.objects.values_list("bucket", flat=True)]
    assert any(bucket.startswith("login-failed/nobody-") for bucket in buckets)
    assert "secret" not in "".join(buckets)


def test_no_password_is_hashed_for_a_token(hashed: list[str]) -> None:
    """Its 160 bits are looked up by one hash, which is the same for a known and an unknown one."""
    study = make_study()
    answers = [
        Client(headers={"authorization": f"Token {key}"}).get(address(study)).status_code
        for key in ("nix", "0" * 40)
    ]

    assert answers == [401, 401]
    # Who is not signed in makes none.
    page = Client().post(reverse("admin:api_token"), {"name": "mine", "can_write": "1"})
    assert page.status_code != 200
    assert not ApiToken.objects.exists()
    assert hashed == []


@pytest.mark.django_db
def test_who_logs_out_is_told_so_where_one_logs_in() -> None:
    client = Client()
    client.force_login(make_user("eve", password="right"))

    page = client.post(reverse("admin:logout"), follow=True)

    assert page.redirect_chain == [(reverse("admin:login"), 302)]
    assert len(page.context["messages"]) == 1
    assert client.get(reverse("admin:index")).status_code == 302
    assert client.get(reverse("admin:logout")).status_code in {302, 405}


@pytest.mark.django_db
def test_a_changed_password_leads_back_to_the_studies() -> None:
    client = Client()
    client.force_login(make_user("eve", password="right"))
    address = reverse("admin:password_change")
    passwords = {"old_password": "right", "new_password1": "a good one 8"}

    refused = client.post(address, {**passwords, "new_password2": "another"})
    done = client.post(address, {**passwords, "new_password2": "a good one 8"}, follow=True)

    assert refused.templates[0].name == "admin/password_change.html"
    assert "new_password2" in refused.context["form"].errors
    assert done.redirect_chain == [(reverse("admin:index"), 302)]
    assert len(done.context["messages"]) == 1
    assert User.objects.get(username="eve").check_password("a good one 8")


@pytest.mark.slow
def test_a_process_looks_at_one_password_at_a_time(hashed: list[str]) -> None:
    login, data = reverse("admin:login"), {"username": "ada", "password": "right"}
    with sign_in_limits.ONE_PASSWORD.taken():
        refused = Client().post(login, data)
        assert Client().get(login).status_code == 200

    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert hashed == []
    assert Client().post(login, data).status_code == 302


def test_names_that_change_are_not_hashed_without_end(
    hashed: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOGIN_TRIES_PER_ADDRESS = 3
    now = timezone.now()
    # The minute does not end in between.
    monkeypatch.setattr(throttle, "_window", lambda minutes: now)
    login = reverse("admin:login")
    known = Client()
    known.post(login, {"username": "ada", "password": "right"})
    known.post(reverse("admin:logout"))
    hashed.clear()

    statuses = [
        Client().post(login, {"username": f"n{n}", "password": "x"}).status_code for n in range(5)
    ]

    assert statuses == [200, 200, 429, 429, 429]
    assert len(hashed) == 2
    # Whoever has signed in by this browser before is not kept out.
    assert known.post(login, {"username": "ada", "password": "right"}).status_code == 302


@pytest.mark.django_db
def test_a_name_that_nobody_has_is_cut_before_it_is_normalised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths = []
    real = User.normalize_username
    monkeypatch.setattr(
        User,
        "normalize_username",
        classmethod(lambda cls, name: lengths.append(len(name)) or real(name)),
    )

    page = Client().post(reverse("admin:login"), {"username": "a" * 60_000, "password": "x"})

    assert page.status_code == 200
    assert lengths
    assert max(lengths) <= 150
