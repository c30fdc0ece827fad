"""Which Mechanical Turk is called, with which keys, and that nothing else has a say in it."""

import logging
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from annotation.core.platforms.errors import (
    MissingCredentialsError,
    RefusedError,
    ServiceClosedError,
    UnavailableError,
)
from annotation.crowds.platforms.mturk import client as mturk_client
from annotation.crowds.platforms.mturk.environments import Credentials
from annotation.crowds.platforms.mturk.platform import MTurk
from annotation.models import Intent, Listing, Person, Visit
from tests.crowds.platforms.mturk_desk import KEY_ID, SECRET, Desk, desk_at, make_listing
from tests.support.clock import Clock
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

_ROOT = Path(__file__).parents[3]
_MTURK_MODULES = [
    f"annotation/crowds/platforms/mturk/{name}.py"
    for name in ("client", "platform", "errors", "requester")
]


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with desk_at(clock, settings, monkeypatch) as found:
        yield found


def _first(desk: Desk, listing: Listing | None = None) -> Intent:
    listing = listing or desk.listing
    return desk.of_plan(desk.platform.plan_publishing(listing)[0], listing=listing)


def test_the_services_own_installations_are_closed_and_say_so(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MTURK_ENDPOINTS = {"lab": ["https://api.lab.example", "https://lab.example"]}
    for name in (KEY_ID, SECRET):
        monkeypatch.delenv(name, raising=False)

    lab, production, sandbox = MTurk().environments()

    assert (lab.name, lab.endpoint, lab.closed) == ("lab", "https://api.lab.example", "")
    assert list(lab.missing) == [KEY_ID, SECRET]
    assert (production.name, sandbox.name) == ("production", "sandbox")
    for one in (production, sandbox):
        assert "closed on 2026-09-30" in str(one.closed)
        assert "LIKENESS_MTURK_ENDPOINTS" in str(one.closed)


def test_all_that_a_listing_on_a_closed_installation_lacks_is_said() -> None:
    listing = make_listing(environment="production", currency="EUR")

    said = [str(obstacle) for obstacle in MTurk().obstacles(listing)]

    assert any("closed on 2026-09-30" in obstacle for obstacle in said)
    assert any("set the currency to USD" in obstacle for obstacle in said)


@pytest.mark.parametrize("environment", ["production", "sandbox"])
def test_a_closed_installation_is_not_called_even_with_credentials(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, environment: str
) -> None:
    monkeypatch.setenv("MTURK_ACCESS_KEY_ID", "AKIAREAL")
    monkeypatch.setenv("MTURK_SECRET_ACCESS_KEY", "real")
    monkeypatch.setattr("annotation.crowds.platforms.mturk.platform.client", _no_client)
    listing = make_listing(environment=environment)
    intent = _first(desk, listing)

    assert [str(one) for one in desk.platform.obstacles(listing)] == [
        str(desk.platform.environments()[1].closed)
    ]
    with pytest.raises(ServiceClosedError, match="closed on 2026-09-30"):
        desk.platform.send(intent)
    with pytest.raises(ServiceClosedError, match="closed on 2026-09-30"):
        list(desk.platform.submissions(listing))
    with pytest.raises(UnavailableError, match="closed on 2026-09-30"):
        desk.platform.look_up(intent)
    # What needs no network still answers, so that finished studies stay readable.
    assert desk.platform.estimate(listing).worst == Decimal("45.00")


def _no_client(*_: Any) -> Any:
    raise AssertionError("something was called")


@pytest.mark.parametrize("name", [KEY_ID, SECRET])
def test_nothing_is_called_without_credentials(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # What belongs to another environment is no help.
    monkeypatch.setenv("MTURK_ACCESS_KEY_ID", "AKIAREAL")
    monkeypatch.setenv("MTURK_SECRET_ACCESS_KEY", "real")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAREAL")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "real")
    monkeypatch.delenv(name)
    intent = _first(desk)

    with pytest.raises(MissingCredentialsError, match=f"lacks {name}\\."):
        desk.platform.send(intent)
    with pytest.raises(MissingCredentialsError, match=name):
        list(desk.platform.submissions(desk.listing))
    with pytest.raises(UnavailableError, match=name):
        desk.platform.look_up(intent)
    (obstacle,) = desk.platform.obstacles(desk.listing)
    assert name in str(obstacle)
    assert desk.calls("") == []


def test_hyphens_in_a_name_are_underscores_in_the_variables(settings: Any) -> None:
    settings.MTURK_ENDPOINTS = {"my-lab": ["https://a.example", "https://b.example"]}

    assert list(MTurk().environments()[0].missing) == [
        "MTURK_ACCESS_KEY_ID_MY_LAB",
        "MTURK_SECRET_ACCESS_KEY_MY_LAB",
    ]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "This server does not know its public address. Its"),
        ("http://likeness.example", "Platforms only show pages that use https. The"),
        ("likeness.example", "Platforms only show pages that use https. The"),
        ("https://likeness.example", ""),
        ("http://app.localhost:8000", ""),
        ("http://127.0.0.1:8000", ""),
    ],
)
def test_people_must_be_able_to_come(desk: Desk, settings: Any, address: str, said: str) -> None:
    settings.PUBLIC_URL = address

    found = [str(one) for one in desk.platform.obstacles(desk.listing)]

    assert len(found) == bool(said)
    assert all(said in one and "LIKENESS_PUBLIC_URL" in one for one in found)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"currency": "EUR"}, "US dollars"),
        ({"reward": Decimal("0.00")}, "at least 0.01"),
        ({"n_places": 0}, "between 1 and 100000"),
        ({"options": {"title": ""}}, "Write a title"),
        ({"environment": "gone"}, "endpoint “gone”"),
    ],
)
def test_what_stands_in_the_way_is_one_sentence(
    desk: Desk, columns: dict[str, Any], said: str
) -> None:
    (found,) = desk.platform.obstacles(make_listing(**columns))

    assert said in str(found)


def test_a_good_listing_has_no_obstacles(desk: Desk) -> None:
    assert desk.platform.obstacles(desk.listing) == []


def test_rows_of_another_environment_are_not_touched(desk: Desk) -> None:
    (ticket, *_) = desk.publish()
    visit = desk.work("AW1", ticket)
    n_calls = len(desk.calls(""))
    foreign = Person.objects.create(platform="mturk", environment="sandbox", platform_id="AW1")
    elsewhere = {"environment": "sandbox"}
    strays = [
        {"visit": Visit.objects.create(person=visit.person, platform="mturk", **elsewhere)},
        {"visit": Visit.objects.create(person=foreign, platform="mturk", environment="lab")},
        {"visit": Visit.objects.create(platform="prolific", environment="lab")},
    ]

    for stray in strays:
        intent = desk.intent(Intent.Kind.APPROVE, **stray)
        with pytest.raises(RefusedError, match="but the listing belongs to"):
            desk.platform.send(intent)
    type(ticket).objects.filter(pk=ticket.pk).update(environment="sandbox")
    ticket.refresh_from_db()
    with pytest.raises(RefusedError, match="This belongs to “sandbox”"):
        desk.platform.send(desk.intent(Intent.Kind.CLOSE, ticket=ticket))
    with pytest.raises(RefusedError, match="This belongs to “sandbox”"):
        list(desk.platform.submissions(desk.listing))
    assert len(desk.calls("")) == n_calls


def test_profiles_and_variables_of_the_machine_have_no_say(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    # Made anew while they are set, and again for whoever comes after.
    mturk_client._session.cache_clear()
    request.addfinalizer(mturk_client._session.cache_clear)
    nowhere = "http://127.0.0.1:9"
    config = tmp_path / "config"
    config.write_text(
        "[default]\nregion = eu-west-1\nretry_mode = legacy\nmax_attempts = 9\n"
        f"services = s\n[services s]\nmturk =\n  endpoint_url = {nowhere}\n"
        "[profile other]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = default\n"
    )
    for name, value in {
        "AWS_CONFIG_FILE": str(config),
        "AWS_PROFILE": "not-there",
        "AWS_ENDPOINT_URL": nowhere,
        "AWS_ENDPOINT_URL_MTURK": nowhere,
        "AWS_ACCESS_KEY_ID": "AKIAOTHER",
        "AWS_SECRET_ACCESS_KEY": "other",
        "AWS_SESSION_TOKEN": "token",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_USE_FIPS_ENDPOINT": "true",
        "AWS_MAX_ATTEMPTS": "5",
        "AWS_RETRY_MODE": "legacy",
    }.items():
        monkeypatch.setenv(name, value)

    (ticket, *_) = desk.publish()

    assert ticket.n_places == 9
    desk.simulator.fault("500_before", "GetHIT", times=None)
    with pytest.raises(UnavailableError):
        desk.platform.look_up(desk.intent(Intent.Kind.CLOSE, ticket=ticket))
    assert len(desk.calls("GetHIT")) == 1


@pytest.mark.parametrize("fault", ["", "commit_then_500", "commit_then_drop", "service_closed"])
def test_credentials_are_in_no_log_error_or_name(
    desk: Desk, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    credentials = desk.simulator.credentials
    secrets = (credentials.access_key, credentials.secret_key)
    said = ""
    with caplog.at_level(logging.DEBUG):
        for name in list(logging.root.manager.loggerDict):
            caplog.set_level(logging.DEBUG, logger=name)
        if fault:
            desk.simulator.fault(fault, "CreateHITWithHITType")
        try:
            said = repr(desk.platform.send(_first(desk)))
        except Exception as error:  # noqa: BLE001 - whatever is raised must not tell
            said = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))

    assert desk.calls("CreateHITWithHITType")
    assert said
    for secret in secrets:
        assert secret not in caplog.text
        assert secret not in said
        assert secret not in repr(Credentials(*secrets))
    assert "Authorization" not in caplog.text


def test_what_repeats_the_keys_is_masked() -> None:
    assert Credentials("AKIA1", "s3cret").masked("AKIA1 with s3cret") == "… with …"


def test_boto3_is_imported_by_one_module_and_only_where_it_is_needed() -> None:
    importing = re.compile(r"^( *)(?:import|from) (boto\w+)", re.MULTILINE)
    found = {
        (path.relative_to(_ROOT).as_posix(), package, bool(indent))
        for folder in ("annotation", "config", "tuples", "scoring")
        for path in (_ROOT / folder).rglob("*.py")
        for indent, package in importing.findall(path.read_text())
    }

    assert {path for path, package, _inside in found if package == "boto3"} == {
        "annotation/crowds/platforms/mturk/client.py"
    }
    assert all(inside for _path, _package, inside in found)
    assert {path for path, *_rest in found} <= set(_MTURK_MODULES)


@pytest.mark.slow
def test_pages_do_not_load_boto3() -> None:
    program = (
        "import django, sys; django.setup();"
        " from annotation.core.platforms import platform_of; import config.urls;"
        " platform_of('mturk').environments();"
        " sys.exit('boto3' in sys.modules or 'botocore' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}

    done = subprocess.run([sys.executable, "-c", program], cwd=_ROOT, env=environment, check=False)

    assert done.returncode == 0


@pytest.mark.parametrize("environment", ["lab", "sandbox"])
def test_the_page_of_a_listing_says_once_that_the_service_has_closed(
    desk: Desk, environment: str
) -> None:
    listing = make_listing(environment=environment)

    response = signed_in(listing.study.owner).get(url(listing.study, "listing", listing.pk))

    page = response.content.decode()
    assert page.count("closed on 2026-09-30") == 1
    assert ("data-notice" in page) is (environment == "lab")
