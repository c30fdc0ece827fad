"""Secrets that are used again and again, at rest: encrypted with a key that this server computes.

They cannot be read from a copy of the database without the server's SECRET_KEY. AES-SIV
[RFC 5297] needs no nonce: what is encrypted is itself random and never repeats. Its context
(words that do not change) is authenticated with it, so that it opens in no other row.
"""

import base64
import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _

# So many random bytes are a secret; encrypted they are 69 characters.
N_BYTES = 32
_MARK = "siv1."


class DecryptionError(AnnotationError):
    """No key of this server opens it: SECRET_KEY was changed without naming the earlier one."""


def encrypt(secret: str, *context: object) -> str:
    """What is stored of a secret; raises ValueError unless it is 32 bytes in URL-safe base64."""
    try:
        raw = base64.urlsafe_b64decode(f"{secret}=")
    except ValueError:
        raw = b""
    # Compared: some letters more, or other last bits, would be read as the same bytes.
    if len(raw) != N_BYTES or _text(raw) != secret:
        raise ValueError("a secret is 32 bytes in URL-safe base64, without the = at its end")
    return _MARK + _text(_box(settings.SECRET_KEY).encrypt(raw, _words(context)))


def is_current(stored: str, *context: object) -> bool:
    """Whether it is encrypted, and with today's SECRET_KEY: all else is to be encrypted anew."""
    return stored.startswith(_MARK) and _decrypt(settings.SECRET_KEY, stored, context) is not None


def decrypt(stored: str, *context: object) -> str:
    """The secret; one from before secrets were encrypted is stored as it is."""
    if not stored.startswith(_MARK):
        return stored
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        raw = _decrypt(key, stored, context)
        if raw is not None:
            return _text(raw)
    raise DecryptionError(
        _(
            "The secret of this webhook cannot be read any more, because the server's SECRET_KEY"
            " was changed. Make a new signing secret, and enter it in your program."
        )
    )


def _decrypt(key: str, stored: str, context: tuple[object, ...]) -> bytes | None:
    try:
        return _box(key).decrypt(
            base64.urlsafe_b64decode(stored.removeprefix(_MARK)), _words(context)
        )
    except (InvalidTag, ValueError):
        return None


def _box(key: str) -> AESSIV:
    return AESSIV(hmac.digest(key.encode(), b"likeness.sealed", hashlib.sha512))


def _words(context: tuple[object, ...]) -> list[bytes]:
    return [str(word).encode() for word in context]


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
