"""Webhooks of the simulated Prolific, checked by a receiver that computes the signature itself."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.simulators.prolific import ProlificSimulator
from tests.simulators.prolific.researcher import Researcher


class Receiver(ThreadingHTTPServer):
    """Keeps what it is sent, and answers what it is told to."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hook"

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(raw) for _, raw in self.got]

    def statuses(self) -> list[str]:
        return [body["status"] for body in self.bodies()]

    def ids(self) -> list[str]:
        return [headers["X-Event-ID"] for headers, _ in self.got]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), raw))
        self.send_response(self.server.status)
        self.end_headers()


@pytest.fixture
def sim() -> Iterator[ProlificSimulator]:
    with ProlificSimulator() as simulator:
        yield simulator


@pytest.fixture
def me(sim: ProlificSimulator) -> Researcher:
    return Researcher(sim)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def secret(sim: ProlificSimulator, me: Researcher) -> str:
    return str(me.post("/hooks/secrets/", {"workspace_id": sim.workspace})["value"])


def subscribe(sim: ProlificSimulator, me: Researcher, url: str, kind: str = "") -> str:
    body = {
        "workspace_id": sim.workspace,
        "event_type": kind or "submission.status.change",
        "target_url": url,
    }
    answer = me.call("POST", "/hooks/subscriptions/", body)
    assert answer.status_code == 201, answer.text
    key = answer.json()["id"]
    me.post(f"/hooks/subscriptions/{key}/", {"secret": answer.headers["X-Hook-Secret"]})
    return str(key)


def work(sim: ProlificSimulator, me: Researcher) -> str:
    bot = sim.bot("p1")
    submission, _ = bot.take(me.published())
    bot.type_code(submission, "DONE1234")
    return submission


def test_each_change_is_sent_signed(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    subscribe(sim, me, receiver.url)
    submission = work(sim, me)

    sim.flush_hooks()

    assert receiver.statuses() == ["RESERVED", "ACTIVE", "AWAITING REVIEW"]
    for headers, raw in receiver.got:
        stamp = headers["X-Prolific-Request-Timestamp"]
        digest = hmac.new(secret.encode(), stamp.encode() + raw, hashlib.sha256).digest()
        assert headers["X-Prolific-Request-Signature"] == base64.b64encode(digest).decode()
        assert int(stamp) == int(sim.now.timestamp())
    assert receiver.bodies()[-1] == {
        "resource_id": submission,
        "event_type": "submission.status.change",
        "participant_id": "p1",
        "status": "AWAITING REVIEW",
    }
    assert len(set(receiver.ids())) == 3


def test_an_unconfirmed_subscription_gets_nothing(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    body = {
        "workspace_id": sim.workspace,
        "event_type": "study.status.change",
        "target_url": receiver.url,
    }
    key = me.post("/hooks/subscriptions/", body)["id"]
    wrong = me.call("POST", f"/hooks/subscriptions/{key}/", {"secret": "guess"})

    me.published()
    sim.flush_hooks()

    assert wrong.status_code == 400
    assert receiver.got == []


def test_there_is_no_subscription_without_a_secret_or_to_another_machine(
    sim: ProlificSimulator, me: Researcher
) -> None:
    body = {
        "workspace_id": sim.workspace,
        "event_type": "study.status.change",
        "target_url": "http://127.0.0.1:9/",
    }

    without = me.call("POST", "/hooks/subscriptions/", body)
    me.post("/hooks/secrets/", {"workspace_id": sim.workspace})
    far = me.call(
        "POST", "/hooks/subscriptions/", {**body, "target_url": "https://likeness.example/"}
    )

    assert (without.status_code, far.status_code) == (400, 400)
    assert "target_url" in far.json()["error"]["detail"]


def test_duplicates_carry_the_same_event_id(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    sim.configure(hooks_duplicate=2)
    subscribe(sim, me, receiver.url, "study.status.change")

    me.published()
    sim.flush_hooks()

    assert receiver.statuses() == ["ACTIVE"] * 3
    assert len(set(receiver.ids())) == 1


def test_events_come_in_the_wrong_order_if_asked_to(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    sim.configure(hooks_hold=True, hooks_reverse=True)
    subscribe(sim, me, receiver.url)
    work(sim, me)
    sim.flush_hooks()
    held = list(receiver.got)

    sim.configure(hooks_hold=False)
    sim.flush_hooks()

    assert held == []
    assert receiver.statuses() == ["AWAITING REVIEW", "ACTIVE", "RESERVED"]


def test_lost_events_are_in_the_list_but_never_arrive(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    sim.configure(hooks_drop=1)
    key = subscribe(sim, me, receiver.url)

    work(sim, me)
    sim.flush_hooks()

    assert receiver.statuses() == ["ACTIVE", "AWAITING REVIEW"]
    events = me.get(f"/hooks/subscriptions/{key}/events/")["results"]
    assert [event["status"] for event in events] == ["DROPPED", "SUCCEEDED", "SUCCEEDED"]


def test_a_failing_receiver_is_tried_twelve_times_in_a_day(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    subscribe(sim, me, receiver.url, "study.status.change")
    receiver.status = 503
    me.published()
    sim.flush_hooks()
    first = len(receiver.got)

    for _ in range(20):
        sim.advance(hours=2)
        sim.flush_hooks()
    again = len(receiver.got)
    receiver.status = 200
    sim.redeliver()
    sim.flush_hooks()

    assert (first, again) == (1, 12)
    assert len(set(receiver.ids())) == 1
    assert sim.events()[0]["status"] == "SUCCEEDED"


def test_five_days_without_success_switch_a_subscription_off(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    key = subscribe(sim, me, receiver.url, "study.status.change")
    receiver.status = 500
    study = me.published()
    sim.flush_hooks()

    sim.advance(days=5)
    sim.flush_hooks()
    count = len(receiver.got)
    me.act(study, "PAUSE")
    sim.flush_hooks()

    assert me.get(f"/hooks/subscriptions/{key}/")["is_enabled"] is False
    assert len(receiver.got) == count
    me.call("PATCH", f"/hooks/subscriptions/{key}/", {"is_enabled": True})
    me.act(study, "START")
    receiver.status = 200
    sim.flush_hooks()
    assert receiver.statuses()[-1] == "ACTIVE"


def test_a_new_secret_replaces_the_old_one(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    subscribe(sim, me, receiver.url, "study.status.change")
    new = me.post("/hooks/secrets/", {"workspace_id": sim.workspace})["value"]

    me.published()
    sim.flush_hooks()

    ((headers, raw),) = receiver.got
    stamp = headers["X-Prolific-Request-Timestamp"].encode()
    good = base64.b64encode(hmac.digest(new.encode(), stamp + raw, "sha256")).decode()
    assert new != secret
    assert headers["X-Prolific-Request-Signature"] == good
    assert [each["value"] for each in me.get("/hooks/secrets/")["results"]] == [new]


def test_the_types_of_events_are_listed(me: Researcher) -> None:
    kinds = [each["event_type"] for each in me.get("/hooks/event-types/")["results"]]

    assert "submission.status.change" in kinds
    assert len(kinds) == 4


def test_many_returns_are_told_once(
    sim: ProlificSimulator, me: Researcher, receiver: Receiver, secret: str
) -> None:
    subscribe(sim, me, receiver.url, "study.has_high_return_rate")
    study = me.published()

    for n in range(12):
        bot = sim.bot(f"p{n}")
        submission, _ = bot.take(study)
        bot.give_back(submission)
    sim.flush_hooks()

    assert [body["resource_id"] for body in receiver.bodies()] == [study]
