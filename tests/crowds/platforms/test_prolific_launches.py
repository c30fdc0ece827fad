"""Who comes from Prolific: signed launches, forged ones, and keys that cannot be had."""

import base64
import html
import json
import re
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client

from annotation.basics import clock
from annotation.core.platforms.errors import LaunchError, UncheckedLaunchError
from annotation.crowds.platforms.prolific import tokens as prolific_tokens
from annotation.models import Listing
from tests.crowds.platforms.prolific_lab import Lab, make_listing, person_id
from tests.simulators.prolific import tokens
from tests.support.factories import make_open_study

KEYS = "/.well-known/study/jwks.json"
SENTENCE = "This link is incomplete or no longer valid. Please open the study from Prolific."
FORGED = [
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
]
# Wrong in what they say, which can be seen without any key.
SEEN_AT_ONCE = [name for name in FORGED if name not in {"unknown_key", "foreign_key", "garbled"}]


def come(
    lab: Lab, variant: str = "good", *, n: int = 1, listing: Listing | None = None, **options: Any
) -> tuple[Listing, dict[str, str]]:
    """Somebody opens a published study: the listing, and what their address says."""
    if listing is None:
        listing = make_listing(options=options)
        lab.publish(listing)
    bot = lab.sim.bot(person_id(n))
    _submission, url = bot.take(listing.tickets.get().remote_id, token=variant)
    return listing, lab.launch(url)


def n_fetched(lab: Lab) -> int:
    return len(lab.sim.journal(KEYS))


def test_a_signed_launch_says_who_comes(lab: Lab) -> None:
    listing, query = come(lab)

    launch = lab.platform.read_launch(listing, query)

    assert launch.is_signed
    assert not launch.is_preview
    assert launch.person_id == person_id(1)
    assert launch.ticket_id == listing.tickets.get().remote_id
    assert launch.submission_id == query["SESSION_ID"]


def test_a_token_for_our_address_in_full_is_as_good(lab: Lab) -> None:
    lab.sim.configure(token_audience="origin")
    listing, query = come(lab)

    assert lab.platform.read_launch(listing, query).is_signed


@pytest.mark.parametrize("variant", FORGED)
def test_a_forged_token_is_refused_with_one_sentence(lab: Lab, variant: str) -> None:
    listing, query = come(lab, variant)

    with pytest.raises(LaunchError) as refused:
        lab.platform.read_launch(listing, query)

    assert refused.value.message == SENTENCE


@pytest.mark.parametrize("variant", SEEN_AT_ONCE)
def test_a_forged_token_is_refused_without_any_keys(lab: Lab, variant: str) -> None:
    lab.sim.fault("500_before", path=KEYS, times=0)
    listing, query = come(lab, variant)

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, query)


FAULTS = ["500_before", "timeout_before", "truncated_json", "throttle"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("variant", ["good", "foreign_key", "unknown_key"])
def test_without_keys_nobody_is_let_in_unsigned(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, fault: str, variant: str
) -> None:
    monkeypatch.setattr(prolific_tokens, "FETCH_SECONDS", 0.6)
    lab.sim.fault(fault, path=KEYS, times=0, seconds=3)
    listing, query = come(lab, variant)

    with pytest.raises(UncheckedLaunchError) as waits:
        lab.platform.read_launch(listing, query)

    assert 0 < waits.value.retry_after <= 60


@pytest.mark.parametrize("fault", FAULTS)
def test_without_keys_a_launch_is_a_claim_where_no_signature_is_asked_for(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(prolific_tokens, "FETCH_SECONDS", 0.6)
    lab.sim.fault(fault, path=KEYS, times=0, seconds=3)
    listing, query = come(lab, is_secure=False)
    token = lab.sim.mint(query["SESSION_ID"])

    launch = lab.platform.read_launch(listing, {**query, "prolific_token": token})

    assert not launch.is_signed
    assert launch.person_id == person_id(1)


def lie(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    monkeypatch.setattr(prolific_tokens, "fetch_public", lambda *args, **named: answer)


LIES = [{"keys": []}, {"keys": [{"kid": "x"}]}, {"keys": {}}, [], "keys", None]


@pytest.mark.parametrize("answer", LIES)
def test_an_answer_without_keys_takes_none_away(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    listing, query = come(lab)
    assert lab.platform.read_launch(listing, query).is_signed
    lab.advance(hours=25)
    lie(monkeypatch, answer)

    fresh = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}
    assert lab.platform.read_launch(listing, fresh).is_signed
    for variant in ("unknown_key", "foreign_key"):
        forged = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"], variant)}
        with pytest.raises(LaunchError):
            lab.platform.read_launch(listing, forged)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_known_keys_hold_for_days_while_the_server_is_away(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    listing, query = come(lab)
    assert lab.platform.read_launch(listing, query).is_signed
    # Only now: a busy machine may take longer for the first.
    monkeypatch.setattr(prolific_tokens, "FETCH_SECONDS", 0.6)
    lab.sim.fault(fault, path=KEYS, times=0, seconds=3)

    for hours in (25, 48, 72):
        lab.advance(hours=hours)
        fresh = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}
        assert lab.platform.read_launch(listing, fresh).is_signed
    lab.advance(hours=48)
    fresh = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}
    with pytest.raises(UncheckedLaunchError):
        lab.platform.read_launch(listing, fresh)


def test_while_one_asks_for_the_keys_nobody_else_is_let_in_or_kept_waiting(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing, query = come(lab)
    bogus = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"], "unknown_key")}
    seen: list[type[BaseException] | None] = []
    asked, answered = Event(), Event()
    fetch = prolific_tokens.fetch_public

    def slow(*args: Any, **named: Any) -> Any:
        asked.set()
        assert answered.wait(10)
        return fetch(*args, **named)

    def someone() -> None:
        try:
            lab.platform.read_launch(listing, bogus)
        except LaunchError as error:
            seen.append(type(error))
        else:
            seen.append(None)

    monkeypatch.setattr(prolific_tokens, "fetch_public", slow)
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)
    first = Thread(target=someone)
    first.start()
    assert asked.wait(10)
    others = [Thread(target=someone) for _ in range(7)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join(5)
        assert not thread.is_alive()
    answered.set()
    first.join(10)

    assert len(seen) == 8
    assert None not in seen
    assert set(seen[:7]) == {UncheckedLaunchError}


@pytest.mark.slow
def test_who_waited_is_let_in_as_of_when_they_came(
    lab: Lab, client: Client, settings: Any
) -> None:
    lab.sim.fault("500_before", path=KEYS, times=1)
    listing = make_listing(study=make_open_study(dialogues=1))
    lab.publish(listing)
    listing.state, listing.published_at = Listing.State.PUBLISHED, clock.now()
    listing.save()
    _listing, query = come(lab, listing=listing)

    page = client.get(f"/p/{listing.token}/", query)
    assert page.status_code == 503
    assert int(page["Retry-After"]) <= 20
    [again] = re.findall(r'content="\d+;url=([^"]+)"', page.content.decode())
    lab.advance(minutes=20)
    # By now the token's own time is over; what counts is when it came.
    page = client.get(html.unescape(again))
    assert page.status_code == 200
    assert client.get(f"/p/{listing.token}/", query).status_code == 400

    # That they came is written for this token alone, and for an hour.
    other = lab.sim.mint(query["SESSION_ID"])
    arrived = parse_qs(urlsplit(html.unescape(again)).query)["arrived"][0]
    with pytest.raises(LaunchError, match="incomplete"):
        lab.platform.read_launch(listing, {**query, "prolific_token": other, "arrived": arrived})
    lab.advance(minutes=41)
    with pytest.raises(LaunchError, match="incomplete"):
        lab.platform.read_launch(listing, {**query, "arrived": arrived})


def test_a_key_that_was_read_after_they_came_and_is_not_theirs_ends_the_waiting(
    lab: Lab,
) -> None:
    listing, query = come(lab)
    assert lab.platform.read_launch(listing, query).is_signed
    lab.advance(seconds=5)
    forged = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"], "unknown_key")}
    with pytest.raises(UncheckedLaunchError) as waits:
        lab.platform.read_launch(listing, forged)
    assert waits.value.retry_after == 55
    # A genuine one may be signed by a key that is so new.
    lab.advance(seconds=55)

    with pytest.raises(LaunchError, match="incomplete"):
        lab.platform.read_launch(listing, {**forged, "arrived": waits.value.arrived})


@pytest.mark.parametrize("claims", [{"sub": "f" * 24}, {"nbf": 9e9}, {"exp": "soon"}])
def test_a_signed_token_that_contradicts_itself_is_refused(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, claims: dict[str, Any]
) -> None:
    listing, query = come(lab)
    assert lab.platform.read_launch(listing, query).is_signed
    true_claims = tokens.claims
    monkeypatch.setattr(tokens, "claims", lambda *args: {**true_claims(*args), **claims})

    with pytest.raises(LaunchError):
        lab.platform.read_launch(
            listing, {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}
        )


def test_somebody_elses_token_is_no_proof(lab: Lab) -> None:
    listing, mine = come(lab)
    _listing, theirs = come(lab, n=2, listing=listing)

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, {**mine, "prolific_token": theirs["prolific_token"]})


def test_a_token_for_another_domain_of_ours_is_refused(lab: Lab) -> None:
    listing, query = come(lab, audience="study.example.org")

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, query)


def test_a_token_has_its_time_by_our_clock(lab: Lab) -> None:
    listing, query = come(lab)
    lab.advance(minutes=5, seconds=60)
    assert lab.platform.read_launch(listing, query).is_signed

    lab.advance(seconds=1)

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, query)


def test_where_launches_are_signed_one_without_a_token_is_refused(lab: Lab) -> None:
    listing, query = come(lab, "missing")

    with pytest.raises(LaunchError, match="incomplete"):
        lab.platform.read_launch(listing, query)


def test_where_they_are_not_the_parameters_are_a_claim(lab: Lab) -> None:
    listing, query = come(lab, is_secure=False)
    assert "prolific_token" not in query

    launch = lab.platform.read_launch(listing, query)

    assert not launch.is_signed
    assert launch.submission_id == query["SESSION_ID"]


def test_a_forged_token_is_refused_where_none_is_asked_for(lab: Lab) -> None:
    listing, query = come(lab, is_secure=False)
    forged = lab.sim.mint(query["SESSION_ID"], "alg_none")

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, {**query, "prolific_token": forged})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PROLIFIC_PID", ""),
        ("STUDY_ID", "{{%STUDY_ID%}}"),
        ("SESSION_ID", "../" + "a" * 21),
        ("PROLIFIC_PID", "A" * 24),
        ("PROLIFIC_PID", "a" * 24 + "\n"),
        ("prolific_token", "x" * 8001),
        ("prolific_token", "a.b.c"),
        ("prolific_token", "…"),
    ],
)
def test_an_address_that_is_not_whole_is_refused(lab: Lab, name: str, value: str) -> None:
    listing = make_listing(options={"is_secure": False})
    whole = {"PROLIFIC_PID": "1" * 24, "STUDY_ID": "2" * 24, "SESSION_ID": "3" * 24}
    assert lab.platform.read_launch(listing, whole).ticket_id == "2" * 24

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, {**whole, name: value})


def test_a_parameter_with_two_values_is_nobodys_launch(lab: Lab) -> None:
    listing, query = come(lab)
    twice = QueryDict(mutable=True)
    twice.update(query)
    assert lab.platform.read_launch(listing, twice).is_signed

    twice.appendlist("PROLIFIC_PID", person_id(9))

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, twice)


def test_the_keys_are_fetched_once_a_day(lab: Lab) -> None:
    listing, query = come(lab)
    for _ in range(3):
        assert lab.platform.read_launch(listing, query).is_signed
    assert n_fetched(lab) == 1

    lab.advance(hours=24)
    fresh = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}

    assert lab.platform.read_launch(listing, fresh).is_signed
    assert n_fetched(lab) == 2


@pytest.mark.slow
def test_a_new_key_is_fetched_when_it_is_met(lab: Lab) -> None:
    listing, query = come(lab)
    assert lab.platform.read_launch(listing, query).is_signed
    lab.advance(minutes=2)
    lab.sim.rotate_key()
    fresh = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}

    assert lab.platform.read_launch(listing, fresh).is_signed
    assert n_fetched(lab) == 2


def test_a_key_that_was_withdrawn_signs_no_more(lab: Lab) -> None:
    listing, query = come(lab)
    assert lab.platform.read_launch(listing, query).is_signed
    lab.sim.rotate_key(keep_old=False)
    lab.advance(minutes=2)
    new = {**query, "prolific_token": lab.sim.mint(query["SESSION_ID"])}
    assert lab.platform.read_launch(listing, new).is_signed

    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, query)


@pytest.mark.slow
def test_forged_keys_have_nothing_fetched_more_than_once_a_minute(lab: Lab) -> None:
    listing, query = come(lab, "unknown_key")

    for _ in range(20):
        with pytest.raises(LaunchError):
            lab.platform.read_launch(listing, query)
    assert n_fetched(lab) == 1
    lab.advance(minutes=1)
    with pytest.raises(LaunchError):
        lab.platform.read_launch(listing, query)

    assert n_fetched(lab) == 2


def test_keys_that_cannot_be_had_keep_nobody_waiting_again_and_again(lab: Lab) -> None:
    lab.sim.fault("500_before", path=KEYS, times=1)
    listing, query = come(lab)

    for _ in range(5):
        with pytest.raises(UncheckedLaunchError):
            lab.platform.read_launch(listing, query)
    assert n_fetched(lab) == 1
    lab.advance(minutes=1)

    assert lab.platform.read_launch(listing, query).is_signed


def test_without_credentials_not_even_keys_are_fetched(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing, query = come(lab)
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")

    with pytest.raises(UncheckedLaunchError):
        lab.platform.read_launch(listing, query)
    assert n_fetched(lab) == 0


def test_the_keys_are_fetched_without_the_accounts_token(lab: Lab) -> None:
    listing, query = come(lab)
    seen: list[Any] = []
    fetch = prolific_tokens.fetch_public

    def watched(*args: Any, **named: Any) -> Any:
        seen.append((args[1], named))
        return fetch(*args, **named)

    prolific_tokens.forget_keys()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prolific_tokens, "fetch_public", watched)
        assert lab.platform.read_launch(listing, query).is_signed

    assert seen == [(lab.sim.jwks_url, {"seconds": prolific_tokens.FETCH_SECONDS})]
    [row] = lab.sim.journal(KEYS)
    assert lab.sim.token not in str(row)


def test_an_endpoint_that_was_taken_away_lets_nobody_in(lab: Lab, settings: Any) -> None:
    listing, query = come(lab)
    settings.PROLIFIC_ENDPOINTS = {}

    with pytest.raises(LaunchError, match="This study is no longer open"):
        lab.platform.read_launch(listing, query)


@pytest.mark.slow
@pytest.mark.parametrize(
    "moment",
    [10**400, -(10**400), float("inf"), float("nan"), "1", True],
    ids=["huge", "long ago", "inf", "nan", "text", "flag"],
)
@pytest.mark.parametrize("claim", ["exp", "nbf"])
def test_a_time_that_is_none_is_refused_with_one_sentence(
    lab: Lab, claim: str, moment: Any
) -> None:
    listing, query = come(lab)
    head, body, signature = query["prolific_token"].split(".")
    said = json.loads(base64.urlsafe_b64decode(body + "=="))
    body = base64.urlsafe_b64encode(json.dumps({**said, claim: moment}).encode()).decode()
    token = f"{head}.{body.rstrip('=')}.{signature}"

    with pytest.raises(LaunchError) as refused:
        lab.platform.read_launch(listing, {**query, "prolific_token": token})

    assert refused.value.message == SENTENCE
