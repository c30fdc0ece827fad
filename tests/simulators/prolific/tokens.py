"""The tokens of secure study addresses: the keys, their publication, and every way to be wrong."""

import base64
import hashlib
import hmac
import json
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.simulators.prolific import rules, studies
from tests.simulators.prolific.world import Row, World

VARIANTS = (
    "good",
    "missing",
    "wrong_audience",
    "wrong_issuer",
    "expired",
    "without_expiry",
    "unknown_key",
    "foreign_key",
    "alg_none",
    "hs256_public_key",
    "other_participant",
    "other_study",
    "other_session",
    "garbled",
)


@cache
def _private_key(n: int) -> str:
    """Making one takes a while: the n-th key is the same for every simulator of a process."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def rotate(world: World, *, keep_old: bool = True) -> str:
    """Sign with a new key from now on; the old ones stay published or vanish."""
    keys = world.state["keys"]
    n = world.state.get("keys_made", 0)
    world.state["keys_made"] = n + 1
    if not keep_old:
        keys.clear()
    keys.append({"kid": world.new_id("key"), "pem": _private_key(n)})
    return keys[-1]["kid"]


def _current(world: World) -> Row:
    if not world.state["keys"]:
        rotate(world)
    return world.state["keys"][-1]


def _public(pem: str) -> Any:
    return serialization.load_pem_private_key(pem.encode(), None).public_key()


def jwks(world: World) -> Row:
    _current(world)
    found = []
    for key in world.state["keys"]:
        numbers = jwt.algorithms.RSAAlgorithm.to_jwk(_public(key["pem"]), as_dict=True)
        found.append({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": key["kid"]} | numbers)
    return {"keys": found}


def audience(world: World, url: str) -> str:
    parts = urlsplit(url)
    if world.config["token_audience"] == "origin":
        return f"{parts.scheme}://{parts.netloc}"
    return parts.hostname or ""


def claims(world: World, row: Row) -> Row:
    now = int(world.now())
    return {
        "iss": rules.ISSUER,
        "aud": audience(world, row["external_url"]),
        "sub": row["id"],
        "iat": now,
        "exp": now + world.config["token_life_s"],
        "prolific": {
            "PROLIFIC_PID": row["participant_id"],
            "STUDY_ID": row["study_id"],
            "SESSION_ID": row["id"],
            "workspace_id": workspace(world),
            "organisation_id": "",
        },
    }


def workspace(world: World) -> str:
    return hashlib.sha256(f"{world.state['seed']}:workspace".encode()).hexdigest()[:24]


def mint(world: World, row: Row, variant: str = "good") -> str:
    """The token of one submission, or one that a careful reader turns down."""
    if variant not in VARIANTS:
        raise ValueError(f"{variant!r} is not one of {', '.join(VARIANTS)}")
    key, said = _current(world), claims(world, row)
    other = hashlib.sha256(row["id"].encode()).hexdigest()[:24]
    _alter(said, variant, other)
    pem, kid = key["pem"], key["kid"]
    if variant == "alg_none":
        return f"{_part({'alg': 'none', 'typ': 'JWT', 'kid': kid})}.{_part(said)}."
    if variant == "hs256_public_key":
        return _signed_with_public_key(pem, kid, said)
    if variant in ("unknown_key", "foreign_key"):
        pem = _private_key(-1)
    if variant == "unknown_key":
        kid = other
    token = jwt.encode(said, pem, algorithm="RS256", headers={"kid": kid})
    if variant == "garbled":
        head, body, signature = token.split(".")
        return f"{head}.{body}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"
    return token


def _alter(said: Row, variant: str, other: str) -> None:
    """The wrong things a token can say; the other variants are wrong in how it is signed."""
    if variant == "expired":
        said.update(iat=said["iat"] - 7200, exp=said["iat"] - 3600)
    elif variant == "without_expiry":
        del said["exp"]
    elif variant == "other_session":
        said["sub"] = other
    if variant in _TOP:
        said.update(_TOP[variant])
    if variant in _INNER:
        said["prolific"][_INNER[variant]] = other


_TOP = {
    "wrong_audience": {"aud": "elsewhere.example"},
    "wrong_issuer": {"iss": "https://www.prolific.example"},
}
_INNER = {
    "other_participant": "PROLIFIC_PID",
    "other_study": "STUDY_ID",
    "other_session": "SESSION_ID",
}


def _part(content: Row) -> str:
    return _text(json.dumps(content, separators=(",", ":")).encode())


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _signed_with_public_key(pem: str, kid: str, said: Row) -> str:
    """The confusion of algorithms: the published key taken for a shared secret."""
    published = _public(pem).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT', 'kid': kid})}.{_part(said)}"
    return f"{signed}.{_text(hmac.digest(published, signed.encode(), 'sha256'))}"


def address(world: World, row: Row, variant: str = "good") -> str:
    """Where the participant is sent: the placeholders filled, the token appended if wanted."""
    url = row["external_url"]
    for name, value in (
        ("PROLIFIC_PID", row["participant_id"]),
        ("STUDY_ID", row["study_id"]),
        ("SESSION_ID", row["id"]),
    ):
        for placeholder in (f"{{{{%{name}%}}}}", f"{{%{name}%}}"):
            url = url.replace(placeholder, value)
    study = studies.find(world, row["study_id"])
    if not study["is_external_study_url_secure"] or variant == "missing":
        return url
    parts = urlsplit(url)
    query = [*parse_qsl(parts.query, keep_blank_values=True)]
    query.append(("prolific_token", mint(world, row, variant)))
    return urlunsplit(parts._replace(query=urlencode(query)))
