"""A simulator per test, on free ports, with a clock that stands still."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.simulators.mturk import MturkSimulator

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def mturk() -> Iterator[MturkSimulator]:
    with MturkSimulator(now=NOON) as simulator:
        yield simulator


@pytest.fixture
def client(mturk: MturkSimulator) -> Any:
    return mturk.client()
