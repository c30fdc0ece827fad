"""Everybody who passed the checks: approved in one click, or some days after they handed in."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotation.basics import clock as own_clock
from annotation.crowds.forms.listing_options import options_form
from annotation.crowds.queries import visits as queries
from annotation.crowds.services import approvals as approvals_service
from annotation.crowds.services import decisions, outbox
from annotation.crowds.tasks import poll_listings
from annotation.models import Exclusion, Intent, Listing, Study, Visit
from tests.support import crowds
from tests.support.clock import Clock
from tests.support.factories import join, make_study, make_user
from tests.support.remote_side import Remote, make_listing, make_visit
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(remote: Remote) -> Listing:
    return make_listing(n_places=20)


@pytest.fixture
def client(listing: Listing) -> Client:
    return signed_in(listing.study.owner)


def passed(listing: Listing, submission_id: str, **columns: Any) -> Visit:
    now = own_clock.now()
    columns = {"outcome": "completed", "ended_at": now, "submitted_at": now, **columns}
    if columns["outcome"] == "completed":
        columns["run"] = join(listing.study).assignment.runs.get()
    return make_visit(listing, submission_id, state="ended", **columns)


def not_to_be_approved(listing: Listing) -> list[Visit]:
    """One for each reason that a person must look first, or has decided already."""
    refused, rejected, compensated, left_out = (passed(listing, name) for name in "RJCX")
    now = own_clock.now()
    decisions.approve(visit=refused, by=make_user())
    refused.intents.update(state=Intent.State.REFUSED, settled_at=now)
    decisions.reject(visit=rejected, reason="x" * 20, category="no data", by=make_user())
    Intent.objects.create(
        listing=listing, visit=compensated, kind=Intent.Kind.COMPENSATE, planned_at=now
    )
    assert left_out.run is not None
    Exclusion.objects.create(
        annotator=left_out.run.assignment.annotator, reason="No.", by=make_user()
    )
    return [
        *(refused, rejected, compensated, left_out),
        passed(listing, "F", outcome="failed_checks"),
        passed(listing, "N", outcome="no_consent"),
        passed(listing, "U", verified_at=None),
        passed(listing, "D", doubt="Something differs."),
        passed(listing, "A", remote_state=Visit.Remote.APPROVED),
    ]


def approve_after(listing: Listing, *, days: int) -> None:
    Listing.objects.filter(pk=listing.pk).update(
        state=Listing.State.PUBLISHED,
        published_at=own_clock.now(),
        options={"approve_after_days": days},
    )


def approvals() -> set[str]:
    standing = Intent.objects.standing().filter(kind=Intent.Kind.APPROVE)
    return {intent.visit.submission_id for intent in standing if intent.visit}


def shown(client: Client, study: Study) -> Any:
    return client.get(url(study, "visits")).context["passed"]


def click(client: Client, study: Study, ids: list[int]) -> Any:
    data = {"visits": ",".join(map(str, ids))}
    return client.post(url(study, "approve_passed"), data, follow=True)


def test_what_the_page_approves_in_one_click_is_what_it_proposes_one_by_one(
    listing: Listing,
) -> None:
    good = passed(listing, "G")
    others = not_to_be_approved(listing)

    rows = queries.rows(listing.study, [good, *others])

    assert queries.passed(listing.study).ids == [good.pk]
    assert [row.visit for row in rows if row.proposes == "approve"] == [good]


@pytest.mark.slow
def test_one_click_approves_those_whose_number_and_sum_were_shown(
    client: Client, listing: Listing
) -> None:
    not_to_be_approved(listing)
    passed(listing, "S1")
    passed(listing, "S2")
    offer = shown(client, listing.study)
    passed(listing, "LATER")

    click(client, listing.study, offer.ids)
    click(client, listing.study, offer.ids)

    assert [str(part) for part in offer.sums[0]] == ["3.00", "0.60", "USD"]
    assert approvals() == {"S1", "S2"}
    assert Intent.objects.filter(visit__submission_id="S1").count() == 1


def test_who_cannot_be_approved_any_more_is_named(client: Client, listing: Listing) -> None:
    first, second = passed(listing, "S1"), passed(listing, "S2")
    ids = shown(client, listing.study).ids
    Visit.objects.filter(pk=first.pk).update(doubt="Something differs.")

    page = text(click(client, listing.study, ids))

    assert first.run is not None
    assert first.run.assignment.annotator.pseudonym + ":" in page
    assert approvals() == {second.submission_id}


def test_nobody_elses_visits_are_approved(client: Client, listing: Listing) -> None:
    theirs = passed(make_listing(), "S1")

    click(client, listing.study, [theirs.pk])

    assert approvals() == set()


def test_a_refused_approval_is_said_and_not_asked_for_again(
    client: Client, listing: Listing, remote: Remote, clock: Clock
) -> None:
    visit = passed(listing, "S1")
    click(client, listing.study, [visit.pk])
    remote.faults = ["refuses"]
    clock.move(minutes=1)
    outbox.send_due()

    [row] = queries.rows(listing.study, [visit])

    assert row.failed_approval
    assert "There is not enough money." in str(row.remarks[0])
    assert shown(client, listing.study).ids == []


def test_after_the_listings_days_those_who_passed_are_approved(
    listing: Listing, clock: Clock
) -> None:
    passed(listing, "OTHER")
    ruled = make_listing(study=listing.study, n_places=20, cap=None)
    approve_after(ruled, days=3)
    not_to_be_approved(ruled)
    before = approvals()
    passed(ruled, "S1")
    clock.move(days=1)
    passed(ruled, "S2")

    clock.move(days=2, seconds=-1)
    poll_listings()
    early = approvals() - before
    clock.move(seconds=2)
    poll_listings()

    assert early == set()
    assert approvals() - before == {"S1"}
    assert Intent.objects.get(visit__submission_id="S1").requested_by is None


def test_nobody_is_approved_by_days_in_a_dry_run(listing: Listing, clock: Clock) -> None:
    approve_after(listing, days=1)
    passed(listing, "S1")
    Study.objects.update(dry_run=True)
    clock.move(days=2)

    poll_listings()
    in_dry_run = approvals()
    Study.objects.update(dry_run=False)
    poll_listings()

    assert (in_dry_run, approvals()) == (set(), {"S1"})


def test_the_platforms_own_date_stands_beside_who_waits(
    client: Client, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit = passed(listing, "S1")
    platform = queries.platform_of(listing.platform)
    assert visit.submitted_at is not None
    moment = visit.submitted_at + timedelta(days=21)
    monkeypatch.setattr(type(platform), "approves_at", lambda _self, _visit: moment)

    page = client.get(url(listing.study, "visits"))

    assert page.context["has_deadlines"]
    assert f'datetime="{moment.isoformat()[:10]}' in page.content.decode()
    decisions.approve(visit=visit, by=make_user())
    [row] = queries.rows(listing.study, [visit])
    assert row.approved_at is None


@pytest.mark.parametrize(("platform", "stored"), [("prolific", 3), ("mturk", 3), ("panel", None)])
def test_the_days_are_chosen_where_likeness_pays(platform: str, stored: int | None) -> None:
    listing = crowds.make_listing(make_study(), platform=platform, state="draft")

    form = options_form(listing, {"options-approve_after_days": "3"}, user=listing.study.owner)
    form.is_valid()

    assert form.cleaned_data.get(approvals_service.AFTER_DAYS) == stored
