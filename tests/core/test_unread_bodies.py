"""Who may send a long body, and what somebody reads whose body was not read."""

import pytest
from django.conf import settings
from django.test import Client

from annotation.core.middleware import long_body_sender
from annotation.core.services import tokens
from config import bodies
from tests.support.annotating import Participant
from tests.support.factories import make_open_study, make_user

# The web server asks outside of any transaction, and old connections are closed before and after:
# where somebody is looked up, the test must not hold one open.
pytestmark = pytest.mark.django_db


def cookies_of(client: Client) -> str:
    return (
        f"a=b; {settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    )


@pytest.mark.django_db(transaction=True)
def test_a_researcher_may_send_files_until_they_sign_out() -> None:
    client = Client()
    user = make_user("ada")
    client.force_login(user)
    cookies = cookies_of(client)

    assert long_body_sender(cookies, "") == user.pk

    client.logout()
    assert long_body_sender(cookies, "") is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lacks", ["is_staff", "is_active"])
def test_who_is_no_researcher_any_more_may_not(lacks: str) -> None:
    user = make_user("ada")
    client = Client()
    client.force_login(user)
    key = tokens.make(user=user, name="program", can_write=True).key
    assert long_body_sender("", f"Token {key}") == user.pk

    setattr(user, lacks, False)
    user.save()

    assert long_body_sender(cookies_of(client), "") is None
    assert long_body_sender("", f"Token {key}") is None


@pytest.mark.parametrize("cookies", ["", "sessionid=", "sessionid=nobodys", "\x00=;;", "ä=ö"])
@pytest.mark.parametrize("authorization", ["", "Token", "Token x y", "Token ä", "Basic eDp5"])
def test_a_stranger_may_not(cookies: str, authorization: str) -> None:
    assert long_body_sender(cookies, authorization) is None


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (bodies.UNKNOWN_SENDER, 413),
        (bodies.TOO_LARGE, 413),
        (bodies.TOO_MANY_AT_ONCE, 429),
        (bodies.SERVER_BUSY, 503),
        (bodies.WRONG_TYPE, 415),
        (bodies.UNREADABLE_PARTS, 400),
    ],
)
def test_people_and_programs_are_told_why(reason: str, status: int) -> None:
    client = Client()

    page = client.post("/admin/login/", **{bodies.REFUSED: reason})  # type: ignore[arg-type]
    answer = client.post("/api/v1/studies/", **{bodies.REFUSED: reason})  # type: ignore[arg-type]

    assert page.status_code == answer.status_code == status
    assert "data-not-stored" in page.content.decode()
    assert answer.json()["detail"] in page.content.decode()
    assert ("Retry-After" in page) == (status in {429, 503})


def test_the_annotators_pages_allow_what_the_web_server_lets_in() -> None:
    assert bodies.anonymous_limit("/a/some-key/s/12/") == bodies.SCREEN_BODY_LIMIT
    for path in ("/a/some-key/q/1/", "/a/x/y/s/1/", "/a/some-key/s/1/x", "/admin/a/x/s/1/"):
        assert bodies.anonymous_limit(path) == bodies.BODY_LIMIT


def test_the_annotators_pages_say_that_they_take_no_files() -> None:
    study = make_open_study()
    somebody = Participant(study)
    refused = {bodies.REFUSED: bodies.WRONG_TYPE}

    for path in (somebody.url("consent/"), f"/j/{study.join_token}/"):
        page = Client().post(path, **refused)  # type: ignore[arg-type]
        answer = Client().post(path, HTTP_ACCEPT="application/json", **refused)  # type: ignore[arg-type]

        assert page.status_code == answer.status_code == 415
        assert answer.json()["error"] in page.content.decode()
