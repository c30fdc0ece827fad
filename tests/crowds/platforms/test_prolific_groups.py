"""The second part, 72 hours later: a study that only those see who are in its group."""

import pytest

from annotation.core.platforms.base import Again, LookUpResult, Planned
from annotation.core.platforms.errors import DoubtfulError, RefusedError
from annotation.models import Intent, Listing
from tests.crowds.platforms.prolific_lab import Lab, make_listing, person_id
from tests.simulators.prolific import PlaceRefusedError

KIND = Intent.Kind


@pytest.fixture
def first(lab: Lab) -> Listing:
    listing = make_listing()
    lab.publish(listing)
    return listing


@pytest.fixture
def second(lab: Lab, first: Listing) -> Listing:
    return make_listing(
        study=first.study, phase_number=2, options={"workspace": lab.sim.workspace}
    )


def granting(lab: Lab, first: Listing, second: Listing, kind: Intent.Kind = KIND.GRANT) -> Intent:
    visit = first.visits.first() or lab.visit(first)
    return lab.plan(second, Planned(kind, "listing 2"), visit=visit)


def offered(lab: Lab, intent: Intent) -> list[str]:
    assert intent.visit is not None
    bot = lab.sim.bot(intent.visit.person.platform_id)
    return [study["id"] for study in bot.studies()]


def test_a_later_part_is_published_for_a_group_that_is_empty(lab: Lab, second: Listing) -> None:
    key = lab.publish(second)

    [group] = lab.sim.world.state["groups"].values()
    assert lab.sim.study(key)["filters"] == [
        {"filter_id": "participant_group_allowlist", "selected_values": [group["id"]]}
    ]
    assert group["members"] == {}
    assert group["workspace_id"] == lab.sim.workspace
    with pytest.raises(PlaceRefusedError, match="not eligible"):
        lab.sim.bot(person_id(77)).reserve(key)


def test_who_is_let_in_sees_it_from_then_on(lab: Lab, first: Listing, second: Listing) -> None:
    key = lab.publish(second)
    intent = granting(lab, first, second)
    lab.advance(hours=72)
    assert offered(lab, intent) == []

    lab.send(intent)

    assert offered(lab, intent) == [key]


def test_letting_in_twice_is_letting_in_once(lab: Lab, first: Listing, second: Listing) -> None:
    lab.publish(second)
    intent = granting(lab, first, second)
    lab.send(intent)

    lab.send(intent)

    [group] = lab.sim.world.state["groups"].values()
    assert list(group["members"]) == [intent.visit.person.platform_id]
    assert lab.platform.again(intent) is Again.HARMLESS


@pytest.mark.parametrize("kind", [KIND.GRANT, KIND.REVOKE])
def test_a_lost_answer_is_looked_up_in_the_group(
    lab: Lab, first: Listing, second: Listing, kind: Intent.Kind
) -> None:
    lab.publish(second)
    if kind == KIND.REVOKE:
        lab.send(granting(lab, first, second))
    intent = granting(lab, first, second, kind)
    lab.sim.fault("commit_then_drop", path="/participants/")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.DONE


@pytest.mark.parametrize("kind", [KIND.GRANT, KIND.REVOKE])
def test_what_did_not_arrive_is_known_after_a_while(
    lab: Lab, first: Listing, second: Listing, kind: Intent.Kind
) -> None:
    lab.publish(second)
    if kind == KIND.REVOKE:
        lab.send(granting(lab, first, second))
    intent = granting(lab, first, second, kind)
    lab.sim.fault("500_before", path="/participants/")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    assert lab.look_up(intent).result is LookUpResult.UNKNOWN
    lab.advance(minutes=6)

    assert lab.look_up(intent).result is LookUpResult.NOT_DONE


def test_who_is_shut_out_does_not_see_it_any_more(
    lab: Lab, first: Listing, second: Listing
) -> None:
    lab.publish(second)
    intent = granting(lab, first, second)
    lab.send(intent)

    lab.send(granting(lab, first, second, KIND.REVOKE))

    assert offered(lab, intent) == []


def test_a_group_whose_answer_was_lost_is_adopted_by_its_name(lab: Lab, second: Listing) -> None:
    intent = lab.plan(second, lab.platform.plan_publishing(second)[0])
    lab.sim.fault("commit_then_drop", path="/participant-groups/$", method="POST")
    with pytest.raises(DoubtfulError):
        lab.send(intent)

    found = lab.look_up(intent)

    assert found.result is LookUpResult.DONE
    assert [*lab.sim.world.state["groups"]] == [found.sent.remote_id]
    [group] = lab.sim.world.state["groups"].values()
    assert intent.reference in group["name"]
    assert lab.platform.is_marked(intent)


def test_a_listing_has_one_group_however_often_it_is_published(lab: Lab, second: Listing) -> None:
    lab.sim.set_wallet(0)
    with pytest.raises(RefusedError, match="not enough money"):
        lab.publish(second)
    lab.sim.set_wallet(100_000)

    lab.publish(second)

    assert len(lab.sim.world.state["groups"]) == 1


def test_without_a_group_nobody_is_let_in(lab: Lab, first: Listing, second: Listing) -> None:
    with pytest.raises(RefusedError, match="The later part has no participant group on"):
        lab.send(granting(lab, first, second))


def test_a_later_part_needs_a_workspace_whatever_its_project(lab: Lab, second: Listing) -> None:
    assert lab.platform.obstacles(second) == []
    second.options["project"] = second.options.pop("workspace")

    [said] = lab.platform.obstacles(second)

    assert "Give the id of your workspace" in str(said)
