"""The trial of an account: it names what a platform does otherwise, and leaves nothing behind."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.crowds.platforms.prolific_lab import LAB, Lab, person_id


def trial(lab: Lab, **options: str) -> tuple[list[str], bool]:
    """The lines that it prints, and whether it found that all is as assumed."""
    out = StringIO()
    try:
        call_command("check_platform", "prolific", environment=LAB, stdout=out, **options)
    except CommandError:
        return out.getvalue().splitlines(), False
    return out.getvalue().splitlines(), True


def left_there(lab: Lab) -> list[object]:
    state = lab.sim.world.state
    groups = [each for each in state["groups"].values() if not each["is_deleted"]]
    drafts = [each for each in state["studies"].values() if not each["is_test"]]
    return [*groups, *drafts]


def test_as_assumed_everything_holds_and_costs_nothing(lab: Lab) -> None:
    lines, is_well = trial(lab, workspace=lab.sim.workspace, email="tester@example.org")

    assert is_well
    assert [line for line in lines if not line.startswith("holds ")] == []
    assert len(lines) == 17
    assert left_there(lab) == []
    assert lab.sim.spent() == 0
    assert lab.sim.ledger("hold") == []


def test_senders_that_messages_do_not_name_are_noticed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.sim.bot(person_id(1)).write("Hello")
    monkeypatch.setattr("tests.simulators.prolific.messages._shown", lambda *_: {"body": "Hello"})

    lines, is_well = trial(lab)

    assert not is_well
    [wrong] = [line for line in lines if line.startswith("DOES NOT HOLD")]
    assert "Unread messages are listed" in wrong


def test_what_needs_more_is_not_tried(lab: Lab) -> None:
    lines, is_well = trial(lab)

    assert is_well
    assert [line.split("  ")[0] for line in lines].count("not tried") == 2


@pytest.mark.parametrize(
    ("knobs", "assumption"),
    [
        ({"currency": "CHF"}, "The account tells its currency"),
        ({"platform_fee": "0.35"}, "The calculator answers in cents"),
        ({"own_time_limit": 60}, "The time limit that is asked for is kept"),
        ({"own_time_limit": 60}, "The usual time limit of m minutes"),
        ({"least_screen_out": 20}, "Screening out may pay as little"),
        ({"keeps_internal_names": False}, "A draft is listed with its internal name"),
        ({"longest_title": 120}, "Titles may have 200 characters"),
    ],
)
def test_what_is_otherwise_is_named(lab: Lab, knobs: dict[str, object], assumption: str) -> None:
    lab.sim.configure(**knobs)

    lines, is_well = trial(lab)

    assert not is_well
    wrong = [line for line in lines if line.startswith("DOES NOT HOLD")]
    assert any(assumption in line for line in wrong)
    assert left_there(lab) == []


def test_a_platform_that_is_away_is_said_to_be(lab: Lab) -> None:
    lab.sim.fault("500_before", path="/api/v1/", times=0)

    lines, is_well = trial(lab)

    assert not is_well
    assert "status 500" in lines[0]


def test_without_a_token_nothing_is_asked(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")

    with pytest.raises(CommandError, match="PROLIFIC_TOKEN_LAB"):
        call_command("check_platform", "prolific", environment=LAB)

    assert lab.sim.journal() == []
