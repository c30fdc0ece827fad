#!/usr/bin/env python3
"""Django's command line for Likeness."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # The database, uploads and exports hold names and answers: no business of other accounts.
    os.umask(0o077)
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
    except (OperationalError, ProgrammingError) as error:
        line = str(error).splitlines()[0]
        # SQLite's words and PostgreSQL's for a table that is not there.
        if "no such table" in str(error) or 'relation "' in str(error):
            sys.exit(
                f"The database lacks a table ({line}): run manage.py migrate, or make run, first."
            )
        try:
            connection.ensure_connection()
        except OperationalError:
            sys.exit(f"The database cannot be reached ({line}): look at DATABASE_URL.")
        raise


if __name__ == "__main__":
    main()
