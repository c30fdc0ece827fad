"""Webhooks: secrets, subscriptions, and sending what has happened, to this machine only."""

import base64
import hmac
import http.client
import json
import secrets
import threading
from typing import Any
from urllib.parse import urlsplit

from tests.simulators.prolific import rules, tokens
from tests.simulators.prolific.errors import Refusal, invalid, missing
from tests.simulators.prolific.loopback import is_loopback
from tests.simulators.prolific.world import Row, World, iso

# The first of the pauses between attempts; each is twice the one before, 12 attempts in a day.
FIRST_PAUSE = rules.DAY / (2**11 - 1)


def new_secret(world: World, body: Row) -> Row:
    """A workspace has one: making another replaces it."""
    key = body.get("workspace_id")
    if not isinstance(key, str) or not key:
        raise invalid(workspace_id="This field is required.")
    found = {"id": world.new_id("secret"), "value": secrets.token_urlsafe(32), "workspace_id": key}
    world.state["secrets"][key] = found
    return found


def find(world: World, key: str) -> Row:
    try:
        return world.state["subscriptions"][key]
    except KeyError:
        raise missing("Subscription", key) from None


def subscribe(world: World, body: Row) -> Row:
    kind, target = body.get("event_type"), body.get("target_url")
    workspace = body.get("workspace_id") or tokens.workspace(world)
    if not isinstance(kind, str) or kind not in rules.EVENT_TYPES:
        raise invalid(event_type=f"{kind!r} is not a valid choice.")
    if not isinstance(target, str) or not is_loopback(urlsplit(target).hostname or ""):
        raise invalid(target_url="The simulator only sends to addresses of this machine.")
    if str(workspace) not in world.state["secrets"]:
        raise Refusal(400, "Create a secret for the workspace first.")
    found = {
        "id": world.new_id("subscription"),
        "event_type": kind,
        "target_url": target,
        "workspace_id": workspace,
        "is_enabled": True,
        "confirmed": False,
        "hook_secret": secrets.token_urlsafe(24),
        "failing_since": None,
    }
    world.state["subscriptions"][found["id"]] = found
    return found


def confirm(subscription: Row, body: Row) -> Row:
    if body.get("secret") != subscription["hook_secret"]:
        raise Refusal(400, "The secret is not the one of the X-Hook-Secret header.")
    subscription["confirmed"] = True
    return subscription


def change(subscription: Row, body: Row) -> Row:
    if isinstance(body.get("is_enabled"), bool):
        subscription["is_enabled"] = body["is_enabled"]
        subscription["failing_since"] = None
    if target := body.get("target_url"):
        if not isinstance(target, str) or not is_loopback(urlsplit(target).hostname or ""):
            raise invalid(target_url="The simulator only sends to addresses of this machine.")
        subscription["target_url"] = target
    return subscription


def shown(subscription: Row) -> Row:
    names = ("id", "event_type", "target_url", "workspace_id", "is_enabled")
    return {name: subscription[name] for name in names}


def event_shown(event: Row) -> Row:
    return {
        "id": event["id"],
        "datetime_created": iso(event["at"]),
        "resource_id": event["payload"]["resource_id"],
        "status": event["status"],
        "target_response": event["attempts"][-1] if event["attempts"] else None,
    }


def signature(secret: str, timestamp: str, body: bytes) -> str:
    return base64.b64encode(
        hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    ).decode()


class Sender:
    """Sends due events from a thread of its own; one at a time, so the order is the one wanted."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.busy = False
        self.thread = threading.Thread(target=self._run, name="prolific-hooks")

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        with self.world.lock:
            self.world.closing.set()
            self.world.changed.notify_all()
        self.thread.join()

    def due(self, *, held: bool = False) -> list[Row]:
        world = self.world
        if world.config["hooks_hold"] and not held:
            return []
        found = [
            event
            for event in world.state["events"]
            if event["status"] == "PENDING"
            and event["next_at"] <= world.now()
            and world.state["subscriptions"].get(event["subscription"], {}).get("is_enabled")
        ]
        return found[::-1] if world.config["hooks_reverse"] else found

    def wait(self, timeout: float) -> bool:
        """Until nothing is due any more."""
        with self.world.lock:
            return self.world.changed.wait_for(lambda: not self.busy and not self.due(), timeout)

    def _run(self) -> None:
        world = self.world
        while True:
            with world.lock:
                # A running clock brings retries about without anything changing.
                while not world.closing.is_set() and not self.due():
                    world.changed.wait(1.0 if world.state["clock"]["mode"] == "running" else None)
                if world.closing.is_set():
                    return
                event = self.due()[0]
                if world.config["hooks_drop"] > 0:
                    world.config["hooks_drop"] -= 1
                    event["status"] = "DROPPED"
                    world.changed.notify_all()
                    continue
                self.busy = True
                subscription = dict(world.state["subscriptions"][event["subscription"]])
                request = self._request(event, subscription)
            outcome = _send(subscription["target_url"], *request)
            with world.lock:
                self.busy = False
                self._note(event, outcome)
                world.changed.notify_all()

    def _request(self, event: Row, subscription: Row) -> tuple[bytes, dict[str, str]]:
        body = json.dumps(event["payload"]).encode()
        timestamp = str(int(self.world.now()))
        secret = self.world.state["secrets"][subscription["workspace_id"]]["value"]
        return body, {
            "Content-Type": "application/json",
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": signature(secret, timestamp, body),
            "X-Event-ID": event["id"],
            "X-Timestamp": str(int(event["at"])),
        }

    def _note(self, event: Row, outcome: Any) -> None:
        world = self.world
        subscription = world.state["subscriptions"].get(event["subscription"])
        event["attempts"].append({"at": iso(world.now()), "status": outcome})
        good = isinstance(outcome, int) and 200 <= outcome < 300
        if subscription is None:
            event["status"] = "FAILED"
        elif good:
            subscription["failing_since"] = None
            if event["copies"]:
                event["copies"] -= 1
            else:
                event["status"] = "SUCCEEDED"
        else:
            since = subscription["failing_since"] = subscription["failing_since"] or world.now()
            if world.now() - since >= world.config["hook_disable_s"]:
                subscription["is_enabled"] = False
            tries = len(event["attempts"])
            event["next_at"] = event["at"] + FIRST_PAUSE * (2**tries - 1)
            if tries >= world.config["hook_attempts"]:
                event["status"] = "FAILED"


def _send(url: str, body: bytes, headers: dict[str, str]) -> int | str:
    """The status of the answer, or why there was none. Redirects are not followed."""
    parts = urlsplit(url)
    if not is_loopback(parts.hostname or ""):
        return "not on this machine"
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        path = parts.path or "/"
        connection.request("POST", f"{path}?{parts.query}" if parts.query else path, body, headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__
    finally:
        connection.close()
