"""Several workers at once: one of them sends an intent, whatever the others see."""

from functools import partial

import pytest
from django.db import connection

from annotation.crowds.services import decisions, outbox
from annotation.models import Intent
from tests.crowds.test_intents import plan
from tests.support.at_once import at_once
from tests.support.factories import make_user
from tests.support.remote_side import Remote, make_listing, make_visit

N_WORKERS = 6
REASON = "No question was answered with care."


@pytest.mark.django_db(transaction=True)
def test_workers_that_sweep_at_once_send_each_intent_once(remote: Remote) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    for _ in range(5):
        plan(make_listing())

    at_once([outbox.send_due] * N_WORKERS)

    assert len(remote.calls) == len(remote.entries) == 5
    assert set(Intent.objects.values_list("state", "attempts")) == {("confirmed", 1)}


@pytest.mark.django_db(transaction=True)
def test_of_two_plans_at_once_one_stands(remote: Remote) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    listing = make_listing()

    at_once([lambda: plan(listing)] * N_WORKERS)

    assert Intent.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_an_approval_and_a_rejection_at_once_one_stands(remote: Remote) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL database: row locks are not tested")
    by, listing = make_user(), make_listing()

    for number in range(8):
        visit = make_visit(listing, f"S{number}")
        approve = partial(decisions.approve, visit=visit, by=by)
        why = {"reason": REASON, "category": "no data"}
        reject = partial(decisions.reject, visit=visit, by=by, **why)
        at_once([approve, reject] * 2)

        kinds = set(Intent.objects.filter(visit=visit).values_list("kind", flat=True))
        assert len(kinds) == 1
