"""Who may take part: the filters that Prolific has and those of a listing, studies and people."""

from typing import Any

import pytest

from annotation.core.platforms.errors import RefusedError, UnavailableError
from annotation.core.platforms.people_filters import PeopleFilter, Selection
from annotation.crowds.platforms.prolific.options import Options
from annotation.models import Listing
from tests.crowds.platforms.prolific_lab import Lab, make_listing, person_id


def filter_of(lab: Lab, key: str, listing: Listing | None = None) -> PeopleFilter:
    filters = lab.platform.people_filters(listing or make_listing())
    return next(each for each in filters if each.key == key)


def choose(lab: Lab, listing: Listing, key: str, **selection: Any) -> None:
    people_filter = filter_of(lab, key, listing)
    listing.options = lab.platform.with_filter(listing, people_filter, Selection(**selection))
    listing.save()


def calls(lab: Lab, path: str) -> int:
    return sum(row["path"] == f"/api/v1/{path}" for row in lab.sim.journal())


def test_the_list_of_filters_is_asked_for_once_an_hour(lab: Lab) -> None:
    first = lab.platform.people_filters(make_listing())
    again = lab.platform.people_filters(make_listing())

    assert first == again
    assert calls(lab, "filters/") == 1
    assert [each.title for each in first] == sorted(each.title for each in first)
    # Ids of people are pasted into the listing.
    assert "custom_allowlist" not in {each.key for each in first}


def test_filters_of_a_form_that_nobody_documented_are_left_out(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.simulators.prolific import audience

    odd: list[dict[str, Any]] = [
        {"filter_id": 3, "type": "range", "data_type": "integer"},
        {"filter_id": "a", "type": "tree", "choices": {"0": "x"}},
        {"filter_id": "b", "type": "range", "data_type": "colour", "min": 0, "max": 1},
        {"filter_id": "c", "type": "select", "data_type": "ChoiceID", "choices": []},
        {"filter_id": "e", "type": "select", "data_type": "ParticipantID", "choices": {"x": "y"}},
        {"filter_id": "d", "type": "range", "data_type": "date", "min": "x", "max": None},
    ]
    monkeypatch.setattr(audience, "catalogue", lambda world: odd)

    [only] = lab.platform.people_filters(make_listing())

    assert (only.key, only.title, only.least, only.most) == ("d", "d", None, None)


def test_without_a_token_nothing_is_asked_and_the_reason_is_said(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN_LAB")

    with pytest.raises(UnavailableError, match="PROLIFIC_TOKEN_LAB"):
        lab.platform.people_filters(make_listing())
    assert lab.sim.journal() == []


def test_a_draft_has_the_filters_that_were_chosen(lab: Lab) -> None:
    listing = make_listing()
    choose(lab, listing, "age", lower=18, upper=20)
    choose(lab, listing, "age", lower=30)
    choose(lab, listing, "sex", values=["0", "1"], is_balanced=True)
    choose(lab, listing, "handedness", values=["1"])
    choose(lab, listing, "joined", upper=filter_of(lab, "joined").most)
    words = [str(each.words) for each in lab.platform.chosen_filters(listing)]
    listing.options = lab.platform.without_filter(listing, "handedness")
    listing.save()

    key = lab.publish(listing)

    assert lab.sim.study(key)["filters"] == [
        {"filter_id": "age", "selected_range": {"lower": 30}},
        {"filter_id": "sex", "selected_values": ["0", "1"], "weightings": {"0": 1, "1": 1}},
        {"filter_id": "joined", "selected_range": {"upper": "2026-12-31"}},
    ]
    assert words == [
        "Age: at least 30",
        "Sex: Male, Female, equally many of each",
        "Handedness: Left-handed",
        "Joined Prolific: at most 2026-12-31",
    ]
    shown = [each.selection for each in lab.platform.chosen_filters(listing)]
    assert shown[0] == Selection(lower=30)
    assert shown[2] == Selection(upper=filter_of(lab, "joined").most)


def test_people_of_earlier_studies_and_pasted_ones_are_kept_out_or_let_in(lab: Lab) -> None:
    pilot, earlier = make_listing(), make_listing()
    excluded, allowed = lab.publish(pilot), lab.publish(earlier)
    # More places of a listing are another study: its people count, too.
    more = lab.publish(pilot, prefix="more:")
    listing = make_listing(
        options={
            "excluded_studies": [excluded],
            "allowed_studies": [allowed],
            "excluded_people": [person_id(901)],
            "allowed_people": [person_id(902), person_id(903)],
        }
    )

    key = lab.publish(listing)

    assert {row["filter_id"]: row["selected_values"] for row in lab.sim.study(key)["filters"]} == {
        "previous_studies_blocklist": [excluded, more],
        "previous_studies_allowlist": [allowed],
        "custom_blocklist": [person_id(901)],
        "custom_allowlist": [person_id(902), person_id(903)],
    }
    # Ids of people stay in the listing, from which they are erased.
    payloads = str(list(listing.intents.values_list("payload", flat=True)))
    assert person_id(901) not in payloads


def test_studies_made_elsewhere_are_picked_and_those_of_colleagues_are_not_named(
    lab: Lab,
) -> None:
    excluded = lab.publish(make_listing())
    studies, elsewhere = lab.sim.world.state["studies"], "e" * 24
    studies[elsewhere] = {**studies[excluded], "id": elsewhere, "internal_name": "Survey"}
    listing = make_listing(options={"excluded_studies": [excluded]})

    # A study's internal name has its title: not everybody on this server may read it.
    assert filter_of(lab, "previous_studies_blocklist").choices == {elsewhere: "Survey"}
    choose(lab, listing, "previous_studies_blocklist", values=[elsewhere])

    [only] = lab.sim.study(lab.publish(listing))["filters"]
    assert only["selected_values"] == [elsewhere, excluded]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sex": None}, "sex"),
        ({"age": {"selected_range": {"lower": 18}}}, "age"),
        ({"sex": {"selected_values": ["0"]}}, "sex"),
        ({"sex": {"weightings": {"0": 2, "1": 1}}}, "sex"),
        ({"sex": {"weightings": {"1": 50, "0": 50.0}}, "age": {"title": "Age"}}, ""),
    ],
)
def test_a_draft_with_other_filters_is_not_published(
    lab: Lab, changes: dict[str, Any], named: str
) -> None:
    listing = make_listing()
    choose(lab, listing, "age", lower=30)
    choose(lab, listing, "sex", values=["0", "1"], is_balanced=True)
    draft, publish = lab.platform.plan_publishing(listing)
    key = lab.send(lab.plan(listing, draft)).remote_id
    drafted = lab.sim.world.state["studies"][key]
    drafted["filters"] = [
        row | (changes.get(row["filter_id"]) or {})
        for row in drafted["filters"]
        if changes.get(row["filter_id"], row) is not None
    ]

    if named:
        with pytest.raises(RefusedError, match=named):
            lab.send(lab.plan(listing, publish))
    else:
        lab.send(lab.plan(listing, publish))

    assert lab.sim.study(key)["status"] == ("UNPUBLISHED" if named else "ACTIVE")


def test_the_eligible_people_pass_all_that_the_draft_asks(lab: Lab) -> None:
    for n in range(30):
        lab.sim.participant(person_id(800 + n), age=18 + n)
    listing = make_listing(
        options={"excluded_people": [person_id(800)], "workspace": lab.sim.workspace}
    )

    assert lab.platform.n_eligible(listing) == 29
    choose(lab, listing, "age", lower=20)
    assert lab.platform.n_eligible(listing) == 28


@pytest.mark.parametrize(
    "options",
    [
        {"excluded_studies": ["a" * 24], "allowed_studies": ["b" * 24, "a" * 24]},
        {"excluded_people": ["a" * 24], "allowed_people": ["a" * 24]},
        {"allowed_people": ["A" * 24]},
    ],
)
def test_what_lets_nobody_in_is_an_obstacle(lab: Lab, options: dict[str, Any]) -> None:
    assert len(lab.platform.obstacles(make_listing(options=options))) == 1


def test_a_later_part_has_a_group_of_its_own(lab: Lab) -> None:
    filters = [{"filter_id": "participant_group_allowlist", "selected_values": ["a" * 24]}]
    listing = make_listing(
        phase_number=2, options={"filters": filters, "workspace": lab.sim.workspace}
    )

    assert len(lab.platform.obstacles(listing)) == 1
    assert Options.of(listing.options).filters == tuple(filters)
