"""Secrets that are used again and again, at rest: encrypted with a key that this server computes.

They cannot be read from a copy of the database without the server's SECRET_KEY. AES-SIV
[RFC 5297] needs no nonce: what is sealed is itself random and never repeats. What it was sealed
for (words that do not change) is authenticated with it, so that it opens in no other row.
"""

import base64
import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _

# So many random bytes are a secret; sealed they are 69 characters.
N_BYTES = 32
_MARK = "siv1."


class SealedError(AnnotationError):
    """No key of this server opens it: SECRET_KEY was changed without naming the earlier one."""


def seal(secret: str, *sealed_for: object) -> str:
    """What is stored of a secret; raises ValueError unless it is 32 bytes in URL-safe base64."""
    try:
        raw = base64.urlsafe_b64decode(f"{secret}=")
    except ValueError:
        raw = b""
    # Compared: some letters more, or other last bits, would be read as the same bytes.
    if len(raw) != N_BYTES or _text(raw) != secret:
        raise ValueError("a secret is 32 bytes in URL-safe base64, without the = at its end")
    return _MARK + _text(_box(settings.SECRET_KEY).encrypt(raw, _words(sealed_for)))


def is_current(stored: str, *sealed_for: object) -> bool:
    """Whether it is sealed, and with today's SECRET_KEY: all else is to be sealed anew."""
    return (
        stored.startswith(_MARK) and _opened(settings.SECRET_KEY, stored, sealed_for) is not None
    )


def opened(stored: str, *sealed_for: object) -> str:
    """The secret; one from before secrets were sealed is stored as it is."""
    if not stored.startswith(_MARK):
        return stored
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        raw = _opened(key, stored, sealed_for)
        if raw is not None:
            return _text(raw)
    raise SealedError(
        _(
            "The secret of this webhook cannot be read any more, because the server's SECRET_KEY"
            " was changed. Make a new secret, and enter it at the receiver."
        )
    )


def _opened(key: str, stored: str, sealed_for: tuple[object, ...]) -> bytes | None:
    try:
        return _box(key).decrypt(
            base64.urlsafe_b64decode(stored.removeprefix(_MARK)), _words(sealed_for)
        )
    except (InvalidTag, ValueError):
        return None


def _box(key: str) -> AESSIV:
    return AESSIV(hmac.digest(key.encode(), b"likeness.sealed", hashlib.sha512))


def _words(sealed_for: tuple[object, ...]) -> list[bytes]:
    return [str(word).encode() for word in sealed_for]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
