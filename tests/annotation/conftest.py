"""What several tests of paid platforms share."""

import pytest

from tests.clock import Clock
from tests.remote_side import Remote, install


@pytest.fixture
def remote(monkeypatch, tmp_path, clock: Clock) -> Remote:
    """The other side of a platform, with a ledger of its own."""
    return install(monkeypatch, tmp_path / "ledger")
