"""The files of a label study give the same numbers as its page."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from annotation.models import Item, Pool, Study
from annotation.models.kinds import Source
from tests.support.label_exports import KEYS, export, study_labelled_twice
from tests.support.labelled import (
    join,
    label_all,
    label_phase,
    make_label_study,
    said_of,
    score,
)
from tests.support.once import made_once

pytestmark = pytest.mark.django_db


@made_once
def study() -> Study:
    return study_labelled_twice()


def command_of(readme: bytes, number: int) -> list[str]:
    """What the README says to type, without the name of Python."""
    line = next(
        line.strip()
        for line in readme.decode().split("\n")
        if line.strip().startswith(f"python -m scoring labels labels_{number}.tsv")
    )
    return shlex.split(line)[4:]


def command_on(files: dict[str, bytes], number: int, tmp_path: Path) -> dict[str, Any]:
    name, *options = command_of(files["README.md"], number)
    path = tmp_path / name
    path.write_bytes(files[name])
    ran = subprocess.run(
        [sys.executable, "-m", "scoring", "labels", str(path), *options],
        cwd=settings.BASE_DIR,
        capture_output=True,
        check=True,
        text=True,
    )
    printed: dict[str, Any] = json.loads(ran.stdout)
    return printed


def assert_same(page: Any, command: Any, path: str = "") -> None:
    """What the page has is what the command prints, digit by digit; the command prints more."""
    if isinstance(page, dict):
        for name, value in page.items():
            assert_same(value, command[name], f"{path}.{name}")
    else:
        assert page == command, path


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_the_command_of_the_readme_gives_the_pages_digits(
    study: Study, tmp_path: Path, number: int
) -> None:
    # What must not matter is there, too.
    label_phase(join(study), lambda _key: ["other"], send=False)
    label_all(study, [said_of(KEYS, "oooooo"), said_of(KEYS, "oooooo")], source=Source.SIMULATED)
    statistics = score(study).statistics
    files = export(study)

    printed = command_on(files, number, tmp_path)

    summary = statistics["phases"][number - 1]["summary"]
    assert summary["alpha"]["nominal"]["alpha"] is not None
    assert summary["n_repeats"] == summary["intra"]["n"] == 3
    assert_same(summary, printed)


@pytest.mark.slow
def test_the_command_gives_the_digits_of_several_categories_and_of_groups(tmp_path: Path) -> None:
    names = {"names": ["it's the same", "related", "other"], "several": True}
    study = make_label_study(pairs=22, categories=names)
    # Last in the file and first in the study: numbered otherwise by either, drawn alike by both.
    for n, item in enumerate(study.items.order_by("number")):
        number = 11 - n % 11
        pool, _is_new = Pool.objects.get_or_create(
            study=study, key=f"group {number}", defaults={"number": number + 1}
        )
        Item.objects.filter(pk=item.pk).update(pool=pool)
    choices = ("it's the same", "it's the same|related", "related", "other")
    for person in range(3):
        held = join(study)
        label_phase(
            held, lambda key, person=person: choices[int(key[1:]) * (person + 1) % 4].split("|")
        )
    statistics = score(study).statistics
    files = export(study)

    printed = command_on(files, 1, tmp_path)

    alpha = statistics["phases"][0]["summary"]["alpha"]
    assert alpha["masi"]["interval"]["over"] == "pools"
    assert alpha["masi"]["interval"]["low"] is not None
    assert_same(statistics["phases"][0]["summary"], printed)
