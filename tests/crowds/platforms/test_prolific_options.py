"""What a researcher asks of Prolific, and what is wrong with it before Prolific says so."""

import json
from decimal import Decimal
from typing import Any

import pytest

from annotation.crowds.platforms.prolific.options import Options
from annotation.crowds.platforms.prolific.platform import Prolific
from annotation.crowds.platforms.prolific.studies import completion_codes
from annotation.crowds.services.listings import new_codes
from annotation.models.kinds import Outcome
from tests.crowds.platforms.prolific_lab import Lab, make_listing

WHOLE = {"title": "Compare answers", "description": "You compare answers."}
FILTER = {"filter_id": "approval_rate", "selected_range": {"lower": 98, "upper": 100}}


def problems(*, reward: str = "1.50", minutes: int = 10, **options: Any) -> list[str]:
    found = Options.of({**WHOLE, **options}).problems(
        reward=Decimal(reward), currency="USD", minutes=minutes, needs_group=False
    )
    return [str(said) for said in found]


def test_what_is_whole_has_no_problems() -> None:
    assert problems() == []
    assert problems(filters=[FILTER], devices=["desktop"], longest_minutes=1439) == []


@pytest.mark.parametrize(
    ("minutes", "limit"), [(1, 6), (10, 29), (16, 42), (60, 138), (710, 1439)]
)
def test_the_usual_time_limit_is_the_one_that_prolific_documents(minutes: int, limit: int) -> None:
    # 2 + 2 m + 2 sqrt(m), rounded up, and less than a day.
    assert Options().longest(minutes) == limit


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"title": " "}, "Write a title"),
        ({"description": ""}, "Write a description"),
        ({"title": "x" * 201}, "title: write at most 200 characters, not 201."),
        ({"audience": "https://example.org"}, "“https://example.org” is not a domain"),
        ({"project": "my project"}, "project: copy the id"),
        ({"workspace": "A" * 24}, "workspace: copy the id"),
        ({"minutes": 0}, "Choose 1 to 1439 expected minutes"),
        ({"minutes": 1440}, "Choose 1 to 1439 expected minutes"),
        ({"longest_minutes": 28}, "Choose a time limit of 29 to 1439 minutes."),
        (
            {"longest_minutes": 1440},
            "Choose a time limit of 29 to 1439 minutes.",
        ),
        ({"devices": ["fridge"]}, "does not know the device “fridge”"),
        ({"handling": {"completed": "ask_return"}}, "“ask_return” is not possible after"),
        ({"handling": {"bored": "review"}}, "after “bored”"),
        ({"pricing": "friends"}, "Choose the fee that Prolific charges your"),
        ({"vat_percent": "101"}, "Choose a tax on the fee from 0 to 100 percent."),
    ],
)
def test_what_prolific_would_refuse_is_said_before(change: dict[str, Any], said: str) -> None:
    [problem] = problems(**change)

    assert said in problem


@pytest.mark.parametrize(
    ("reward", "slots", "said"),
    [
        ("1.50", 3, "at least 0.14 USD and less than the reward"),
        ("0.00", 3, "at least 0.14 USD and less than the reward"),
        ("0.13", 3, "at least 0.14 USD and less than the reward"),
        ("0.105", 3, "at most two decimals"),
        ("0.20", 0, "how many people may be screened out"),
    ],
)
def test_screening_out_has_a_price_and_a_number(reward: str, slots: int, said: str) -> None:
    [problem] = problems(
        handling={Outcome.SCREENED_OUT: "screen_out"},
        screen_out_reward=reward,
        screen_out_slots=slots,
    )

    assert said in problem


def test_a_reward_for_being_screened_out_is_refused_where_nobody_is_paid_it() -> None:
    [problem] = problems(screen_out_reward="0.20", screen_out_slots=3)

    assert "is paid only if Prolific pays them" in problem


def test_options_come_back_from_json_as_they_were() -> None:
    options = Options(
        title="Compare",
        devices=("desktop",),
        filters=(FILTER,),
        handling={"completed": "approve"},
        screen_out_reward=Decimal("0.20"),
        vat_percent=Decimal("17.5"),
        is_secure=False,
    )

    assert Options.of(json.loads(json.dumps(options.as_data()))) == options


@pytest.mark.parametrize(
    "stored",
    [
        {"title": 3, "is_secure": "yes", "longest_minutes": True, "devices": "desktop"},
        {"vat_percent": "much", "filters": ["age"], "handling": [], "devices": [1]},
        {"vat_percent": "NaN", "screen_out_reward": "1e400", "unknown": 1},
    ],
)
def test_what_nobody_wrote_that_way_is_the_default(stored: dict[str, Any]) -> None:
    assert Options.of(stored) == Options()


def test_codes_are_drawn_and_differ() -> None:
    codes = [new_codes() for _ in range(20)]

    assert all(set(one) == set(Outcome.values) for one in codes)
    assert len({code for one in codes for code in one.values()}) == 20 * len(Outcome)
    assert all(len(code) == 12 for one in codes for code in one.values())


def test_each_outcome_has_a_code_a_type_and_an_action(lab: Lab) -> None:
    listing = make_listing(
        options={
            "handling": {"completed": "approve", "screened_out": "screen_out"},
            "screen_out_reward": "0.20",
            "screen_out_slots": 2,
        }
    )
    made = {
        outcome: (code["code_type"], code["actions"][0]["action"])
        for outcome, code in zip(
            Outcome, completion_codes(listing, Options.of(listing.options)), strict=True
        )
    }

    assert made == {
        Outcome.COMPLETED: ("COMPLETED", "AUTOMATICALLY_APPROVE"),
        Outcome.FAILED_CHECKS: ("FAILED_ATTENTION_CHECK", "MANUALLY_REVIEW"),
        Outcome.SCREENED_OUT: ("FIXED_SCREENOUT", "FIXED_SCREEN_OUT_PAYMENT"),
        Outcome.NO_CONSENT: ("NO_CONSENT", "REQUEST_RETURN"),
        Outcome.NOTHING_LEFT: ("OTHER", "REQUEST_RETURN"),
        Outcome.TOO_EARLY: ("OTHER", "REQUEST_RETURN"),
    }


def test_a_listing_that_can_be_published_has_no_obstacles(lab: Lab) -> None:
    assert lab.platform.obstacles(make_listing()) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"environment": "gone"}, "no longer knows the Prolific endpoint “gone”"),
        ({"currency": "EUR"}, "Prolific pays in GBP or USD"),
        ({"reward": Decimal(0)}, "Offer a reward above 0"),
        ({"n_places": 0}, "between 1 and 100000 places"),
        ({"codes": {}}, "The listing has no completion codes. Remove it"),
        (
            {"codes": dict.fromkeys(Outcome.values, "SAME")},
            "The listing has no completion codes. Remove it",
        ),
    ],
)
def test_what_stands_in_the_way_is_said(lab: Lab, change: dict[str, Any], said: str) -> None:
    [obstacle] = lab.platform.obstacles(make_listing(**change))

    assert said in str(obstacle)


def test_missing_credentials_and_address_are_said(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")
    settings.PUBLIC_URL = ""

    credentials, address = map(str, lab.platform.obstacles(make_listing()))

    assert "lacks PROLIFIC_TOKEN_LAB" in credentials
    assert "LIKENESS_PUBLIC_URL" in address


def test_environments_are_prolific_and_what_the_operator_names(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", "secret")
    settings.PROLIFIC_ENDPOINTS = {"my-lab": ["https://lab.example/api/v1", "https://lab.example"]}

    production, lab = Prolific().environments()

    assert (production.name, production.endpoint) == (
        "production",
        "https://api.prolific.com/api/v1",
    )
    assert production.missing == ()
    assert (lab.name, lab.missing) == ("my-lab", ("PROLIFIC_TOKEN_MY_LAB",))
