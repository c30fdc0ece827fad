"""An endpoint's name that leads elsewhere: nothing is asked there, and nothing concluded."""

from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.basics.errors import AnnotationError
from annotation.crowds.services import decisions, endpoints, outbox, publishing, reconciling
from annotation.crowds.services.endpoints import MovedError, one_spelling
from annotation.models import Intent, Listing
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.remote_side import Remote, make_listing, make_visit

pytestmark = pytest.mark.django_db

STATE = Intent.State
OLD, NEW = "https://requester.example", "https://elsewhere.example/api"


@pytest.fixture
def listing(remote: Remote) -> Listing:
    """Published at the old address, where the answer about the second of two tickets was lost."""
    remote.n_per_ticket = 2
    remote.faults = ["none", "commits then drops"]
    listing = make_listing()
    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())
    outbox.send_due()
    remote.endpoint = NEW
    listing.refresh_from_db()
    return listing


@pytest.mark.parametrize(
    ("written", "spelling"),
    [
        ("HTTPS://Lab.Example:443/", "https://lab.example"),
        ("https://lab.example/api/v1/", "https://lab.example/api/v1"),
        ("https://ada:secret@lab.example.:8443/API", "https://lab.example:8443/API"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("", ""),
    ],
)
def test_one_address_has_one_spelling(written: str, spelling: str) -> None:
    assert one_spelling(written) == spelling


def test_the_address_is_kept_with_the_first_thing_that_is_planned(remote: Remote) -> None:
    listing = make_listing()
    assert listing.endpoint == ""

    publishing.publish(listing=listing, typed=Decimal("7.20"), by=make_user())

    listing.refresh_from_db()
    assert listing.endpoint == OLD


def test_another_spelling_of_the_address_is_no_other_one(listing: Listing, remote: Remote) -> None:
    remote.endpoint = "HTTPS://requester.example:443/"

    assert endpoints.moved(listing) == []


def test_nothing_is_asked_at_another_address_until_a_person_looks(
    listing: Listing, remote: Remote, clock: Clock
) -> None:
    lost = Intent.objects.get(state=STATE.AMBIGUOUS)
    approval = decisions.approve(visit=make_visit(listing), by=make_user())
    assert approval is not None

    # There nothing is found: it would be sent again.
    for _ in range(40):
        clock.move(hours=1)
        outbox.send_due()

    lost.refresh_from_db()
    approval.refresh_from_db()
    assert (lost.state, approval.state) == (STATE.NEEDS_PERSON, STATE.NEEDS_PERSON)
    assert remote.calls == ["publish", "publish"]
    assert OLD in approval.said
    assert NEW in approval.said
    assert "endpoint_moved sandbox" in approval.said


def test_submissions_of_another_address_are_not_taken_over_and_the_page_says_so(
    listing: Listing, remote: Remote, client: Client, clock: Clock
) -> None:
    Listing.objects.update(polled_at=clock.time)
    clock.move(hours=1)
    with pytest.raises(MovedError):
        reconciling.poll(listing)
    reconciling.poll_due()

    client.force_login(listing.study.owner)
    address = reverse("admin:annotation_study_platforms", args=[listing.study_id])
    assert "not reachable at the moment" in client.get(address).content.decode()
    Listing.objects.update(polled_at=clock.time + timedelta(minutes=1))
    assert "not reachable at the moment" not in client.get(address).content.decode()
    address = reverse("admin:annotation_study_listing", args=[listing.study_id, listing.pk])
    assert "endpoint_moved sandbox" in client.get(address).content.decode()


def test_nobody_begins_and_nothing_is_published_at_another_address(
    listing: Listing, client: Client
) -> None:
    answer = client.get(reverse("annotator:launch", args=[listing.token]))
    Listing.objects.update(state=Listing.State.PUBLISHED)
    Intent.objects.update(state=STATE.NEEDS_PERSON)
    with pytest.raises(AnnotationError, match="points to https://elsewhere"):
        publishing.top_up(listing=listing, n=1, typed=Decimal("1.80"), by=make_user())

    assert answer.status_code == 400
    assert "You cannot start this task at the moment. Please" in answer.content.decode()


def test_an_installation_that_moved_is_followed_when_the_operator_says_so(
    listing: Listing, remote: Remote
) -> None:
    said = StringIO()
    call_command("endpoint_moved", "sandbox", stdout=said)
    listing.refresh_from_db()
    assert listing.endpoint == OLD
    assert "Nothing was changed" in said.getvalue()

    call_command("endpoint_moved", "sandbox", "--yes", stdout=said)

    listing.refresh_from_db()
    assert listing.endpoint == NEW
    assert f"{OLD} -> {NEW}" in said.getvalue()
    assert listing.events.get(kind="endpoint moved").payload == {"before": OLD, "after": NEW}
    reconciling.poll(listing)
    assert endpoints.moves("sandbox") == []


def test_an_environment_that_nobody_names_is_not_moved(remote: Remote) -> None:
    with pytest.raises(AnnotationError, match="no environment lab"):
        endpoints.moves("lab")


def test_a_listing_from_before_is_where_it_is_first_asked_about(
    listing: Listing, remote: Remote
) -> None:
    Listing.objects.update(endpoint="")
    listing.refresh_from_db()

    reconciling.poll(listing)

    listing.refresh_from_db()
    assert listing.endpoint == NEW
