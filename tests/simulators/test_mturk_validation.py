"""What the server refuses of itself: botocore checks only types, required members and minimums."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config

from tests.simulators.crowd import QUESTION, create_hit, hit_values, refusal
from tests.simulators.mturk import MturkSimulator, shapes
from tests.simulators.mturk.operations import SERVED
from tests.simulators.mturk.protocol import TARGET

_MUST = [
    "CreateHITType",
    "CreateHIT",
    "CreateHITWithHITType",
    "GetHIT",
    "ListHITs",
    "ListReviewableHITs",
    "UpdateHITReviewStatus",
    "UpdateExpirationForHIT",
    "UpdateHITTypeOfHIT",
    "CreateAdditionalAssignmentsForHIT",
    "DeleteHIT",
    "ListAssignmentsForHIT",
    "GetAssignment",
    "ApproveAssignment",
    "RejectAssignment",
    "SendBonus",
    "ListBonusPayments",
    "GetAccountBalance",
    "CreateQualificationType",
    "GetQualificationType",
    "ListQualificationTypes",
    "UpdateQualificationType",
    "DeleteQualificationType",
    "AssociateQualificationWithWorker",
    "DisassociateQualificationFromWorker",
    "GetQualificationScore",
    "ListWorkersWithQualificationType",
    "NotifyWorkers",
    "CreateWorkerBlock",
    "DeleteWorkerBlock",
    "ListWorkerBlocks",
    "UpdateNotificationSettings",
    "SendTestEventNotification",
]


def test_every_operation_we_need_is_served_and_known_to_the_installed_model() -> None:
    assert len(_MUST) == 33
    assert sorted(SERVED) == sorted(_MUST)
    assert set(SERVED) <= set(shapes.service().operation_names)


@pytest.mark.parametrize("name", sorted(set(shapes.service().operation_names) - set(_MUST)))
def test_the_other_operations_say_that_they_are_not_simulated(
    mturk: MturkSimulator, client: Any, name: str
) -> None:
    required = dict.fromkeys(shapes.operation(name).input_shape.required_members, "3A")
    call = getattr(client, {v: k for k, v in client.meta.method_to_api_mapping.items()}[name])

    assert refusal(call, **required)[0] == "NotSimulated"


@pytest.mark.parametrize(
    ("operation", "values", "complaint"),
    [
        (
            "create_worker_block",
            {"WorkerId": "bad!", "Reason": "r"},
            "Value 'bad!' at 'workerId' failed to satisfy constraint: Member must satisfy"
            " regular expression pattern: ^A[A-Z0-9]+$",
        ),
        (
            "create_worker_block",
            {"WorkerId": "A1\n", "Reason": "r"},
            "regular expression pattern",
        ),
        ("get_hit", {"HITId": "3" * 65}, "Member must have length less than or equal to 64"),
        ("list_hits", {"MaxResults": 101}, "Member must have value less than or equal to 100"),
        (
            "list_assignments_for_hit",
            {"HITId": "3A", "AssignmentStatuses": ["Submitted", "Accepted"]},
            "at 'assignmentStatuses.2.member' failed to satisfy constraint: Member must satisfy"
            " enum value set: [Submitted, Approved, Rejected]",
        ),
        (
            "notify_workers",
            {"Subject": "s", "MessageText": "m", "WorkerIds": ["A1", "b"]},
            "Value 'b' at 'workerIds.2.member'",
        ),
        ("create_hit", hit_values(Reward="$1"), "Value '$1' at 'reward'"),
        ("create_hit", hit_values(Reward="1.005"), "Value '1.005' at 'reward'"),
        ("create_hit", hit_values(UniqueRequestToken="t" * 65), "at 'uniqueRequestToken'"),
    ],
)
def test_the_model_is_enforced(
    mturk: MturkSimulator, client: Any, operation: str, values: dict[str, Any], complaint: str
) -> None:
    code, message = refusal(getattr(client, operation), **values)

    assert code == "ValidationException"
    assert message.startswith("1 validation error detected: ")
    assert complaint in message


def test_everything_wrong_is_named_at_once(mturk: MturkSimulator, client: Any) -> None:
    _, message = refusal(
        client.create_hit, **hit_values(Reward="free", UniqueRequestToken="t" * 65)
    )

    assert message.startswith("2 validation errors detected: ")


def test_missing_members_are_the_servers_business_too(mturk: MturkSimulator) -> None:
    client = mturk.client(parameter_validation=False)

    _, message = refusal(client.reject_assignment, AssignmentId="3A")

    assert "Value null at 'requesterFeedback' failed to satisfy constraint" in message


def _requirement(**values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": "00000000000000000071", "Comparator": "In", **values}


_US = {"Country": "US"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"LifetimeInSeconds": 29}, "InvalidParameterValue"),
        ({"AssignmentDurationInSeconds": 31_536_001}, "InvalidParameterValue"),
        ({"AutoApprovalDelayInSeconds": 2_592_001}, "InvalidParameterValue"),
        ({"MaxAssignments": 0}, "InvalidParameterValue"),
        ({"Title": "t" * 129}, "InvalidParameterValue"),
        ({"Description": ""}, "InvalidParameterValue"),
        ({"Keywords": "k" * 1001}, "InvalidParameterValue"),
        ({"RequesterAnnotation": "a" * 256}, "InvalidParameterValue"),
        ({"Question": "<ExternalQuestion"}, "XMLParseError"),
        ({"Question": "<html/>"}, "XMLParseError"),
        ({"Question": QUESTION.replace("&amp;", "&")}, "XMLParseError"),
        ({"Question": QUESTION.replace("https:", "http:")}, "XMLParseError"),
        ({"Question": QUESTION.replace(">0<", ">tall<")}, "XMLParseError"),
        ({"Question": QUESTION.replace("launch", "l" * 65_536)}, "XMLParseError"),
        ({"Question": "<!DOCTYPE x>" + QUESTION}, "XMLParseError"),
        ({"HITLayoutId": "3A"}, "NotSimulated"),
        (
            {"QualificationRequirements": [_requirement(LocaleValues=[_US])] * 11},
            "InvalidParameterValue",
        ),
        ({"QualificationRequirements": [_requirement()]}, "InvalidParameterValue"),
        (
            {"QualificationRequirements": [_requirement(IntegerValues=[1])]},
            "InvalidParameterValue",
        ),
        (
            {"QualificationRequirements": [_requirement(LocaleValues=[_US] * 31)]},
            "InvalidParameterValue",
        ),
        (
            {
                "QualificationRequirements": [
                    _requirement(LocaleValues=[_US] * 2, Comparator="EqualTo")
                ]
            },
            "InvalidParameterValue",
        ),
        (
            {
                "QualificationRequirements": [
                    _requirement(
                        LocaleValues=[_US], RequiredToPreview=True, ActionsGuarded="Accept"
                    )
                ]
            },
            "InvalidParameterValue",
        ),
        (
            {"QualificationRequirements": [_requirement(QualificationTypeId="3NONE")]},
            "QualificationTypeDoesNotExist",
        ),
    ],
)
def test_limits_of_a_hit(
    mturk: MturkSimulator, client: Any, changes: dict[str, Any], code: str
) -> None:
    assert refusal(client.create_hit, **hit_values(**changes))[0] == code
    assert mturk.on_hold == 0
    assert mturk.state()["hits"] == {}


def test_http_is_taken_for_this_machine_only_and_only_if_allowed(
    mturk: MturkSimulator, client: Any
) -> None:
    local = QUESTION.replace("https://app.example", "http://app.localhost:8000")
    create_hit(client, Question=local)
    mturk.configure(allow_local_http=False)

    assert refusal(client.create_hit, **hit_values(Question=local))[0] == "XMLParseError"


def test_feedback_has_no_control_characters_and_may_be_empty(
    mturk: MturkSimulator, client: Any
) -> None:
    reject = client.reject_assignment

    assert refusal(reject, AssignmentId="3A", RequesterFeedback="a\x0bb")[0] == (
        "InvalidParameterValue"
    )
    assert refusal(reject, AssignmentId="3A", RequesterFeedback="f" * 1025)[0] == (
        "InvalidParameterValue"
    )
    assert refusal(reject, AssignmentId="3A", RequesterFeedback="")[0] == "AssignmentDoesNotExist"


@pytest.mark.parametrize(
    ("changes", "code", "complaint"),
    [
        (
            {"aws_access_key_id": "AKIASOMEBODYELSE0000"},
            "UnrecognizedClientException",
            "security token in the request is invalid",
        ),
        (
            {"aws_secret_access_key": "not the secret"},
            "InvalidSignatureException",
            "does not match the request",
        ),
        (
            {"region_name": "eu-west-1"},
            "InvalidSignatureException",
            "scoped to us-east-1/mturk-requester, not eu-west-1/mturk-requester",
        ),
    ],
)
def test_the_signature_is_checked(
    mturk: MturkSimulator, changes: dict[str, str], code: str, complaint: str
) -> None:
    values = {
        "region_name": "us-east-1",
        "aws_access_key_id": mturk.credentials.access_key,
        "aws_secret_access_key": mturk.credentials.secret_key,
        **changes,
    }
    config = Config(retries={"total_max_attempts": 1})
    stranger = boto3.client("mturk", endpoint_url=mturk.endpoint, config=config, **values)

    told = refusal(stranger.get_account_balance)

    assert told[0] == code
    assert complaint in told[1]
    shown = json.dumps(mturk.journal())
    assert mturk.credentials.secret_key not in shown
    assert "Signature" not in shown.replace("InvalidSignatureException", "")


def _raw(mturk: MturkSimulator, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(urlsplit(mturk.endpoint).netloc, timeout=10)
    try:
        connection.request("POST", "/", "{}", headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_unknown_operations_and_unsigned_calls(mturk: MturkSimulator) -> None:
    unknown = _raw(mturk, {"X-Amz-Target": f"{TARGET}MakeCoffee"})
    unsigned = _raw(mturk, {"X-Amz-Target": f"{TARGET}ListHITs"})

    assert (unknown[0], unknown[1]["__type"]) == (400, "UnknownOperationException")
    assert (unsigned[0], unsigned[1]["__type"]) == (403, "IncompleteSignatureException")


def test_an_old_signature_is_refused(
    mturk: MturkSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime

    import botocore.auth

    client = mturk.client()
    old = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=6)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda **_: old)

    assert refusal(client.list_hits)[0] == "RequestExpired"


def test_messages_carry_a_time_and_the_sandbox_a_mark(mturk: MturkSimulator, client: Any) -> None:
    assert refusal(client.get_hit, HITId="3A")[1] == "Hit 3A does not exist. (1772452800000)"

    with MturkSimulator(mode="sandbox") as sandbox:
        assert refusal(sandbox.client().get_hit, HITId="3A")[1].endswith("000 s)")


def test_ids_of_one_environment_mean_nothing_in_the_other(
    mturk: MturkSimulator, client: Any
) -> None:
    hit = create_hit(client)

    with MturkSimulator(mode="sandbox") as sandbox:
        there = create_hit(sandbox.client())
        code, _ = refusal(sandbox.client().get_hit, HITId=hit["HITId"])

    assert code == "HITDoesNotExist"
    assert there["HITId"] != hit["HITId"]
