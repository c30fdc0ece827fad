"""Signals between rooms: whoever listens is loaded before one is sent."""

import re
from pathlib import Path

from django.conf import settings

from annotation.core import signals
from annotation.core.signals import SignalToRooms

_SIGNALS = [name for name, value in vars(signals).items() if isinstance(value, SignalToRooms)]
_LISTENS = re.compile(rf"^@receiver\([(\[]?({'|'.join(_SIGNALS)})\b", re.MULTILINE)


def test_every_module_that_listens_is_listed() -> None:
    root = Path(settings.BASE_DIR)
    listening = {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in (root / "annotation").rglob("*.py")
        if _LISTENS.search(path.read_text(encoding="utf-8"))
    }

    assert len(_SIGNALS) > 1
    assert sorted(settings.RECEIVERS) == sorted(listening)
