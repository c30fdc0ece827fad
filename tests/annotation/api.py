"""What the tests of the API share."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from rest_framework.authtoken.models import Token

from annotation.models import Study


def token_of(user: User) -> str:
    token, _made = Token.objects.get_or_create(user=user)
    return str(token.key)


def by_token(user: User, **options: Any) -> Client:
    return Client(headers={"authorization": f"Token {token_of(user)}"}, **options)


def address(study: Study, path: str = "") -> str:
    return f"/api/v1/studies/{study.slug}/{path}"


def problems(response: Any) -> set[str]:
    """The fields that a 400 is about."""
    assert response.status_code == 400, response.content
    return {one["field"] for one in response.json()["problems"]}
