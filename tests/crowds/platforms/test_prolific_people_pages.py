"""On the page of a Prolific listing: earlier studies, pasted ids, and the picker of filters."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Listing
from annotation.studies.services import researchers
from tests.crowds.platforms.prolific_lab import OPTIONS, Lab, make_listing, person_id
from tests.support.factories import make_study, make_user
from tests.support.researcher_pages import said, signed_in, text, url

FIELDS = {
    "listing-n_places": "3",
    "listing-reward": "1.50",
    "listing-currency": "USD",
    "listing-minutes": "10",
    **{f"options-{name}": value for name, value in OPTIONS.items()},
}


@pytest.fixture
def listing(lab: Lab) -> Listing:
    return make_listing()


@pytest.fixture
def client(listing: Listing) -> Client:
    return signed_in(listing.study.owner)


def save(client: Client, listing: Listing, **options: Any) -> Any:
    fields = {f"options-{name}": value for name, value in options.items()}
    return client.post(url(listing.study, "listing", listing.pk), {**FIELDS, **fields})


def pick(client: Client, listing: Listing, **fields: Any) -> Any:
    return client.post(url(listing.study, "listing_filters", listing.pk), fields)


def offered(client: Client, listing: Listing) -> dict[str, list[str]]:
    """The earlier studies that can be chosen, by the group in which they stand."""
    page = client.get(url(listing.study, "listing", listing.pk))
    options = page.context["options"]
    if "excluded_studies" not in options.fields:
        return {}
    choices = options.fields["excluded_studies"].choices
    return {str(group): [value for value, _label in rows] for group, rows in choices}


def test_earlier_listings_of_studies_that_somebody_may_open_are_offered(
    lab: Lab, listing: Listing, client: Client
) -> None:
    study, owner = listing.study, listing.study.owner
    own = make_listing(study=study)
    pilot = make_listing(study=make_study(owner=owner, pilot_of=study))
    shared, strange = make_listing(), make_listing()
    researchers.share(study=shared.study, username=owner.username, role="reader")
    assert offered(client, listing) == {}

    ids = {row: lab.publish(row) for row in (own, pilot, shared, strange)}

    assert offered(client, listing) == {
        "This study and its pilots": [ids[pilot], ids[own]],
        "Other studies": [ids[shared]],
    }
    # On another account, nobody knows these studies.
    Listing.objects.filter(pk=listing.pk).update(environment="other")
    assert offered(client, listing) == {}


def test_a_later_part_does_not_offer_to_exclude_its_own_people(
    lab: Lab, listing: Listing, client: Client
) -> None:
    lab.publish(listing)

    assert offered(client, make_listing(study=listing.study, phase_number=2)) == {}


def test_what_was_chosen_stays_and_comes_back(lab: Lab, listing: Listing, client: Client) -> None:
    other = make_listing()
    earlier = lab.publish(other)
    researchers.share(study=other.study, username=listing.study.owner.username, role="editor")
    ids = f"{person_id(1)}\r\n\r\n {person_id(2)}, {person_id(1)}"

    assert (
        save(client, listing, excluded_studies=[earlier], excluded_people=ids).status_code == 302
    )
    # A colleague who may not open the other study saves the listing anew.
    colleague = make_user()
    researchers.share(study=listing.study, username=colleague.username, role="editor")
    theirs = signed_in(colleague)
    assert offered(theirs, listing) == {"Studies that you cannot open": [earlier]}
    again = {"excluded_studies": [earlier], "excluded_people": person_id(2)}
    assert save(theirs, listing, **again).status_code == 302

    listing.refresh_from_db()
    assert listing.options["excluded_studies"] == [earlier]
    assert listing.options["excluded_people"] == [person_id(2)]
    save(client, listing)
    listing.refresh_from_db()
    assert not {"excluded_studies", "excluded_people"} & listing.options.keys()


@pytest.mark.parametrize("name", ["excluded_people", "allowed_people"])
def test_bad_lines_of_pasted_ids_are_named(listing: Listing, client: Client, name: str) -> None:
    pasted = "\n".join([person_id(1), "me@example.org", person_id(2).upper() + "A", "", "x"])

    response = save(client, listing, **{name: pasted})

    assert response.status_code == 400
    problems = response.context["options"].errors[name]
    assert [f"{n}:" in problem for n, problem in zip((2, 3, 5), problems, strict=True)] == [
        True
    ] * 3
    assert pasted in text(response).replace("&#x27;", "'")


def test_a_filter_is_found_chosen_changed_and_removed(
    lab: Lab, listing: Listing, client: Client
) -> None:
    address = url(listing.study, "listing_filters", listing.pk)
    for n in range(30):
        lab.sim.participant(person_id(700 + n), age=18 + n)

    page = client.get(address)
    assert page.context["n_eligible"] == 30
    found = client.get(address, {"q": "CZECHIA where"}).context["page"]
    assert [each.key for each in found] == ["current-country-of-residence"]
    assert 'name="lower"' in text(client.get(address, {"filter": "age"}))
    assert pick(client, listing, filter="age", lower="20", upper="").status_code == 302
    assert 'value="20"' in text(client.get(address, {"filter": "age"}))
    assert client.get(address).context["n_eligible"] == 28
    pick(client, listing, filter="age", lower="40", upper="50")
    assert client.get(address).context["n_eligible"] == 0
    pick(client, listing, filter="sex", values=["0", "1"], is_balanced="on")

    # Saving the listing's own fields leaves the filters as they are.
    save(client, listing)
    shown = client.get(url(listing.study, "listing", listing.pk)).context["chosen_filters"]
    assert [each.key for each in shown] == ["age", "sex"]
    pick(client, listing, remove="age")
    listing.refresh_from_db()
    [stored] = listing.options["filters"]
    assert (stored["filter_id"], stored["weightings"]) == ("sex", {"0": 1, "1": 1})


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"filter": "age", "lower": "17"}, "lower"),
        ({"filter": "age", "upper": "1000"}, "upper"),
        ({"filter": "age"}, "lower"),
        ({"filter": "age", "lower": "30", "upper": "20"}, "upper"),
        ({"filter": "joined", "lower": "soon"}, "lower"),
        ({"filter": "sex", "values": ["9"]}, "values"),
        ({"filter": "sex"}, "values"),
    ],
)
def test_what_a_filter_does_not_have_is_refused_at_its_field(
    listing: Listing, client: Client, fields: dict[str, Any], place: str
) -> None:
    response = pick(client, listing, **fields)

    assert response.status_code == 400
    assert list(response.context["form"].errors) == [place]
    listing.refresh_from_db()
    assert "filters" not in listing.options


def test_of_one_choice_alone_there_are_no_shares(listing: Listing, client: Client) -> None:
    pick(client, listing, filter="sex", values=["0"], is_balanced="on")

    listing.refresh_from_db()
    assert "weightings" not in listing.options["filters"][0]


def test_a_filter_that_is_not_there_is_not_found(listing: Listing, client: Client) -> None:
    address = url(listing.study, "listing_filters", listing.pk)

    assert client.get(address, {"filter": "a\x00"}).status_code == 404
    assert pick(client, listing, filter="shoe-size").status_code == 404


def test_the_page_of_a_listing_asks_prolific_nothing(
    lab: Lab, listing: Listing, client: Client
) -> None:
    client.get(url(listing.study, "listing", listing.pk))

    assert lab.sim.journal() == []


def test_without_a_token_the_picker_says_why_it_is_empty(
    lab: Lab, listing: Listing, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")

    page = client.get(url(listing.study, "listing_filters", listing.pk))

    assert page.status_code == 200
    assert "PROLIFIC_TOKEN_LAB" in str(page.context["problem"])
    assert lab.sim.journal() == []


def test_filters_are_picked_before_a_listing_is_published(
    lab: Lab, listing: Listing, client: Client
) -> None:
    Listing.objects.update(state="published", published_at=listing.created_at)

    response = pick(client, listing, filter="age", lower="20")

    assert response["Location"] == url(listing.study, "listing", listing.pk)
    assert said(client.get(response["Location"])) == []
    assert "filters" not in Listing.objects.get().options
