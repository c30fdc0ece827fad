"""Signed launches of the simulated Prolific: PyJWT accepts the good one and no other."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests

from tests.simulators.prolific import ProlificSimulator, tokens
from tests.simulators.prolific.researcher import Researcher


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def launched(sim: ProlificSimulator) -> str:
    me = Researcher(sim)
    study = me.published(is_external_study_url_secure=True)
    submission, _ = sim.bot("p1").take(study)
    return submission


def keys(sim: ProlificSimulator) -> dict[str, Any]:
    return dict(requests.get(sim.jwks_url, timeout=10).json())


def verified(sim: ProlificSimulator, token: str) -> dict[str, Any]:
    """What a careful reader makes of it, with the published keys alone."""
    kid = jwt.get_unverified_header(token)["kid"]
    found = {key["kid"]: key for key in keys(sim)["keys"]}
    if kid not in found:
        raise jwt.InvalidKeyError(f"{kid} is not published")
    return dict(
        jwt.decode(
            token,
            jwt.PyJWK(found[kid]).key,
            algorithms=["RS256"],
            audience="127.0.0.1",
            issuer="https://www.prolific.com",
            options={"require": ["exp", "sub"]},
        )
    )


def test_the_address_carries_the_ids_and_a_token_that_says_the_same(
    sim: ProlificSimulator, launched: str
) -> None:
    query = parse_qs(urlsplit(sim.launch_url(launched)).query)

    said = verified(sim, query["prolific_token"][0])

    study = sim.submission(launched)["study_id"]
    expected = {"PROLIFIC_PID": "p1", "STUDY_ID": study, "SESSION_ID": launched}
    assert {name: query[name][0] for name in expected} == expected
    assert {name: said["prolific"][name] for name in expected} == expected
    assert said["sub"] == launched


@pytest.mark.parametrize(
    ("variant", "error"),
    [
        ("wrong_audience", jwt.InvalidAudienceError),
        ("wrong_issuer", jwt.InvalidIssuerError),
        ("expired", jwt.ExpiredSignatureError),
        ("without_expiry", jwt.MissingRequiredClaimError),
        ("unknown_key", jwt.InvalidKeyError),
        ("foreign_key", jwt.InvalidSignatureError),
        ("garbled", jwt.InvalidSignatureError),
        ("alg_none", jwt.InvalidAlgorithmError),
        ("hs256_public_key", jwt.InvalidAlgorithmError),
    ],
)
def test_each_bad_token_is_bad_in_its_own_way(
    sim: ProlificSimulator, launched: str, variant: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        verified(sim, sim.mint(launched, variant))


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        ("other_participant", "PROLIFIC_PID"),
        ("other_study", "STUDY_ID"),
        ("other_session", "SESSION_ID"),
    ],
)
def test_a_token_of_somebody_else_is_sound_but_says_something_else(
    sim: ProlificSimulator, launched: str, variant: str, name: str
) -> None:
    url = sim.launch_url(launched, variant)
    query = parse_qs(urlsplit(url).query)

    said = verified(sim, query["prolific_token"][0])["prolific"]

    differing = [
        each for each in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID") if said[each] != query[each][0]
    ]
    assert differing == [name]


def test_every_variant_is_tried_above() -> None:
    above = {"good", "missing", "other_participant", "other_study", "other_session"}
    above |= {"wrong_audience", "wrong_issuer", "expired", "without_expiry", "unknown_key"}
    above |= {"foreign_key", "garbled", "alg_none", "hs256_public_key"}

    assert above == set(tokens.VARIANTS)


def test_the_public_key_would_open_the_hs256_token(sim: ProlificSimulator, launched: str) -> None:
    import base64
    import hmac

    from cryptography.hazmat.primitives import serialization

    token = sim.mint(launched, "hs256_public_key")
    signed, _, signature = token.rpartition(".")
    pem = jwt.PyJWK(keys(sim)["keys"][-1]).key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )

    made = base64.urlsafe_b64encode(hmac.digest(pem, signed.encode(), "sha256"))

    assert made.rstrip(b"=").decode() == signature


def test_a_new_key_signs_while_the_old_one_is_still_published(
    sim: ProlificSimulator, launched: str
) -> None:
    old = sim.mint(launched)
    kid = sim.rotate_key()
    new = sim.mint(launched)

    assert jwt.get_unverified_header(new)["kid"] == kid
    assert verified(sim, old)["sub"] == verified(sim, new)["sub"] == launched
    sim.rotate_key(keep_old=False)
    with pytest.raises(jwt.InvalidKeyError):
        verified(sim, old)
    assert len(keys(sim)["keys"]) == 1


def test_nothing_private_is_published(sim: ProlificSimulator, launched: str) -> None:
    (key,) = keys(sim)["keys"]
    state = requests.get(f"{sim.control}/state", timeout=10).text

    assert {"kty", "kid", "alg", "use", "n", "e"} <= set(key)
    assert not {"d", "p", "q", "dp", "dq", "qi"} & set(key)
    assert "PRIVATE KEY" not in state


def test_a_plain_study_has_no_token(sim: ProlificSimulator) -> None:
    _, url = sim.bot("p1").take(Researcher(sim).published())

    assert "prolific_token" not in url


def test_a_token_lives_as_long_as_the_simulated_clock_says(
    sim: ProlificSimulator, launched: str
) -> None:
    said = jwt.decode(sim.mint(launched), options={"verify_signature": False})

    sim.advance(hours=72)
    later = jwt.decode(sim.mint(launched), options={"verify_signature": False})

    assert said["exp"] - said["iat"] == 300
    assert later["iat"] - said["iat"] == 72 * 3600
