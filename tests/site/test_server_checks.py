"""A database that is away when a server starts is waited for, but not for ever; /healthz/."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

import manage
from annotation.models import WorkerMark
from config import checks
from config.environment import database
from config.static import sources
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

# Static files are collected with it while the image is built.
KEY_OF_THE_IMAGE = re.findall(r"SECRET_KEY=(\S+)", Path("Dockerfile").read_text())[0]


class StandingClock:
    """Moves only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def seconds(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def complete(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server needs beside its database."""
    monkeypatch.setenv("SECRET_KEY", "0123456789abcdef" * 4)
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:9/0"
    # The test's own transaction must outlive the checks.
    monkeypatch.setattr("config.checks.connections.close_all", lambda: None)


def codes(*tags: str) -> set[str]:
    found = run_checks(tags=tags, include_deployment_checks=True)
    return {str(message.id) for message in found if message.is_serious()}


def test_nothing_is_missing_where_all_is_there(complete: None) -> None:
    assert codes(checks.SERVER, checks.WEB) == set()


def test_messages_in_memory_reach_no_worker(complete: None, settings: Any) -> None:
    settings.CELERY_BROKER_URL = "memory://localhost/"

    assert codes(checks.SERVER) == {checks.NO_BROKER}


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("", checks.NO_KEY),
        ("correct-horse-battery", checks.WEAK_KEY),
        ("ab" * 40, checks.WEAK_KEY),
        ("django-insecure-" + "0123456789abcdef" * 4, checks.WEAK_KEY),
        ("change-me-" + "0123456789abcdef" * 4, checks.WEAK_KEY),
        (KEY_OF_THE_IMAGE, checks.WEAK_KEY),
    ],
)
def test_a_key_that_is_missing_or_can_be_guessed(
    complete: None, settings: Any, monkeypatch: pytest.MonkeyPatch, key: str, code: str
) -> None:
    monkeypatch.setenv("SECRET_KEY", key)

    assert codes(checks.SERVER) == {code}
    settings.DEBUG = True
    assert codes(checks.SERVER) == set()


def test_a_data_folder_that_cannot_be_written_to(
    complete: None, settings: Any, tmp_path: Path
) -> None:
    # Permissions would not stop root, who may run these tests.
    settings.DATA = tmp_path / "file"
    settings.DATA.write_text("")
    assert codes(checks.SERVER) == {checks.NO_DATA_FOLDER}

    settings.DATA = tmp_path / "nowhere"
    assert codes(checks.SERVER) == {checks.NO_DATA_FOLDER}


def test_migrations_that_are_not_applied(complete: None) -> None:
    MigrationRecorder.Migration.objects.filter(app="annotation").latest("name").delete()

    assert codes(checks.SERVER) == {checks.UNAPPLIED_MIGRATIONS}


def test_static_files_of_which_one_came_after_they_were_collected(
    complete: None, settings: Any
) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
        },
    }
    assert codes(checks.WEB) == {checks.NO_STATIC_FILES}

    names = {name: name for name, _path, _storage in sources()}
    manifest = settings.STATIC_ROOT / staticfiles_storage.manifest_name
    manifest.write_text(json.dumps({"version": "1.1", "paths": names}))
    staticfiles_storage.hashed_files, _ = staticfiles_storage.load_manifest()
    assert codes(checks.WEB) == set()

    del staticfiles_storage.hashed_files["answering/base.css"]
    assert codes(checks.WEB) == {checks.NO_STATIC_FILES}


def messages(*tags: str) -> dict[str, str]:
    """What is missing and what is warned of: a hint for each code."""
    found = run_checks(tags=tags, include_deployment_checks=True)
    return {str(message.id): str(message.hint) for message in found}


def test_a_folder_of_another_user_is_said_without_a_traceback(
    complete: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root, who may run these tests, could read it.
    def read_manifest(self: Any) -> None:
        raise PermissionError(13, "Permission denied", str(settings.STATIC_ROOT))

    monkeypatch.setattr(
        "django.contrib.staticfiles.storage.ManifestFilesMixin.read_manifest", read_manifest
    )
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
        },
    }

    assert codes(checks.WEB) == {checks.NO_STATIC_FILES}


def test_a_command_that_may_not_write_where_it_must_says_so_in_a_sentence(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(settings.STATIC_ROOT / "staticfiles.json")

    def collect(arguments: list[str]) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("django.core.management.execute_from_command_line", collect)
    monkeypatch.setattr(sys, "argv", ["manage.py", "collectstatic"])
    monkeypatch.setattr("os.umask", lambda mask: None)
    with pytest.raises(SystemExit) as refused:
        manage.main()

    assert path in str(refused.value.code)


@pytest.mark.parametrize(
    "url",
    ["postgres://u:a/secret@127.0.0.1/db", "postgrs://u:secret@h/db", "postgres://u:a#secret@h/d"],
)
def test_a_database_url_that_cannot_be_read_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)

    with pytest.raises(ImproperlyConfigured) as refused:
        database(default="sqlite://")

    assert "DATABASE_URL" in str(refused.value)
    assert "secret" not in str(refused.value)
    # A traceback would quote the cause.
    assert refused.value.__suppress_context__


def test_a_redis_that_is_away_is_warned_of_but_refuses_nothing(complete: None) -> None:
    assert checks.BROKER_AWAY in messages(checks.SERVER)
    assert codes(checks.SERVER) == set()


def test_a_redis_that_answers_is_not_warned_of(
    complete: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kombu.Connection.ensure_connection", lambda self, **_: None)

    assert checks.BROKER_AWAY not in messages(checks.SERVER)


def test_a_broken_address_of_redis_does_not_show_its_password(
    complete: None, settings: Any
) -> None:
    settings.CELERY_BROKER_URL = "redis://:sec/ret@127.0.0.1:9/0"

    found = run_checks(tags=[checks.SERVER], include_deployment_checks=True)

    [warning] = [message for message in found if message.id == checks.BROKER_AWAY]
    assert "sec" not in warning.msg.replace("second", "")


def test_a_server_without_an_account_is_warned_of(complete: None) -> None:
    make_user()
    assert checks.NO_ACCOUNT in messages(checks.SERVER)

    root = make_user()
    type(root).objects.filter(pk=root.pk).update(is_superuser=True)
    assert checks.NO_ACCOUNT not in messages(checks.SERVER)

    type(root).objects.filter(pk=root.pk).update(is_active=False)
    assert checks.NO_ACCOUNT in messages(checks.SERVER)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for name in checks.SIZES
        for value in ["0", "abc", "", "-1", "1.5", "70000"]
        if value or name not in checks.CHOSEN_IF_EMPTY
    ],
)
def test_sizes_that_are_no_numbers_are_named(
    complete: None, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, "4")
    assert codes(checks.SERVER) == set()

    monkeypatch.setenv(name, value)
    found = run_checks(tags=[checks.SERVER], include_deployment_checks=True)

    assert [message.msg.split()[0] for message in found if message.id == checks.WRONG_SIZE] == [
        name
    ]


@pytest.mark.parametrize("name", ["WEB_WORKERS", "WEB_THREADS"])
def test_the_size_of_the_web_server_may_be_left_empty(
    complete: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "")

    assert codes(checks.SERVER) == set()


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ('FATAL:  role "likeness" does not exist', "createuser"),
        ('FATAL:  database "likeness" does not exist', "createdb"),
        ("failed: No such file or directory\n\tIs the server running?", "pg_lsclusters"),
        ("failed: Connection refused", "service postgresql start"),
        ('FATAL:  password authentication failed for user "likeness"', "DATABASE_URL"),
        ("something else", "DATABASE_URL"),
    ],
)
def test_the_hint_of_a_database_that_is_away_fits_the_cause(
    complete: None, monkeypatch: pytest.MonkeyPatch, reason: str, remedy: str
) -> None:
    def ensure_connection() -> None:
        raise OperationalError(reason)

    monkeypatch.setattr(connection, "ensure_connection", ensure_connection)

    assert remedy in messages(checks.SERVER)[checks.DATABASE_AWAY]


def away(monkeypatch: pytest.MonkeyPatch, *, times: int) -> list[int]:
    """The database refuses so many connections; the list has an entry for each attempt."""
    attempts: list[int] = []

    def ensure_connection() -> None:
        attempts.append(1)
        if len(attempts) <= times:
            raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(connection, "ensure_connection", ensure_connection)
    return attempts


def test_a_database_that_is_briefly_away_is_waited_for(
    complete: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    attempts = away(monkeypatch, times=3)
    clock = StandingClock()

    checks.require_server(seconds=clock.seconds, sleep=clock.sleep)

    assert len(attempts) >= 4
    assert clock.now == 3
    assert capsys.readouterr().err.count("connection refused") == 1


def test_a_database_that_stays_away_ends_the_process_with_one_line(
    complete: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    away(monkeypatch, times=1000)
    clock = StandingClock()

    with pytest.raises(SystemExit) as ended:
        checks.require_server(seconds=clock.seconds, sleep=clock.sleep)

    assert ended.value.code == checks.DATABASE_AWAY_STATUS
    assert checks.DATABASE_PATIENCE_SECONDS <= clock.now <= checks.DATABASE_PATIENCE_SECONDS + 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert checks.DATABASE_AWAY in last
    assert "connection refused" in last


def test_what_no_waiting_mends_is_said_at_once(
    complete: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "memory://localhost/"
    away(monkeypatch, times=1000)
    clock = StandingClock()

    with pytest.raises(SystemExit) as ended:
        checks.require_server(seconds=clock.seconds, sleep=clock.sleep)

    assert ended.value.code == checks.REFUSED_STATUS
    assert clock.now == 0


def test_the_operator_can_ask_beforehand(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "")
    settings.CELERY_BROKER_URL = "memory://localhost/"

    with pytest.raises(CommandError) as refused:
        call_command("check", "--deploy", tags=[checks.SERVER, checks.WEB])

    assert checks.NO_BROKER in str(refused.value)
    assert checks.NO_KEY in str(refused.value)


@pytest.fixture
def env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file beside manage.py that no shell has read."""
    for name in manage.PLACES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(manage, "__file__", str(tmp_path / "manage.py"))
    path = tmp_path / ".env"
    path.write_text("# comment\nDATABASE_URL=postgres:///likeness\n")
    return path


def run_manage(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    """Run manage.py up to the point where Django takes over; return what Django was given."""
    given: list[str] = []
    monkeypatch.setattr("django.core.management.execute_from_command_line", given.extend)
    monkeypatch.setattr(sys, "argv", ["manage.py", *arguments])
    monkeypatch.setattr("os.umask", lambda mask: None)
    manage.main()
    return given


@pytest.mark.parametrize("command", ["migrate", "createsuperuser", "check", "score"])
def test_a_command_does_not_work_on_another_database_than_the_server(
    env_file: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        run_manage(monkeypatch, command)

    assert str(env_file) in str(refused.value.code)
    assert "likeness .venv/bin/python manage.py" in str(refused.value.code)


def test_commands_run_where_settings_were_read_or_none_are_there(
    env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `make run` is for a machine of one's own.
    assert run_manage(monkeypatch, "serve") == ["manage.py", "serve"]
    with monkeypatch.context() as environment:
        environment.setenv("DATABASE_URL", "postgres:///likeness")
        assert run_manage(environment, "migrate") == ["manage.py", "migrate"]
    env_file.write_text("SECRET_KEY=x\nDATABASE_URL=\n#DATABASE_URL=postgres:///likeness\n")
    assert run_manage(monkeypatch, "migrate") == ["manage.py", "migrate"]
    env_file.unlink()
    assert run_manage(monkeypatch, "migrate") == ["manage.py", "migrate"]


def test_hints_name_commands_that_work_on_the_servers_database(
    complete: None, settings: Any
) -> None:
    MigrationRecorder.Migration.objects.filter(app="annotation").latest("name").delete()
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
        },
    }

    messages = run_checks(tags=[checks.SERVER, checks.WEB], include_deployment_checks=True)

    hints = {message.id: str(message.hint) for message in messages}
    for code in (checks.UNAPPLIED_MIGRATIONS, checks.NO_STATIC_FILES):
        assert re.search(r"Run: likeness \.venv/bin/python manage\.py \w+", hints[code])


def test_a_database_that_cannot_be_reached_is_not_healthy(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    away(monkeypatch, times=1000)

    response = client.get("/healthz/")

    assert (response.status_code, response.content) == (503, b"no-database\n")


def test_a_database_without_tables_is_not_healthy(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exists() -> bool:
        raise ProgrammingError("relation does not exist")

    monkeypatch.setattr(WorkerMark.objects, "exists", exists)

    response = client.get("/healthz/")

    assert (response.status_code, response.content) == (503, b"no-tables\n")


def test_a_connection_that_was_closed_is_not_healthy(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exists() -> bool:
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(WorkerMark.objects, "exists", exists)
    monkeypatch.setattr(connection, "is_usable", lambda: False)

    response = client.get("/healthz/")

    assert (response.status_code, response.content) == (503, b"no-database\n")


def test_asking_for_health_costs_one_query(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert client.get("/healthz/").status_code == 200
