"""Wrong passwords are slowed down: nobody can keep others from signing in with them.

They are counted by name and address together. What others tried for a name from elsewhere refuses
nobody; it only leaves each address fewer tries of its own. A browser in which somebody has signed
in before has a count of its own for that name.

Looking at a password takes a good part of a second of a processor, whether it is right or wrong.
So a process looks at one at a time, and the tries of an address are counted before.
"""

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotation.basics.sentences import sentence as _
from annotation.core.pages.addresses import address_bucket
from annotation.core.services import throttle
from annotation.core.services.account_log import MAX_USERNAME_LENGTH
from annotation.core.services.turns import Turn

COOKIE = "likeness_browser"
_SALT = "likeness.browser"
_MAX_AGE_SECONDS = 365 * 24 * 3600
_HOUR = 60
ONE_PASSWORD = Turn(
    _("Somebody else is signing in at this moment. Please try again in a second."), retry_after=1
)


def count_or_refuse(request: HttpRequest) -> None:
    """Count a sign-in by its address, unless the browser is known, before the password is read.

    Raises TooManyError when there were too many in this minute, or too many wrong passwords in
    this minute or hour.
    """
    if not _known_browser(request, _name(request)):
        throttle.count_try(
            bucket=f"login/{address_bucket(request)}",
            limit=settings.LOGIN_TRIES_PER_ADDRESS,
            minutes=1,
        )
    for limit in _limits(request):
        throttle.refuse_if_tried_out(
            bucket=limit.bucket, limit=limit.n_tries, minutes=limit.minutes
        )


def count_failure(request: HttpRequest) -> None:
    for limit in _limits(request):
        throttle.count(bucket=limit.bucket, minutes=limit.minutes)
    if not _known_browser(request, _name(request)):
        throttle.count(bucket=_anywhere(_name(request)), minutes=_HOUR)


def remember_browser(request: HttpRequest, response: HttpResponse) -> None:
    """Remember the browser of the person who signed in: the password is still needed."""
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


@dataclass(frozen=True)
class _Limit:
    """So many wrong passwords in a window of so many minutes."""

    bucket: str
    n_tries: int
    minutes: int


def _limits(request: HttpRequest) -> list[_Limit]:
    name = _name(request)
    if browser := _known_browser(request, name):
        return [_Limit(f"login/browser/{browser}", settings.LOGIN_TRIES_PER_NAME, 1)]
    address = address_bucket(request)
    # An address from which nobody has failed by this name always has a try: a stranger cannot use
    # up those of the owner, and many addresses have few each.
    per_hour = (
        settings.LOGIN_TRIES_PER_NAME_ATTACKED
        if throttle.n_tries(bucket=_anywhere(name), minutes=_HOUR)
        >= settings.LOGIN_TRIES_PER_NAME_ANYWHERE
        else settings.LOGIN_TRIES_PER_NAME_HOUR
    )
    return [
        _Limit(f"login/{address}/{name}", settings.LOGIN_TRIES_PER_NAME, 1),
        _Limit(f"login/hour/{address}/{name}", per_hour, _HOUR),
    ]


def _anywhere(name: str) -> str:
    return f"login/name/{name}"


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
    # Nobody's is longer, and to normalise a long one takes a processor minutes.
    typed = User.normalize_username(request.POST.get("username", "")[:MAX_USERNAME_LENGTH].strip())
    return salted_hmac("likeness.login-name", typed, algorithm="sha256").hexdigest()[:24]
