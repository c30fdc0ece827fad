"""Words and figures of the platform. What is assumed here is listed in README.md."""

from typing import Any

# Studies
UNPUBLISHED = "UNPUBLISHED"
PUBLISHING = "PUBLISHING"
STUDY_ACTIVE = "ACTIVE"
PAUSED = "PAUSED"
STUDY_AWAITING_REVIEW = "AWAITING REVIEW"
STUDY_COMPLETED = "COMPLETED"

# Submissions
RESERVED = "RESERVED"
ACTIVE = "ACTIVE"
PROCESSING = "PROCESSING"
AWAITING_REVIEW = "AWAITING REVIEW"
RETURNED = "RETURNED"
TIMED_OUT = "TIMED-OUT"
SCREENED_OUT = "SCREENED OUT"
APPROVED = "APPROVED"
PARTIALLY_APPROVED = "PARTIALLY APPROVED"
REJECTED = "REJECTED"

AT_WORK = (RESERVED, ACTIVE, PROCESSING)
UNPAID_PLACE = (*AT_WORK, AWAITING_REVIEW)
PAID_PLACE = (APPROVED, PARTIALLY_APPROVED)

CODE_TYPES = (
    "COMPLETED",
    "FAILED_ATTENTION_CHECK",
    "FOLLOW_UP_STUDY",
    "GIVE_BONUS",
    "INCOMPATIBLE_DEVICE",
    "NO_CONSENT",
    "FIXED_SCREENOUT",
    "OTHER",
)
ACTORS = ("participant", "researcher")
ACTIONS = (
    "AUTOMATICALLY_APPROVE",
    "MANUALLY_REVIEW",
    "ADD_TO_PARTICIPANT_GROUP",
    "REMOVE_FROM_PARTICIPANT_GROUP",
    "REQUEST_RETURN",
    "DYNAMIC_PAYMENT",
    "FIXED_SCREEN_OUT_PAYMENT",
)
REJECTION_CATEGORIES = (
    "BAD_CODE",
    "FAILED_CHECK",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "NO_DATA",
    "OTHER",
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "UNSUPP_DEVICE",
)
REJECTION_MESSAGE = 100
ID_OPTIONS = ("question", "url_parameters", "not_required")
DEVICES = ("desktop", "tablet", "mobile")
PERIPHERALS = ("audio", "camera", "download", "microphone")
NOCODE = "NOCODE"

EVENT_TYPES = {
    "submission.status.change": "A submission has a new status.",
    "study.status.change": "A study has a new status.",
    "study.progress.change": "The number of places taken has changed.",
    "study.has_high_return_rate": "Many participants return their submission.",
}

ISSUER = "https://www.prolific.com"
DAY = 24 * 60 * 60


def check_config(knobs: dict[str, Any]) -> None:
    """A knob that is misspelt or set to something of another kind would change nothing."""
    known = default_config()
    for name, value in knobs.items():
        if name not in known:
            raise ValueError(f"no knob {name!r}; there are {', '.join(known)}")
        if type(value) is not type(known[name]):
            raise ValueError(f"{name} is {known[name]!r} by default, not like {value!r}")


def default_config() -> dict[str, Any]:
    """The knobs of `/_sim/config`, each with the value it starts with."""
    return {
        "token": "simulated-token",
        "currency": "USD",
        "platform_fee": "0.333",  # 33.3 % academic; 0.428 corporate
        "bonus_fee": "0.333",
        "vat": "0",  # on the fees
        "lowest_hourly": 800,  # cents; 600 for pounds
        "least_screen_out": 14,  # cents; 10 for pence
        "keeps_internal_names": True,  # or shows the public name in their place
        "longest_title": 200,
        "own_time_limit": 0,  # minutes that every study has at least, whatever its draft asks
        "reserved_s": 600,
        "auto_approve_s": 21 * DAY,
        "publish_delay_s": 0,
        "completion_lag_s": 0,  # how long a submission stays PROCESSING after the redirect
        "bulk_delay_s": 30,  # until a bulk approval is carried out
        "pay_delay_s": 120,  # until a bonus leaves the wallet
        "bonus_lag_s": 300,  # from then on, until `bonus_payments` shows it
        "token_life_s": 300,
        "token_audience": "host",  # or "origin"
        "page_size": 20,
        "largest_page": 1000,
        "hook_attempts": 12,
        "hook_disable_s": 5 * DAY,
        "hooks_hold": False,  # keep events until they are released
        "hooks_reverse": False,  # send the newest first
        "hooks_duplicate": 0,  # send each event this many times more
        "hooks_drop": 0,  # lose this many events
        "unread_as_client": False,  # names as in Prolific's client, and not as documented
        "escapes_messages": False,  # how texts are "sanitised" is not documented
        "subscription_in_list": False,  # answer a new subscription as {"results": [...]}
    }
