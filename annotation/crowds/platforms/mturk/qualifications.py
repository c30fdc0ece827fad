"""Who may take a HIT: what Mechanical Turk knows of its workers, and what a study writes down."""

from typing import Any

from annotation.crowds.platforms.mturk.environments import SANDBOX
from annotation.crowds.platforms.mturk.options import Options
from annotation.models import Listing, Study

APPROVED = "00000000000000000040"
APPROVAL_RATE = "000000000000000000L0"
LOCALE = "00000000000000000071"
_MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
_MASTERS_OF_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"

# Hides the HIT from whom it is not for; the others are told that they do not qualify.
_HIDDEN = "DiscoverPreviewAndAccept"
_SHOWN = "Accept"


def required(options: Options, environment: str) -> list[dict[str, Any]]:
    """Of what the platform itself knows."""
    requirements: list[dict[str, Any]] = []
    if options.least_approval_rate:
        requirements.append(_number(APPROVAL_RATE, options.least_approval_rate))
    if options.least_approved:
        requirements.append(_number(APPROVED, options.least_approved))
    if options.locales:
        requirements.append(
            {
                "QualificationTypeId": LOCALE,
                # EqualTo takes one only; In takes one, too.
                "Comparator": "In",
                "LocaleValues": [_locale(locale) for locale in options.locales],
                "ActionsGuarded": _SHOWN,
            }
        )
    if options.masters:
        masters = _MASTERS_OF_SANDBOX if environment == SANDBOX else _MASTERS
        requirements.append(
            {
                "QualificationTypeId": masters,
                "Comparator": "Exists",
                "ActionsGuarded": _SHOWN,
            }
        )
    return requirements


def own_required(listing: Listing, options: Options) -> list[dict[str, str]]:
    """Of what this study writes down, by name: the id is known once the platform gave one."""
    requirements = []
    if options.once:
        requirements.append(
            {"name": done_name(listing.study, listing.phase_number), "comparator": "DoesNotExist"}
        )
    if listing.phase_number > 1:
        requirements.append(
            {"name": entrance_name(listing.study, listing.phase_number), "comparator": "Exists"}
        )
    return requirements


def of_own(type_id: str, comparator: str) -> dict[str, Any]:
    return {
        "QualificationTypeId": type_id,
        "Comparator": comparator,
        "ActionsGuarded": _HIDDEN,
    }


def done_name(study: Study, phase_number: int) -> str:
    """Held by who took part in a phase."""
    return f"{_prefix(study)} part {phase_number} done"


def entrance_name(study: Study, phase_number: int) -> str:
    """Held by who may begin a later phase."""
    return f"{_prefix(study)} part {phase_number} open"


def _prefix(study: Study) -> str:
    # Two servers may share an account, and slugs: the moment of its making tells studies apart.
    return f"{study.slug} {study.created_at:%Y%m%d%H%M%S%f}"


def _number(type_id: str, above: int) -> dict[str, Any]:
    return {
        "QualificationTypeId": type_id,
        "Comparator": "GreaterThan",
        "IntegerValues": [above],
        "ActionsGuarded": _SHOWN,
    }


def _locale(locale: str) -> dict[str, str]:
    country, _, part = locale.partition("-")
    return {"Country": country, "Subdivision": part} if part else {"Country": country}
