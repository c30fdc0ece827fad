"""What an answer of Mechanical Turk, or the lack of one, says of what happened there.

Only what certainly did not happen is refused or unavailable; everything else is doubtful.
"""

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import (
    DoubtfulError,
    RefusedError,
    ServiceClosedError,
    UnavailableError,
)
from annotation.crowds.platforms import assumptions
from annotation.crowds.platforms.mturk.environments import Credentials

_MAX_MESSAGE_LENGTH = 500
# Found in the message of an error that ends up as a platform's word: whose fault it was.
_REFUSED = _("Mechanical Turk refused the request: %(answer)s")
_FUNDS = _(
    "Mechanical Turk refused the request because the account has too "
    "little money. Add funds there, then try again: %(answer)s"
)
_CREDENTIALS = _(
    "Mechanical Turk does not accept this server's credentials, or they "
    "do not allow this. Please tell the operator: %(answer)s"
)
_CLOSED = _("This Mechanical Turk service has closed: %(answer)s")
_BUSY = _("Mechanical Turk is busy and asks us to try later: %(answer)s")
_LATE = _("Mechanical Turk does not show it yet: %(answer)s")
_UNCLEAR = _("Mechanical Turk's answer does not say whether it happened: %(answer)s")
_NO_ANSWER = _("Mechanical Turk did not answer: %(answer)s")
_UNREACHED = _("Mechanical Turk cannot be reached: %(answer)s")


class StateError(RefusedError):
    """What it is about is in another state than the operation wants, by the platform's word."""


class MissingError(RefusedError):
    """What it is about does not exist there, by the platform's word."""


class DuplicateError(DoubtfulError):
    """It exists already: perhaps because it was asked for before."""


def of_exception(error: Exception, credentials: Credentials) -> AnnotationError:
    """For what boto3 raises; the caller raises what this returns."""
    # Only here: what no listing needs is not loaded with every page.
    from botocore import exceptions  # noqa: PLC0415

    text = credentials.masked(str(error))[:_MAX_MESSAGE_LENGTH]
    if isinstance(error, exceptions.ClientError):
        response = error.response
        error_fields = response.get("Error", {})
        return of_answer(
            code=str(error_fields.get("Code", "")),
            turk_code=str(response.get("TurkErrorCode", "")),
            message=credentials.masked(str(error_fields.get("Message", "")))[:_MAX_MESSAGE_LENGTH],
        )
    if isinstance(error, exceptions.ParamValidationError):
        return RefusedError(_REFUSED % {"answer": text})
    not_connected = (
        exceptions.EndpointConnectionError,
        exceptions.ConnectTimeoutError,
        exceptions.ProxyConnectionError,
    )
    if isinstance(error, not_connected):
        return UnavailableError(_UNREACHED % {"answer": text})
    return DoubtfulError(_NO_ANSWER % {"answer": text})


def of_answer(*, code: str, turk_code: str, message: str) -> AnnotationError:
    """For an error that the service answered with."""
    name = turk_code.rpartition(".")[2]
    answer = {"answer": f"{message} ({name or code})"}
    if code in assumptions.MTURK_THROTTLED:
        return UnavailableError(_BUSY % answer)
    if code in assumptions.MTURK_REFUSED_AT_THE_GATE:
        return _at_the_gate(code, message, answer)
    if code == "RequestError" and name.endswith("AlreadyExists"):
        return DuplicateError(_UNCLEAR % answer)
    if code != "RequestError" or name not in assumptions.MTURK_DEFINITE_REFUSALS:
        return DoubtfulError(_UNCLEAR % answer)
    if assumptions.MTURK_NOT_THERE_YET in message:
        return UnavailableError(_LATE % answer)
    if name.endswith("DoesNotExist"):
        return MissingError(_REFUSED % answer)
    if name.endswith("State"):
        return StateError(_REFUSED % answer)
    return RefusedError((_FUNDS if name == "InsufficientFunds" else _REFUSED) % answer)


def _at_the_gate(code: str, message: str, answer: dict[str, str]) -> RefusedError:
    if code.startswith("AccessDenied") and assumptions.MTURK_SAYS_CLOSED in message.lower():
        return ServiceClosedError(_CLOSED % answer)
    if code in {"ValidationException", "ValidationError", "SerializationException"}:
        return RefusedError(_REFUSED % answer)
    return RefusedError(_CREDENTIALS % answer)


def unclear(what: str) -> DoubtfulError:
    return DoubtfulError(_UNCLEAR % {"answer": what})


def cannot_ask(error: AnnotationError) -> UnavailableError:
    """For a question, which does nothing: whatever became of it, it may be asked again."""
    sentence: Said = error.said[0]
    return UnavailableError(sentence)
