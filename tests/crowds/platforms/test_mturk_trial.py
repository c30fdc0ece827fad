"""The trial of an endpoint: it names what is not as assumed, and leaves nothing behind."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.crowds.platforms.mturk import environments, trial
from tests.crowds.platforms.mturk_desk import LAB, SECRET, Desk, desk_at
from tests.simulators.mturk.operations import SERVED, shown
from tests.simulators.mturk.world import World
from tests.support.clock import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(clock: Clock, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(trial, "_PAUSES", (0,))
    with desk_at(clock, settings, monkeypatch) as found:
        yield found


def check(environment: str = LAB) -> tuple[list[str], bool]:
    """The lines that it prints, and whether it found that all is as assumed."""
    out = StringIO()
    try:
        call_command("check_platform", "mturk", environment=environment, stdout=out)
    except CommandError:
        return out.getvalue().splitlines(), False
    return out.getvalue().splitlines(), True


def left_there(desk: Desk) -> list[object]:
    world = desk.simulator.service.world
    types = [each for each in world.qualification_types.values() if each.deleted_at is None]
    return [*types, *(hit for hit in world.hits.values() if hit.disposed_at is None)]


def starting(lines: list[str], word: str) -> list[str]:
    return [line for line in lines if line.startswith(word)]


def test_as_assumed_everything_holds_and_costs_nothing(desk: Desk) -> None:
    before = desk.simulator.available

    lines, is_well = check()

    assert starting(lines, "holds ") == lines
    assert (is_well, len(lines)) == (True, 16)
    assert len(desk.simulator.service.world.hits) == 1
    assert left_there(desk) == []
    assert (desk.simulator.available, desk.simulator.on_hold) == (before, 0)


def _no_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.simulators.mturk.operations.tokens.refuse_repeat", lambda *_: None)


def _no_annotations(monkeypatch: pytest.MonkeyPatch) -> None:
    show = shown.hit
    monkeypatch.setattr(shown, "hit", lambda *of: show(*of) | {"RequesterAnnotation": ""})


def _no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERVED, "NotifyWorkers", lambda *_: {})


def _shortened_balance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERVED, "GetAccountBalance", lambda *_: {})


def _no_missing_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    get = SERVED["GetHIT"]

    def answer(world: World, values: dict[str, Any]) -> dict[str, Any]:
        return get(world, values) if values["HITId"] in world.hits else {}

    monkeypatch.setitem(SERVED, "GetHIT", answer)


@pytest.mark.parametrize(
    ("change", "assumption"),
    [
        (_no_duplicates, "A HIT asked for twice with one token is made once"),
        (_no_annotations, "A HIT is found again by its annotation"),
        (_no_failures, "A message that reaches nobody"),
        (_shortened_balance, "The account tells what it holds"),
        (_no_missing_hits, "A HIT that is not there"),
    ],
)
def test_what_is_otherwise_is_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, change: Any, assumption: str
) -> None:
    change(monkeypatch)

    lines, is_well = check()

    assert not is_well
    assert any(assumption in line for line in starting(lines, "DOES NOT HOLD"))
    assert left_there(desk) == []


def test_what_is_listed_late_is_named_and_removed_all_the_same(desk: Desk) -> None:
    desk.simulator.configure(qual_index_lag_s=60)

    lines, _is_well = check()

    [late] = starting(lines, "DOES NOT HOLD")
    assert "found by its name" in late
    assert left_there(desk) == []


@pytest.mark.parametrize("operation", ["CreateHITWithHITType", "CreateQualificationType"])
def test_what_came_to_be_by_a_lost_answer_is_removed(desk: Desk, operation: str) -> None:
    desk.simulator.fault("commit_then_drop", op=operation)

    lines, is_well = check()

    assert not is_well
    assert left_there(desk) == []
    assert "can be removed" in starting(lines, "holds ")[-1]


def test_in_production_no_hit_is_made(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever name the operator gave to AWS's own address."""
    label, _endpoint, sites = environments._OWN["production"]
    own = environments._OWN | {"production": (label, desk.simulator.endpoint, sites)}
    monkeypatch.setattr(environments, "_OWN", own)

    lines, is_well = check()

    assert is_well
    assert starting(lines, "not tried")
    assert desk.simulator.service.world.hits == {}
    assert left_there(desk) == []


@pytest.mark.parametrize(
    ("spoil", "first", "n_not_tried"),
    [
        (lambda desk: desk.simulator.configure(closed=True), "holds", 15),
        (lambda desk: desk.simulator.fault("500_before", times=None), "not tried", 16),
        (lambda desk: None, "DOES NOT HOLD", 0),
    ],
)
def test_aws_itself_is_asked_whether_it_has_closed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, spoil: Any, first: str, n_not_tried: int
) -> None:
    label, _endpoint, sites = environments._OWN["sandbox"]
    own = environments._OWN | {"sandbox": (label, desk.simulator.endpoint, sites)}
    monkeypatch.setattr(environments, "_OWN", own)
    monkeypatch.setenv("MTURK_ACCESS_KEY_ID", desk.simulator.credentials.access_key)
    monkeypatch.setenv("MTURK_SECRET_ACCESS_KEY", desk.simulator.credentials.secret_key)
    spoil(desk)

    lines, is_well = check("sandbox")

    assert lines[0].startswith(first)
    assert len(starting(lines, "not tried")) == n_not_tried
    assert is_well is (first != "DOES NOT HOLD")
    assert left_there(desk) == []


def test_a_service_that_is_away_is_said_to_be(desk: Desk) -> None:
    desk.simulator.fault("500_before", times=None)

    lines, is_well = check()

    assert not is_well
    assert starting(lines, "holds ") == []


def test_without_credentials_nothing_is_asked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET)

    with pytest.raises(CommandError, match=SECRET):
        call_command("check_platform", "mturk", environment=LAB)

    assert desk.calls("") == []
