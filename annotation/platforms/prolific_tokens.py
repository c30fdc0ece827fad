"""Launches from Prolific: who comes, and whether Prolific signed it.

This runs while somebody waits for a page. The published keys are fetched here and nowhere else,
in a bounded time and at most once a minute, whoever comes.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import jwt

from annotation import clock
from annotation.models import Listing
from annotation.platforms import assumptions
from annotation.platforms.base import (
    Launch,
    LaunchError,
    MissingCredentialsError,
    UnavailableError,
)
from annotation.platforms.prolific_environments import Installation
from annotation.platforms.prolific_http import fetch_public
from annotation.platforms.prolific_options import Options
from annotation.sentences import sentence as _

PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
TOKEN = "prolific_token"  # noqa: S105 - the name of a parameter
_ID = re.compile(assumptions.PROLIFIC_ID)
_MOST_CHARACTERS = 8_000
_ALGORITHM = "RS256"

FETCH_SECONDS = 4.0
KEYS_LIVE = timedelta(days=1)
# Between two attempts, whether or not the first came to something.
PAUSE = timedelta(minutes=1)


class KeysUnknownError(Exception):
    """The keys could not be had, so nobody knows whether a token is good."""


@dataclass
class _Published:
    """The keys of one installation, as this process knows them."""

    keys: dict[str, jwt.PyJWK] = field(default_factory=dict)
    fetched_at: datetime | None = None
    tried_at: datetime | None = None
    # Held by the one who fetches; nobody else waits for it.
    fetching: threading.Lock = field(default_factory=threading.Lock)


_published: dict[str, _Published] = {}


def forget_keys() -> None:
    """For tests: as in a process that has just begun."""
    _published.clear()


def read_launch(listing: Listing, installation: Installation, query: Mapping[str, str]) -> Launch:
    """What the address says. Raises LaunchError."""
    said = {name: _one(query, name) for name in PARAMETERS}
    if not all(_ID.fullmatch(value) for value in said.values()):
        raise _incomplete()
    options = Options.of(listing.options)
    token = _one(query, TOKEN)
    if token:
        is_signed = _is_signed(token, said, host=options.host, installation=installation)
    elif options.is_secure:
        raise _incomplete()
    else:
        is_signed = False
    return Launch(
        person_id=said["PROLIFIC_PID"],
        submission_id=said["SESSION_ID"],
        ticket_id=said["STUDY_ID"],
        is_signed=is_signed,
    )


def _one(query: Mapping[str, str], name: str) -> str:
    """The value of a parameter; two different ones are nobody's launch."""
    several = getattr(query, "getlist", None)
    values = set(several(name)) if several else {query[name]} if name in query else set()
    if len(values) > 1:
        raise _incomplete()
    return str(values.pop()) if values else ""


def _incomplete() -> LaunchError:
    return LaunchError(
        _("This link is not complete, or no longer good. Please open the study from Prolific.")
    )


def _is_signed(
    token: str, said: Mapping[str, str], *, host: str, installation: Installation
) -> bool:
    """Whether Prolific vouches for it; False where its keys cannot be had just now.

    Raises LaunchError for every token that Prolific did not sign for this launch.
    """
    if len(token) > _MOST_CHARACTERS:
        raise _incomplete()
    try:
        head = jwt.get_unverified_header(token)
        if head.get("alg") != _ALGORITHM or not isinstance(head.get("kid"), str):
            raise _incomplete()
        # What it says must be right whether or not the signature can be checked.
        claims = _claims(token)
        _check(claims, said, host=host)
        try:
            key = _key(installation, head["kid"])
        except KeysUnknownError:
            return False
        if key is None:
            raise _incomplete()
        _claims(token, key)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise _incomplete() from error
    return True


def _claims(token: str, key: jwt.PyJWK | None = None) -> Mapping[str, Any]:
    # Times are held against our own clock, and the audience is compared by `_check`.
    decoded: Mapping[str, Any] = jwt.decode(
        token,
        key.key if key else "",
        algorithms=[_ALGORITHM],
        options={
            "verify_signature": key is not None,
            "verify_exp": False,
            "verify_nbf": False,
            "verify_iat": False,
            "verify_aud": False,
            "verify_iss": False,
            "verify_sub": False,
            "verify_jti": False,
        },
    )
    return decoded


def _check(claims: Mapping[str, Any], said: Mapping[str, str], *, host: str) -> None:
    now, leeway = clock.now().timestamp(), assumptions.PROLIFIC_TOKEN_LEEWAY.total_seconds()
    ends, begins = _moment(claims, "exp"), _moment(claims, "nbf")
    told = claims.get("prolific")
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    good = (
        claims.get("iss") == assumptions.PROLIFIC_ISSUER
        and bool(host)
        and host in {_host(each) for each in named}
        and ends is not None
        and now <= ends + leeway
        and (begins is None or begins - leeway <= now)
        and claims.get("sub") == said["SESSION_ID"]
        and isinstance(told, dict)
        and all(told.get(name) == value for name, value in said.items())
    )
    if not good:
        raise _incomplete()


def _moment(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _incomplete()
    return float(value)


def _host(audience: Any) -> str:
    """Of a domain, with or without scheme and port."""
    if not isinstance(audience, str):
        return ""
    parts = urlsplit(audience if "//" in audience else f"//{audience}")
    return (parts.hostname or "").lower()


def _key(installation: Installation, name: str) -> jwt.PyJWK | None:
    """The published key of that name, None if there is none; KeysUnknownError: cannot be told."""
    known = _published.setdefault(installation.keys_url, _Published())
    now = clock.now()
    is_fresh = known.fetched_at is not None and now - known.fetched_at < KEYS_LIVE
    if is_fresh and name in known.keys:
        return known.keys[name]
    if known.tried_at is not None and timedelta(0) <= now - known.tried_at < PAUSE:
        # Asked a moment ago: what was found then still holds, and nothing found says nothing.
        if known.fetched_at != known.tried_at:
            raise KeysUnknownError
        return known.keys.get(name)
    if not known.fetching.acquire(blocking=False):
        raise KeysUnknownError
    try:
        known.tried_at = now
        known.keys = _fetch(installation)
        known.fetched_at = now
    finally:
        known.fetching.release()
    return known.keys.get(name)


def _fetch(installation: Installation) -> dict[str, jwt.PyJWK]:
    try:
        # The keys are public, but without credentials nothing calls out at all.
        _token = installation.token
        told = fetch_public(installation, installation.keys_url, seconds=FETCH_SECONDS)
    except (MissingCredentialsError, UnavailableError) as error:
        raise KeysUnknownError from error
    rows = told.get("keys") if isinstance(told, dict) else None
    if not isinstance(rows, list):
        raise KeysUnknownError
    found = {}
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("kid"), str) and _may_sign(row):
            try:
                found[row["kid"]] = jwt.PyJWK(row, algorithm=_ALGORITHM)
            except (jwt.PyJWTError, ValueError, TypeError):
                # A key that cannot be read signs nothing; the others still do.
                continue
    return found


def _may_sign(row: Mapping[str, Any]) -> bool:
    return (
        row.get("kty") == "RSA"
        and row.get("alg", _ALGORITHM) == _ALGORITHM
        and row.get("use", "sig") == "sig"
        and "d" not in row
    )
