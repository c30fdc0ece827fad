"""What a listing costs: our own figure, Prolific's, and what its ledger says in the end."""

from decimal import Decimal

import pytest

from annotation.core.platforms.costs import Estimate
from annotation.core.platforms.errors import UnavailableError
from annotation.crowds.platforms.prolific.prices import fee
from annotation.models import Listing
from annotation.models.kinds import Outcome
from tests.crowds.platforms.prolific_lab import Lab, make_listing

SCREENING = {
    "handling": {Outcome.SCREENED_OUT: "screen_out"},
    "screen_out_reward": "0.20",
    "screen_out_slots": 4,
}


def quoted(lab: Lab, listing: Listing) -> Estimate:
    listing.quote = dict(lab.platform.quote(listing))
    return lab.platform.estimate(listing)


@pytest.mark.parametrize("reward", ["0.01", "1.50", "2.07", "13.37"])
@pytest.mark.parametrize("n_places", [1, 7])
@pytest.mark.parametrize(("vat", "percent"), [("0", "0"), ("0.2", "20")])
def test_our_figure_is_prolifics_to_the_cent(
    lab: Lab, reward: str, n_places: int, vat: str, percent: str
) -> None:
    lab.sim.configure(vat=vat)
    listing = make_listing(
        reward=Decimal(reward), n_places=n_places, options={"vat_percent": percent}
    )

    ours, theirs = lab.platform.estimate(listing), quoted(lab, listing)

    assert (ours.source, theirs.source) == ("own", "platform")
    assert ours.worst == theirs.worst == theirs.lines[0].total
    assert ours.worst * 100 == lab.sim.cost_of(int(Decimal(reward) * 100), n_places)


def test_a_price_of_another_offer_is_not_taken_for_this_one(lab: Lab) -> None:
    lab.sim.configure(vat="0.2")
    listing = make_listing()
    assert quoted(lab, listing).worst == Decimal("6.30")

    listing.n_places = 4

    # Without the tax of which our options know nothing.
    assert lab.platform.estimate(listing).worst == Decimal("8.00")


@pytest.mark.parametrize(
    ("wallet", "said"),
    [
        (600, "Available in your account on Prolific: 6.00 USD."),
        (599, "Only 5.99 USD are available in your account on Prolific"),
    ],
)
@pytest.mark.parametrize("has_workspace", [True, False])
def test_the_balance_stands_beside_the_price(
    lab: Lab, wallet: int, said: str, has_workspace: bool
) -> None:
    lab.sim.set_wallet(wallet)
    options = {"workspace": lab.sim.workspace} if has_workspace else {}

    estimate = quoted(lab, make_listing(options=options))

    assert said in str(estimate.notes[0])


def test_an_account_of_another_currency_is_an_obstacle_before_anything_is_made(lab: Lab) -> None:
    listing = make_listing(currency="GBP")
    assert lab.platform.obstacles(listing) == []

    quoted(lab, listing)

    [said] = lab.platform.obstacles(listing)
    assert "Your account on Prolific pays in USD, but the listing in GBP" in str(said)


def test_the_estimate_is_what_the_ledger_says_in_the_end(lab: Lab) -> None:
    listing = make_listing(n_places=2)
    lab.publish(listing)
    for _ in range(2):
        lab.send(lab.decide(lab.visit(listing), "approve"))

    assert lab.platform.estimate(listing).worst == Decimal(lab.sim.spent()) / 100


def test_who_is_screened_out_is_part_of_the_worst_case(lab: Lab) -> None:
    listing = make_listing(options=SCREENING)

    ours, theirs = lab.platform.estimate(listing), quoted(lab, listing)

    # Three places at 1.50 and 0.50; four slots at 0.20 and 0.07.
    assert (ours.expected, ours.worst) == (Decimal("6.00"), Decimal("7.08"))
    assert (theirs.expected, theirs.worst) == (Decimal("6.00"), Decimal("7.08"))
    lab.publish(listing)
    assert [line["amount"] for line in lab.sim.ledger("hold")] == [708]


def test_a_corporate_account_with_tax_by_hand() -> None:
    listing = make_listing_unsaved(pricing="corporate", vat_percent="20")

    # 42.8 % of 1.50 is 0.642, so 0.64; a fifth of that is 0.128, so 0.13.
    assert fee(listing, Decimal("1.50")) == Decimal("0.77")


def make_listing_unsaved(**options: str):
    return Listing(options=options, currency="USD", reward=Decimal("1.50"), minutes=10)


def test_an_unknown_account_is_taken_for_the_dearest() -> None:
    assert fee(make_listing_unsaved(pricing="free"), Decimal("1.00")) == Decimal("0.52")


@pytest.mark.parametrize(
    ("currency", "reward", "said"),
    [
        (
            "USD",
            "1.33",
            "7.98 USD an hour is below Prolific's minimum of 8.00: pay a",
        ),
        ("USD", "1.34", "8.04 USD an hour is above Prolific's minimum of 8.00, but below the re"),
        ("USD", "2.00", ""),
        (
            "GBP",
            "0.99",
            "5.94 GBP an hour is below Prolific's minimum of 6.00: pay a",
        ),
        ("GBP", "1.00", "6.00 GBP an hour is above Prolific's minimum of 6.00, but below the r"),
        ("GBP", "1.50", ""),
    ],
)
def test_the_wage_is_held_against_the_floor(
    lab: Lab, currency: str, reward: str, said: str
) -> None:
    listing = make_listing(currency=currency, reward=Decimal(reward))

    first, *wage = map(str, lab.platform.estimate(listing).notes)

    assert "Prolific determines the actual cost" in first
    assert "a fee of 33.3 % and a tax of 0 %" in first
    assert [note[: len(said)] for note in wage] == ([said] if said else [])


def test_the_least_that_may_be_paid_is_said(lab: Lab) -> None:
    listing = make_listing(reward=Decimal("1.33"))

    assert "pay at least 1.34 USD for 10 minutes" in str(lab.platform.estimate(listing).notes[1])


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500_before", "throttle", "truncated_json", "timeout_before"])
def test_a_figure_that_cannot_be_had_is_not_made_up(lab: Lab, fault: str) -> None:
    lab.sim.fault(fault, path="calculator", seconds=3)

    with pytest.raises(UnavailableError):
        lab.platform.quote(make_listing())


def test_without_credentials_nobody_is_asked_for_a_figure(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")

    assert lab.platform.quote(make_listing()) == {}
    assert lab.sim.journal() == []
