"""UniqueRequestTokens: one success each for a day, errors for repeats."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.simulators.crowd import create_hit, hit_values, refusal, submit_one
from tests.simulators.mturk import MturkSimulator
from tests.simulators.mturk.bot import WorkerBot

Tokened = tuple[Callable[..., Any], dict[str, Any], str]
_OPERATIONS = ["CreateHIT", "CreateHITWithHITType", "CreateAdditional", "SendBonus"]


@pytest.fixture(params=_OPERATIONS)
def tokened(request: pytest.FixtureRequest, mturk: MturkSimulator, client: Any) -> Tokened:
    """A call that takes a token, its values, and the code of a repeat."""
    token = {"UniqueRequestToken": "intent-1"}
    values = hit_values(**token)
    if request.param == "CreateHIT":
        return client.create_hit, values, "HitAlreadyExists"
    hit = create_hit(client, MaxAssignments=3)
    if request.param == "CreateHITWithHITType":
        values = {
            "HITTypeId": hit["HITTypeId"],
            "LifetimeInSeconds": 7 * 86_400,
            "Question": hit["Question"],
        }
        return client.create_hit_with_hit_type, values | token, "HitAlreadyExists"
    if request.param == "CreateAdditional":
        mturk.advance(5)
        values = {"HITId": hit["HITId"], "NumberOfAdditionalAssignments": 1}
        return client.create_additional_assignments_for_hit, values | token, "DuplicateRequest"
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    values = {
        "WorkerId": "A1",
        "AssignmentId": assignment,
        "BonusAmount": "0.50",
        "Reason": "More",
    }
    return client.send_bonus, values | token, "DuplicateRequest"


def test_a_token_lives_for_a_day(mturk: MturkSimulator, tokened: Tokened) -> None:
    call, values, code = tokened
    call(**values)
    after_one = mturk.ledger()

    assert refusal(call, **values)[0] == code
    mturk.advance(timedelta(hours=23))
    assert refusal(call, **values)[0] == code
    assert mturk.ledger() == after_one
    mturk.advance(timedelta(hours=2))
    call(**values)

    assert len(mturk.ledger()) > len(after_one)


def test_the_error_names_the_hit_that_exists(mturk: MturkSimulator, client: Any) -> None:
    values = hit_values(UniqueRequestToken="intent-1")
    hit = client.create_hit(**values)["HIT"]

    _, message = refusal(client.create_hit, **{**values, "Reward": "9.99"})

    assert hit["HITId"] in message


def test_operations_do_not_share_tokens(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client, UniqueRequestToken="same")

    client.create_hit_with_hit_type(
        HITTypeId=hit["HITTypeId"],
        LifetimeInSeconds=3600,
        Question=hit["Question"],
        UniqueRequestToken="same",
    )

    assert client.list_hits()["NumResults"] == 2


def test_without_a_token_the_sdks_retries_pay_twice(mturk: MturkSimulator, client: Any) -> None:
    hit = create_hit(client)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    mturk.fault("commit_then_500", "SendBonus")

    mturk.client(attempts=2).send_bonus(
        WorkerId="A1", AssignmentId=assignment, BonusAmount="0.50", Reason="More"
    )

    assert len(mturk.ledger("bonus")) == 2
    first, second = mturk.journal("SendBonus")
    assert (first["attempt"], second["attempt"]) == (1, 2)
    assert first["invocation_id"] == second["invocation_id"] != ""
    assert (first["fault"], second["fault"]) == ("commit_then_500", "")


def test_with_a_token_the_sdks_retry_pays_once_and_fails(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client)
    assignment = submit_one(client, WorkerBot(mturk.worker_site, "A1"), hit)
    mturk.fault("commit_then_drop", "SendBonus")

    code, _ = refusal(
        mturk.client(attempts=2).send_bonus,
        WorkerId="A1",
        AssignmentId=assignment,
        BonusAmount="0.50",
        Reason="More",
        UniqueRequestToken="intent-1",
    )

    assert code == "DuplicateRequest"
    assert len(mturk.ledger("bonus")) == 1
