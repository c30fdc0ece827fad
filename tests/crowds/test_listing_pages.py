"""The researcher's pages of listings: made, described, removed; the cap and the dry run."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.core.platforms.base import Environment
from annotation.crowds.forms.base_options import OptionsForm
from annotation.crowds.queries.listings import platform_name
from annotation.models import Budget, Listing, Study
from tests.support.clock import Clock
from tests.support.crowds import make_listing as make_plain_listing
from tests.support.factories import make_open_study
from tests.support.remote_side import Remote, make_listing
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db

OPTIONS = {
    "options-title": "How alike are two answers?",
    "options-description": "Read short dialogues and choose.",
    "options-keywords": "language",
    "options-duration_minutes": "60",
    "options-lifetime_hours": "48",
    "options-auto_approval_hours": "72",
    "options-least_approval_rate": "98",
    "options-least_approved": "100",
    "options-locales": "DE, at",
    "options-once": "on",
}
OFFER = {
    "listing-n_places": "12",
    "listing-reward": "2.50",
    "listing-currency": "USD",
    "listing-minutes": "15",
}


@pytest.fixture
def listing(remote: Remote) -> Listing:
    return make_listing()


@pytest.fixture
def client(listing: Listing) -> Client:
    return signed_in(listing.study.owner)


def save(client: Client, listing: Listing, **changes: str) -> Any:
    fields = {name.replace("__", "-"): value for name, value in changes.items()}
    return client.post(url(listing.study, "listing", listing.pk), {**OFFER, **OPTIONS, **fields})


def errors(response: Any, form: str = "form") -> dict[str, list[str]]:
    return {name: list(map(str, found)) for name, found in response.context[form].errors.items()}


# -- the list ---------------------------------------------------------------------------------


def test_a_part_is_named_only_where_there_are_several(client: Client, listing: Listing) -> None:
    study = listing.study
    pages = [url(study, "platforms"), url(study, "listing", listing.pk)]
    assert not any("part 1" in text(client.get(page)) for page in pages)

    study.design.phases.create(number=2)

    assert all("part 1" in text(client.get(page)) for page in pages)


@pytest.mark.parametrize(
    ("environment", "shown"),
    [("sandbox", "Mechanical Turk: Sandbox"), ("removed", "Mechanical Turk")],
)
def test_pages_name_the_platform_of_a_listing(
    client: Client, listing: Listing, environment: str, shown: str
) -> None:
    Listing.objects.update(environment=environment)
    study = listing.study

    assert client.get(url(study, "platforms")).context["rows"][0].where == shown
    assert client.get(url(study, "listing", listing.pk)).context["where"] == shown
    assert client.get(url(study, "listing_wage", listing.pk)).context["where"] == shown


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (
            "Mechanical Turk's sandbox (service has ended)",
            "Mechanical Turk's sandbox (service has ended)",
        ),
        ("lab", "Mechanical Turk: lab"),
        ("", "Mechanical Turk"),
    ],
)
def test_the_name_of_a_platform_is_not_repeated(label: str, shown: str) -> None:
    assert platform_name("mturk", Environment("any", label)) == shown


def test_the_page_without_listings_says_how_to_begin(remote: Remote) -> None:
    study = make_open_study()

    page = text(signed_in(study.owner).get(url(study, "platforms")))

    assert "No listing yet" in page
    assert "Dry run." in page


def test_a_draft_is_made_and_shown(client: Client, listing: Listing) -> None:
    study = listing.study

    response = client.post(url(study, "platforms"), {"where": "mturk/sandbox"})

    made = study.listings.get(number=2)
    assert response["Location"] == url(study, "listing", made.pk)
    assert (made.platform, made.environment, made.state) == ("mturk", "sandbox", "draft")
    assert "Listing 2" in text(client.get(url(study, "platforms")))


@pytest.mark.parametrize("where", ["", "mturk/production", "nowhere/x", "panel", "mturk/\x00"])
def test_a_platform_that_is_not_there_is_said_at_the_field(
    client: Client, listing: Listing, where: str
) -> None:
    response = client.post(url(listing.study, "platforms"), {"where": where})

    assert response.status_code == 400
    assert list(errors(response)) == ["where"]
    assert listing.study.listings.count() == 1


# -- the cap and the dry run ------------------------------------------------------------------


@pytest.mark.parametrize("cap", ["250.00", "250", "250,00", "250.00 EUR", "€250"])
def test_a_cap_is_set_as_people_write_it(client: Client, listing: Listing, cap: str) -> None:
    client.post(url(listing.study, "cap"), {"cap": cap, "currency": "EUR"})

    assert Budget.objects.get(study=listing.study, currency="EUR").cap == Decimal("250.00")


@pytest.mark.parametrize("cap", ["", "-1", "1,250", "12.345", "NaN", "1e9", "9" * 40, "\x00", "x"])
def test_a_cap_that_cannot_be_is_said_at_the_field(
    client: Client, listing: Listing, cap: str
) -> None:
    response = client.post(url(listing.study, "cap"), {"cap": cap, "currency": "EUR"})

    assert response.status_code == 400
    assert [len(found) for found in errors(response, "cap_form").values()] == [1]
    assert not Budget.objects.filter(currency="EUR").exists()


def test_a_currency_of_its_own_beside_the_amount_is_another_ones(
    client: Client, listing: Listing
) -> None:
    response = client.post(url(listing.study, "cap"), {"cap": "250 USD", "currency": "EUR"})

    assert response.status_code == 400


def test_the_dry_run_ends_after_a_page_that_says_so_and_begins_again(
    client: Client, listing: Listing
) -> None:
    Study.objects.update(dry_run=True)
    address = url(listing.study, "dry_run")

    page = text(client.get(address))
    assert "Spend real money?" in page
    # Pressed twice, or by two people: what the page said is what happens.
    for _twice in range(2):
        client.post(address, {"dry_run": "off"})

    assert not Study.objects.get().dry_run
    client.post(address, {"dry_run": "on"})
    assert Study.objects.get().dry_run


def test_the_page_says_who_allowed_what_to_be_spent(
    client: Client, listing: Listing, clock: Clock
) -> None:
    for cap in ("100", "200", "200", "150"):
        client.post(url(listing.study, "cap"), {"cap": cap, "currency": "EUR"})
    for switch in ("on", "on", "off"):
        client.post(url(listing.study, "dry_run"), {"dry_run": switch})

    page = client.get(url(listing.study, "platforms"))

    assert [said for said, _user, _time in page.context["limits"]] == [
        "This study may publish and pay, up to its cap.",
        "This study is in a dry run: nothing more is published or paid.",
        "Cap lowered from 200.00 to 150.00 EUR.",
        "Cap raised from 100.00 to 200.00 EUR.",
        "Cap set to 100.00 EUR. Until then, there was no cap in this currency, so nothing could be"
        " spent in it.",
    ]
    assert f"({listing.study.owner.username}, " in text(page)
    history = client.get(url(listing.study, "history"))
    assert "Cap raised from 100.00 to 200.00 EUR." in text(history)


# -- one listing ------------------------------------------------------------------------------


def test_a_draft_is_saved_with_its_options(client: Client, listing: Listing) -> None:
    response = save(client, listing)

    assert response.status_code == 302
    listing.refresh_from_db()
    assert (listing.n_places, listing.reward, listing.minutes) == (12, Decimal("2.50"), 15)
    assert listing.options["locales"] == ["DE", "AT"]
    page = client.get(response["Location"])
    # Twelve places at 2.50 and a fee of a fifth; 2.50 for a quarter of an hour.
    assert page.context["estimate"].worst == Decimal("36.00")
    assert "earns 10.00 USD an hour" in text(page)


def test_obstacles_stand_on_the_page(client: Client, listing: Listing, remote: Remote) -> None:
    remote.obstacles = ["Name a country that exists."]

    page = text(client.get(url(listing.study, "listing", listing.pk)))

    assert "This listing cannot be published now:" in page
    assert "Name a country that exists." in page


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("listing-n_places", "0", "n_places"),
        ("listing-n_places", "9" * 30, "n_places"),
        ("listing-reward", "2.555", "reward"),
        ("listing-reward", "1,000", "reward"),
        ("listing-reward", "99999.99", "reward"),
        ("listing-currency", "XXX", "currency"),
        ("listing-minutes", "0", "minutes"),
    ],
)
def test_what_an_offer_cannot_be_is_said_at_its_field(
    client: Client, listing: Listing, field: str, value: str, place: str
) -> None:
    response = client.post(
        url(listing.study, "listing", listing.pk), {**OFFER, **OPTIONS, field: value}
    )

    assert response.status_code == 400
    assert {name: len(found) for name, found in errors(response).items()} == {place: 1}
    listing.refresh_from_db()
    assert listing.n_places == 4


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("title", "", "title"),
        ("title", "a\x00b", "title"),
        ("title", "a\x07b", "title"),
        ("locales", "Germany", "locales"),
        ("locales", ", ".join(f"{a}{b}" for a in "AB" for b in "ABCDEFGHIJKLMNOP"), "locales"),
        ("duration_minutes", "9" * 12, "duration_minutes"),
        ("lifetime_hours", "0", "lifetime_hours"),
        ("auto_approval_hours", "9999", "auto_approval_hours"),
        ("least_approved", "3", "least_approved"),
        ("checks_wanted", "1.5", "checks_wanted"),
        ("comprehension_tries", "0", "comprehension_tries"),
    ],
)
def test_what_a_platform_would_refuse_is_said_at_its_field(
    client: Client, listing: Listing, field: str, value: str, place: str
) -> None:
    response = save(client, listing, **{f"options__{field}": value})

    assert response.status_code == 400
    assert {name: len(found) for name, found in errors(response, "options").items()} == {place: 1}


@pytest.mark.parametrize(
    ("platform", "environment", "n_codes"),
    [("mturk", "sandbox", 0), ("prolific", "production", 6)],
)
def test_codes_are_listed_where_people_see_them(
    platform: str, environment: str, n_codes: int
) -> None:
    study = make_open_study()
    listing = make_plain_listing(study, platform=platform, environment=environment)

    page = signed_in(study.owner).get(url(study, "listing", listing.pk))

    assert len(page.context["codes"]) == n_codes


def test_a_panels_page_says_nothing_of_pay(remote: Remote) -> None:
    study = make_open_study()
    listing = make_plain_listing(study, state=Listing.State.DRAFT)

    page = signed_in(study.owner).get(url(study, "listing", listing.pk))

    fields = [*page.context["form"], *page.context["options"]]
    hints = " ".join(str(field.help_text) for field in fields).lower()
    assert [word for word in ("pay", "wage", "prolific") if word in hints] == []


@pytest.mark.parametrize(
    ("platform", "environment", "sends"),
    [("panel", "", False), ("prolific", "production", True)],
)
def test_a_message_that_no_platform_sends_is_not_promised(
    platform: str, environment: str, sends: bool
) -> None:
    study = make_open_study()
    listing = make_plain_listing(
        study,
        platform=platform,
        environment=environment,
        phase_number=2,
        state=Listing.State.DRAFT,
    )

    page = signed_in(study.owner).get(url(study, "listing", listing.pk))

    promise = OptionsForm.base_fields["invitation"].help_text
    assert (page.context["options"]["invitation"].help_text == promise) is sends


def test_a_panels_problems_stand_at_their_fields(remote: Remote) -> None:
    study = make_open_study()
    client = signed_in(study.owner)
    client.post(url(study, "platforms"), {"where": "panel/"})
    listing = study.listings.get()
    fields = {
        "listing-n_places": "3",
        "listing-minutes": "5",
        "options-person": "1st",
        "options-expected": "tic=\nc",
        "options-redirect_completed": "http://panel.example/",
    }

    refused = client.post(url(study, "listing", listing.pk), fields)
    assert list(errors(refused, "options")) == ["expected"]
    refused = client.post(
        url(study, "listing", listing.pk), {**fields, "options-expected": "tic=1"}
    )
    assert set(errors(refused, "options")) == {"person", "redirect_completed"}
    saved = client.post(
        url(study, "listing", listing.pk),
        {
            **fields,
            "options-person": "pid",
            "options-expected": "tic=1",
            "options-redirect_completed": "https://panel.example/?p={person}",
        },
    )

    assert saved.status_code == 302
    listing.refresh_from_db()
    assert listing.options["expected"] == {"tic": "1"}
    assert listing.options["redirects"] == {"completed": "https://panel.example/?p={person}"}


def test_a_prolific_draft_is_saved_with_its_options() -> None:
    study = make_open_study()
    client = signed_in(study.owner)
    listing = Listing.objects.create(study=study, number=1, platform="prolific", currency="GBP")
    fields = {
        "listing-n_places": "3",
        "listing-reward": "2.00",
        "listing-currency": "GBP",
        "listing-minutes": "10",
        "options-title": "Two texts",
        "options-description": "Read and rate.",
        "options-is_secure": "on",
        "options-pricing": "academic",
        "options-screen_out_reward": "x",
        "options-screen_out_slots": "2",
        "options-checks_wanted": "0.5",
    }

    refused = client.post(url(study, "listing", listing.pk), fields)
    assert list(errors(refused, "options")) == ["screen_out_reward"]
    fields |= {"options-screen_out_reward": "0,50"}
    refused = client.post(url(study, "listing", listing.pk), fields)
    # The reward is one that nobody would be paid.
    assert list(errors(refused, "options")) == ["handling_screened_out"]
    fields |= {"options-handling_screened_out": "screen_out"}
    fields |= {"options-handling_completed": "approve"}
    assert client.post(url(study, "listing", listing.pk), fields).status_code == 302
    fields |= {"options-checks_wanted": ""}
    assert client.post(url(study, "listing", listing.pk), fields).status_code == 302

    listing.refresh_from_db()
    assert listing.options["screen_out_reward"] == "0.50"
    assert listing.options["handling"] == {"screened_out": "screen_out", "completed": "approve"}
    assert "checks_wanted" not in listing.options
    page = client.get(url(study, "listing", listing.pk)).content.decode()
    assert '<option value="screen_out" selected>' in page


def test_what_was_published_keeps_its_offer_but_for_the_minutes(
    client: Client, listing: Listing
) -> None:
    save(client, listing)
    Listing.objects.update(state="published", published_at=listing.created_at)
    before = Listing.objects.values("n_places", "reward", "currency", "options").get()

    response = save(
        client, listing, listing__reward="0.01", listing__minutes="20", options__title="Other"
    )

    assert response.status_code == 302
    assert Listing.objects.values("n_places", "reward", "currency", "options").get() == before
    assert Listing.objects.get().minutes == 20


@pytest.mark.slow
def test_a_draft_published_by_a_colleague_meanwhile_is_not_changed(
    client: Client, listing: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotation.crowds.services import listings

    edit = listings.edit

    def after_the_colleague(**given: Any) -> Listing:
        Listing.objects.update(state="published", published_at=listing.created_at)
        return edit(**given)

    monkeypatch.setattr(listings, "edit", after_the_colleague)
    response = save(client, listing)

    assert response.status_code == 409
    assert "This listing is published, and people rely on" in text(response)
    assert Listing.objects.get().n_places == 4


def test_a_listing_of_another_study_is_not_found(client: Client, listing: Listing) -> None:
    other = make_listing()

    for name in ("listing", "listing_remove", "listing_publish", "listing_top_up", "listing_wage"):
        assert client.get(url(listing.study, name, other.pk)).status_code == 404
        assert client.post(url(listing.study, name, other.pk)).status_code == 404


def test_a_draft_is_removed_once(client: Client, listing: Listing) -> None:
    address = url(listing.study, "listing_remove", listing.pk)

    assert "Remove listing 1?" in text(client.get(address))
    assert client.post(address)["Location"] == url(listing.study, "platforms")
    assert client.post(address).status_code == 404
    assert not Listing.objects.exists()


def test_what_was_published_is_not_removed(client: Client, listing: Listing) -> None:
    Listing.objects.update(state="published", published_at=listing.created_at)
    address = url(listing.study, "listing_remove", listing.pk)

    assert "Close it instead" in text(client.get(address))
    response = client.post(address, follow=True)

    assert any("stays on record" in each for each in said(response))
    assert Listing.objects.exists()


def test_an_environment_that_is_gone_is_said(client: Client, listing: Listing) -> None:
    Listing.objects.update(environment="elsewhere")

    assert "removed from this server" in text(client.get(url(listing.study, "platforms")))
    page = text(client.get(url(listing.study, "listing", listing.pk)))
    assert "The operator has removed this environment from" in page


def test_the_desk_leads_to_the_platforms(client: Client, listing: Listing) -> None:
    page = client.get(url(listing.study, "change"))

    [collect] = [step for step in page.context["steps"] if step.number == 6]
    assert url(listing.study, "platforms") in [address for _l, address, _now in collect.actions]
