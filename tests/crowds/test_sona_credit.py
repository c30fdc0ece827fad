"""Credit at SONA: given by the server, once, to whoever completed the study, and to no others."""

import logging
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from annotation.basics.errors import AnnotationError
from annotation.core.services.locks import lock_study
from annotation.crowds import tasks
from annotation.crowds.platforms.sona import CompletionUrl, problem
from annotation.crowds.services import credits, outbox, publishing
from annotation.models import Intent, Listing, Person, PlatformEvent, Study, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.simulators.sona import EXPERIMENT, PATH, TOKEN, SonaSite
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(settings: Any) -> Iterator[SonaSite]:
    with SonaSite("s1", "s2", "s3") as site:
        settings.SONA_SITES = [site.address]
        yield site


@pytest.fixture
def listing(site: SonaSite) -> Listing:
    listing = Listing.objects.create(
        study=make_open_study(dry_run=False),
        number=1,
        platform=CrowdPlatform.PANEL,
        n_places=3,
        options={"person": "survey_code", "credit_url": site.completion_url},
    )
    publishing.publish(listing=listing, typed=Decimal(0), by=listing.study.owner)
    return listing


def visit(listing: Listing, code: str, outcome: str = Outcome.COMPLETED) -> Visit:
    is_complete = outcome == Outcome.COMPLETED
    return Visit.objects.create(
        listing=listing,
        run=join(listing.study).assignment.runs.get() if is_complete else None,
        person=Person.objects.create(
            platform=listing.platform, environment="study-1", platform_id=code
        ),
        platform=listing.platform,
        state=Visit.State.ENDED,
        outcome=outcome,
        ended_at=timezone.now(),
    )


def work(clock: Clock, *, hours: int = 1) -> None:
    for _ in range(hours):
        credits.plan_due()
        outbox.send_due()
        clock.move(hours=1)


def states(listing: Listing) -> dict[str, str]:
    intents = Intent.objects.filter(listing=listing, kind=Intent.Kind.CREDIT)
    return dict(intents.values_list("visit__person__platform_id", "state"))


def test_whoever_completed_the_study_gets_credit_once(
    site: SonaSite, listing: Listing, clock: Clock
) -> None:
    visit(listing, "s1")
    visit(listing, "s2", Outcome.SCREENED_OUT)
    visit(listing, "s3", Outcome.NO_CONSENT)

    tasks.poll_listings()
    tasks.send_intents()
    work(clock, hours=3)

    assert site.credit == {"s1": 1, "s2": 0, "s3": 0}
    assert states(listing) == {"s1": "confirmed"}
    assert site.n_calls == 1


@pytest.mark.parametrize("fault", ["500", "drop", "garbage"])
def test_an_answer_that_is_lost_costs_nobody_their_credit(
    site: SonaSite, listing: Listing, clock: Clock, fault: str
) -> None:
    visit(listing, "s1")
    site.faults = [fault]

    work(clock, hours=6)

    assert site.credit["s1"] == 1
    # What was given before its answer was lost is refused the second time, with SONA's reason.
    credit = Intent.objects.get(kind=Intent.Kind.CREDIT)
    assert credit.state == ("confirmed" if fault == "500" else "refused")
    assert ("already received credit" in str(credit.error)) == (fault != "500")


@pytest.mark.parametrize("fault", ["redirect", "pending", "busy", "entity"])
def test_what_is_no_clear_yes_is_asked_again(
    site: SonaSite, listing: Listing, clock: Clock, fault: str
) -> None:
    visit(listing, "s1")
    site.faults = [fault]

    work(clock)
    assert states(listing) == {"s1": "ambiguous"}
    assert site.credit["s1"] == 0
    work(clock, hours=5)

    assert states(listing) == {"s1": "confirmed"}
    assert (site.credit["s1"], site.strayed) == (1, [])


def test_whoever_withdraws_after_the_work_keeps_the_credit(
    site: SonaSite, listing: Listing, clock: Clock
) -> None:
    completed = visit(listing, "s1")
    Visit.objects.filter(pk=completed.pk).update(state=Visit.State.CLOSED)

    work(clock)

    assert site.credit["s1"] == 1


def test_whoever_is_erased_meanwhile_is_not_named_to_sona(
    site: SonaSite, listing: Listing, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    completed = visit(listing, "s1")

    def lock(study_id: int) -> Study:
        Visit.objects.filter(pk=completed.pk).update(person=None)
        return lock_study(study_id)

    monkeypatch.setattr(credits, "lock_study", lock)
    work(clock, hours=2)

    assert (Intent.objects.count(), site.n_calls) == (0, 0)


def test_what_sona_refuses_is_said_and_the_token_is_nowhere(
    site: SonaSite, listing: Listing, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    unknown, echoed = visit(listing, "nobody"), visit(listing, "s2")
    site.faults = ["", "echo"]

    work(clock, hours=2)

    assert states(listing) == {"nobody": "refused", "s2": "refused"}
    assert "Invalid survey_code." in str(unknown.intents.get().error)
    assert "Invalid token …." in str(echoed.intents.get().error)
    client = signed_in(listing.study.owner)
    pages = [
        client.get(url(listing.study, "visit", unknown.pk)).content.decode(),
        client.get(url(listing.study, "ledger")).content.decode(),
    ]
    assert "Invalid survey_code." in pages[0]
    stored = [str(row) for row in PlatformEvent.objects.values()]
    stored += [str(row) for row in Intent.objects.values()]
    for text in (*pages, *stored, caplog.text):
        assert TOKEN not in text


def test_in_a_dry_run_and_without_the_address_nothing_is_asked(
    site: SonaSite, listing: Listing, clock: Clock, settings: Any
) -> None:
    visit(listing, "s1")
    Study.objects.update(dry_run=True)
    work(clock)
    assert not Intent.objects.exists()

    Study.objects.update(dry_run=False)
    settings.SONA_SITES = []
    work(clock, hours=2)
    assert (states(listing), site.n_calls) == ({"s1": "planned"}, 0)

    settings.SONA_SITES = [site.address]
    work(clock, hours=2)
    assert site.credit["s1"] == 1


def test_only_a_site_of_the_operators_is_called(site: SonaSite) -> None:
    query = f"experiment_id={EXPERIMENT}&credit_token={TOKEN}&survey_code=XXXX"
    assert CompletionUrl.of(f" {site.completion_url} ")
    for address in (
        f"https://elsewhere.example{PATH}?{query}",
        f"{site.address}.elsewhere.example{PATH}?{query}",
        f"{site.address}/../{PATH}?{query}",
        f"{site.address}@elsewhere.example{PATH}?{query}",
        f"{site.address}/webstudy_credit.aspx?{query}",
        f"{site.address}{PATH}?experiment_id=1&survey_code=XXXX",
        f"{site.address}{PATH}?experiment_id=1;2&credit_token={TOKEN}",
        "",
    ):
        assert CompletionUrl.of(address) is None, address
        assert problem(address)


def test_a_listing_says_what_is_wrong_with_its_address(listing: Listing) -> None:
    draft = Listing.objects.create(
        study=listing.study,
        number=2,
        platform=CrowdPlatform.PANEL,
        n_places=1,
        options={"credit_url": "https://elsewhere.example/"},
    )
    page = signed_in(listing.study.owner).get(url(listing.study, "listing", draft.pk))

    assert "not a server-side completion URL" in page.content.decode()
    with pytest.raises(AnnotationError, match="server-side completion URL"):
        publishing.publish(listing=draft, typed=Decimal(0), by=listing.study.owner)
