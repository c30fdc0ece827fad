"""Making, using and revoking the tokens of the API."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services import account_log
from annotation.models import ApiToken

MAX_TOKENS = 50
MAX_DAYS = 3660
# A longer time between two marks of its use is not told apart.
_MARK_SECONDS = 60


@dataclass(frozen=True)
class NewToken:
    token: ApiToken
    key: str


@transaction.atomic
def make(*, user: User, name: str, can_write: bool, days: int | None = None) -> NewToken:
    """A token whose key is returned once. `days`: for how long it is valid; None: always."""
    if not name.strip() or "\x00" in name:
        raise AnnotationError(_("Enter the name of the program."))
    if user.api_tokens.count() >= MAX_TOKENS:
        raise StateError(
            _("You have %(n)s tokens. Revoke one that you no longer use.") % {"n": MAX_TOKENS}
        )
    # As long as those before, and no character that a shell would take for its own.
    key = secrets.token_hex(20)
    now = clock.now()
    token = ApiToken.objects.create(
        user=user,
        name=name.strip()[:60],
        key_hash=hash_of(key),
        begins=key[:4],
        can_write=can_write,
        created_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    account_log.token_made(user, name=token.name)
    return NewToken(token, key)


def hash_of(key: str) -> str:
    # Its 160 random bits are not guessed, so nothing slower is needed.
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def find(key: str) -> ApiToken | None:
    """The token of a key, if it is valid; marks that it was used."""
    token = ApiToken.objects.select_related("user").filter(key_hash=hash_of(key)).first()
    now = clock.now()
    if token is None or not token.is_valid(now):
        return None
    before = now - timedelta(seconds=_MARK_SECONDS)
    is_marked = token.last_used_at is not None and token.last_used_at > before
    if not is_marked:
        unmarked = Q(last_used_at=None) | Q(last_used_at__lte=before)
        ApiToken.objects.filter(unmarked, pk=token.pk).update(last_used_at=now)
    return token


def researcher_of(authorization: str) -> User | None:
    """Whose token a header `Authorization: Token …` names, if they may use the API."""
    scheme, *keys = authorization.split()[:3] or [""]
    # What no token can be is looked up nowhere.
    if scheme.lower() != "token" or len(keys) != 1 or not keys[0].isascii():
        return None
    token = find(keys[0])
    if token is None or not (token.user.is_active and token.user.is_staff):
        return None
    return token.user


def revoke(*, token: ApiToken) -> None:
    """It stops working at once."""
    account_log.token_revoked(token.user, name=token.name)
    token.delete()
