"""The trial of an account: it names what Connect does otherwise, and leaves nothing open."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.crowds.platforms.connect_lab import LAB, ConnectLab


def trial() -> tuple[list[str], bool]:
    """The lines that it prints, and whether it found that all is as assumed."""
    out = StringIO()
    try:
        call_command("check_platform", "connect", environment=LAB, stdout=out)
    except CommandError:
        return out.getvalue().splitlines(), False
    return out.getvalue().splitlines(), True


def states(connect: ConnectLab) -> set[str]:
    return {row["status"] for row in connect.sim.world.state["projects"].values()}


@pytest.mark.parametrize("fee", ["0.25", "0.40"])
def test_as_assumed_everything_holds_and_costs_nothing(connect: ConnectLab, fee: str) -> None:
    connect.sim.configure(fee=fee)

    lines, is_well = trial()

    assert is_well
    assert [line for line in lines if not line.startswith("holds ")] == []
    assert len(lines) == 8
    assert states(connect) == {"Archived"}
    assert connect.sim.spent() == 0


@pytest.mark.parametrize(
    ("knobs", "assumption"),
    [
        ({"fee": "0.30"}, "with a known fee"),
        ({"changes": {"payment": 2.0}}, "and keeps it"),
        ({"changes": {"internalName": "x"}}, "with its internal name"),
        ({"tokens_live_s": 0}, "with the same token is refused"),
    ],
)
def test_what_is_otherwise_is_named(
    connect: ConnectLab, knobs: dict[str, Any], assumption: str
) -> None:
    connect.sim.configure(**knobs)

    lines, is_well = trial()

    assert not is_well
    wrong = [line for line in lines if line.startswith("DOES NOT HOLD")]
    assert any(assumption in line for line in wrong)
    assert connect.sim.spent() == 0
    assert states(connect) == {"Archived"}


def test_without_a_project_the_rest_is_not_tried(connect: ConnectLab) -> None:
    connect.sim.fault("wrong_content_type", path="project$", method="POST", times=0)

    lines, is_well = trial()

    assert not is_well
    assert [line.split("  ")[0] for line in lines].count("not tried") == 5


def test_without_the_key_nothing_is_tried(
    connect: ConnectLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CONNECT_API_KEY_LAB")

    with pytest.raises(CommandError, match="lacks CONNECT_API_KEY_LAB"):
        call_command("check_platform", "connect", environment=LAB)

    assert connect.sim.journal() == []
