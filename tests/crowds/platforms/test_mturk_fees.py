"""What Mechanical Turk takes, worked out by hand, and what a listing costs."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.crowds.platforms.mturk import fees
from annotation.crowds.platforms.mturk.platform import MTurk
from annotation.models import Listing, Study
from tests.crowds.platforms.mturk_desk import make_listing
from tests.simulators.mturk import fees as oracle

_AMOUNTS = st.decimals(Decimal("0.01"), Decimal("99999.99"), places=2)
_WHEN = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("reward", "n", "masters", "fee"),
    [
        # 20 %, and 40 % from ten on; Masters 5 % more.
        ("1.50", 9, False, "0.30"),
        ("1.50", 10, False, "0.60"),
        ("1.50", 9, True, "0.38"),
        ("1.50", 10, True, "0.68"),
        # At least a cent.
        ("0.01", 1, False, "0.01"),
        ("0.04", 9, False, "0.01"),
        # Half a cent counts as one: 20 % of 0.075 cannot be, 25 % of 0.10 is 0.025.
        ("0.10", 1, True, "0.03"),
        ("0.12", 1, False, "0.02"),
        ("0.13", 1, False, "0.03"),
    ],
)
def test_the_fee_of_a_reward(reward: str, n: int, masters: bool, fee: str) -> None:
    assert fees.reward_fee(Decimal(reward), n_assignments=n, masters=masters) == Decimal(fee)


def test_nine_cost_less_than_ten_and_two_hits_of_five_less_than_one_of_ten() -> None:
    assert fees.hit_cost(Decimal("1.50"), n_assignments=9) == Decimal("16.20")
    assert fees.hit_cost(Decimal("1.50"), n_assignments=10) == Decimal("21.00")
    assert 2 * fees.hit_cost(Decimal("1.50"), n_assignments=5) == Decimal("18.00")


@pytest.mark.parametrize(("amount", "fee"), [("0.01", "0.01"), ("0.13", "0.03"), ("5", "1.00")])
def test_the_fee_of_a_bonus(amount: str, fee: str) -> None:
    assert fees.bonus_fee(Decimal(amount)) == Decimal(fee)


@given(reward=_AMOUNTS, n=st.integers(1, 30), masters=st.booleans())
def test_fees_are_those_of_the_simulator(reward: Decimal, n: int, masters: bool) -> None:
    theirs = oracle.fee_of_reward(reward, n_assignments=n, masters=masters)

    assert fees.reward_fee(reward, n_assignments=n, masters=masters) == theirs
    assert fees.bonus_fee(reward) == oracle.fee_of_bonus(reward)


@given(n_places=st.integers(0, 500), per_hit=st.integers(1, 9))
def test_hits_hold_all_places_and_none_more_than_it_may(n_places: int, per_hit: int) -> None:
    sizes = list(fees.hit_sizes(n_places, per_hit=per_hit))

    assert sum(sizes) == n_places
    assert all(1 <= size <= per_hit for size in sizes)
    assert len(sizes) == -(-n_places // per_hit)


def test_amounts_are_written_in_cents_and_never_rounded() -> None:
    assert fees.in_cents(Decimal("1.5")) == "1.50"
    assert fees.in_cents(Decimal("1E+2")) == "100.00"
    for wrong in ("1.505", "-1.00", "NaN", "Infinity"):
        with pytest.raises(ValueError, match="is no amount in whole cents"):
            fees.in_cents(Decimal(wrong))


@pytest.mark.django_db
def test_an_estimate_by_hand() -> None:
    listing = make_listing(n_places=25, reward=Decimal("1.50"))

    estimate = MTurk().estimate(listing)

    # Two HITs of nine and one of seven; each visit 1.50 and 0.30.
    assert [(line.n, line.each, line.fee, line.total) for line in estimate.lines] == [
        (18, Decimal("1.50"), Decimal("0.30"), Decimal("32.40")),
        (7, Decimal("1.50"), Decimal("0.30"), Decimal("12.60")),
    ]
    assert estimate.worst == estimate.expected == Decimal("45.00")
    assert estimate.currency == "USD"


@pytest.mark.django_db
def test_what_is_expected_follows_the_rejections_so_far() -> None:
    listing = make_listing(n_places=10, reward=Decimal("1.00"))
    for number, state in enumerate(["approved", "approved", "rejected", "submitted"]):
        listing.visits.create(
            platform="mturk",
            environment=listing.environment,
            submission_id=f"S{number}",
            state="remote",
            remote_state=state,
        )

    estimate = MTurk().estimate(listing)

    # A third was rejected: of ten, three are not paid.
    assert (estimate.worst, estimate.expected) == (Decimal("12.00"), Decimal("8.40"))


@pytest.mark.django_db
@given(n_places=st.integers(1, 60), reward=_AMOUNTS, masters=st.booleans(), per=st.integers(1, 9))
def test_what_is_planned_costs_what_was_estimated(
    n_places: int, reward: Decimal, masters: bool, per: int
) -> None:
    listing = Listing(
        study=Study(slug="s", created_at=_WHEN),
        platform="mturk",
        environment="lab",
        n_places=n_places,
        reward=reward,
        options={"masters": masters, "assignments_per_hit": per},
    )

    planned = MTurk().plan_publishing(listing)

    assert sum(one.commits for one in planned) == MTurk().estimate(listing).worst
    assert sum(one.payload["hit"]["MaxAssignments"] for one in planned) == n_places
    assert len({one.reason_code for one in planned}) == len(planned)
