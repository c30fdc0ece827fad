"""What pages say where some questions have a known answer."""

from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "demo"


@pytest.mark.parametrize("path", sorted(DEMO.glob("texts*.json")), ids=lambda path: path.name)
def test_instructions_promise_nothing_that_checks_would_break(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()

    assert not [word for word in ("trick", "fangfrage", "chyták") if word in text]
