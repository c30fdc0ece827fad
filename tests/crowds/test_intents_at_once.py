"""Several workers at once: one of them sends an intent, whatever the others see."""

import pytest
from django.db import connection

from annotation.crowds.services import outbox
from annotation.models import Intent
from tests.crowds.test_intents import plan
from tests.support.at_once import at_once
from tests.support.remote_side import Remote, make_listing

N_WORKERS = 6


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
