"""A panel: what is configured, what an address says, where the last page leads."""

import pytest

from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Launch
from annotation.core.platforms.errors import LaunchError
from annotation.crowds.platforms.panel import ADDRESS_LIMIT, Options, Panel
from annotation.models import Person, Visit
from annotation.models.kinds import CrowdPlatform, Outcome
from tests.support.crowds import make_listing
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing():
    return make_listing(make_study())


def completion(listing, outcome=Outcome.COMPLETED, *, person="p1", submission="s1", **redirects):
    listing.options = {**listing.options, "redirects": redirects}
    visit = Visit(listing=listing, submission_id=submission, person=Person(platform_id=person))
    return Panel().completion(visit, outcome, "receipt")


def test_it_is_found_by_its_key_and_needs_nothing() -> None:
    panel = platform_of(CrowdPlatform.PANEL)

    assert isinstance(panel, Panel)
    assert [(e.name, e.missing, e.closed) for e in panel.environments()] == [("", (), "")]
    assert not panel.capabilities.is_paid
    assert not panel.capabilities.shows_submissions


def test_it_costs_nothing_and_publishing_asks_for_nothing(listing) -> None:
    estimate = Panel().estimate(listing)

    assert (estimate.worst, estimate.expected, estimate.lines) == (0, 0, [])
    assert Panel().plan_publishing(listing) == []


def test_options_come_back_as_they_were_kept() -> None:
    options = Options("pid", "sid", {"study": "7"}, {"completed": "https://panel.example/"})

    assert Options.of({**options.as_json, "checks_wanted": "0.5"}) == options
    assert options.problems() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"person": ""}, "is not a valid parameter name. Use letters"),
        ({"person": "a b"}, "is not a valid parameter name. Use letters"),
        ({"person": "1st"}, "is not a valid parameter name. Use letters"),
        ({"person": "x", "submission": "x"}, "same name"),
        ({"expected": {"participant": "1"}}, "same name"),
        ({"expected": {"study": ""}}, "The value of study"),
        ({"expected": {"study": "a\nb"}}, "The value of study"),
        ({"redirects": {"won": "https://panel.example/"}}, "is not an outcome; choose one of"),
    ],
)
def test_what_is_wrong_is_said(changes, said: str) -> None:
    [problem] = Options(**changes).problems()

    assert said in str(problem)


@pytest.mark.parametrize(
    "address",
    [
        "http://panel.example/",
        "javascript:alert(1)",
        "//panel.example/",
        "https://",
        "https:///path",
        "https://{person}/",
        "https://{person}.panel.example/",
        "https://user@panel.example/",
        "https://user:{person}@panel.example/",
        "https://panel.example:port/",
        "https://panel.example/{secret}",
        "https://panel.example/{person",
        "https://panel.example/ x",
        "https://panel.example/\n",
        "https://panel.example\\@evil.example/",
        "https://[panel.example/",
        "{person}://panel.example/",
        "https://panel.example/" + "x" * ADDRESS_LIMIT,
    ],
)
def test_an_address_that_cannot_be_trusted_is_refused_at_once_and_at_use(listing, address) -> None:
    options = Options(submission="session", redirects={"completed": address})
    [problem] = options.problems()
    assert "completed" in str(problem)

    assert completion(listing, completed=address).url == ""
    assert completion(listing, completed=address).code == "CODE-COMPLETED"


def test_a_sitting_that_no_parameter_says_is_not_put_into_an_address() -> None:
    address = "https://panel.example/?s={submission}"

    assert "but no parameter provides that id." in str(
        Options(redirects={"completed": address}).problems()[0]
    )


def test_ids_are_filled_in_once_and_quoted(listing) -> None:
    there = "https://panel.example/{person}?s={submission}&p={person}"
    made = completion(listing, person="a/b&c", submission="{person}", completed=there)

    assert made.url == "https://panel.example/a%2Fb%26c?s=%7Bperson%7D&p=a%2Fb%26c"
    assert made.code == ""


@pytest.mark.parametrize("outcome", Outcome)
def test_each_outcome_has_its_own_address_or_code(listing, outcome: Outcome) -> None:
    assert completion(listing, outcome).code == f"CODE-{outcome.upper()}"
    there = f"https://panel.example/{outcome}"
    assert completion(listing, outcome, **{outcome: there}).url == there


def test_a_launch_says_who_comes_in_which_sitting(listing) -> None:
    query = {"participant": "p-1@x.org", "session": "s.1", "other": "ignored"}

    assert Panel().read_launch(listing, query) == Launch("p-1@x.org", "s.1")


def test_expected_parameters_tell_another_tasks_address_apart(listing) -> None:
    listing.options = {**listing.options, "expected": {"project": "7"}}
    query = {"participant": "p", "session": "s"}

    assert Panel().read_launch(listing, {**query, "project": "7"}).person_id == "p"
    for wrong in ({}, {"project": ""}, {"project": "8"}):
        with pytest.raises(LaunchError, match="another task"):
            Panel().read_launch(listing, {**query, **wrong})


def test_obstacles_are_those_of_the_options(listing) -> None:
    assert Panel().obstacles(listing) == []
    listing.options = {"person": "no name"}
    assert len(Panel().obstacles(listing)) == 1
