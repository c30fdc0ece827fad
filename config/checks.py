"""What a server needs before it starts, as Django's system checks; without it no process starts.

`manage.py check --deploy --tag server --tag web` lists all that is missing. gunicorn
(config/wsgi.py) and Celery (config/celery.py) run the same checks and end with an exit status that
gunicorn and systemd take for final. `manage.py serve` needs none of this.
"""

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, NoReturn

import django
from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.core.checks import CheckMessage, Error, Warning, register, run_checks
from django.core.checks.security.base import SECRET_KEY_MIN_LENGTH
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from kombu import Connection

from config.environment import is_long_enough
from config.static import sources

# Of every process, and of those that serve pages alone.
SERVER, WEB = "server", "web"

# gunicorn ends when a worker exits with one of these two, and forks another after any other
# status. The units in deploy/ start the process again after the first, but not after the second.
DATABASE_AWAY_STATUS, REFUSED_STATUS = 3, 4

NO_KEY = "likeness.E001"
WEAK_KEY = "likeness.E002"
NO_BROKER = "likeness.E003"
NO_DATA_FOLDER = "likeness.E004"
DATABASE_AWAY = "likeness.E005"
UNAPPLIED_MIGRATIONS = "likeness.E006"
NO_STATIC_FILES = "likeness.E007"
WRONG_SETTING = "likeness.E008"
WRONG_SIZE = "likeness.E009"
USES_SQLITE = "likeness.W001"
BROKER_AWAY = "likeness.W002"
NO_ACCOUNT = "likeness.W003"

# gunicorn and Celery read these past the settings.
SIZES = {
    "WEB_WORKERS": 1000,
    "WEB_THREADS": 1000,
    "WORKER_PROCESSES": 1000,
    "LONG_WORKER_PROCESSES": 1000,
    "PORT": 65535,
}
# config/gunicorn.py chooses them by the machine; the others are given on a command line.
CHOSEN_IF_EMPTY = {"WEB_WORKERS", "WEB_THREADS"}

# gunicorn kills a worker that has not started to serve after 30 seconds.
DATABASE_PATIENCE_SECONDS = 15.0

# `likeness` is a function of the operator's shell that reads .env and becomes the user likeness.
_MANAGE = "likeness .venv/bin/python manage.py"
_STEP_6 = "docs/server.md, step 6; step 5 defines the command likeness"
_MAKE_KEY = "python3 -c 'import secrets; print(secrets.token_hex(32))'"
_PLACEHOLDER = re.compile(r"django-insecure-|only-while-|change.?me|<", re.IGNORECASE)


@register(SERVER, deploy=True)
def check_secret_key(**_: Any) -> list[CheckMessage]:
    # The key that config.environment makes for itself is only known where the data folder is.
    key = os.environ.get("SECRET_KEY", "")
    if settings.DEBUG:
        return []
    if not key:
        return [
            Error(
                "SECRET_KEY is not set, and all processes of a server need the same one.",
                hint=f"Put what {_MAKE_KEY} prints into .env as SECRET_KEY.",
                id=NO_KEY,
            )
        ]
    if not is_long_enough(key) or _PLACEHOLDER.match(key):
        return [
            Error(
                "SECRET_KEY is a placeholder or can be guessed"
                f" (it needs {SECRET_KEY_MIN_LENGTH} characters).",
                hint=f"Put what {_MAKE_KEY} prints into .env as SECRET_KEY, and the present key"
                " into SECRET_KEY_FALLBACKS if it was in use.",
                id=WEAK_KEY,
            )
        ]
    return []


@register(SERVER, deploy=True)
def check_broker(**_: Any) -> list[CheckMessage]:
    if settings.CELERY_BROKER_URL.startswith("memory:"):
        return [
            Error(
                "REDIS_URL is not set, so no worker would hear of any job.",
                hint="Set REDIS_URL in .env, for example to redis://127.0.0.1:6379/0; on one"
                " machine without Redis use make run instead.",
                id=NO_BROKER,
            )
        ]
    try:
        with Connection(
            settings.CELERY_BROKER_URL, transport_options=settings.REDIS_TRANSPORT_OPTIONS
        ) as broker:
            # Sends a PING, and does not wait between the two tries it makes.
            broker.ensure_connection(
                max_retries=1,
                interval_start=0,
                interval_step=0,
                reraise_as_library_errors=False,
            )
    except Exception as error:  # noqa: BLE001 - whatever a broker raises
        # `make run` has no Redis, and its broker here has loaded this already.
        from redis.exceptions import RedisError  # noqa: PLC0415

        # Words of a parser might quote the password.
        is_network = isinstance(error, (OSError, RedisError))
        reason = _first_line(error) if is_network else type(error).__name__
        return [
            Warning(
                f"Redis cannot be reached ({reason}): jobs wait until it can.",
                hint="Start Redis (service redis-server start), and look at REDIS_URL in .env"
                " (docs/server.md, step 3).",
                id=BROKER_AWAY,
            )
        ]
    return []


@register(SERVER, deploy=True)
def check_sizes(**_: Any) -> list[CheckMessage]:
    return [
        Error(
            f"{name} is {os.environ[name]!r}, and must be a whole number from 1 to {largest}.",
            hint=f"Correct {name} in .env, or delete its line where systemd starts Likeness.",
            id=WRONG_SIZE,
        )
        for name, largest in SIZES.items()
        if name in os.environ
        and not _is_number(os.environ[name], largest)
        and not (name in CHOSEN_IF_EMPTY and not os.environ[name])
    ]


def _is_number(text: str, largest: int) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= largest


@register(SERVER, deploy=True)
def check_data_folder(**_: Any) -> list[CheckMessage]:
    try:
        # Permissions alone do not tell: the file system may be read-only or full.
        with tempfile.TemporaryFile(dir=settings.DATA) as file:
            file.write(b"likeness")
    except OSError as error:
        return [
            Error(
                f"The data folder {settings.DATA} cannot be written to ({error.strerror}).",
                hint="Set LIKENESS_DATA in .env to a folder of the user that runs Likeness; as"
                f" root: install -d -o likeness -g likeness -m 700 {settings.DATA}",
                id=NO_DATA_FOLDER,
            )
        ]
    return []


@register(SERVER, deploy=True)
def check_database(**_: Any) -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    if connection.vendor == "sqlite":
        messages.append(
            Warning(
                "DATABASE_URL is not set or names SQLite: answers are in a file of this machine,"
                " and one process writes at a time.",
                hint="Set DATABASE_URL in .env to a PostgreSQL database.",
                id=USES_SQLITE,
            )
        )
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        messages.append(
            Error(
                f"The database cannot be reached ({_first_line(error)}).",
                hint=_hint_for_database(str(error)),
                id=DATABASE_AWAY,
            )
        )
        return messages
    try:
        executor = MigrationExecutor(connection)
        n_unapplied = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        reason = f"{n_unapplied} migrations are not applied" if n_unapplied else ""
        accounts = get_user_model().objects.filter(is_active=True, is_superuser=True)
        if not reason and not accounts.exists():
            messages.append(
                Warning(
                    "There is no account that may do everything, so nobody can make others.",
                    hint=f"Run: {_MANAGE} createsuperuser ({_STEP_6})",
                    id=NO_ACCOUNT,
                )
            )
    except DatabaseError as error:
        reason = _first_line(error)
    if reason:
        messages.append(
            Error(
                f"The database lacks tables or columns ({reason}).",
                hint=f"Run: {_MANAGE} migrate ({_STEP_6})",
                id=UNAPPLIED_MIGRATIONS,
            )
        )
    return messages


def _hint_for_database(reason: str) -> str:
    """What helps, by the words of PostgreSQL or of the system."""
    make = "Run, as root: runuser -u postgres -- {} (docs/server.md, step 3)."
    if re.search(r'role "[^"]*" does not exist', reason):
        return make.format("createuser likeness") + " Is Likeness run by the user likeness?"
    if re.search(r'database "[^"]*" does not exist', reason):
        return make.format("createdb --owner=likeness … likeness")
    if re.search(r"No such file or directory|Connection refused", reason):
        return (
            "Run, as root: service postgresql start; pg_lsclusters names the port, which"
            " DATABASE_URL in .env must have if it is not 5432 (docs/server.md, step 3)."
        )
    if re.search(r"authentication failed|no password supplied", reason):
        return "Look at the user and the password in DATABASE_URL in .env."
    return "Start PostgreSQL, and look at DATABASE_URL in .env."


@register(WEB, deploy=True)
def check_static_files(**_: Any) -> list[CheckMessage]:
    try:
        # The storage reads its manifest when it is asked for anything first.
        if not isinstance(staticfiles_storage, ManifestFilesMixin):
            return []
        is_collected = staticfiles_storage.read_manifest() is not None
        names = {name for name, _path, _storage in sources()}
        n_missing = len(names - set(staticfiles_storage.hashed_files))
    except OSError as error:
        reason = str(error.strerror)
    else:
        if is_collected and not n_missing:
            return []
        reason = f"{n_missing} files are missing"
    return [
        Error(
            f"Style sheets and scripts are not collected in {settings.STATIC_ROOT} ({reason}).",
            hint=f"Run: {_MANAGE} collectstatic --noinput ({_STEP_6})",
            id=NO_STATIC_FILES,
        )
    ]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def require_server(
    *,
    serves_pages: bool = False,
    seconds: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Set Django up, or end this process with a line for each thing that a server lacks.

    A database that is away is waited for.
    """
    try:
        # Not twice: that would undo what Celery has done to the logs.
        if not apps.ready:
            django.setup()
    except ImproperlyConfigured as error:
        refuse_setting(error)
    tags = [SERVER, WEB] if serves_pages else [SERVER]
    patient_until = seconds() + DATABASE_PATIENCE_SECONDS
    is_told = False
    while True:
        messages = run_checks(tags=tags, include_deployment_checks=True)
        messages.sort(key=lambda message: str(message.id))
        # Processes that are forked from this one must not share its connection.
        connections.close_all()
        errors = [message for message in messages if message.is_serious()]
        is_only_away = [message.id for message in errors] == [DATABASE_AWAY]
        if not is_only_away or seconds() >= patient_until:
            break
        if not is_told:
            sys.stderr.write(f"Likeness waits for its database: {errors[0].msg}\n")
            is_told = True
        sleep(1)
    if errors:
        _refuse(errors, DATABASE_AWAY_STATUS if is_only_away else REFUSED_STATUS)
    for message in messages:
        sys.stderr.write(f"Likeness warns ({message.id}): {message.msg} {message.hint}\n")


def refuse_setting(error: ImproperlyConfigured) -> NoReturn:
    """End this process with the sentence that `config.environment` has about a setting."""
    _refuse([Error(str(error), id=WRONG_SETTING)], REFUSED_STATUS)


def _refuse(errors: list[CheckMessage], status: int) -> NoReturn:
    for error in errors:
        hint = f" {error.hint}" if error.hint else ""
        sys.stderr.write(f"Likeness does not start ({error.id}): {error.msg}{hint}\n")
    sys.stderr.flush()
    sys.exit(status)
