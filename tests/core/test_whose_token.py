"""Whose token a request names: before anything is read, and before anybody is counted."""

import pytest
from django.contrib.auth.models import User

from annotation.core.services import tokens
from annotation.models import ApiToken
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher() -> User:
    return make_user()


@pytest.fixture
def key(researcher: User) -> str:
    return tokens.make(user=researcher, name="a program", can_write=True).key


def test_a_token_names_its_researcher(researcher: User, key: str) -> None:
    assert tokens.researcher_of(f"Token {key}") == researcher
    assert tokens.researcher_of(f"token {key}") == researcher


@pytest.mark.parametrize(
    "header", ["", "Token", "{key}", "Bearer {key}", "Token {key} more", "Token {key}é"]
)
def test_what_is_no_token_names_nobody(header: str, key: str) -> None:
    assert tokens.researcher_of(header.format(key=key)) is None


@pytest.mark.parametrize("right", ["is_active", "is_staff"])
def test_who_may_not_come_in_by_a_browser_may_not_by_a_program(
    right: str, researcher: User, key: str
) -> None:
    setattr(researcher, right, False)
    researcher.save()

    assert tokens.researcher_of(f"Token {key}") is None


def test_a_token_that_was_revoked_or_is_over_names_nobody(researcher: User, key: str) -> None:
    over = tokens.make(user=researcher, name="for a day", can_write=False, days=1).key
    ApiToken.objects.exclude(expires_at=None).update(expires_at="2020-01-01T00:00:00Z")
    tokens.revoke(token=ApiToken.objects.get(expires_at=None))

    assert tokens.researcher_of(f"Token {key}") is None
    assert tokens.researcher_of(f"Token {over}") is None
