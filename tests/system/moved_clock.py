"""Settings of a server whose clock a test moves: the time stands in a file."""

import os
from datetime import datetime
from pathlib import Path

from config.settings import *  # noqa: F403 - everything else is as it always is

CLOCK = "tests.system.moved_clock.now"


def now() -> datetime:
    return datetime.fromisoformat(Path(os.environ["TIME_FILE"]).read_text().strip())
