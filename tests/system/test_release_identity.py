"""A release that is written again by another process, elsewhere, is the same byte by byte."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.servers import ROOT, Installation

AGAIN = """
import hashlib, io
from annotation.releases.exports import archive
from annotation.models import Release
from annotation.releases.queries import releases
release = Release.objects.get()
file = io.BytesIO()
archive.write_archive(release.study, "people", file, release=releases.facts_of(release))
print("again", hashlib.sha256(file.getvalue()).hexdigest())
"""
ROWS = "Annotator,Item1,Item2,Item3,BestItem,WorstItem\n" + "".join(
    f"u{person},{first},\u017elut\u00fd {first},{second},{first},{second}\n"
    for person in range(3)
    for first, second in ("ab", "bc", "cd", "da")
)


@pytest.mark.timeout(600)
def test_hash_seeds_zones_and_languages_change_no_byte(
    sqlite: Installation, tmp_path: Path
) -> None:
    file, described = tmp_path / "answers.csv", tmp_path / "described.json"
    file.write_text(ROWS)
    described.write_text(json.dumps({"title": "T", "authors": [{"name": "Ada Lovelace"}]}))
    account = {"DJANGO_SUPERUSER_PASSWORD": "correct horse battery"}
    sqlite.extra |= account
    names = ("--username", "researcher", "--email", "r@example.org")
    sqlite.manage("createsuperuser", "--noinput", *names)
    sqlite.manage("import_judgments", "s", str(file), "--create", "--owner", "researcher")
    sqlite.manage("score", "s", "--splits", "10")
    made = json.loads(sqlite.manage("release", "s", "--description", str(described), "--json"))

    found = []
    for extra in (
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "77", "TIME_ZONE": "America/Adak", "LANGUAGE": "cs", "LANG": "cs_CZ"},
    ):
        sqlite.extra = {**account, **extra}
        found += [
            line.split()[1]
            for line in sqlite.python(AGAIN).splitlines()
            if line.startswith("again ")
        ]

    (stored,) = (sqlite.data / "releases").glob("*.zip")
    digest = hashlib.sha256(stored.read_bytes()).hexdigest()
    assert [made["sha256"], *found] == [digest] * 3


def test_a_command_without_a_database_says_what_is_missing(blank: Installation) -> None:
    ran = subprocess.run(
        [sys.executable, "manage.py", "progress", "s"],
        cwd=ROOT,
        env=blank.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert "no such table" in ran.stderr
    # Whoever gave LIKENESS_DATA to `make run` alone sees that this is another database.
    assert str(blank.data / "likeness.sqlite3") in ran.stderr
    assert "LIKENESS_DATA" in ran.stderr
