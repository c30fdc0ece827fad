"""The notebooks of the documentation, and the tables that they read."""

import json
import subprocess
import sys

from django.conf import settings

from scoring.command.answers import read_answers

NOTEBOOKS = settings.BASE_DIR / "docs" / "notebooks"
_WRITE = "import sys; sys.path.insert(0, 'scripts'); import json, tutorial_answers as t;"


def test_the_answers_are_those_that_the_script_simulates() -> None:
    program = f"{_WRITE} print(json.dumps(t.rows()))"

    printed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    table = (NOTEBOOKS / "answers.csv").read_text("utf-8").splitlines()
    assert [line.split(",") for line in table[1:]] == json.loads(printed)


def test_tables_of_notebooks_can_be_read() -> None:
    tables = sorted(NOTEBOOKS.glob("a*.csv"))

    assert len(tables) == 2
    for table in tables:
        named = read_answers(str(table), needs_people=True)
        assert (named.batch.answers_per_tuple() >= 2).all()
