"""Who may see, preview and accept what; grants, messages, blocks."""

from datetime import timedelta
from typing import Any

import pytest

from tests.simulators.crowd import ANSWER, answered, create_hit, refusal, submit_one
from tests.simulators.mturk import MturkSimulator
from tests.simulators.mturk.bot import BotRefusedError, WorkerBot
from tests.simulators.mturk.entities import Grant, Worker
from tests.simulators.mturk.qualifying import ADULT, LOCALE, N_APPROVED, PERCENT_APPROVED, meets
from tests.simulators.mturk.world import MASTERS, World


def _world() -> World:
    """Worker A1 scores 80 in the qualification Q."""
    world = World("production", 0, 0.0)
    world.grants["Q/A1"] = Grant("Q", "A1", 80, 0.0, 1)
    return world


@pytest.mark.parametrize(
    ("comparator", "values", "met"),
    [
        ("LessThan", [80], False),
        ("LessThan", [81], True),
        ("LessThanOrEqualTo", [80], True),
        ("LessThanOrEqualTo", [79], False),
        ("GreaterThan", [80], False),
        ("GreaterThan", [79], True),
        ("GreaterThanOrEqualTo", [80], True),
        ("GreaterThanOrEqualTo", [81], False),
        ("EqualTo", [80], True),
        ("EqualTo", [8], False),
        ("NotEqualTo", [80], False),
        ("NotEqualTo", [8], True),
        ("In", [8, 80], True),
        ("In", [8, 81], False),
        ("NotIn", [8, 80], False),
        ("NotIn", [8, 81], True),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_comparators(comparator: str, values: list[int], met: bool) -> None:
    requirement = {
        "QualificationTypeId": "Q",
        "Comparator": comparator,
        "IntegerValues": values,
    }

    assert meets(_world(), Worker("A1"), requirement) is met
    # Without the qualification, only its absence can be satisfied.
    lacks_it = comparator == "DoesNotExist"
    assert meets(_world(), Worker("A2"), requirement) is lacks_it


@pytest.mark.parametrize(
    ("comparator", "places", "met"),
    [
        ("In", [("DE", ""), ("AT", "")], True),
        ("In", [("AT", ""), ("CH", "")], False),
        ("EqualTo", [("DE", "BE")], True),
        ("EqualTo", [("DE", "BY")], False),
        ("NotEqualTo", [("DE", "BY")], True),
        ("NotIn", [("DE", "")], False),
    ],
)
def test_places(comparator: str, places: list[tuple[str, str]], met: bool) -> None:
    requirement = {
        "QualificationTypeId": LOCALE,
        "Comparator": comparator,
        "LocaleValues": [
            {"Country": country} | ({"Subdivision": part} if part else {})
            for country, part in places
        ],
    }

    berliner = Worker("A1", country="DE", subdivision="BE")

    assert meets(_world(), berliner, requirement) is met


@pytest.mark.parametrize(
    ("type_id", "profile", "met"),
    [
        (N_APPROVED, {"approved": 98}, False),
        (N_APPROVED, {"approved": 99}, True),
        (PERCENT_APPROVED, {"approved": 100, "percent": 98}, False),
        (PERCENT_APPROVED, {"approved": 100, "percent": 99}, True),
        # Whoever submitted fewer than a hundred counts as wholly approved.
        (PERCENT_APPROVED, {"approved": 20, "submitted": 99, "percent": 20}, True),
        (PERCENT_APPROVED, {"approved": 20, "submitted": 100, "percent": 20}, False),
    ],
)
def test_what_a_profile_scores(type_id: str, profile: dict[str, Any], met: bool) -> None:
    requirement = {
        "QualificationTypeId": type_id,
        "Comparator": "GreaterThan",
        "IntegerValues": [98],
    }

    assert meets(_world(), Worker("A1", **profile), requirement) is met


def test_approved_work_counts_in_the_profile(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    create_hit(
        client,
        Title="For the experienced",
        QualificationRequirements=[
            {
                "QualificationTypeId": N_APPROVED,
                "Comparator": "GreaterThan",
                "IntegerValues": [0],
            }
        ],
    )
    bot = WorkerBot(mturk.worker_site, "A1")

    with pytest.raises(BotRefusedError) as caught:
        bot.accept()
    assert caught.value.outcome == "not_qualified"
    client.approve_assignment(AssignmentId=assignment)

    assert bot.work(answered) == "submitted"


@pytest.mark.parametrize(
    ("type_id", "profile"), [(MASTERS["production"], {"masters": True}), (ADULT, {"adult": True})]
)
def test_masters_and_adults(
    mturk: MturkSimulator, client: Any, type_id: str, profile: dict[str, Any]
) -> None:
    hit = create_hit(
        client,
        QualificationRequirements=[{"QualificationTypeId": type_id, "Comparator": "Exists"}],
    )
    mturk.add_worker("A1", **profile)

    with pytest.raises(BotRefusedError):
        WorkerBot(mturk.worker_site, "A2").accept(hit["HITGroupId"])

    assert WorkerBot(mturk.worker_site, "A1").work(answered) == "submitted"


@pytest.mark.parametrize(
    ("guarded", "listed", "previewed"),
    [
        ("Accept", True, True),
        ("PreviewAndAccept", False, False),
        ("DiscoverPreviewAndAccept", False, False),
    ],
)
def test_guarded_actions(
    mturk: MturkSimulator, client: Any, guarded: str, listed: bool, previewed: bool
) -> None:
    title = "Only in Germany"
    hit = create_hit(
        client,
        Title=title,
        QualificationRequirements=[
            {
                "QualificationTypeId": LOCALE,
                "Comparator": "In",
                "LocaleValues": [{"Country": "DE"}],
                "ActionsGuarded": guarded,
            }
        ],
    )
    mturk.add_worker("A1", country="CZ")
    bot = WorkerBot(mturk.worker_site, "A1")

    assert (title in bot.read("/projects")) is (guarded != "DiscoverPreviewAndAccept")
    assert (bot.groups() == [hit["HITGroupId"]]) is listed
    if previewed:
        assert bot.preview(hit["HITGroupId"]).is_preview
    else:
        with pytest.raises(BotRefusedError) as caught:
            bot.preview(hit["HITGroupId"])
        assert caught.value.outcome == "not_qualified"
    with pytest.raises(BotRefusedError) as caught:
        bot.accept(hit["HITGroupId"], hit["HITId"])
    assert caught.value.outcome == "not_qualified"
    german = WorkerBot(mturk.worker_site, mturk.add_worker("A2", country="DE"))
    assert german.work(answered) == "submitted"


def _own_type(client: Any, name: str = "took part") -> str:
    made = client.create_qualification_type(
        Name=name, Description="Took part before", QualificationTypeStatus="Active"
    )
    return str(made["QualificationType"]["QualificationTypeId"])


def test_own_qualifications_let_people_in_and_keep_them_out(
    mturk: MturkSimulator, client: Any
) -> None:
    type_id = _own_type(client)
    create_hit(
        client,
        MaxAssignments=2,
        QualificationRequirements=[
            {
                "QualificationTypeId": type_id,
                "Comparator": "DoesNotExist",
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
        ],
    )
    bot = WorkerBot(mturk.worker_site, "A1")
    held = bot.accept()
    grant = {"QualificationTypeId": type_id, "WorkerId": "A1"}

    client.associate_qualification_with_worker(**grant, IntegerValue=1)
    # Who is at work already may finish.
    assert bot.submit(held, ANSWER) == "submitted"
    assert bot.groups() == []
    assert client.get_qualification_score(**grant)["Qualification"]["IntegerValue"] == 1
    listed = client.list_workers_with_qualification_type(QualificationTypeId=type_id)
    assert [row["WorkerId"] for row in listed["Qualifications"]] == ["A1"]
    client.disassociate_qualification_from_worker(**grant, Reason="by mistake")

    score = client.get_qualification_score(**grant)["Qualification"]
    assert score["Status"] == "Revoked"
    again = refusal(client.disassociate_qualification_from_worker, **grant)
    assert again[0] == "InvalidQualificationState"


def test_a_grant_takes_effect_after_its_lag(mturk: MturkSimulator, client: Any) -> None:
    mturk.configure(qual_effect_lag_s=60, qual_index_lag_s=30)
    type_id = _own_type(client)
    create_hit(
        client,
        MaxAssignments=3,
        QualificationRequirements=[
            {
                "QualificationTypeId": type_id,
                "Comparator": "EqualTo",
                "IntegerValues": [1],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
        ],
    )
    bot = WorkerBot(mturk.worker_site, "A1")
    listing = {"MustBeRequestable": False, "MustBeOwnedByCaller": True}
    assert client.list_qualification_types(**listing)["QualificationTypes"] == []

    client.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId="A1", IntegerValue=1
    )
    mturk.advance(59)
    assert bot.groups() == []
    assert client.list_qualification_types(**listing)["NumResults"] == 1
    mturk.advance(1)
    assert len(bot.groups()) == 1
    client.disassociate_qualification_from_worker(QualificationTypeId=type_id, WorkerId="A1")

    assert len(bot.groups()) == 1
    mturk.advance(60)
    assert bot.groups() == []


def test_names_of_types_are_unique_until_two_days_after_deletion(
    mturk: MturkSimulator, client: Any
) -> None:
    values = {"Name": "n", "Description": "d", "QualificationTypeStatus": "Active"}
    type_id = client.create_qualification_type(**values)["QualificationType"][
        "QualificationTypeId"
    ]
    code, message = refusal(client.create_qualification_type, **values)
    assert code == "QualificationTypeAlreadyExists"
    assert message.startswith("You have already created a QualificationType with this name.")
    found = client.list_qualification_types(
        Query="n", MustBeRequestable=False, MustBeOwnedByCaller=True
    )
    assert [row["QualificationTypeId"] for row in found["QualificationTypes"]] == [type_id]

    client.delete_qualification_type(QualificationTypeId=type_id)

    missing = refusal(client.get_qualification_type, QualificationTypeId=type_id)
    assert missing[0] == "QualificationTypeDoesNotExist"
    mturk.advance(timedelta(hours=47))
    assert refusal(client.create_qualification_type, **values)[0] == code
    mturk.advance(timedelta(hours=1))
    client.create_qualification_type(**values)


def test_types_are_updated_and_inactive_ones_are_not_granted(
    mturk: MturkSimulator, client: Any
) -> None:
    type_id = _own_type(client)
    mturk.add_worker("A1")
    grant = {"QualificationTypeId": type_id, "WorkerId": "A1"}

    shown = client.update_qualification_type(
        QualificationTypeId=type_id, Description="new", QualificationTypeStatus="Inactive"
    )["QualificationType"]
    closed = refusal(client.associate_qualification_with_worker, **grant, IntegerValue=1)
    without = refusal(client.associate_qualification_with_worker, **grant)
    system = refusal(client.delete_qualification_type, QualificationTypeId=LOCALE)

    assert (shown["Description"], shown["QualificationTypeStatus"]) == ("new", "Inactive")
    assert closed[0] == "InvalidQualificationTypeState"
    assert without[0] == "InvalidParameterValue"
    assert system[0] == "PermissionDeniedException"


def test_blocked_workers_accept_nothing(mturk: MturkSimulator, client: Any) -> None:
    create_hit(client)
    bot = WorkerBot(mturk.worker_site, "A1")
    client.create_worker_block(WorkerId="A1", Reason="spam")

    with pytest.raises(BotRefusedError) as caught:
        bot.accept()
    assert caught.value.outcome == "blocked"
    assert client.list_worker_blocks()["WorkerBlocks"] == [{"WorkerId": "A1", "Reason": "spam"}]
    client.delete_worker_block(WorkerId="A1")

    assert bot.work(answered) == "submitted"


def test_messages_reach_those_whose_work_was_reviewed(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, MaxAssignments=2)
    first = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    submit_one(client, WorkerBot(mturk.worker_site, "A2"), hit)
    client.approve_assignment(AssignmentId=first)

    sent = client.notify_workers(
        Subject="Part 2", MessageText="It is open.", WorkerIds=["A1", "A2"]
    )

    failed = sent["NotifyWorkersFailureStatuses"]
    assert [(row["WorkerId"], row["NotifyWorkersFailureCode"]) for row in failed] == [
        ("A2", "HardFailure")
    ]
    assert [letter["worker_id"] for letter in mturk.letters()] == ["A1"]
    assert "It is open." in WorkerBot(mturk.worker_site, "A1").read("/messages")
    too_many = refusal(client.notify_workers, Subject="s", MessageText="m", WorkerIds=["A1"] * 101)
    assert too_many[0] == "InvalidParameterValue"
