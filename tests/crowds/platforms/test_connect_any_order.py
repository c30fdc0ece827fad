"""Faults, deaths and hands on Connect's own page, in any order: money is spent once.

Each seed is one study: what its researcher, its people, its workers and the platform do is drawn
step by step. `LIKENESS_SEEDS=200` runs so many.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from random import Random

import pytest

from annotation.basics.errors import AnnotationError
from annotation.core.queries import commitments
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.connect import http
from annotation.crowds.services import (
    decisions,
    manual_settlement,
    outbox,
    publishing,
    reconciling,
    spending,
)
from annotation.models import Intent, Listing, Study, Visit
from tests.crowds.platforms.connect_lab import ConnectLab, make_listing
from tests.crowds.platforms.dying_workers import POINTS, killed
from tests.simulators.prolific.errors import Refusal
from tests.support.factories import make_open_study

STATE, KIND = Intent.State, Intent.Kind
N_SEEDS = int(os.environ.get("LIKENESS_SEEDS", "12"))
N_STEPS = 40
CAP = Decimal("13.00")
FAULTS = (
    *("throttle", "500_before", "timeout_before", "wrong_content_type"),
    *("commit_then_500", "commit_then_drop", "truncated_json"),
)
# Ours are multiples of 25 cents: no sum of these is one that could be taken for one of ours.
BY_HAND = 13


class Game:
    """One study, its researcher, its people and its workers."""

    def __init__(self, lab: ConnectLab, seed: int, patch: pytest.MonkeyPatch) -> None:
        self.lab, self.draw, self.patch = lab, Random(seed), patch
        self.study = make_open_study()
        Study.objects.filter(pk=self.study.pk).update(dry_run=False)
        self.study.refresh_from_db()
        self.by = self.study.owner
        spending.set_cap(study=self.study, currency="USD", cap=CAP, by=None)
        self.done: list[str] = []

    # -- what may happen -----------------------------------------------------------------------
    def step(self) -> None:
        moves: list[Callable[[], None]] = [
            *(self.offer, self.close, self.add_places, self.come, self.come, self.come),
            *(self.decide, self.decide, self.decide, self.pay_more, self.pay_more),
            *(self.pay_by_hand, self.approve_there, self.fail, self.fail, self.fail),
            *(self.sweep, self.sweep, self.sweep, self.sweep_and_die),
            *(self.poll, self.poll, self.wait, self.wait, self.wait),
        ]
        move = self.draw.choice(moves)
        self.done.append(move.__name__)
        with suppress(AnnotationError, Refusal, LookupError):
            move()

    def offer(self) -> None:
        listing = make_listing(study=self.study, n_places=self.draw.choice([1, 2, 3]))
        worst = self.lab.platform.estimate(listing).worst
        publishing.publish(listing=listing, typed=worst, by=self.by)

    def add_places(self) -> None:
        listing = self.draw.choice(self.listings)
        worst = self.lab.platform.estimate(self.lab.platform.more_of(listing, 1)).worst
        publishing.top_up(listing=listing, n=1, typed=worst, by=self.by)

    def close(self) -> None:
        publishing.close(listing=self.draw.choice(self.listings), by=self.by)

    def come(self) -> None:
        self.lab.visit(self.draw.choice([each for each in self.listings if each.tickets.exists()]))

    def decide(self) -> None:
        visit = self.any_visit()
        if self.draw.random() < 0.7:
            decisions.approve(visit=visit, by=self.by)
        else:
            decisions.reject(visit=visit, reason="The same answer everywhere.", by=self.by)

    def pay_more(self) -> None:
        decisions.bonus(
            visit=self.any_visit(),
            amount=self.draw.choice([Decimal("0.50"), Decimal("0.75")]),
            reason_code=self.draw.choice(["careful", "again"]),
            message="Thank you.",
            by=self.by,
        )

    def pay_by_hand(self) -> None:
        self.lab.sim.pay_by_hand(self.any_visit().submission_id, BY_HAND)

    def approve_there(self) -> None:
        visit = self.any_visit()
        if not commitments.is_released(visit):
            self.lab.sim.decide(visit.submission_id, "Approved")

    def fail(self) -> None:
        self.lab.sim.fault(
            self.draw.choice(FAULTS),
            path=self.draw.choice(["bonus", "approve", "reject", "update-status", "api/v1"]),
            method=self.draw.choice(["POST", "GET"]),
            seconds=0.3,
        )

    # -- workers -------------------------------------------------------------------------------
    def sweep(self) -> None:
        outbox.send_due()

    def sweep_and_die(self) -> None:
        """A worker is killed before or after its next call, or with the answer in its hand."""
        with killed(self.patch, http.Client, self.draw.choice(POINTS)):
            outbox.send_due()

    def poll(self) -> None:
        Listing.objects.update(polled_at=None)
        reconciling.poll_due()

    def wait(self) -> None:
        self.lab.advance(minutes=self.draw.choice([1, 4, 10, 45, 60 * 5, 60 * 24, 60 * 24 * 8]))

    # -- what must hold ------------------------------------------------------------------------
    def check(self) -> None:
        """Nothing is paid twice, nothing is shown paid that is not, and the cap is kept."""
        tokens = [line["token"] for line in self.lab.sim.ledger("bonus")]
        for intent in Intent.objects.filter(listing__study=self.study, kind=KIND.BONUS):
            assert tokens.count(intent.token) <= 1
            if intent.state == STATE.CONFIRMED:
                assert intent.token in tokens
            if intent.state in {STATE.REFUSED, STATE.GIVEN_UP}:
                assert intent.token not in tokens
        for line in self.lab.sim.ledger("reward"):
            assert len(self.lab.sim.ledger("reward", assignment=line["assignment"])) == 1
        for kind, status in ((KIND.APPROVE, "Approved"), (KIND.REJECT, "Rejected")):
            decided = Intent.objects.filter(kind=kind, state=STATE.CONFIRMED)
            for intent in decided.select_related("visit"):
                # What was rejected may have been approved there since.
                assert self.lab.status(intent.visit) in {status, "Approved"}
        live = [
            key
            for key, project in self.lab.sim.world.state["projects"].items()
            if project["status"] != "Unpublished"
        ]
        agreed = Intent.objects.standing().filter(kind=KIND.PUBLISH, payload__step="publish")
        assert len(live) <= agreed.count()
        assert self.spent() <= self.committed() <= CAP

    def spent(self) -> Decimal:
        by_hand = [line for line in self.lab.sim.ledger("bonus") if not line["token"]]
        return Decimal(self.lab.sim.spent() + sum(line["amount"] for line in by_hand)) / 100

    def committed(self) -> Decimal:
        return commitments.committed(self.study, "USD")

    def end(self) -> None:
        """All is settled, looked up by a person where that is needed, and closed."""
        self.lab.sim.clear_faults()
        for listing in self.listings:
            publishing.close(listing=listing, by=self.by)
        for _ in range(30):
            self.lab.advance(hours=1)
            outbox.send_due()
        self.check()
        for intent in Intent.objects.filter(state=STATE.NEEDS_PERSON):
            self.settle(intent)
        # Connect approves by itself what nobody decides about.
        for _ in range(6):
            self.lab.advance(days=10)
            outbox.send_due()
            publishing.close_left_open()
            outbox.send_due()
            self.poll()
        assert not Intent.objects.unsettled().exists()
        self.check()
        assert self.committed() == self.spent()

    def settle(self, intent: Intent) -> None:
        """As somebody who looks there, and closes there what could not be closed from here."""
        if intent.kind == KIND.CLOSE and intent.ticket:
            for status in ("Paused", "Closed"):
                with suppress(Refusal):
                    self.lab.sim.act(intent.ticket.remote_id, status)
        tokens = [line["token"] for line in self.lab.sim.ledger("bonus")]
        happened = intent.kind == KIND.CLOSE or intent.token in tokens
        manual_settlement.settle_by_hand(
            intent=intent, happened=happened, note="I looked.", by=self.by
        )

    # -- parts ---------------------------------------------------------------------------------
    @property
    def listings(self) -> list[Listing]:
        out = Listing.objects.filter(study=self.study).exclude(state=Listing.State.DRAFT)
        return list(out.order_by("pk"))

    def any_visit(self) -> Visit:
        visits = Visit.objects.filter(listing__study=self.study).order_by("pk")
        return self.draw.choice(list(visits.select_related("listing", "person")))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_in_any_order_money_is_spent_once_and_never_above_what_is_committed(
    connect: ConnectLab,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("CRITICAL")
    monkeypatch.setattr(rest, "READ_SECONDS", 0.2)
    game = Game(connect, seed, monkeypatch)
    try:
        game.offer()
        game.sweep()
        for _ in range(N_STEPS):
            game.step()
            game.check()
        game.end()
    except BaseException as error:
        error.add_note(f"steps: {' '.join(game.done)}")
        raise
