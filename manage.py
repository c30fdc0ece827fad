#!/usr/bin/env python3
"""Django's command line for Likeness."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # The database, uploads and exports hold names and answers: no business of other accounts.
    os.umask(0o077)
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - needs settings

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
