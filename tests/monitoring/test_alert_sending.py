"""Messages to several receivers at once: a slow one delays no other, and all can see who fails."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection

from annotation.basics import webhook_client
from annotation.models import AlertChannel, AlertDelivery, Study
from annotation.monitoring.services import alert_channels, alert_sending
from tests.support.clock import Clock
from tests.support.factories import make_open_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def study(clock: Clock) -> Study:
    return make_open_study()


@contextmanager
def receiver(answer: Callable[[socket.socket, bytes], None]) -> Iterator[str]:
    """A web server on loopback: `answer` has the connection and what was sent."""
    door = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                held, _address = door.accept()
            except OSError:
                return
            with held:
                head, _, body = held.recv(65536).partition(b"\r\n\r\n")
                length = int(head.partition(b"Content-Length: ")[2].split(b"\r")[0])
                while len(body) < length:
                    body += held.recv(65536)
                answer(held, body)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        door.close()


def test_one_that_trickles_keeps_nobody_waiting(study: Study, settings: Any, clock: Clock) -> None:
    """It begins first, and ends only after all others have their messages."""
    others_have_it = threading.Semaphore(0)
    n_others = alert_sending.AT_ONCE * 2
    order: list[str] = []

    def trickle(held: socket.socket, _body: bytes) -> None:
        # A byte at a time, as long as the others wait; too slow for whoever asks one by one.
        for byte in OK[:12]:
            held.sendall(bytes([byte]))
        for _other in range(n_others):
            others_have_it.acquire(timeout=webhook_client.MAX_SECONDS * 2)
        order.append("slow")
        held.sendall(OK[12:])

    def at_once(held: socket.socket, _body: bytes) -> None:
        order.append("other")
        held.sendall(OK)
        others_have_it.release()

    with receiver(trickle) as slow, receiver(at_once) as fast:
        settings.WEBHOOK_ORIGINS = [slow, fast]
        for address in (slow, *(f"{fast}/{n}" for n in range(n_others))):
            channel = alert_channels.add_webhook(
                study=study, url=f"{address}/", language="en", by=study.owner
            )
            alert_channels.send_test(channel=channel, by=study.owner)
        AlertDelivery.objects.filter(channel__url__startswith=slow).update(
            next_try_at=clock.time - timedelta(hours=1)
        )

        assert alert_sending.send_due() == n_others + 1

    assert order == ["other"] * n_others + ["slow"]


def webhooks(study: Study, *names: str) -> list[AlertChannel]:
    return [
        alert_channels.add_webhook(
            study=study, url=f"https://{name}.example.org/", language="en", by=study.owner
        )
        for name in names
    ]


def test_no_message_under_way_holds_the_database(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def post(_target: Any, **_message: Any) -> int:
        is_other_thread = threading.current_thread() is not threading.main_thread()
        seen.append((is_other_thread, connection.connection, connection.in_atomic_block))
        return 204

    monkeypatch.setattr(webhook_client, "post", post)
    for channel in webhooks(study, "one", "two"):
        alert_channels.send_test(channel=channel, by=study.owner)

    assert alert_sending.send_due() == 2
    assert seen == [(True, None, False)] * 2


def test_news_goes_before_what_has_failed(
    study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where one is sent at a time; and to one channel never two at once."""
    under_way: list[str] = []
    order: list[str] = []
    answers = {"down.example.org": 500, "good.example.org": 200}

    def post(target: Any, **_message: Any) -> int:
        assert target.host not in under_way
        under_way.append(target.host)
        order.append(target.host)
        under_way.remove(target.host)
        return answers[target.host]

    monkeypatch.setattr(webhook_client, "post", post)
    monkeypatch.setattr(alert_sending, "AT_ONCE", 1)
    down, good = webhooks(study, "down", "good")
    for _n in range(3):
        alert_channels.send_test(channel=down, by=study.owner)
    assert alert_sending.send_due() == 0
    # After one failure its channel is left alone, and the two others are as new as any.
    assert order == ["down.example.org"]
    AlertDelivery.objects.filter(attempts=0).delete()
    clock.move(minutes=2)
    alert_channels.send_test(channel=good, by=study.owner)

    assert alert_sending.send_due() == 1
    assert order[1:] == ["good.example.org", "down.example.org"]


def test_a_mail_server_that_never_ends_is_not_waited_for(
    study: Study, settings: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    study.owner.email = "ada@example.org"
    study.owner.save()
    channel = alert_channels.add_email(
        study=study, user=study.owner, language="en", by=study.owner
    )
    delivery = alert_channels.send_test(channel=channel, by=study.owner)
    over = threading.Event()
    monkeypatch.setattr(EmailBackend, "send_messages", lambda *_a: over.wait() and 1)
    monkeypatch.setattr(alert_sending, "MAX_SWEEP_SECONDS", 0.05)
    try:
        assert alert_sending.send_due() == 0
    finally:
        over.set()

    delivery.refresh_from_db()
    assert (delivery.state, delivery.problem) == ("waiting", "Sending took too long.")
    assert delivery.next_try_at > clock.time


def test_the_page_says_who_fails_until_something_arrives(
    study: Study, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[int] = []
    ids: list[str] = []

    def post(_target: Any, *, body: bytes, **_message: Any) -> int:
        ids.append(json.loads(body)["id"])
        return answers.pop(0)

    monkeypatch.setattr(webhook_client, "post", post)
    failing, _silent = webhooks(study, "failing", "silent")
    client = signed_in(study.owner)

    def page() -> str:
        where = text(client.get(url(study, "alerts")))
        return where[where.index("channels-title") : where.index("rules-title")]

    assert "Not delivered: the message of" not in page()
    alert_channels.send_test(channel=failing, by=study.owner)
    answers = [503, 500, 200]
    assert alert_sending.send_due() == 0
    assert page().count("Not delivered: the message of") == 1
    assert "The recipient answered with the code 503." in page()
    assert "1 attempt; next attempt" in page()
    clock.move(minutes=2)
    assert alert_sending.send_due() == 0
    assert "The recipient answered with the code 500." in page()
    AlertDelivery.objects.update(state=AlertDelivery.State.GIVEN_UP)
    assert "Likeness has given up sending it. Fix the" in page()
    clock.move(minutes=1)
    alert_channels.send_test(channel=failing, by=study.owner)
    assert alert_sending.send_due() == 1

    assert "Not delivered: the message of" not in page()
    # By the id a receiver tells a second try from a second message.
    assert [ids.index(one) for one in ids] == [0, 0, 2]
