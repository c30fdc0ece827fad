"""Launches from Prolific: who comes, and whether Prolific signed it.

This runs while somebody waits for a page. The published keys are fetched here and nowhere else,
in a bounded time and at most once a minute, by one thread; nobody else waits for it. Who comes
with a key that is not known is let in by nothing but an answer that holds it: until there is one
their page tries again by itself, and is judged as of when they came.
"""

import hashlib
import hmac
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any
from urllib.parse import urlsplit

import jwt
from django.core import signing

from annotation.basics import clock
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import (
    LaunchError,
    MissingCredentialsError,
    UnavailableError,
    UncheckedLaunchError,
)
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.prolific.environments import Installation
from annotation.crowds.platforms.prolific.http import fetch_public
from annotation.crowds.platforms.prolific.options import Options
from annotation.models import Listing

PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
TOKEN = "prolific_token"  # noqa: S105 - the name of a parameter
_ID = re.compile(assumptions.PROLIFIC_ID)
_MAX_TOKEN_LENGTH = 8_000
_ALGORITHM = "RS256"

FETCH_SECONDS = 4.0
KEYS_LIVE = timedelta(days=1)
# Keys that cannot be asked for again still hold, as long as Prolific may be away.
KEYS_HOLD = timedelta(days=7)
# Between two attempts: after one that came to something, and after one that did not.
PAUSE, PAUSE_AFTER_FAILURE = timedelta(minutes=1), timedelta(seconds=20)
# While another thread asks.
_SOON = timedelta(seconds=3)
# So long a page tries again by itself; a token's own time is much shorter.
WAITS = timedelta(hours=1)
ARRIVED = "arrived"
_SALT = "likeness.arrived"


class KeysUnknownError(Exception):
    """The keys could not be had, so nobody knows whether a token is good."""

    def __init__(self, retry_after: timedelta = PAUSE_AFTER_FAILURE) -> None:
        super().__init__()
        self.retry_after = retry_after


@dataclass
class _KeySet:
    """The keys of one installation, as this process knows them."""

    keys: dict[str, jwt.PyJWK] = field(default_factory=dict)
    fetched_at: datetime | None = None
    tried_at: datetime | None = None
    # Held by the one who fetches; nobody else waits for it.
    fetching: threading.Lock = field(default_factory=threading.Lock)


_key_sets: dict[str, _KeySet] = {}


def forget_keys() -> None:
    """For tests: as in a process that has just begun."""
    _key_sets.clear()


def read_launch(listing: Listing, installation: Installation, query: Mapping[str, str]) -> Launch:
    """What the address says. Raises LaunchError."""
    ids = {name: _one(query, name) for name in PARAMETERS}
    if not all(_ID.fullmatch(value) for value in ids.values()):
        raise _incomplete()
    options = Options.of(listing.options)
    token = _one(query, TOKEN)
    if token:
        arrived = _arrival(token, _one(query, ARRIVED))
        try:
            is_signed = _is_signed(
                token, ids, host=options.host, installation=installation, arrived=arrived
            )
        except KeysUnknownError as error:
            if options.is_secure:
                raise UncheckedLaunchError(
                    _(
                        "We cannot check this link with Prolific at the moment. This page "
                        "tries again automatically; please keep it open."
                    ),
                    retry_after=ceil(error.retry_after.total_seconds()),
                    arrived=signing.dumps([_short(token), arrived.timestamp()], salt=_SALT),
                ) from error
            is_signed = False
    elif options.is_secure:
        raise _incomplete()
    else:
        is_signed = False
    return Launch(
        person_id=ids["PROLIFIC_PID"],
        submission_id=ids["SESSION_ID"],
        ticket_id=ids["STUDY_ID"],
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
        _("This link is incomplete or no longer valid. Please open the study from Prolific.")
    )


def _arrival(token: str, signed: str) -> datetime:
    """When somebody came with this token for the first time, as the page wrote that waited."""
    now = clock.now()
    if not signed:
        return now
    try:
        whose, moment = signing.loads(signed, salt=_SALT)
        arrived = datetime.fromtimestamp(moment, tz=UTC)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise _incomplete() from error
    is_of_this = hmac.compare_digest(str(whose), _short(token))
    if not is_of_this or not timedelta(seconds=-1) <= now - arrived <= WAITS:
        raise _incomplete()
    return arrived


def _short(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def _is_signed(
    token: str,
    ids: Mapping[str, str],
    *,
    host: str,
    installation: Installation,
    arrived: datetime,
) -> bool:
    """Whether Prolific vouches for it.

    Raises LaunchError for every token that Prolific did not sign for this launch, and
    KeysUnknownError where its keys cannot be had just now.
    """
    if len(token) > _MAX_TOKEN_LENGTH:
        raise _incomplete()
    try:
        head = jwt.get_unverified_header(token)
        if head.get("alg") != _ALGORITHM or not isinstance(head.get("kid"), str):
            raise _incomplete()
        # What it says must be right whether or not the signature can be checked.
        claims = _claims(token)
        _check(claims, ids, host=host, now=arrived)
        key = _key(installation, head["kid"], arrived=arrived)
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


def _check(claims: Mapping[str, Any], ids: Mapping[str, str], *, host: str, now: datetime) -> None:
    at, leeway = now.timestamp(), assumptions.PROLIFIC_TOKEN_LEEWAY.total_seconds()
    ends, begins = _moment(claims, "exp"), _moment(claims, "nbf")
    claimed = claims.get("prolific")
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    good = (
        claims.get("iss") == assumptions.PROLIFIC_ISSUER
        and bool(host)
        and host in {_host(each) for each in named}
        and ends is not None
        and at <= ends + leeway
        and (begins is None or begins - leeway <= at)
        and claims.get("sub") == ids["SESSION_ID"]
        and isinstance(claimed, dict)
        and all(claimed.get(name) == value for name, value in ids.items())
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


def _key(installation: Installation, name: str, *, arrived: datetime) -> jwt.PyJWK | None:
    """The published key of that name; None if there was none after somebody came with it.

    Raises KeysUnknownError if that cannot be told yet.
    """
    known = _key_sets.setdefault(installation.keys_url, _KeySet())
    now = clock.now()
    age = None if known.fetched_at is None else now - known.fetched_at
    cached = known.keys.get(name) if age is not None and age < KEYS_HOLD else None
    if cached and age is not None and age < KEYS_LIVE:
        return cached
    try:
        _refresh(known, installation, now, arrived)
    except KeysUnknownError:
        if cached is None:
            raise
        return cached
    return known.keys.get(name)


def _refresh(known: _KeySet, installation: Installation, now: datetime, arrived: datetime) -> None:
    """Ask for the keys, unless they were read after this arrival."""
    if known.fetched_at is not None and arrived < known.fetched_at <= now:
        return
    if known.fetching.locked():
        raise KeysUnknownError(_SOON)
    if (left := _pause_left(known, now)) > timedelta(0):
        raise KeysUnknownError(left)
    if not known.fetching.acquire(blocking=False):
        raise KeysUnknownError(_SOON)
    try:
        known.tried_at = now
        known.keys = _fetch(installation)
        known.fetched_at = now
    finally:
        known.fetching.release()


def _pause_left(known: _KeySet, now: datetime) -> timedelta:
    if known.tried_at is None or now < known.tried_at:
        return timedelta(0)
    pause = PAUSE if known.fetched_at == known.tried_at else PAUSE_AFTER_FAILURE
    return known.tried_at + pause - now


def _fetch(installation: Installation) -> dict[str, jwt.PyJWK]:
    try:
        # The keys are public, but without credentials nothing calls out at all.
        _token = installation.token
        answer = fetch_public(installation, installation.keys_url, seconds=FETCH_SECONDS)
    except (MissingCredentialsError, UnavailableError) as error:
        raise KeysUnknownError from error
    rows = answer.get("keys") if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise KeysUnknownError
    by_id = {}
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("kid"), str) and _may_sign(row):
            try:
                by_id[row["kid"]] = jwt.PyJWK(row, algorithm=_ALGORITHM)
            except (jwt.PyJWTError, ValueError, TypeError):
                # A key that cannot be read signs nothing; the others still do.
                continue
    if not by_id:
        # An answer without a single key takes none away that was known before.
        raise KeysUnknownError
    return by_id


def _may_sign(row: Mapping[str, Any]) -> bool:
    return (
        row.get("kty") == "RSA"
        and row.get("alg", _ALGORITHM) == _ALGORITHM
        and row.get("use", "sig") == "sig"
        and "d" not in row
    )
