"""Webhooks: believed when signed just now, kept once, and a reason to poll soon."""

import base64
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.basics import clock
from annotation.core.platforms.errors import DoubtfulError, RefusedError
from annotation.crowds.platforms.prolific.environments import installation
from annotation.crowds.platforms.prolific.subscriptions import EVENT_TYPES, subscribe
from annotation.crowds.services import reconciling
from annotation.models import Listing, PlatformEvent
from tests.crowds.platforms.prolific_lab import LAB, Lab, make_listing

SECRET = "hook-8c1d"
ADDRESS = "/webhooks/prolific/lab/"
CHANGE = "submission.status.change"


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROLIFIC_WEBHOOK_SECRET_LAB", SECRET)


@pytest.fixture
def listing(lab: Lab) -> Listing:
    listing = make_listing()
    lab.publish(listing)
    Listing.objects.filter(pk=listing.pk).update(polled_at=clock.now())
    return listing


def event(listing: Listing, **changes: Any) -> dict[str, Any]:
    study = listing.tickets.get().remote_id
    return {"event_type": "study.status.change", "resource_id": study, **changes}


def send(
    body: dict[str, Any] | bytes,
    *,
    event_id: str = "e1",
    secret: str = SECRET,
    age: timedelta = timedelta(0),
    address: str = ADDRESS,
    client: Client | None = None,
    **headers: str,
) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent_at = str(int((clock.now() - age).timestamp()))
    signature = base64.b64encode(
        hmac.digest(secret.encode(), sent_at.encode() + content, "sha256")
    ).decode()
    told = {
        "X-Prolific-Request-Signature": signature,
        "X-Prolific-Request-Timestamp": sent_at,
        "X-Event-ID": event_id,
        "X-Timestamp": sent_at,
        **headers,
    }
    return (client or Client(enforce_csrf_checks=True)).post(
        address, content, content_type="application/json", headers=told
    )


def is_woken(listing: Listing) -> bool:
    listing.refresh_from_db()
    return listing.polled_at is None


def test_a_signed_event_is_kept_and_wakes_the_poll(listing: Listing) -> None:
    response = send(event(listing, status="PAUSED"))

    assert (response.status_code, response.content) == (200, b"ok\n")
    assert is_woken(listing)
    kept = PlatformEvent.objects.get(source="webhook")
    assert kept.listing == listing
    assert (kept.kind, kept.payload["status"]) == ("study.status.change", "PAUSED")
    assert kept.payload["happened_at"] == str(int(clock.now().timestamp()))


@pytest.mark.slow
def test_an_event_of_a_submission_wakes_its_listing(lab: Lab, listing: Listing) -> None:
    visit = lab.visit(listing)

    send({"event_type": CHANGE, "resource_id": visit.submission_id, "status": "APPROVED"})

    assert is_woken(listing)


def test_the_same_event_is_kept_once(listing: Listing) -> None:
    send(event(listing))
    Listing.objects.update(polled_at=clock.now())

    assert send(event(listing)).status_code == 200

    assert PlatformEvent.objects.filter(source="webhook").count() == 1
    assert not is_woken(listing)


def test_an_event_that_is_sent_again_under_other_ids_is_one(listing: Listing) -> None:
    for n in range(5):
        assert send(event(listing), event_id=f"made up {n}").status_code == 200

    assert PlatformEvent.objects.filter(source="webhook").count() == 1


def test_an_id_of_another_environment_is_another_event(
    listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_WEBHOOK_SECRET", SECRET)

    send(event(listing))
    assert send(event(listing), address="/webhooks/prolific/").status_code == 200

    kept = PlatformEvent.objects.filter(source="webhook")
    # The production's event names a study that only the lab has.
    assert [one.listing for one in kept] == [listing, None]


def test_an_event_of_an_unknown_study_is_kept_without_a_listing(listing: Listing) -> None:
    response = send(event(listing, resource_id="f" * 24))

    assert response.status_code == 200
    assert PlatformEvent.objects.get(source="webhook").listing is None
    assert not is_woken(listing)


def refused(response: Any, listing: Listing, status: int) -> bool:
    kept = PlatformEvent.objects.filter(source="webhook").exists()
    return response.status_code == status and not kept and not is_woken(listing)


def test_another_secret_signs_nothing(listing: Listing) -> None:
    assert refused(send(event(listing), secret="another"), listing, 403)


def test_a_changed_body_is_not_what_was_signed(listing: Listing) -> None:
    signed = json.dumps(event(listing)).encode()
    sent_at = str(int(clock.now().timestamp()))
    signature = base64.b64encode(
        hmac.digest(SECRET.encode(), sent_at.encode() + signed, "sha256")
    ).decode()
    changed = send(signed + b" ", **{"X-Prolific-Request-Signature": signature})

    assert refused(changed, listing, 403)


@pytest.mark.parametrize("age", [timedelta(seconds=301), timedelta(seconds=-301)])
def test_what_was_signed_long_ago_or_later_is_not_believed(
    listing: Listing, age: timedelta
) -> None:
    assert refused(send(event(listing), age=age), listing, 403)


@pytest.mark.parametrize("age", [timedelta(seconds=300), timedelta(seconds=-300)])
def test_clocks_may_differ_by_five_minutes(listing: Listing, age: timedelta) -> None:
    assert send(event(listing), age=age).status_code == 200


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Prolific-Request-Signature", ""),
        ("X-Prolific-Request-Signature", "ÿ"),
        ("X-Prolific-Request-Timestamp", ""),
        ("X-Prolific-Request-Timestamp", "now"),
        ("X-Prolific-Request-Timestamp", "9" * 5000),
        ("X-Prolific-Request-Timestamp", "-1"),
    ],
)
def test_a_damaged_header_is_no_signature(listing: Listing, name: str, value: str) -> None:
    assert refused(send(event(listing), **{name: value}), listing, 403)


def test_without_a_secret_nothing_is_believed(
    listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROLIFIC_WEBHOOK_SECRET_LAB")

    assert refused(send(event(listing), secret=""), listing, 403)


def test_an_unknown_endpoint_has_no_address(listing: Listing) -> None:
    assert refused(send(event(listing), address="/webhooks/prolific/gone/"), listing, 404)


def test_it_is_sent_by_post(listing: Listing) -> None:
    assert Client().get(ADDRESS).status_code == 405


def test_a_body_that_is_no_event_is_not_read(listing: Listing) -> None:
    assert refused(send(b"x" * (64 * 1024 + 1)), listing, 413)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"{", b'"text"', b'{"a": NaN}', b'{"a": "\\u0000"}', b'{"a": "\\ud800"}'),
        b"[" * 60_000,
    ],
)
def test_a_signed_body_that_no_row_can_hold_is_refused(listing: Listing, body: bytes) -> None:
    assert refused(send(body), listing, 400)


@pytest.mark.parametrize("event_id", ["", "x" * 51])
def test_an_event_without_a_usable_id_is_refused(listing: Listing, event_id: str) -> None:
    assert refused(send(event(listing), event_id=event_id), listing, 400)


def test_a_failure_has_it_sent_again_and_forgets_nothing(
    listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_listing: Listing) -> None:
        raise RuntimeError("the disk is full")

    client = Client(raise_request_exception=False)
    with monkeypatch.context() as patch:
        patch.setattr(reconciling, "wake", fails)
        assert send(event(listing), client=client).status_code == 500
    assert not PlatformEvent.objects.filter(source="webhook").exists()

    assert send(event(listing), client=client).status_code == 200

    assert is_woken(listing)


def test_the_secret_is_in_no_answer(listing: Listing) -> None:
    answers = [send(event(listing)), send(event(listing), secret="x"), send(b"[]")]

    assert all(SECRET.encode() not in answer.content for answer in answers)


# -- subscribing ----------------------------------------------------------------------------------


@pytest.fixture
def target(open_server: Any) -> str:
    # Whoever had the server before has shut its door.
    return f"{open_server.url}{ADDRESS}"


def make_secret(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.sim.world.turn():
        from tests.simulators.prolific import hooks

        made = hooks.new_secret(lab.sim.world, {"workspace_id": lab.sim.workspace})
    monkeypatch.setenv("PROLIFIC_WEBHOOK_SECRET_LAB", made["value"])


@pytest.mark.django_db(transaction=True)
def test_what_happens_there_arrives_here(
    lab: Lab, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_secret(lab, monkeypatch)
    for event_type in EVENT_TYPES:
        subscribe(
            installation(LAB),
            event_type=event_type,
            target_url=target,
            workspace=lab.sim.workspace,
        )
    listing = make_listing()
    # On SQLite the server's thread shares the test's connection, and with it its transactions:
    # what is told while the test itself writes may fail, and is told again much later.
    lab.sim.configure(hooks_duplicate=2, hooks_hold=True)
    lab.publish(listing)
    lab.sim.configure(hooks_hold=False)
    lab.sim.flush_hooks()
    assert is_woken(listing)
    lab.sim.configure(hooks_hold=True)
    Listing.objects.update(polled_at=clock.now())

    lab.visit(listing)
    lab.sim.configure(hooks_hold=False)
    lab.sim.flush_hooks()

    assert {one["status"] for one in lab.sim.events()} == {"SUCCEEDED"}
    assert is_woken(listing)
    kinds = PlatformEvent.objects.filter(source="webhook").values_list("kind", flat=True)
    # Published; a place taken; reserved, begun and handed in, each told three times.
    assert sorted(kinds) == [
        "study.progress.change",
        "study.status.change",
        *["submission.status.change"] * 3,
    ]


@pytest.mark.parametrize("in_list", [False, True])
def test_subscribing_twice_is_subscribing_once(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, *, in_list: bool
) -> None:
    make_secret(lab, monkeypatch)
    lab.sim.configure(subscription_in_list=in_list)
    asked = {"event_type": CHANGE, "target_url": "http://127.0.0.1:9/x/"}

    lab.sim.fault("500_before", path="/hooks/subscriptions/[0-9a-f]+/", method="POST")
    with pytest.raises(DoubtfulError):
        subscribe(installation(LAB), workspace=lab.sim.workspace, **asked)
    subscribe(installation(LAB), workspace=lab.sim.workspace, **asked)
    subscribe(installation(LAB), workspace=lab.sim.workspace, **asked)

    [there] = lab.sim.world.state["subscriptions"].values()
    assert there["confirmed"] is True


def test_the_command_subscribes_to_everything_we_heed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, settings: Any, capsys: Any
) -> None:
    make_secret(lab, monkeypatch)
    settings.PUBLIC_URL = "http://127.0.0.1:9"

    call_command("prolific_webhooks", lab.sim.workspace, environment=LAB)

    there = lab.sim.world.state["subscriptions"].values()
    assert [one["event_type"] for one in there] == list(EVENT_TYPES)
    assert {one["target_url"] for one in there} == {f"http://127.0.0.1:9{ADDRESS}"}
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(EVENT_TYPES)


def test_the_command_says_what_is_missing(lab: Lab, settings: Any) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    with pytest.raises(CommandError, match="Create a secret for the workspace first"):
        call_command("prolific_webhooks", lab.sim.workspace, environment=LAB)
    settings.PUBLIC_URL = ""
    with pytest.raises(CommandError, match="Set LIKENESS_PUBLIC_URL"):
        call_command("prolific_webhooks", lab.sim.workspace, environment=LAB)


def test_without_a_secret_nothing_is_subscribed_to(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROLIFIC_WEBHOOK_SECRET_LAB")

    with pytest.raises(RefusedError, match="lacks PROLIFIC_WEBHOOK_SECRET_LAB"):
        subscribe(
            installation(LAB),
            event_type=CHANGE,
            target_url="http://127.0.0.1:9/",
            workspace=lab.sim.workspace,
        )

    assert lab.sim.journal() == []
