"""What a web process has loaded once it has answered an annotator."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.support import factories
from tests.support.annotating import Participant

ROOT = Path(__file__).parents[2]
HEAVY = {"numpy", "scipy", "boto3", "botocore", "krippendorff", "matplotlib", "choix"}
# Needed by workers, or by pages of researchers.
OF_OTHERS = {"redis", "rest_framework.views", "annotation.site.rooms", "annotation.site.tasks"}


def open_to_other_processes(folder: Path) -> dict[str, str]:
    """The environment in which another process has the same rows."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(folder / "likeness.sqlite3")) as copy:
            connection.connection.backup(copy)
        return {"DATABASE_URL": ""}
    ours = connection.settings_dict
    where = f"{ours['USER']}:{ours['PASSWORD']}@{ours['HOST']}:{ours['PORT']}"
    return {"DATABASE_URL": f"postgres://{where}/{ours['NAME']}"}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_an_annotators_pages_load_nothing_that_computes(tmp_path: Path) -> None:
    person = Participant(factories.make_open_study())
    environment = {
        **os.environ,
        # Without collected files: styles and scripts have their own names.
        "DEBUG": "1",
        "LIKENESS_DATA": str(tmp_path),
        "SECRET_KEY": settings.SECRET_KEY,
        "SCREEN_SECONDS": "0",
        **open_to_other_processes(tmp_path),
    }

    done = subprocess.run(
        [sys.executable, "-m", "tests.support.first_page", person.url("s/1/")],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["statuses"] == [200, 303, 200]
    assert not (HEAVY | OF_OTHERS) & set(answer["loaded"])
