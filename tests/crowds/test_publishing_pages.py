"""Publishing by the pages: the sum typed, the cap, the dry run; more places, pause and close."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.crowds.pages import publishing_steps
from annotation.crowds.queries.free_places import free_for
from annotation.crowds.services import outbox, publishing, spending
from annotation.models import Budget, Intent, Listing, Study
from tests.support.clock import Clock
from tests.support.factories import make_open_study
from tests.support.remote_side import Remote, make_listing
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

# Twenty places at 1.50 and a fee of a fifth.
SUM = "36.00"


@pytest.fixture
def listing(remote: Remote) -> Listing:
    return make_listing(n_places=20)


@pytest.fixture
def client(listing: Listing) -> Client:
    return signed_in(listing.study.owner)


def publish(client: Client, listing: Listing, typed: str = SUM) -> Any:
    return client.post(url(listing.study, "listing_publish", listing.pk), {"typed": typed})


def make_out(client: Client, listing: Listing, clock: Clock) -> None:
    publish(client, listing)
    clock.move(minutes=1)
    outbox.send_due()
    listing.refresh_from_db()
    assert listing.state == Listing.State.PUBLISHED


def test_the_page_says_the_sum_and_what_is_left(client: Client, listing: Listing) -> None:
    page = text(client.get(url(listing.study, "listing_publish", listing.pk)))

    assert f"It can cost up to <strong>{SUM} USD</strong>" in page
    assert "1000.00 USD" in page
    assert "20 visits" in page


@pytest.mark.parametrize("typed", [SUM, "36", "36,00", "36.0", " 36.00 ", "36.00 USD", "$36.00"])
def test_the_sum_is_taken_as_people_write_it(client: Client, listing: Listing, typed: str) -> None:
    response = publish(client, listing, typed)

    assert response["Location"] == url(listing.study, "listing", listing.pk)
    assert Intent.objects.count() == 3


@pytest.mark.parametrize("typed", ["", "x", "36.00 EUR", "36.000", "3,600", "-36", "9" * 40])
def test_what_is_no_sum_is_said_at_the_field(client: Client, listing: Listing, typed: str) -> None:
    response = publish(client, listing, typed)

    assert response.status_code == 400
    assert [len(found) for found in response.context["form"].errors.values()] == [1]
    assert not Intent.objects.exists()


def test_another_sum_is_refused_with_both(client: Client, listing: Listing) -> None:
    response = publish(client, listing, "35.99")

    assert response.status_code == 400
    assert "You typed 35.99, but this may cost 36.00 USD" in text(response)
    assert not Intent.objects.exists()


def test_a_double_click_publishes_once(client: Client, listing: Listing) -> None:
    publish(client, listing)

    second = publish(client, listing)

    assert second.status_code == 409
    assert "This listing has already been published." in text(second)
    assert Intent.objects.count() == 3


def test_a_colleague_who_raised_the_reward_meanwhile_changes_the_sum(
    client: Client, listing: Listing
) -> None:
    Listing.objects.update(reward="2.00")

    assert "may cost 48.00 USD" in text(publish(client, listing))
    assert not Intent.objects.exists()


def test_in_a_dry_run_the_page_shows_the_price_and_nothing_is_published(
    client: Client, listing: Listing
) -> None:
    Study.objects.update(dry_run=True)

    page = text(client.get(url(listing.study, "listing_publish", listing.pk)))
    response = publish(client, listing)

    assert "dry run" in page
    assert f"{SUM} USD" in page
    assert 'name="typed"' not in page
    assert response.status_code == 409
    assert not Intent.objects.exists()


def test_beyond_the_cap_nothing_is_published(client: Client, listing: Listing) -> None:
    spending.set_cap(study=listing.study, currency="USD", cap=spending.CENT * 3599, by=None)

    page = text(client.get(url(listing.study, "listing_publish", listing.pk)))
    response = publish(client, listing)

    assert "only 35.99 USD is still available" in page
    assert response.status_code == 409
    assert not Intent.objects.exists()
    assert Listing.objects.get().state == Listing.State.DRAFT


def test_a_cap_in_another_currency_is_named(client: Client, listing: Listing) -> None:
    Budget.objects.all().delete()
    spending.set_cap(study=listing.study, currency="EUR", cap=Decimal("50.00"), by=None)

    page = client.get(url(listing.study, "listing_publish", listing.pk))
    response = publish(client, listing)

    [obstacle] = page.context["obstacles"]
    assert obstacle.values["others"] == "EUR"
    assert obstacle.values["currency"] == listing.currency == "USD"
    assert response.status_code == 409
    assert not Intent.objects.exists()

    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("50.00"), by=None)
    assert not client.get(url(listing.study, "listing_publish", listing.pk)).context["obstacles"]


def test_obstacles_of_the_platform_leave_no_button(
    client: Client, listing: Listing, remote: Remote
) -> None:
    remote.obstacles = ["Give a title.", "Name a country that exists."]

    page = text(client.get(url(listing.study, "listing_publish", listing.pk)))

    assert "Give a title." in page
    assert "Name a country that exists." in page
    assert 'name="typed"' not in page
    assert publish(client, listing).status_code == 400


def test_a_panel_is_published_without_a_sum_and_takes_more_places(remote: Remote) -> None:
    study = make_open_study()
    listing = Listing.objects.create(
        study=study, number=1, platform="panel", n_places=3, options={"person": "pid"}
    )
    client = signed_in(study.owner)

    response = client.post(url(study, "listing_publish", listing.pk), follow=True)
    assert "published" in text(response)
    address = url(study, "listing_top_up", listing.pk)
    for _twice in range(2):
        client.post(address, {"n": "2", "n_before": "3"})

    listing.refresh_from_db()
    assert (listing.state, listing.n_places) == (Listing.State.PUBLISHED, 5)
    # No platform is asked to end it, and none returns money.
    step = publishing_steps.STEPS["close"]
    page = client.get(url(study, "listing_close", listing.pk))
    assert page.context["confirmation"].consequences == step.consequences_unpaid
    paid_for = Listing(platform="mturk")
    assert step.consequences_for(paid_for) == step.consequences


def test_a_panel_that_cannot_be_published_says_why(remote: Remote) -> None:
    study = make_open_study()
    listing = Listing.objects.create(
        study=study, number=1, platform="panel", n_places=0, options={"person": "pid"}
    )

    response = signed_in(study.owner).post(url(study, "listing_publish", listing.pk))

    assert response.status_code == 400
    assert "Choose at least one place." in text(response)


# -- more places --------------------------------------------------------------------------------


def test_further_places_are_priced_then_asked_for_once(
    client: Client, listing: Listing, clock: Clock
) -> None:
    make_out(client, listing, clock)
    address = url(listing.study, "listing_top_up", listing.pk)

    page = client.get(address, {"n": "10"})
    assert "18.00 USD" in text(page)
    sent = {"n": "10", "n_before": page.context["n_before"], "typed": "18.00"}
    first, second = client.post(address, sent), client.post(address, sent)

    assert (first.status_code, second.status_code) == (302, 409)
    listing.refresh_from_db()
    assert listing.n_places == 30


@pytest.mark.parametrize("n", ["0", "-1", "x", "9" * 30, "1000001", "\x00", "٣x"])
def test_a_number_of_places_that_cannot_be_is_said_at_the_field(
    client: Client, listing: Listing, clock: Clock, n: str
) -> None:
    make_out(client, listing, clock)
    address = url(listing.study, "listing_top_up", listing.pk)

    for response in (client.get(address, {"n": n}), client.post(address, {"n": n, "typed": "1"})):
        assert response.status_code == 400
        assert len(response.context["places"].errors["n"]) == 1
        assert all(place.address for place in response.context["navigation"])
    listing.refresh_from_db()
    assert listing.n_places == 20


def test_a_draft_takes_no_further_places(client: Client, listing: Listing) -> None:
    page = text(client.get(url(listing.study, "listing_top_up", listing.pk)))

    assert "Only a published listing can get more places" in page
    assert '<form method="post" action="/admin/annotation' not in page


# -- pause, go on, close ------------------------------------------------------------------------


def test_the_steps_are_links_that_ask_first(
    client: Client, listing: Listing, clock: Clock
) -> None:
    make_out(client, listing, clock)
    page = text(client.get(url(listing.study, "listing", listing.pk)))

    for step in ("pause", "close"):
        assert url(listing.study, f"listing_{step}", listing.pk) in page
    assert url(listing.study, "listing_resume", listing.pk) not in page
    asked = client.get(url(listing.study, "listing_pause", listing.pk))
    assert "Pause listing 1?" in text(asked)
    assert not Intent.objects.filter(kind="pause").exists()


@pytest.mark.slow
def test_pause_go_on_and_close_are_asked_for_once_each(
    client: Client, listing: Listing, clock: Clock
) -> None:
    make_out(client, listing, clock)

    for step, state in (("pause", "paused"), ("resume", "published"), ("close", "closed")):
        for _twice in range(2):
            client.post(url(listing.study, f"listing_{step}", listing.pk))
        clock.move(minutes=1)
        outbox.send_due()
        listing.refresh_from_db()
        assert listing.state == state
        assert listing.intents.filter(kind=step).count() == listing.tickets.count() == 3


def test_a_step_that_is_not_possible_says_so(client: Client, listing: Listing) -> None:
    for step in ("pause", "resume", "close"):
        address = url(listing.study, f"listing_{step}", listing.pk)
        assert "this step is not possible now" in text(client.get(address))
        client.post(address)

    listing.refresh_from_db()
    assert listing.state == Listing.State.DRAFT
    assert not Intent.objects.exists()


@pytest.mark.parametrize("platform", ["mturk", "panel"])
def test_more_places_than_the_study_has_are_named_before_publishing(
    client: Client, remote: Remote, platform: str
) -> None:
    listing = make_listing()
    n = free_for(listing) + 1
    Listing.objects.filter(pk=listing.pk).update(platform=platform, n_places=n)
    client = signed_in(listing.study.owner)

    page = client.get(url(listing.study, "listing_publish", listing.pk))

    # A panel is paid elsewhere: it is warned, not kept.
    assert bool(page.context["obstacles"]) == (platform == "mturk")
    assert bool(page.context["warning"]) == (platform == "panel")
    answer = client.post(url(listing.study, "listing_publish", listing.pk), {"typed": "1.00"})
    assert answer.status_code == (409 if platform == "mturk" else 302)


def test_places_that_were_refused_are_said_until_others_were_added(
    client: Client, listing: Listing, clock: Clock, remote: Remote
) -> None:
    address = url(listing.study, "listing", listing.pk)
    make_out(client, listing, clock)

    def shown_after(*faults: str) -> Any:
        remote.faults = [*faults]
        publishing.top_up(listing=listing, n=1, typed=Decimal("1.80"), by=listing.study.owner)
        clock.move(minutes=1)
        outbox.send_due()
        return client.get(address).context["refused"]

    assert shown_after("refuses").said == "There is not enough money."
    assert shown_after() is None
