"""Nobody changes what a listing offers in the moment in which it is published."""

from decimal import Decimal
from functools import partial

import pytest

from annotation.basics.errors import FrozenError, StateError
from annotation.crowds.services import listings, publishing
from annotation.models import Listing
from tests.support.at_once import waiting
from tests.support.factories import make_open_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def listing() -> Listing:
    study = make_open_study(dialogues=1)
    return listings.create(study=study, platform="panel", environment="")


def publish(listing: Listing) -> None:
    publishing.publish(listing=listing, by=listing.study.owner, typed=Decimal(0))


def test_a_price_that_is_changed_while_it_is_published_is_refused(listing: Listing) -> None:
    answer = waiting(
        partial(listings.edit, listing=listing, values={"reward": Decimal("9.00")}),
        first=partial(publish, listing),
    )

    assert isinstance(answer, FrozenError)
    listing.refresh_from_db()
    assert (listing.reward, listing.state) == (0, Listing.State.PUBLISHED)


def test_what_is_published_while_it_is_changed_offers_the_new_places(listing: Listing) -> None:
    def publish_it() -> int:
        publish(listing)
        return Listing.objects.get(pk=listing.pk).n_places

    n_places = waiting(
        publish_it, first=partial(listings.edit, listing=listing, values={"n_places": 1})
    )

    assert n_places == 1


def test_a_draft_that_is_removed_while_it_is_published_stays(listing: Listing) -> None:
    answer = waiting(partial(listings.remove, listing=listing), first=partial(publish, listing))

    assert isinstance(answer, StateError)
    assert Listing.objects.filter(pk=listing.pk).exists()
