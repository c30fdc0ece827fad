"""What an answer of Mechanical Turk says of what happened; in doubt, doubt."""

from typing import Any

import pytest
from botocore import exceptions

from annotation.core.platforms.errors import (
    DoubtfulError,
    RefusedError,
    ServiceClosedError,
    UnavailableError,
)
from annotation.crowds.platforms.mturk import errors as mturk_errors
from annotation.crowds.platforms.mturk.environments import Credentials
from annotation.crowds.platforms.mturk.requester import Requester

_KEYS = Credentials("AKIAKEY", "the/secret")
_JSON = {"content-type": "application/x-amz-json-1.1"}


def _of(code: str, turk_code: str = "", message: str = "Said.") -> Exception:
    response: Any = {"Error": {"Code": code, "Message": message}}
    if turk_code:
        response["TurkErrorCode"] = f"AWS.MechanicalTurk.{turk_code}"
    return mturk_errors.of_exception(exceptions.ClientError(response, "SendBonus"), _KEYS)


@pytest.mark.parametrize(
    ("code", "turk_code", "error"),
    [
        ("ThrottlingException", "", UnavailableError),
        ("TooManyRequestsException", "", UnavailableError),
        ("ValidationException", "", RefusedError),
        ("AccessDeniedException", "", RefusedError),
        ("UnrecognizedClientException", "", RefusedError),
        ("RequestExpired", "", RefusedError),
        ("RequestError", "InsufficientFunds", RefusedError),
        ("RequestError", "InvalidParameterValue", RefusedError),
        ("RequestError", "XMLParseError", RefusedError),
        ("RequestError", "PermissionDeniedException", RefusedError),
        ("RequestError", "HITDoesNotExist", mturk_errors.MissingError),
        ("RequestError", "AssignmentDoesNotExist", mturk_errors.MissingError),
        ("RequestError", "InvalidAssignmentState", mturk_errors.StateError),
        ("RequestError", "InvalidHITState", mturk_errors.StateError),
        ("RequestError", "HitAlreadyExists", mturk_errors.DuplicateError),
        ("RequestError", "QualificationTypeAlreadyExists", mturk_errors.DuplicateError),
        # A repeated bonus: nobody knows by which code it is refused.
        ("RequestError", "DuplicateRequest", DoubtfulError),
        ("RequestError", "SomethingNew", DoubtfulError),
        ("RequestError", "", DoubtfulError),
        ("ServiceFault", "ServiceFault", DoubtfulError),
        ("ServiceFault", "InsufficientFunds", DoubtfulError),
        ("InternalFailure", "", DoubtfulError),
        ("500", "", DoubtfulError),
        ("503", "", DoubtfulError),
        ("", "", DoubtfulError),
    ],
)
def test_codes(code: str, turk_code: str, error: type[Exception]) -> None:
    assert type(_of(code, turk_code)) is error


def test_a_refusal_that_says_that_the_service_closed() -> None:
    closed = _of("AccessDeniedException", message="The service is Closed.")

    assert type(closed) is ServiceClosedError
    assert "has closed: The service is Closed." in str(closed)


def test_too_little_money_names_the_remedy() -> None:
    said = str(_of("RequestError", "InsufficientFunds", "You have 1 USD."))

    assert "Add funds there, then try again: You have 1 USD. (InsufficientFunds)" in said


def test_what_has_not_arrived_may_be_asked_for_again() -> None:
    message = "This operation can be called with a status of: null (1537741087056)"

    assert type(_of("RequestError", "InvalidAssignmentState", message)) is UnavailableError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (exceptions.EndpointConnectionError(endpoint_url="http://x"), UnavailableError),
        (exceptions.ConnectTimeoutError(endpoint_url="http://x"), UnavailableError),
        (exceptions.ProxyConnectionError(proxy_url="http://x"), UnavailableError),
        (exceptions.ReadTimeoutError(endpoint_url="http://x"), DoubtfulError),
        (exceptions.ConnectionClosedError(endpoint_url="http://x"), DoubtfulError),
        (exceptions.SSLError(endpoint_url="http://x", error="e"), DoubtfulError),
        (exceptions.HTTPClientError(error="e"), DoubtfulError),
        (exceptions.ResponseStreamingError(error="e"), DoubtfulError),
        (exceptions.ParamValidationError(report="Reward: 1.5"), RefusedError),
    ],
)
def test_without_an_answer_only_what_was_never_sent_did_not_happen(
    error: Exception, expected: type[Exception]
) -> None:
    assert type(mturk_errors.of_exception(error, _KEYS)) is expected


def test_keys_that_are_repeated_are_not_passed_on_and_long_answers_are_cut() -> None:
    said = str(_of("RequestError", "InvalidParameterValue", "AKIAKEY the/secret " + "x" * 5000))

    assert "AKIAKEY" not in said
    assert "the/secret" not in said
    assert len(said) < 700
    other = mturk_errors.of_exception(exceptions.HTTPClientError(error="the/secret"), _KEYS)
    assert "the/secret" not in str(other)


class _Client:
    """Answers whatever it is told to."""

    def __init__(self, *answers: dict[str, Any], headers: dict[str, str] = _JSON) -> None:
        self.answers = list(answers)
        self.headers = headers

    def ask(self, **_values: Any) -> dict[str, Any]:
        return {**self.answers.pop(0), "ResponseMetadata": {"HTTPHeaders": self.headers}}


def test_a_page_that_is_no_answer_of_the_service_is_no_success() -> None:
    client = _Client({}, headers={"content-type": "text/html"})

    with pytest.raises(DoubtfulError, match="text/html"):
        Requester(client, _KEYS).ask("ask")


def test_an_answer_without_what_was_asked_for_is_no_empty_list() -> None:
    whole = Requester(_Client({"NumResults": 0}), _KEYS)
    cut = Requester(_Client({"message": "{"}), _KEYS)

    assert list(whole.pages("ask", "HITs")) == []
    with pytest.raises(UnavailableError, match="no HITs"):
        list(cut.pages("ask", "HITs"))


def test_a_list_that_turns_in_a_circle_ends() -> None:
    page = {"HITs": [1], "NumResults": 1, "NextToken": "again"}

    with pytest.raises(UnavailableError, match="a page twice"):
        list(Requester(_Client(page, page, page), _KEYS).pages("ask", "HITs"))
