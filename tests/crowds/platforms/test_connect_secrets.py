"""The key is sent to Connect and to nobody else, and nothing calls out without it."""

import logging
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.core.platforms.errors import (
    MissingCredentialsError,
    RefusedError,
    UnavailableError,
)
from annotation.crowds.platforms.connect import http
from annotation.crowds.platforms.connect.environments import installation
from annotation.models import Intent, PlatformEvent, Study
from tests.crowds.platforms.connect_lab import LAB, ConnectLab, make_listing
from tests.crowds.platforms.test_prolific_secrets import Server
from tests.support.researcher_pages import signed_in, url

SECRET = "key-5f1c2e9a77"


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("CONNECT_API_KEY_LAB", SECRET)
    with Server() as server:
        settings.CONNECT_ENDPOINTS = {LAB: [f"{server.address}/api/v1"]}
        yield server


def test_the_key_is_in_one_header(server: Server) -> None:
    http.Client(installation(LAB)).get("account")

    [(method, path, headers)] = server.asked
    assert (method, path) == ("GET", "/api/v1/account")
    assert headers["X-API-KEY"] == SECRET
    assert "Authorization" not in headers
    assert SECRET not in path


def test_a_token_against_doing_it_twice_is_in_another(server: Server) -> None:
    client = http.Client(installation(LAB))

    client.change("POST", "project", {}, headers=http.idempotency("once"))
    client.change("POST", "project/1/update-status", {}, needs_body=False)

    first, second = (headers for _method, _path, headers in server.asked)
    assert first["IDEMPOTENCY-TOKEN"] == "once"
    assert "IDEMPOTENCY-TOKEN" not in second


def test_what_connect_repeats_of_the_key_is_not_repeated(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.status = 400
    server.body = b'{"error": {"title": "Bad", "detail": "%s is bad"}}' % SECRET.encode()
    client = http.Client(installation(LAB))

    with pytest.raises(RefusedError) as raised:
        client.change("POST", "project", {})

    said = "".join(traceback.format_exception(raised.value))
    assert raised.value.message == "CloudResearch Connect says (status 400): … is bad"
    for text in (said, repr(raised.value), caplog.text, repr(vars(client))):
        assert SECRET not in text


def test_without_the_key_nothing_is_asked(
    connect: ConnectLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = make_listing()
    connect.publish(listing)
    visit = connect.visit(listing)
    n_before = len(connect.sim.journal())
    monkeypatch.delenv("CONNECT_API_KEY_LAB")

    for kind in Intent.Kind:
        intent = connect.decide(visit, kind, payload={"step": "draft", "body": {}, "reason": "x"})
        with pytest.raises(MissingCredentialsError, match="lacks CONNECT_API_KEY_LAB"):
            connect.platform.send(intent)
    with pytest.raises(UnavailableError, match="lacks CONNECT_API_KEY_LAB"):
        connect.platform.look_up(connect.decide(visit, Intent.Kind.APPROVE, "again"))
    with pytest.raises(UnavailableError, match="lacks CONNECT_API_KEY_LAB"):
        list(connect.platform.submissions(listing))
    assert connect.platform.quote(listing) == {}

    assert len(connect.sim.journal()) == n_before


def test_no_row_and_no_page_holds_the_key(connect: ConnectLab, spending_study: Study) -> None:
    listing = make_listing(study=spending_study)
    connect.publish(listing)
    visit = connect.visit(listing)
    connect.send(connect.bonus(visit))

    rows = [
        *Intent.objects.values(),
        *PlatformEvent.objects.values(),
        *listing.tickets.values(),
        {"answers": [vars(each) for each in connect.platform.submissions(listing)]},
    ]
    pages = [
        signed_in(spending_study.owner).get(url(spending_study, *where))
        for where in (("listing", listing.pk), ("platforms",), ("ledger",))
    ]

    assert [page.status_code for page in pages] == [200, 200, 200]
    shown = "".join(page.content.decode() for page in pages)
    assert connect.sim.token not in repr(rows) + shown + repr(connect.sim.journal())
