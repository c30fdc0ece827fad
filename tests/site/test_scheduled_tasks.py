"""What beat sends is run by Celery, and what fails keeps nothing else from being done."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from annotation.answering.services import reminders
from annotation.core import access_log
from annotation.core.services import jobs
from annotation.crowds.services import next_phases, outbox, publishing, reconciling
from annotation.models import Listing, Ticket
from annotation.monitoring.services import alert_channels, alert_conditions, alert_sending, live
from annotation.people.services import retention
from annotation.releases.services import downloads
from config.celery import app
from tests.support.crowds import make_ticket
from tests.support.remote_side import Remote, make_listing

pytestmark = pytest.mark.django_db

# By the name of its task: the services that each is there for.
SERVICES = {
    "sweep_jobs": [(jobs, "sweep"), (downloads, "forget_old")],
    # It leaves a mark and calls no other service.
    "mark_long_worker": [],
    "send_reminders": [(reminders, "send_due")],
    "send_intents": [(publishing, "close_left_open"), (outbox, "send_due")],
    "poll_listings": [(reconciling, "poll_due")],
    "erase_personal_data": [(retention, "erase_due")],
    "forget_outdated": [(access_log, "forget_old")],
    "look_for_alerts": [(alert_conditions, "look"), (alert_channels, "encrypt_secrets")],
    "send_alerts": [(alert_sending, "send_due")],
    "grant_phases": [(next_phases, "grant_due")],
    "watch_studies": [(live, "watch")],
}


def run_all() -> dict[str, str]:
    """Run what the schedule names, as a worker does; the state of each task."""
    app.loader.import_default_modules()
    return {
        entry["task"].rpartition(".")[2]: app.tasks[entry["task"]].apply().state
        for entry in app.conf.beat_schedule.values()
    }


def test_what_beat_sends_is_run(monkeypatch) -> None:
    done = []

    def noted(name: str, real: Callable[[], Any]) -> Any:
        done.append(name)
        return real()

    for module, name in (one for services in SERVICES.values() for one in services):
        monkeypatch.setattr(module, name, partial(noted, name, getattr(module, name)))

    assert run_all() == dict.fromkeys(SERVICES, "SUCCESS")
    assert done == [name for services in SERVICES.values() for _module, name in services]


def fails(*_arguments: Any) -> None:
    raise RuntimeError("the disk is full")


@pytest.mark.parametrize("name", ["close_left_open", "send_due"])
def test_a_task_that_fails_stops_no_other(monkeypatch, name: str) -> None:
    sent = []
    monkeypatch.setattr(outbox, "send_due", lambda: sent.append(1))
    monkeypatch.setattr(publishing if name == "close_left_open" else outbox, name, fails)

    states = run_all()

    assert states == {**dict.fromkeys(SERVICES, "SUCCESS"), "send_intents": "FAILURE"}
    # Money that was decided on does not wait for what is wrong elsewhere.
    assert sent == ([1] if name == "close_left_open" else [])


def test_a_listing_that_fails_stops_no_other(remote: Remote, monkeypatch) -> None:
    at = {"published_at": timezone.now(), "closed_at": timezone.now(), "phase_number": 2}
    listings = [make_listing(state=Listing.State.CLOSED, **at) for _ in range(2)]
    for number, listing in enumerate(listings):
        make_ticket(listing, f"T{number}", state=Ticket.State.OPEN)

    def unless_first(real: Callable[..., Any], seen: list[int]) -> Callable[..., Any]:
        def of(listing: Listing, *arguments: Any, **more: Any) -> Any:
            seen.append(listing.pk)
            return fails() if listing == listings[0] else real(listing, *arguments, **more)

        return of

    planned, granted = [], []
    plan, grant = publishing._plan_for_tickets, next_phases._of_listing
    monkeypatch.setattr(publishing, "_plan_for_tickets", unless_first(plan, planned))
    monkeypatch.setattr(next_phases, "_of_listing", unless_first(grant, granted))

    assert run_all() == dict.fromkeys(SERVICES, "SUCCESS")

    assert planned == granted == [listing.pk for listing in listings]
    assert [ticket.intents.count() for ticket in Ticket.objects.order_by("pk")] == [0, 1]
