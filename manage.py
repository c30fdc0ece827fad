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
    from django.db.utils import OperationalError, ProgrammingError  # noqa: PLC0415 - the same

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except (OperationalError, ProgrammingError) as error:
        # SQLite's words and PostgreSQL's for a table that is not there.
        if "no such table" not in str(error) and 'relation "' not in str(error):
            raise
        sys.exit(
            f"The database lacks a table ({str(error).splitlines()[0]}): run manage.py migrate,"
            " or make run, first."
        )


if __name__ == "__main__":
    main()
