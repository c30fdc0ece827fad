"""Faults, deaths, two workers, late people and hands on Prolific's own page, in any order.

Each seed is one study: what its researcher, its people, its workers and the platform do is drawn
step by step. `LIKENESS_SEEDS=200` runs so many.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.db.models import Q

from annotation.basics.errors import AnnotationError
from annotation.core.queries import commitments
from annotation.crowds import tasks
from annotation.crowds.platforms import rest
from annotation.crowds.platforms.prolific import http as prolific_http
from annotation.crowds.services import (
    bulk_approvals,
    decisions,
    manual_settlement,
    outbox,
    publishing,
    reconciling,
    spending,
    webhooks,
)
from annotation.models import Intent, Listing, Person, Study, Ticket, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.crowds.platforms.dying_workers import POINTS, killed
from tests.crowds.platforms.prolific_lab import LAB, Lab, make_listing, person_id
from tests.simulators.prolific import bonuses as their_bonuses
from tests.simulators.prolific import studies as their_studies
from tests.simulators.prolific import submissions as their_submissions
from tests.simulators.prolific.bot import PlaceRefusedError
from tests.support.factories import make_open_study

STATE, KIND, REMOTE = Intent.State, Intent.Kind, Visit.Remote
N_SEEDS = int(os.environ.get("LIKENESS_SEEDS", "12"))
N_STEPS = 40
CAP = Decimal("13.00")
REASON = "The answers were given in a tenth of the time that reading the texts takes. " * 2
FAULTS = (
    *("throttle", "500_before", "timeout_before", "wrong_content_type"),
    *("commit_then_500", "commit_then_drop", "commit_then_hang", "truncated_json"),
)
# Of an outcome, what Prolific does; some is paid by it and some is asked to be returned.
OPTIONS = {
    "handling": {Outcome.SCREENED_OUT: "screen_out", Outcome.FAILED_CHECKS: "approve"},
    "screen_out_reward": "0.20",
    "screen_out_slots": 2,
}


class Game:
    """One study, its researcher, its people and its workers."""

    def __init__(self, lab: Lab, seed: int, patch: pytest.MonkeyPatch) -> None:
        self.lab, self.draw, self.patch = lab, Random(seed), patch
        self.study = make_open_study()
        Study.objects.filter(pk=self.study.pk).update(dry_run=False)
        self.study.refresh_from_db()
        self.by = self.study.owner
        spending.set_cap(study=self.study, currency="USD", cap=CAP, by=None)
        # Cents that left the wallet by a hand on Prolific's own page, fees included.
        self.paid_by_hand = 0
        self.n_people = 0
        self.events: list[dict[str, Any]] = []
        self.done: list[str] = []

    # -- what may happen -----------------------------------------------------------------------
    def step(self) -> None:
        moves: list[Callable[[], None]] = [
            *(self.offer, self.close, self.add_places, self.add_places),
            *(self.come, self.come, self.come, self.rush, self.rush),
            *(self.hand_in, self.hand_in, self.give_back),
            *(self.decide, self.decide, self.pay_more, self.pay_more, self.pay_by_hand),
            *(self.approve_all, self.approve_all, self.approve_there, self.undo_rejection_there),
            *(self.fail, self.fail, self.fail),
            *(self.sweep, self.sweep, self.sweep, self.sweep_and_die, self.sweep_by_two),
            *(self.poll, self.poll, self.hear, self.wait, self.wait, self.wait),
        ]
        move = self.draw.choice(moves)
        self.done.append(move.__name__)
        with suppress(AnnotationError, PlaceRefusedError):
            move()

    def offer(self) -> None:
        listing = make_listing(
            study=self.study, n_places=self.draw.choice([1, 2, 3]), options=OPTIONS
        )
        worst = self.lab.platform.estimate(listing).worst
        publishing.publish(listing=listing, typed=worst, by=self.by)

    def add_places(self) -> None:
        """More of a listing that is out, also of one whose people were all paid."""
        listing = self.draw.choice(self.listings)
        n = self.draw.choice([1, 2])
        worst = self.lab.platform.estimate(self.lab.platform.more_of(listing, n)).worst
        publishing.top_up(listing=listing, n=n, typed=worst, by=self.by)

    def close(self) -> None:
        publishing.close(listing=self.draw.choice(self.listings), by=self.by)

    def come(self) -> None:
        """Somebody takes a place on the platform, and opens the study here."""
        listing = self.draw.choice(self.listings)
        ticket = listing.tickets.first()
        if ticket is None:
            raise PlaceRefusedError("nothing is offered by this listing yet")
        self.n_people += 1
        who = person_id(self.n_people)
        submission, _url = self.lab.sim.bot(who).take(ticket.remote_id)
        Visit.objects.create(
            listing=listing,
            ticket=ticket,
            person=Person.objects.create(
                platform=listing.platform, environment=listing.environment, platform_id=who
            ),
            platform=listing.platform,
            environment=listing.environment,
            submission_id=submission,
            state=Visit.State.ENDED,
            outcome=Outcome.NO_CONSENT,
            ended_at=self.lab.sim.now,
        )

    def rush(self) -> None:
        """As many as there are places come and complete the work."""
        for _ in range(3):
            self.come()
            visit = Visit.objects.select_related("listing", "person").latest("pk")
            assert visit.listing is not None
            code = visit.listing.codes[Outcome.COMPLETED]
            self.bot(visit).type_code(visit.submission_id, code)

    def hand_in(self) -> None:
        """In time, or too late and not replaced."""
        visit = self.any_visit()
        assert visit.listing is not None
        code = visit.listing.codes[self.draw.choice(list(Outcome))]
        self.bot(visit).type_code(visit.submission_id, code)
        self.event(visit)

    def give_back(self) -> None:
        visit = self.any_visit()
        self.bot(visit).give_back(visit.submission_id)
        self.event(visit)

    def decide(self) -> None:
        visit = self.any_visit()
        if self.draw.random() < 0.7:
            decisions.approve(visit=visit, by=self.by)
        else:
            decisions.reject(visit=visit, reason=REASON, category="NO_DATA", by=self.by)

    def approve_all(self) -> None:
        """Everybody who waits for it, told in one call by the next sweep."""
        self.poll()
        for visit in Visit.objects.filter(listing__study=self.study):
            with suppress(AnnotationError):
                decisions.approve(visit=visit, by=self.by)

    def pay_more(self) -> None:
        decisions.bonus(
            visit=self.any_visit(),
            amount=self.draw.choice([Decimal("0.50"), Decimal("0.75")]),
            reason_code=self.draw.choice(["careful", "again"]),
            message="Thank you.",
            by=self.by,
        )

    def pay_by_hand(self) -> None:
        """An amount that no bonus of ours pays just now: which of two it is nobody could tell."""
        visit = self.any_visit()
        amount = self.draw.choice([50, 75, 90])
        recent = visit.intents.filter(kind=KIND.BONUS, pays=Decimal(amount) / 100)
        if any(each.state != STATE.PLANNED or each.attempts for each in recent):
            return
        world = self.lab.sim.world
        with world.turn():
            row = their_submissions.find(world, visit.submission_id)
            body = {"study_id": row["study_id"], "csv_bonuses": f"{row['id']},{amount / 100:.2f}"}
            batch = their_bonuses.create(world, body)
            their_bonuses.pay(world, batch["id"])
            self.paid_by_hand += batch["total_amount"]
        # It is shown by the time at which anything of ours may be paid.
        self.lab.advance(minutes=10)

    def approve_there(self) -> None:
        world = self.lab.sim.world
        visit = self.any_visit()
        with world.turn():
            row = their_submissions.find(world, visit.submission_id)
            if row["status"] == "AWAITING REVIEW" and not commitments.is_released(visit):
                their_submissions.approve(world, row)

    def undo_rejection_there(self) -> None:
        visit = self.any_visit()
        if self.lab.status(visit) == "REJECTED":
            self.lab.sim.undo_rejection(visit.submission_id)
            self.event(visit)

    def fail(self) -> None:
        self.lab.sim.fault(
            self.draw.choice(FAULTS),
            path=self.draw.choice(
                ["/pay/", "/bonus-payments/", "/transition/", "/bulk-approve/", "/api/v1/"]
            ),
            method=self.draw.choice(["POST", "GET", "PATCH"]),
            seconds=1,
        )

    # -- workers -------------------------------------------------------------------------------
    def sweep(self) -> None:
        tasks.send_intents()

    def sweep_and_die(self) -> None:
        """A worker is killed before or after its next call, or with the answer in its hand."""
        with killed(self.patch, prolific_http.Client, self.draw.choice(POINTS)):
            # What comes after the call in the task is done by no dead process.
            bulk_approvals.send_together()
            outbox.send_due()

    def sweep_by_two(self) -> None:
        """Another worker does all that is due while this one waits for its first answer."""
        change = prolific_http.Client.change
        others: list[int] = []

        def changes(client: Any, *arguments: Any, **options: Any) -> Any:
            if not others:
                others.append(1)
                tasks.send_intents()
            return change(client, *arguments, **options)

        with self.patch.context() as patch:
            patch.setattr(prolific_http.Client, "change", changes)
            tasks.send_intents()

    def poll(self) -> None:
        Listing.objects.update(polled_at=None)
        reconciling.poll_due()

    def event(self, visit: Visit) -> None:
        self.events.append(
            {"event_id": f"E{len(self.events)}", "about": visit.submission_id, "kind": "status"}
        )

    def hear(self) -> None:
        """A webhook, out of order, and perhaps once more."""
        if not self.events:
            return
        event = self.draw.choice(self.events)
        webhooks.record(
            platform=CrowdPlatform.PROLIFIC,
            environment=LAB,
            signature=event["event_id"],
            payload={},
            **event,
        )
        reconciling.poll_due()

    def wait(self) -> None:
        self.lab.advance(minutes=self.draw.choice([1, 4, 10, 45, 60 * 5, 60 * 24, 60 * 24 * 8]))

    # -- what must hold ------------------------------------------------------------------------
    def check(self) -> None:
        """Nothing is paid twice, nothing is shown paid that is not, and the cap is kept."""
        batches = self.lab.sim.world.state["batches"]
        for intent in Intent.objects.filter(listing__study=self.study, kind=KIND.BONUS):
            n_paid = batches[intent.remote_id]["paid_times"] if intent.remote_id else 0
            assert n_paid <= 1
            if intent.state == STATE.CONFIRMED:
                assert n_paid == 1
            if intent.state in {STATE.REFUSED, STATE.GIVEN_UP}:
                assert n_paid == 0
        approved = Intent.objects.filter(
            listing__study=self.study, kind=KIND.APPROVE, state=STATE.CONFIRMED
        )
        for intent in approved.select_related("visit"):
            assert intent.visit is not None
            assert self.lab.status(intent.visit) == "APPROVED"
        for ticket in Ticket.objects.filter(listing__study=self.study):
            # No more is offered than what was agreed to.
            agreed = Intent.objects.standing().filter(
                Q(remote_id=ticket.remote_id) | Q(ticket=ticket), kind=KIND.PUBLISH
            )
            numbers = agreed.values_list("payload__n_places", flat=True)
            offered = self.lab.sim.study(ticket.remote_id)["total_available_places"]
            assert ticket.n_places <= offered <= sum(n for n in numbers if n)
        assert self.spent() <= self.committed() <= CAP

    def spent(self) -> Decimal:
        waiting = sum(
            each["total"]
            for each in self.lab.sim.world.state["payments"]
            if each["status"] == "WAITING"
        )
        return Decimal(self.lab.sim.spent() + waiting - self.paid_by_hand) / 100

    def committed(self) -> Decimal:
        return commitments.committed(self.study, "USD")

    def end(self) -> None:
        """All is settled, looked up by a person where that is needed, and closed."""
        self.lab.sim.clear_faults()
        for listing in self.listings:
            publishing.close(listing=listing, by=self.by)
        for _ in range(40):
            self.lab.advance(hours=1)
            outbox.send_due()
        self.check()
        for intent in Intent.objects.filter(state=STATE.NEEDS_PERSON):
            self.settle(intent)
        # Prolific approves by itself what nobody decides about, and nobody is late any more.
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
        """As somebody who looks there, and stops there what could not be stopped from here."""
        world = self.lab.sim.world
        happened = intent.kind == KIND.MESSAGE
        if intent.kind == KIND.PUBLISH and intent.ticket:
            offered = self.lab.sim.study(intent.ticket.remote_id)["total_available_places"]
            happened = offered > intent.ticket.n_places
        if intent.kind == KIND.BONUS and intent.remote_id:
            happened = bool(world.state["batches"][intent.remote_id]["paid_times"])
        if intent.kind == KIND.CLOSE and intent.ticket:
            with world.turn():
                study = their_studies.find(world, intent.ticket.remote_id)
                if study["status"] != "COMPLETED":
                    their_studies.transition(world, study, "STOP")
            happened = True
        manual_settlement.settle_by_hand(
            intent=intent, happened=happened, note="I looked.", by=self.by
        )

    # -- parts ---------------------------------------------------------------------------------
    @property
    def listings(self) -> list[Listing]:
        out = Listing.objects.filter(study=self.study).exclude(state=Listing.State.DRAFT)
        listings = list(out.order_by("pk"))
        if not listings:
            raise PlaceRefusedError("nothing is offered yet")
        return listings

    def any_visit(self) -> Visit:
        visits = Visit.objects.filter(listing__study=self.study).select_related(
            "listing", "person", "ticket__listing"
        )
        rows = list(visits.order_by("pk"))
        if not rows:
            raise PlaceRefusedError("nobody has come yet")
        return self.draw.choice(rows)

    def bot(self, visit: Visit) -> Any:
        assert visit.person is not None
        return self.lab.sim.bot(visit.person.platform_id)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_in_any_order_money_is_spent_once_and_never_above_what_is_committed(
    lab: Lab, seed: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL")
    monkeypatch.setattr(rest, "READ_SECONDS", 0.2)
    game = Game(lab, seed, monkeypatch)
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
