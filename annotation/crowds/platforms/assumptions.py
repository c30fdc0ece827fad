"""What Likeness takes for granted of the platforms without having seen it on the live services.

Nothing of this is documented by them without a doubt. Where a platform turns out to differ, this
is the one place to mend.
"""

import math
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal

# -- Mechanical Turk --------------------------------------------------------------------------
# AWS's documentation names this as the last day of the service; nobody asked the service since.
MTURK_CLOSED_ON = date(2026, 9, 30)
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

# -- Prolific ---------------------------------------------------------------------------------
# Shares of what participants receive, as the price page said in September 2026. The account
# decides which of them is taken, and Prolific's own figure is the one that counts.
PROLIFIC_FEES = {"corporate": Decimal("0.428"), "academic": Decimal("0.333")}
# Whether bonuses have the same fee is not stated.
PROLIFIC_BONUS_FEES = PROLIFIC_FEES
# On the fee; whether it is charged at all depends on the account.
PROLIFIC_VAT_PERCENT = Decimal(20)
# Fee and tax are each rounded half up to the cent, for each payment.
PROLIFIC_ROUNDING = ROUND_HALF_UP
# Per hour, by the median time; below it a study is not published, or flagged.
PROLIFIC_MIN_PER_HOUR = {"GBP": Decimal("6.00"), "USD": Decimal("8.00")}
PROLIFIC_ADVISED_PER_HOUR = {"GBP": Decimal("9.00"), "USD": Decimal("12.00")}
# "Less than 24 hours".
PROLIFIC_MAX_MINUTES = 24 * 60 - 1


def prolific_shortest_limit(minutes: int) -> int:
    """The least and usual time limit of so many expected minutes m: 2 + 2 m + 2 sqrt(m)."""
    twice_the_root = math.isqrt(4 * minutes - 1) + 1 if minutes > 0 else 0
    return min(2 + 2 * minutes + twice_the_root, PROLIFIC_MAX_MINUTES)


# What somebody who is screened out is paid at least.
PROLIFIC_LEAST_SCREEN_OUT = {"GBP": Decimal("0.10"), "USD": Decimal("0.14")}
# A study's texts: what is longer is refused here before it is there.
PROLIFIC_MAX_TITLE_LENGTH, PROLIFIC_MAX_DESCRIPTION_LENGTH = 200, 20_000
# The key set is public: it is fetched without the account's token.
PROLIFIC_ISSUER = "https://www.prolific.com"
PROLIFIC_JWKS_PATH = "/.well-known/study/jwks.json"
# "Our domain" in a token is a host, with or without scheme and port; only the host is compared.
PROLIFIC_TOKEN_LEEWAY = timedelta(seconds=60)
# "If you haven't reviewed submissions after 21 days, our system will automatically approve all":
# https://researcher-help.prolific.co/hc/en-gb/articles/360009092394
PROLIFIC_APPROVES_AFTER = timedelta(days=21)
# Right after the redirect a submission may still be at work for Prolific; so long a "no" to
# deciding about it is taken for "not yet".
PROLIFIC_COMPLETES_LATE = timedelta(minutes=15)
# What was made may be missing from lists for a while. Longer than any time-out of a call.
PROLIFIC_SHOWS_LATE = timedelta(minutes=5)
# Bonuses are paid "in the next minutes", and a submission shows them a little later still.
PROLIFIC_PAYS_LATE = timedelta(hours=1)
# Messages that are older are not listed.
PROLIFIC_LISTS_MESSAGES = timedelta(days=30)
# An id is 24 hexadecimal digits.
PROLIFIC_ID = r"[0-9a-f]{24}"

# -- CloudResearch Connect --------------------------------------------------------------------
# Its API is described at https://connect-api.cloudresearch.com/docs/api/, which was not read: what
# is known of it are the public bindings https://github.com/tlo9/cloudresearch-connect-api. The
# words in quotes are theirs. What is sent and read stands, each with its source, in
# tests/crowds/platforms/connect_documentation.py; what follows is taken for granted beside that.
# Shares of what participants receive, "all other researchers" first:
# https://connect-researcher-help.cloudresearch.com/hc/en-us/articles/5046181555732-Project-Cost
CONNECT_FEES = {"standard": Decimal("0.40"), "academic": Decimal("0.25")}
# Whether a bonus has the same fee, and how fees are rounded, is not stated: up to the cent here.
CONNECT_FEE_ROUNDING = ROUND_UP
# "The site minimum", in US dollars; the page is the same.
CONNECT_MIN_PER_HOUR = Decimal("7.50")
# "If a participant's assignment is not approved within 14 days of the completion time [it] will be
# automatically approved."
CONNECT_APPROVES_AFTER = timedelta(days=14)
# Connect adds these to the address of a project by itself: who, in which sitting, of which project
# (https://github.com/davidjurgens/potato, integration guide: the last two "optionally").
# They are the ids that its API has.
CONNECT_PARAMETERS = ("participantId", "assignmentId", "projectId")
CONNECT_ID = r"[A-Za-z0-9_-]{1,64}"
# A project takes a completion code of ours, and participants can type it there.
CONNECT_COMPLETION = "CompletionCode"
# A project does not tell its state: it is found in the list of one of these.
CONNECT_STATES = ("Live", "Paused", "Unpublished", "Completed", "Closed", "Archived")
# Whoever is still at work may be listed without a time of completion, and is then passed over.
# Somebody who is sent back may take a while to be listed as having completed.
CONNECT_COMPLETES_LATE = timedelta(minutes=15)
# What was made may be missing from lists for a while, and a bonus from what an assignment shows.
CONNECT_SHOWS_LATE, CONNECT_PAYS_LATE = timedelta(minutes=5), timedelta(hours=1)
