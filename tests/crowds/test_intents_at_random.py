"""Faults, deaths and clocks in any order: the platform's ledger never shows an intent twice."""

from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.db import transaction
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from annotation.core.platforms.base import Again, Planned
from annotation.crowds.services import intents, outbox
from annotation.models import Intent
from tests.support.clock import CLOCK
from tests.support.factories import make_user
from tests.support.remote_side import install, make_listing, make_visit

pytestmark = pytest.mark.slow

STATE, KIND = Intent.State, Intent.Kind
FAULTS = (
    "none",
    "refuses",
    "unavailable",
    "drops before",
    "commits then drops",
    "hangs",
    "duplicates",
    "stale read",
    "fails",
)


class Killed(BaseException):
    """The process ends here: nothing behind it happens."""


class Outbox(RuleBasedStateMachine):
    monkeypatch: Any

    def __init__(self) -> None:
        super().__init__()
        # Each example begins with the same empty tables.
        self.example = transaction.atomic()
        self.example.__enter__()
        self.folder = TemporaryDirectory()
        self.remote = install(self.monkeypatch, Path(self.folder.name) / "ledger")
        self.by = make_user()
        self.listing = make_listing()
        self.visits = [make_visit(self.listing, f"S{n}") for n in range(3)]

    @initialize(again=st.sampled_from([Again.IF_YOUNG, Again.NEVER]))
    def choose(self, again: Again) -> None:
        self.remote.again = again

    @rule(
        n=st.integers(0, 2),
        kind=st.sampled_from([KIND.BONUS, KIND.APPROVE]),
        code=st.sampled_from(["a", "b"]),
    )
    def plan(self, n: int, kind: Intent.Kind, code: str) -> None:
        is_bonus = kind == KIND.BONUS
        planned = Planned(
            kind,
            reason_code=code if is_bonus else "",
            payload={"submission_id": f"S{n}"},
            commits=Decimal("1.20") if is_bonus else Decimal(0),
        )
        intents.plan(listing=self.listing, planned=planned, visit=self.visits[n], by=self.by)

    @rule(code=st.sampled_from(["1", "2", "3"]))
    def plan_a_ticket(self, code: str) -> None:
        planned = Planned(
            KIND.PUBLISH, reason_code=code, payload={"n_places": 1}, commits=Decimal("1.80")
        )
        intents.plan(listing=self.listing, planned=planned, by=self.by)

    @rule(faults=st.lists(st.sampled_from(FAULTS), max_size=4))
    def sweep(self, faults: list[str]) -> None:
        self.remote.faults = list(faults)
        outbox.send_due()
        self.remote.faults = []

    @rule(
        point=st.sampled_from(["take", "before the call", "after the call", "record", "confirm"])
    )
    def die(self, point: str) -> None:
        """A worker is killed at a point of its first call; its lease stays."""

        def dies(*arguments: Any, **options: Any) -> None:
            raise Killed

        with self.monkeypatch.context() as patch:
            # Nothing that a dead process would do: its `except` clauses do not run.
            patch.setattr(outbox, "doubt", dies)
            if point == "take":
                take = outbox.take
                patch.setattr(outbox, "take", lambda *a: take(*a) and dies())
            elif point == "record":
                patch.setattr(outbox, "record_call", dies)
            elif point == "confirm":
                patch.setattr(outbox, "confirm", dies)
            else:

                def at(reached: str) -> None:
                    if reached == point:
                        raise Killed

                patch.setattr("tests.support.remote_side.Installed.at", staticmethod(at))
            with suppress(Killed):
                outbox.send_due()

    @rule(minutes=st.sampled_from([1, 4, 30, 60 * 5, 60 * 25]))
    def wait(self, minutes: int) -> None:
        CLOCK.move(minutes=minutes)

    @invariant()
    def nothing_is_done_twice(self) -> None:
        tokens = [entry["token"] for entry in self.remote.entries]
        assert len(tokens) == len(set(tokens))

    @invariant()
    def what_is_confirmed_happened_and_what_was_refused_did_not(self) -> None:
        done = {entry["token"] for entry in self.remote.entries}
        for intent in self.listing.intents.all():
            if intent.state == STATE.CONFIRMED:
                assert intent.token in done
            if intent.state == STATE.REFUSED:
                assert intent.token not in done

    def teardown(self) -> None:
        try:
            self.come_to_an_end()
        finally:
            transaction.set_rollback(True)
            self.example.__exit__(None, None, None)
            self.folder.cleanup()

    def come_to_an_end(self) -> None:
        """Every intent is settled or waits for a person."""
        for _ in range(40):
            CLOCK.move(minutes=50)
            outbox.send_due()
        done = {entry["token"] for entry in self.remote.entries}
        waits_for_person = False
        for intent in self.listing.intents.order_by("planned_at"):
            is_step = intent.kind == KIND.PUBLISH
            if intent.state == STATE.PLANNED:
                # It stands behind a step that waits for a person, and was never sent.
                assert is_step
                assert waits_for_person
                assert intent.token not in done
            else:
                assert intent.state in {STATE.CONFIRMED, STATE.REFUSED, STATE.NEEDS_PERSON}
            waits_for_person |= is_step and intent.state == STATE.NEEDS_PERSON
        self.nothing_is_done_twice()
        self.what_is_confirmed_happened_and_what_was_refused_did_not()


@pytest.mark.django_db
def test_in_any_order_nothing_is_paid_twice(monkeypatch, clock, caplog) -> None:
    caplog.set_level("CRITICAL")
    machine = type("Machine", (Outbox,), {"monkeypatch": monkeypatch})

    run_state_machine_as_test(
        machine,
        settings=hypothesis_settings(
            max_examples=10, stateful_step_count=15, deadline=None, derandomize=True
        ),
    )
