"""An annotator's key and the short code to come back by.

The code is 60 random bits in Crockford's base 32. The key begins with it and goes on with 192
bits that only this server can compute from it, so every page can show the code while the database
keeps nothing but a hash of the key.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterator

from django.conf import settings

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 12
# What people type for a character that the alphabet leaves out.
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1"})


def _digest(secret: str, *words: object) -> bytes:
    # The length in front keeps ("ab", "c") and ("a", "bc") apart.
    message = "".join(f"{len(str(word))}:{word}" for word in words)
    return hmac.digest(secret.encode(), message.encode(), "sha256")


def new_nonce() -> str:
    return secrets.token_urlsafe(18)


def new_key(*, study_id: int, nonce: str) -> str:
    """The key that belongs to a nonce: a form that is sent twice finds the same annotator."""
    number = int.from_bytes(_digest(settings.SECRET_KEY, "code", study_id, nonce)[:8], "big")
    code = "".join(_ALPHABET[number >> (5 * place) & 31] for place in range(CODE_LENGTH))
    return _key(settings.SECRET_KEY, study_id, code)


def _key(secret: str, study_id: int, code: str) -> str:
    rest = base64.urlsafe_b64encode(_digest(secret, "key", study_id, code)[:24]).decode()
    return f"{code}-{rest}"


def new_code(length: int) -> str:
    """Random characters that people can read aloud and type."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def receipts(*words: object) -> Iterator[str]:
    """What proves that somebody saw a page made for these words: by this secret and earlier ones.

    26 small letters and digits, so that it survives whatever carries it.
    """
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        made = base64.b32encode(_digest(secret, "receipt", *words)[:16]).decode()
        yield made.rstrip("=").lower()


def typed_code(text: str) -> str:
    """What somebody typed, or pasted, as a code: without dashes, blanks and full stops.

    Of a personal link it is the beginning of the key.
    """
    _, is_link, after = text.partition("/a/")
    text = after[:CODE_LENGTH] if is_link else text
    return "".join(c for c in text.upper() if c.isascii() and c.isalnum()).translate(_READ_AS)


def may_be_code(text: str) -> bool:
    read = typed_code(text)
    return len(read) == CODE_LENGTH and set(read) <= set(_ALPHABET)


def keys_of_code(*, study_id: int, code: str) -> Iterator[str]:
    """The keys a typed code may stand for: one, and one for each earlier secret."""
    if not may_be_code(code):
        return
    read = typed_code(code)
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield _key(secret, study_id, read)


def code_of(key: str) -> str:
    """The code as people read it, in three groups of four."""
    return "-".join(key[start : start + 4] for start in range(0, CODE_LENGTH, 4))


def key_hash(key: str) -> str:
    # The key has far more entropy than can be guessed: no salt, no slow hash.
    return hashlib.sha256(key.encode()).hexdigest()
