"""What a listing may ask of Mechanical Turk: limits that its client does not check."""

from typing import Any

import pytest

from annotation.crowds.platforms.mturk import qualifications
from annotation.crowds.platforms.mturk.options import Options
from tests.crowds.platforms.mturk_desk import make_listing

_GOOD = {"title": "Compare texts", "description": "Say which are alike."}


def _problems(**changes: Any) -> list[str]:
    return [str(one) for one in Options.of({**_GOOD, **changes}).problems()]


def test_the_defaults_with_a_title_and_a_description_are_taken() -> None:
    assert _problems() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": " "}, "Write a title"),
        ({"description": ""}, "Write a description"),
        ({"title": "t" * 129}, "title: Mechanical Turk allows at most 128 characters, not 129"),
        ({"description": "d" * 2001}, "description: Mechanical Turk allows at most 2000"),
        ({"keywords": "k" * 1001}, "keywords: Mechanical Turk allows at most 1000"),
        ({"title": "a\x07b"}, "title contains a control character"),
        ({"duration_minutes": 0}, "between 1 minute and 365 days for one task"),
        ({"duration_minutes": 365 * 24 * 60 + 1}, "between 1 minute and 365 days"),
        ({"lifetime_hours": 0}, "Offer the tasks for 1 hour to 365 days."),
        ({"lifetime_hours": 365 * 24 + 1}, "Offer the tasks for 1 hour to 365 days."),
        ({"auto_approval_hours": -1}, "0 hours to 30 days"),
        ({"auto_approval_hours": 721}, "0 hours to 30 days"),
        ({"frame_height": 699}, "choose 700 to 10000 pixels"),
        ({"assignments_per_hit": 10}, "A HIT has 1 to 9 assignments: from 10"),
        ({"assignments_per_hit": 0}, "1 to 9 assignments"),
        ({"locales": ["DE"] * 31}, "at most 30 countries"),
        ({"locales": ["Germany"]}, "the country “Germany”"),
        ({"locales": ["de"]}, "the country “de”"),
        ({"least_approval_rate": 100}, "from 0 to 99 percent"),
        ({"least_approved": -1, "least_approval_rate": 0}, "from 0 to 1000000"),
        ({"least_approved": 99}, "at least 100 approved HITs"),
    ],
)
def test_what_the_service_would_refuse_is_one_sentence(changes: dict[str, Any], said: str) -> None:
    (problem,) = _problems(**changes)

    assert said in problem
    assert problem.endswith(".")


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "t" * 128, "description": "d" * 2000, "keywords": "k" * 1000},
        {"duration_minutes": 365 * 24 * 60, "lifetime_hours": 365 * 24},
        {"auto_approval_hours": 0},
        {"auto_approval_hours": 720, "frame_height": 700},
        {"locales": ["US-NY", "DE"], "least_approval_rate": 0, "least_approved": 0},
    ],
)
def test_the_limits_themselves_are_taken(changes: dict[str, Any]) -> None:
    assert _problems(**changes) == []


def test_options_come_back_from_a_row_as_they_were_and_wrong_types_as_defaults() -> None:
    options = Options(title="T", locales=("DE", "US-NY"), once=False, lifetime_hours=5)

    assert Options.of(options.as_data()) == options
    assert Options.of({"title": 3, "once": 1, "lifetime_hours": True, "x": 1}) == Options()


def test_approval_above_98_percent_and_germany() -> None:
    found = qualifications.required(Options(locales=("DE", "US-NY")), "lab")

    assert found == [
        {
            "QualificationTypeId": "000000000000000000L0",
            "Comparator": "GreaterThan",
            "IntegerValues": [98],
            "ActionsGuarded": "Accept",
        },
        {
            "QualificationTypeId": "00000000000000000040",
            "Comparator": "GreaterThan",
            "IntegerValues": [100],
            "ActionsGuarded": "Accept",
        },
        {
            "QualificationTypeId": "00000000000000000071",
            "Comparator": "In",
            "LocaleValues": [{"Country": "DE"}, {"Country": "US", "Subdivision": "NY"}],
            "ActionsGuarded": "Accept",
        },
    ]


def test_masters_are_others_in_the_sandbox() -> None:
    options = Options(masters=True, least_approval_rate=0, least_approved=0)

    (here,) = qualifications.required(options, "lab")
    (there,) = qualifications.required(options, "sandbox")

    assert here["QualificationTypeId"] == "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
    assert there["QualificationTypeId"] == "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"


@pytest.mark.django_db
def test_a_later_part_is_for_those_who_were_let_in() -> None:
    first = make_listing()
    second = make_listing(study=first.study, phase_number=2)
    other = make_listing(phase_number=2)

    (done,) = qualifications.own_required(first, Options())
    done_second, entrance = qualifications.own_required(second, Options())

    assert done["comparator"] == done_second["comparator"] == "DoesNotExist"
    assert entrance["comparator"] == "Exists"
    names = {done["name"], done_second["name"], entrance["name"]}
    assert len(names) == 3
    assert names.isdisjoint(one["name"] for one in qualifications.own_required(other, Options()))
    assert qualifications.own_required(first, Options(once=False)) == []
