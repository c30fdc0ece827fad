"""An outbox that sends one intent at a time, to a simulated platform."""

import itertools
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from annotation.basics import clock
from annotation.core.platforms.base import LookedUp, LookUpResult, Planned, Platform, Sent
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.services.listings import new_codes
from annotation.models import Intent, Listing, Ticket, Visit
from annotation.models.kinds import CrowdPlatform
from tests.simulators.prolific.running import RunningPlatform
from tests.support.clock import CLOCK
from tests.support.factories import make_study

LAB = "lab"
PUBLIC_URL = "https://likeness.example.org"
_planned = itertools.count(1)


def listing_on(platform: CrowdPlatform, usual_options: dict[str, Any], **columns: Any) -> Listing:
    """A draft for three people at 1.50 USD at the lab's installation."""
    study = columns.pop("study", None) or make_study()
    return Listing.objects.create(
        **{
            "study": study,
            "number": study.listings.count() + 1,
            "platform": platform,
            "environment": LAB,
            "n_places": 3,
            "reward": Decimal("1.50"),
            "currency": "USD",
            "minutes": 10,
            "codes": new_codes(),
            "options": {**usual_options, **columns.pop("options", {})},
            **columns,
        }
    )


class OutboxLab:
    """A simulator, and our side of it as the services would have it."""

    sim: RunningPlatform
    platform: Platform

    def advance(self, **units: float) -> None:
        """Let time pass there and here."""
        self.sim.advance(**units)
        CLOCK.move(**units)

    def plan(self, listing: Listing, planned: Planned, **columns: Any) -> Intent:
        return Intent.objects.create(
            listing=listing,
            kind=planned.kind,
            reason_code=planned.reason_code,
            payload=dict(planned.payload),
            commits=planned.commits,
            currency=listing.currency,
            planned_at=clock.now() + timedelta(microseconds=next(_planned)),
            **columns,
        )

    def send(self, intent: Intent) -> Sent:
        """As the outbox does it: the state is stored before the call and after it."""
        intent.refresh_from_db()
        now = clock.now()
        intent.state = Intent.State.SENDING
        intent.attempts += 1
        intent.first_sent_at = intent.first_sent_at or now
        intent.last_sent_at = now
        intent.save()
        try:
            sent = self.platform.send(
                intent, keep=lambda remote_id, cost=None: self._keep(intent, remote_id)
            )
        except RefusedError:
            doubtful = intent.attempts > 1
            self._settle(intent, "ambiguous" if doubtful else "refused")
            raise
        except UnavailableError:
            self._settle(intent, "planned")
            raise
        except DoubtfulError:
            self._settle(intent, "ambiguous")
            raise
        self._confirm(intent, sent)
        return sent

    def look_up(self, intent: Intent) -> LookedUp:
        intent.refresh_from_db()
        found = self.platform.look_up(intent)
        if found.result is LookUpResult.DONE:
            self._confirm(intent, found.sent)
        return found

    def _keep(self, intent: Intent, remote_id: str) -> None:
        Intent.objects.filter(pk=intent.pk).update(remote_id=remote_id)

    def _settle(self, intent: Intent, state: str) -> None:
        Intent.objects.filter(pk=intent.pk).update(state=state, settled_at=clock.now())
        intent.refresh_from_db()

    def _confirm(self, intent: Intent, sent: Sent) -> None:
        if sent.remote_id:
            self._keep(intent, sent.remote_id)
        self._settle(intent, "confirmed")
        if sent.ticket:
            Ticket.objects.create(
                listing=intent.listing,
                platform=intent.listing.platform,
                environment=intent.listing.environment,
                remote_id=sent.ticket.remote_id,
                n_places=sent.ticket.n_places,
                details=dict(sent.ticket.details),
                created_at=clock.now(),
            )

    def publish(self, listing: Listing, *, prefix: str = "") -> str:
        """Through all its steps; the id of the study there. More places have a prefix."""
        for step in self.platform.plan_publishing(listing):
            self.send(self.plan(listing, replace(step, reason_code=prefix + step.reason_code)))
        return listing.tickets.latest("pk").remote_id

    def decide(self, visit: Visit, kind: str, reason_code: str = "", **columns: Any) -> Intent:
        """An intent about a visit; `payload` and `pays` where it has some."""
        assert visit.listing is not None
        planned = Planned(Intent.Kind(kind), reason_code, columns.pop("payload", {}))
        return self.plan(visit.listing, planned, visit=visit, **columns)

    def bonus(self, visit: Visit, amount: str = "1.50", reason: str = "more") -> Intent:
        return self.decide(visit, Intent.Kind.BONUS, reason, pays=Decimal(amount))
