"""Wrong passwords are slowed down: nobody can keep others from signing in with them.

They are counted for a minute, by name and by address. A browser in which somebody has signed in
before has a count of its own for that name, so that tries of others do not reach it.
"""

import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotation.services import throttle
from annotation.views.addresses import address_bucket

COOKIE = "likeness_browser"
_SALT = "likeness.browser"
_MAX_AGE_SECONDS = 365 * 24 * 3600
_MINUTES = 1


def refuse_if_tried_out(request: HttpRequest) -> None:
    """Raise TooManyError when there were too many wrong passwords in this minute."""
    for bucket, limit in _buckets(request).items():
        throttle.refuse_if_tried_out(bucket=bucket, limit=limit, minutes=_MINUTES)


def count_failure(request: HttpRequest) -> None:
    for bucket in _buckets(request):
        throttle.count(bucket=bucket, minutes=_MINUTES)


def remember_browser(request: HttpRequest, response: HttpResponse) -> None:
    """Of the person who has just signed in. It opens nothing: the password is still needed."""
    value = signing.dumps([_name(request), secrets.token_hex(8)], salt=_SALT)
    response.set_cookie(
        COOKIE,
        value,
        max_age=_MAX_AGE_SECONDS,
        path=reverse("admin:login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _buckets(request: HttpRequest) -> dict[str, int]:
    name = _name(request)
    if browser := _known_browser(request, name):
        return {f"login/browser/{browser}": settings.LOGIN_TRIES_PER_NAME}
    address = address_bucket(request)
    return {
        f"login/{address}/{name}": settings.LOGIN_TRIES_PER_NAME,
        f"login/{address}": settings.LOGIN_TRIES_PER_ADDRESS,
        f"login/name/{name}": settings.LOGIN_TRIES_PER_NAME_ANYWHERE,
    }


def _known_browser(request: HttpRequest, name: str) -> str:
    try:
        whose, browser = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_MAX_AGE_SECONDS
        )
    except (signing.BadSignature, TypeError, ValueError):
        return ""
    return str(browser) if whose == name else ""


def _name(request: HttpRequest) -> str:
    """The name that was typed, which may be a password: stored so that it cannot be read."""
    typed = User.normalize_username(request.POST.get("username", "").strip())
    return salted_hmac("likeness.login-name", typed, algorithm="sha256").hexdigest()[:24]
