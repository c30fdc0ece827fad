"""The envelope of a call: its target, and its signature with scope and age."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import Message

from tests.simulators.mturk import shapes
from tests.simulators.mturk.errors import ServiceError

Headers = Message
TARGET = "MTurkRequesterServiceV20170117."
CONTENT_TYPE = "application/x-amz-json-1.1"
REGION, SERVICE = "us-east-1", "mturk-requester"
_SKEW = timedelta(minutes=5)
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request,\s*"
    r"SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})"
)


@dataclass(frozen=True)
class Credentials:
    access_key: str
    secret_key: str


def target(headers: Headers) -> str:
    """The operation that is called; unknown ones are refused."""
    value = headers.get("X-Amz-Target", "")
    name = value.removeprefix(TARGET)
    if not value.startswith(TARGET) or name not in shapes.service().operation_names:
        raise ServiceError(400, "UnknownOperationException", f"There is no operation {value!r}.")
    return name


def check_signature(headers: Headers, body: bytes, known: Credentials) -> None:
    """Refuse calls for another region or service, of another account, too old, or forged."""
    found = _AUTHORIZATION.fullmatch(headers.get("Authorization", ""))
    if found is None:
        raise ServiceError(
            403, "IncompleteSignatureException", "The Authorization header is missing or broken."
        )
    access_key, day, region, service, signed, signature = found.groups()
    if (region, service) != (REGION, SERVICE):
        raise ServiceError(
            403,
            "InvalidSignatureException",
            f"Credential should be scoped to {REGION}/{SERVICE}, not {region}/{service}.",
        )
    if access_key != known.access_key:
        raise ServiceError(
            403, "UnrecognizedClientException", "The security token in the request is invalid."
        )
    sent = headers.get("X-Amz-Date", "")
    try:
        sent_at = datetime.strptime(sent, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise ServiceError(403, "IncompleteSignatureException", "X-Amz-Date is broken.") from error
    # Real time on both sides: signatures know nothing of the simulated clock.
    if abs(datetime.now(UTC) - sent_at) > _SKEW:
        raise ServiceError(403, "RequestExpired", f"The request of {sent} is too old or too new.")
    if not hmac.compare_digest(
        signature, _signature(headers, body, known.secret_key, day=day, signed=signed, sent=sent)
    ):
        raise ServiceError(
            403, "InvalidSignatureException", "The signature does not match the request."
        )


def _signature(
    headers: Headers, body: bytes, secret: str, *, day: str, signed: str, sent: str
) -> str:
    names = signed.split(";")
    lines = [f"{name}:{' '.join(headers.get(name, '').split())}" for name in names]
    canonical = "\n".join(["POST", "/", "", *lines, "", signed, _digest(body)])
    scope = f"{day}/{REGION}/{SERVICE}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", sent, scope, _digest(canonical.encode())])
    key = f"AWS4{secret}".encode()
    for part in (day, REGION, SERVICE, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
