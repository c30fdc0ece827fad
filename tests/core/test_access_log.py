"""The access log has no keys, and addresses only for as long as the operator wants."""

import logging
import stat
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.core import access_log

pytestmark = pytest.mark.django_db

KEY = "0123456789AB-abcdefghijklmnopqrstuvwx_-"
PATHS = [f"/a/{KEY}/s/1/", f"/nowhere/{KEY}/", "/a/part-of-a-key/", "/p/x/?prolific_token=abc.def"]


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    return tmp_path / "access"


def test_nothing_is_written_unless_wanted(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    Client().get("/healthz/")

    assert not data.exists()
    assert not [record for record in caplog.records if record.name == "likeness.access"]


def test_a_line_for_each_request_without_address_and_key(
    data: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ACCESS_LOG = True
    caplog.set_level(logging.INFO, "likeness.access")

    for path in ["/healthz/", *PATHS]:
        Client().get(path, REMOTE_ADDR="203.0.113.77")

    lines = [r.getMessage() for r in caplog.records if r.name == "likeness.access"]
    assert len(lines) == 1 + len(PATHS)
    assert lines[0].split()[:3] == ["GET", "/healthz/", "200"]
    for secret in (KEY, KEY[:8], "part-of", "abc", "203.0.113.77"):
        assert secret not in "".join(lines)
    assert not data.exists()


def test_addresses_are_kept_for_as_many_days_as_the_operator_wants(
    data: Path, settings: Any, time_machine: Any
) -> None:
    settings.ACCESS_LOG_ADDRESS_DAYS = 2
    settings.TRUSTED_PROXIES = 1
    for day in ("01", "02", "03", "04"):
        time_machine.move_to(f"2026-11-{day}T12:00:00Z", tick=False)
        for path in ["/healthz/", *PATHS]:
            Client().get(path, headers={"x-forwarded-for": "203.0.113.77"})
        access_log.forget_old()

    kept = sorted(path.name for path in data.iterdir())
    assert kept == [f"access-2026-11-{day}.log" for day in ("02", "03", "04")]
    text = (data / kept[-1]).read_text()
    assert text.count("203.0.113.77") == len(text.splitlines()) == 1 + len(PATHS)
    for secret in (KEY, KEY[:8], "part-of", "abc"):
        assert secret not in text
    assert stat.S_IMODE((data / kept[-1]).stat().st_mode) == 0o600

    settings.ACCESS_LOG_ADDRESS_DAYS = 0
    access_log.forget_old()
    assert not list(data.iterdir())


def test_nobody_writes_a_line_of_their_own(data: Path, settings: Any) -> None:
    settings.ACCESS_LOG_ADDRESS_DAYS = 1

    Client().get("/x%0A2026-11-01T00:00:00Z 1.2.3.4 GET /forged 200/")

    assert len(next(data.iterdir()).read_text().splitlines()) == 1


def test_a_log_that_cannot_be_written_keeps_nobody_waiting(data: Path, settings: Any) -> None:
    settings.ACCESS_LOG_ADDRESS_DAYS = 1
    data.write_text("")

    assert Client().get("/healthz/").status_code == 200
