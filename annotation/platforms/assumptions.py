"""What Likeness takes for granted of the platforms without having seen it on the live services.

Nothing of this is documented by them without a doubt. Where a platform turns out to differ, this
is the one place to mend.
"""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP

# -- Mechanical Turk --------------------------------------------------------------------------
# AWS's documentation names this as the last day of the service; nobody asked the service since.
MTURK_CLOSED_ON = date(2026, 9, 30)
# CreateHIT* keep a UniqueRequestToken for 24 hours; of SendBonus no life is stated.
MTURK_TOKEN_LIFE = timedelta(hours=24)
# What was done may be missing from what is listed for minutes (seven were reported). Only after
# this is "not there" taken for "did not happen". Longer than any time-out of a call.
MTURK_SHOWS_LATE = timedelta(minutes=15)
# "Disposed of after 120 days", from when on is not stated.
MTURK_KEEPS_HITS = timedelta(days=120)
# The fee is rounded half up to the cent, 20 % and the surcharge for many assignments together.
MTURK_FEE_ROUNDING = ROUND_HALF_UP
# No code is published for a repeated token of SendBonus: every code that is not known to refuse
# what it names is taken for "perhaps it happened".
MTURK_DEFINITE_REFUSALS = frozenset(
    {
        "AccountDoesNotExist",
        "AssignmentDoesNotExist",
        "DoesNotMeetRequirements",
        "HITDoesNotExist",
        "HITTooOldForExtension",
        "InsufficientFunds",
        "InvalidAssignmentState",
        "InvalidHITState",
        "InvalidMaximumAssignmentsIncrease",
        "InvalidParameterValue",
        "InvalidQualificationState",
        "InvalidQualificationTypeState",
        "NotAuthorized",
        "PermissionDenied",
        "PermissionDeniedException",
        "QualificationDoesNotExist",
        "QualificationTypeDoesNotExist",
        "XHTMLParseError",
        "XMLParseError",
    }
)
# What the gate says before any operation is looked at.
MTURK_REFUSED_AT_THE_GATE = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "NotAuthorized",
        "OptInRequired",
        "RequestExpired",
        "SerializationException",
        "SignatureDoesNotMatch",
        "UnknownOperationException",
        "UnrecognizedClientException",
        "ValidationError",
        "ValidationException",
    }
)
MTURK_THROTTLED = frozenset(
    {
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
    }
)
# A refusal of rights that says this means that the service has ended.
MTURK_SAYS_CLOSED = "closed"
# What an operation says of an assignment that has not arrived where it is looked for.
MTURK_NOT_THERE_YET = "status of: null"
# A worker's site frames our pages from any of these, and takes the last form at the first.
MTURK_PRODUCTION_SITES = ("https://www.mturk.com", "https://worker.mturk.com")
MTURK_SANDBOX_SITES = ("https://workersandbox.mturk.com",)
