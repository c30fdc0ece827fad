"""Secrets of webhooks at rest: encrypted, by today's key, an earlier one, or not to be read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics import encryption, webhook_client
from annotation.models import AlertChannel, AlertDelivery, Study
from annotation.monitoring.services import alert_channels, alert_sending
from annotation.monitoring.tasks import look_for_alerts
from tests.support.clock import Clock
from tests.support.factories import make_open_study
from tests.support.researcher_pages import signed_in, text, url

PLAIN = "Zm9yIHRoZSB0ZXN0cyBvZiBMaWtlbmVzcyBvbmx5ISE"


@given(st.binary(min_size=32, max_size=32))
def test_what_is_encrypted_opens_for_the_same_words_alone(raw: bytes) -> None:
    secret = encryption._text(raw)
    stored = encryption.encrypt(secret, 7, "https://a.example/")

    assert secret not in stored
    assert len(stored) <= AlertChannel._meta.get_field("secret").max_length
    assert encryption.decrypt(stored, 7, "https://a.example/") == secret
    for others in ((8, "https://a.example/"), (7, "https://b.example/"), ()):
        with pytest.raises(encryption.DecryptionError):
            encryption.decrypt(stored, *others)
    with pytest.raises(encryption.DecryptionError):
        encryption.decrypt(
            stored[:-1] + ("A" if stored[-1] != "A" else "B"), 7, "https://a.example/"
        )


@pytest.mark.parametrize("secret", ["", "short", PLAIN + "A", PLAIN[:-1] + "F"])
def test_only_secrets_of_our_form_are_encrypted(secret: str) -> None:
    """Anything else might come back as something else."""
    with pytest.raises(ValueError, match="32 bytes"):
        encryption.encrypt(secret)


@pytest.fixture
def study(clock: Clock) -> Study:
    return make_open_study()


@pytest.fixture
def channel(study: Study) -> AlertChannel:
    return alert_channels.add_webhook(
        study=study, url="https://a.example.org/", language="en", by=study.owner
    )


@pytest.mark.django_db
def test_the_database_has_no_secret_in_plain_text(channel: AlertChannel) -> None:
    secret = alert_channels.secret_of(channel)
    stored = AlertChannel.objects.values_list("secret", flat=True).get()

    assert stored.startswith("siv1.")
    assert secret not in stored
    renewed = alert_channels.rotate_secret(channel=channel, by=channel.study.owner)
    assert alert_channels.secret_of(renewed) != secret
    assert AlertChannel.objects.get().secret.startswith("siv1.")


@pytest.mark.django_db
def test_a_plain_secret_goes_on_and_is_encrypted_by_the_task(channel: AlertChannel) -> None:
    AlertChannel.objects.update(secret=PLAIN)
    channel.refresh_from_db()
    assert alert_channels.secret_of(channel) == PLAIN

    look_for_alerts()

    channel.refresh_from_db()
    assert channel.secret.startswith("siv1.")
    assert alert_channels.secret_of(channel) == PLAIN
    assert alert_channels.encrypt_secrets() == 0


@pytest.mark.django_db
def test_an_earlier_key_opens_it_and_it_is_encrypted_with_the_new_one(
    channel: AlertChannel, settings: Any
) -> None:
    secret = alert_channels.secret_of(channel)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key of this server, as long as it should be at least"
    assert alert_channels.secret_of(channel) == secret

    assert (alert_channels.encrypt_secrets(), alert_channels.encrypt_secrets()) == (1, 0)

    settings.SECRET_KEY_FALLBACKS = []
    channel.refresh_from_db()
    assert alert_channels.secret_of(channel) == secret


@pytest.mark.django_db
def test_a_lost_key_is_said_and_a_new_secret_helps(
    channel: AlertChannel, settings: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = channel.study
    monkeypatch.setattr(webhook_client, "post", lambda *_a, **_m: 200)
    settings.SECRET_KEY = "a key that nobody has told the server of before it was there"
    client = signed_in(study.owner)
    alert_channels.send_test(channel=channel, by=study.owner)

    assert alert_channels.encrypt_secrets() == 0
    assert alert_sending.send_due() == 0
    page = text(client.get(url(study, "alerts")))
    assert "Nothing can be sent: the server's SECRET_KEY" in page
    assert "SECRET_KEY was changed" in AlertDelivery.objects.get().problem
    made = client.post(url(study, "alert_channel", channel.pk), {"do": "secret"})
    channel.refresh_from_db()
    assert alert_channels.secret_of(channel) in text(made)
    assert "Nothing can be sent" not in text(client.get(url(study, "alerts")))
    clock.move(minutes=2)
    # What waited goes out, signed anew.
    assert alert_sending.send_due() == 1
