"""Who may import whom (pyproject.toml): an import against the rules is refused."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("annotation", "scoring", "tuples", "shell")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=_other_than_python)
    return folder


def _other_than_python(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()]


def test_the_code_keeps_its_rules(copy: Path) -> None:
    checked = lint(copy)

    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        # Statistics would need Django.
        ("scoring/best_worst/counting.py", "annotation.models"),
        # A service would need a page.
        ("annotation/core/services/locks.py", "annotation.core.pages.frame"),
        # A kind of study would need the pages of results.
        ("annotation/kinds/design_parameters.py", "annotation.results.pages.results"),
        # Tables would need what changes them.
        ("annotation/models/studies.py", "annotation.core.services.locks"),
        # A circle of two modules.
        ("tuples/arrays.py", "tuples.design"),
    ],
)
def test_an_import_against_the_rules_is_refused(copy: Path, importer: str, imported: str) -> None:
    file = copy / importer
    source = file.read_text()
    # At the end: the rules are about what is imported, wherever that stands.
    file.write_text(f"{source}\nimport {imported}\n")
    try:
        checked = lint(copy)
    finally:
        file.write_text(source)

    assert checked.returncode == 1, checked.stdout
    assert "BROKEN" in checked.stdout
