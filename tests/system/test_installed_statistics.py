"""`pip install .` gives a notebook the statistics and the designs, without the web application."""

import ast
import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PACKAGES = ("scoring", "shell", "tuples")

# The extra [models], and a package that whoever asks for lemmas by it installs.
NOT_REQUIRED = {"torch", "spacy"}

# What a notebook does: everything is imported, and scores are computed.
PROGRAM = """
import importlib, importlib.metadata, importlib.util, json, pkgutil, sys
import numpy as np

modules = []
for name in ("scoring", "shell", "tuples"):
    package = importlib.import_module(name)
    modules.append(package.__file__)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        if not module.name.endswith("__main__"):
            modules.append(importlib.import_module(module.name).__file__)

import scoring, tuples

shown = tuples.make_tuples(8, size=4, factor=2, seed=1)
answers = scoring.tuples_by_set(shown, shown.min(axis=1), shown.max(axis=1), n_items=8)
print(json.dumps({
    "modules": modules,
    "version": importlib.metadata.version("likeness"),
    "found": [name for name in sys.argv[1:] if importlib.util.find_spec(name)],
    "scores": scoring.count(answers).scores().tolist(),
    "utilities": scoring.rank(answers, model="pairs").utilities.tolist(),
}))
"""


def pip(command: str, *arguments: str) -> None:
    """Without the network: nothing that the wheel or its build needs is fetched."""
    quietly = ("--quiet", "--disable-pip-version-check", "--no-deps")
    subprocess.run(
        [sys.executable, "-m", "pip", command, *quietly, *arguments], check=True, timeout=120
    )


def wheel(folder: Path) -> Path:
    """The wheel of this checkout, made offline with the tools that are installed."""
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (path,) = folder.glob("likeness-*.whl")
    return path


def needed(requirements: list[str], seen: set[str]) -> Iterator[str]:
    """The distributions that these requirements lead to, each once."""
    for requirement in map(Requirement, requirements):
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        is_wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if is_wanted and name not in seen:
            seen.add(name)
            yield name
            yield from needed(distribution(name).requires or [], seen)


def link(name: str, site_packages: Path) -> None:
    """Put an installed distribution where another environment finds it, without copying it."""
    installed = distribution(name)
    for top in {file.parts[0] for file in installed.files or [] if file.parts[0] != ".."}:
        target = site_packages / top
        if top != "__pycache__" and not target.exists():
            target.symlink_to(installed.locate_file(top))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel and what its metadata ask for, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    path = wheel(tmp_path_factory.mktemp("wheel"))
    pip("install", "--no-index", "--target", str(site_packages), str(path))
    (metadata,) = site_packages.glob("likeness-*.dist-info/METADATA")
    requirements = re.findall("^Requires-Dist: (.+)$", metadata.read_text("utf-8"), re.MULTILINE)
    for name in needed(requirements, set()):
        link(name, site_packages)
    return folder / "bin" / "python"


def outside(python: Path, folder: Path, *arguments: str) -> str:
    """Run Python where the checkout is not on the path."""
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [python, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout


def imported_packages() -> set[str]:
    """What is imported anywhere in the statistics, also inside of functions."""
    modules = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    modules |= {name.name for name in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    modules.add(node.module)
    tops = {module.partition(".")[0] for module in modules}
    return tops - set(sys.stdlib_module_names) - set(PACKAGES)


@pytest.fixture(scope="module")
def notebook(python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program above found out."""
    packages = ("django", *imported_packages())
    answer: dict[str, Any] = json.loads(
        outside(python, tmp_path_factory.mktemp("notebook"), "-c", PROGRAM, *packages)
    )
    return answer


def test_a_notebook_has_scores_without_django(python: Path, notebook: dict[str, Any]) -> None:
    assert "django" not in notebook["found"]
    assert all(path.startswith(str(python.parents[1])) for path in notebook["modules"])
    assert len(notebook["modules"]) > 150
    # The lowest number shown was always the best, the highest always the worst.
    assert notebook["scores"][0] == 1
    assert notebook["scores"][7] == -1
    assert sorted(notebook["utilities"], reverse=True) == notebook["utilities"]


def test_what_is_imported_later_is_required(notebook: dict[str, Any]) -> None:
    assert {"numpy", "scipy", "krippendorff"} <= set(notebook["found"])
    assert imported_packages() - set(notebook["found"]) - NOT_REQUIRED == set()


def test_the_version_is_the_one_of_the_settings(notebook: dict[str, Any]) -> None:
    assert notebook["version"] == settings.VERSION


def test_the_commands_are_there(python: Path, tmp_path: Path) -> None:
    (tmp_path / "items.txt").write_text("a\nb\nc\nd\n")
    arguments = ("-m", "tuples", "items.txt", "--size", "3", "--factor", "1", "--seed", "1")

    assert len(outside(python, tmp_path, *arguments).splitlines()) >= 4


def test_the_wheel_holds_the_statistics_and_the_designs_alone(python: Path) -> None:
    (site_packages,) = python.parents[1].glob("lib/python*/site-packages")
    record = next(site_packages.glob("likeness-*.dist-info/RECORD")).read_text("utf-8")
    paths = {line.split(",")[0] for line in record.splitlines() if ".dist-info/" not in line}

    assert {Path(path).parts[0] for path in paths} == set(PACKAGES)
    # Every module is there, as it is in the checkout.
    assert {path for path in paths if path.endswith(".py")} == {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
