"""Listings in draft: made with codes of their own, edited, removed; frozen once they are out."""

from decimal import Decimal

import pytest

from annotation.basics.errors import AnnotationError, FrozenError, StateError
from annotation.crowds.services import launch_identity, listings
from annotation.models import Listing
from annotation.models.kinds import Outcome
from tests.support.factories import make_open_study
from tests.support.remote_side import Remote, make_listing

pytestmark = pytest.mark.django_db


def test_a_draft_takes_its_places_from_the_design_and_draws_a_code_for_each_outcome() -> None:
    study = make_open_study(parameters={"annotations_per_tuple": 3})

    first = listings.create(study=study, platform="panel", environment="")
    second = listings.create(study=study, platform="panel", environment="")

    assert (first.number, second.number) == (1, 2)
    assert first.n_places == study.design.booklets.get(number=1).places.count() * len(
        study.design.booklets.all()
    )
    codes = [*first.codes.values(), *second.codes.values()]
    assert set(first.codes) == set(Outcome.values)
    assert len(set(codes)) == 2 * len(Outcome)
    assert all(len(code) == 12 for code in codes)


def test_panels_of_two_studies_are_told_apart() -> None:
    made = [
        listings.create(study=make_open_study(), platform="panel", environment="")
        for _n in range(2)
    ]

    assert launch_identity.realm_of(made[0]) != launch_identity.realm_of(made[1])


def test_an_environment_that_is_not_on_this_server_is_refused(remote: Remote) -> None:
    with pytest.raises(AnnotationError, match="no environment nowhere"):
        listings.create(study=make_open_study(), platform="mturk", environment="nowhere")


def test_a_part_that_the_design_lacks_is_refused() -> None:
    with pytest.raises(AnnotationError, match="no part 2"):
        listings.create(study=make_open_study(), platform="panel", environment="", phase_number=2)


def test_a_draft_changes_and_what_was_published_keeps_all_but_its_minutes(remote: Remote) -> None:
    listing = make_listing()
    listings.edit(listing=listing, values={"reward": Decimal("2.00"), "minutes": 12})
    Listing.objects.update(state="published", published_at=listing.created_at)

    listings.edit(listing=listing, values={"reward": Decimal("2.00"), "minutes": 15})
    with pytest.raises(FrozenError):
        listings.edit(listing=listing, values={"reward": Decimal("0.10")})

    listing.refresh_from_db()
    assert (listing.reward, listing.minutes) == (Decimal("2.00"), 15)


def test_nothing_but_what_a_listing_offers_is_edited(remote: Remote) -> None:
    with pytest.raises(ValueError, match="state"):
        listings.edit(listing=make_listing(), values={"state": "published"})


def test_a_draft_is_removed_and_what_was_published_stays(remote: Remote) -> None:
    draft, out = make_listing(), make_listing()
    Listing.objects.filter(pk=out.pk).update(state="closed", published_at=out.created_at)

    listings.remove(listing=draft)
    with pytest.raises(StateError, match="stays on record"):
        listings.remove(listing=out)

    assert list(Listing.objects.all()) == [out]
