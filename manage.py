#!/usr/bin/env python3
"""Django's command line for Likeness."""

import os
import re
import sys
from pathlib import Path

# Settings that say which installation a command works on.
PLACES = ("DATABASE_URL", "LIKENESS_DATA")
# `serve` is meant for a machine of one's own, where .env may be that of the containers.
WITHOUT_ENV_FILE = {"serve", "help", "--help", "-h", "version", "--version"}


def refuse_without_settings(env_file: Path, arguments: list[str]) -> None:
    """End this process if it would work on a fresh SQLite database beside the server's own.

    Nothing here reads .env: the units of systemd do, and the shell function of docs/server.md.
    """
    if any(name in os.environ for name in PLACES) or not arguments:
        return
    if arguments[0] in WITHOUT_ENV_FILE:
        return
    try:
        text = env_file.read_text(errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        sys.exit(_without_settings(f"{env_file} cannot be read ({error.strerror})"))
    if re.search(rf"^\s*(export\s+)?({'|'.join(PLACES)})=\S", text, re.MULTILINE):
        sys.exit(_without_settings(f"{env_file} was not read"))


def _without_settings(reason: str) -> str:
    return (
        f"{reason}: this command would work on another database than the server. On a server run"
        " likeness .venv/bin/python manage.py … (docs/server.md, step 5, defines likeness), with"
        " Docker: docker compose run --rm web python manage.py …; for the data of make run set"
        " LIKENESS_DATA=var."
    )


def _is_of_data(path: object) -> bool:
    """Whether a file is below the folders that the user of the server owns."""
    from django.conf import settings  # noqa: PLC0415 - needs settings

    folders = (Path(settings.DATA), Path(settings.STATIC_ROOT))
    return path is not None and any(Path(str(path)).is_relative_to(folder) for folder in folders)


def _place_of_database() -> str:
    """The file of SQLite, else host and name; never the password."""
    from django.db import connection  # noqa: PLC0415 - needs settings

    of = connection.settings_dict
    if connection.vendor == "sqlite":
        return str(of["NAME"])
    host, port = of.get("HOST") or "localhost", of.get("PORT")
    return f"{host}{f':{port}' if port else ''}/{of['NAME']}"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # The database, uploads and exports hold names and answers: no business of other accounts.
    os.umask(0o077)
    refuse_without_settings(Path(__file__).resolve().with_name(".env"), sys.argv[1:])
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415 - needs settings
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - the same
    from django.db import (  # noqa: PLC0415 - the same
        OperationalError,
        ProgrammingError,
        connection,
    )

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except PermissionError as error:
        if not _is_of_data(error.filename):
            raise
        sys.exit(
            f"{error.filename} cannot be used ({error.strerror}): it belongs to another user. On a"
            " server run: likeness .venv/bin/python manage.py … (docs/server.md, step 5), and look"
            " at the owner of LIKENESS_DATA (step 2)."
        )
    except (OperationalError, ProgrammingError) as error:
        line = str(error).splitlines()[0]
        # SQLite's words and PostgreSQL's for a table that is not there.
        if "no such table" in str(error) or 'relation "' in str(error):
            sys.exit(
                f"The database {_place_of_database()} lacks a table ({line}). If make run has"
                " another LIKENESS_DATA or DATABASE_URL, export the same here; else run manage.py"
                " migrate, or make run, first."
            )
        try:
            connection.ensure_connection()
        except OperationalError:
            sys.exit(f"The database cannot be reached ({line}): look at DATABASE_URL.")
        raise


if __name__ == "__main__":
    main()
