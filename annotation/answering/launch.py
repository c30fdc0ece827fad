"""Signed tickets that let somebody in: from the consent form, or for a simulated person.

They carry what the form must not be trusted with, so that showing the form writes nothing.
"""

from dataclasses import asdict, dataclass
from typing import Any

from django.core import signing

from annotation.basics import keys
from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import Launch
from annotation.models import ConsentText, Listing, Study

_DAY = 24 * 60 * 60
_CONSENT = "likeness.consent"
_CROWD = "likeness.crowd"
_SIMULATION = "likeness.simulation"


class TicketError(AnnotationError):
    """The ticket is forged, of another study, or older than a day."""


@dataclass(frozen=True)
class Ticket:
    """What the consent form was made for: who sends it twice comes in once."""

    nonce: str
    consent_version: int


def consent_ticket(study: Study, consent: ConsentText) -> str:
    return signing.dumps(
        {"study": study.pk, "nonce": keys.new_nonce(), "consent": consent.version}, salt=_CONSENT
    )


def read_consent_ticket(study: Study, signed: str) -> Ticket:
    content = _read(study, signed, _CONSENT)
    return Ticket(content["nonce"], content["consent"])


@dataclass(frozen=True)
class CrowdTicket:
    """What the address said, as it was read when the page was made."""

    launch: Launch
    consent_version: int


def crowd_ticket(listing: Listing, launch: Launch, consent: ConsentText) -> str:
    content = {"listing": listing.pk, "launch": asdict(launch), "consent": consent.version}
    return signing.dumps({"study": listing.study_id, **content}, salt=_CROWD)


def read_crowd_ticket(listing: Listing, signed: str) -> CrowdTicket:
    content = _read(listing.study, signed, _CROWD)
    if content["listing"] != listing.pk:
        raise TicketError(_("This form belongs to another task."))
    return CrowdTicket(Launch(**content["launch"]), content["consent"])


def simulation_token(study: Study, run: str, n: int) -> str:
    """Lets the n-th simulated person of a run in, once; sent again it finds the same person."""
    return signing.dumps({"study": study.pk, "n": n, "run": run}, salt=_SIMULATION)


def read_simulation_token(study: Study, signed: str) -> str:
    """The nonce of that simulated person."""
    content = _read(study, signed, _SIMULATION)
    return f"simulation/{content['run']}/{content['n']}"


def _read(study: Study, signed: str, salt: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = signing.loads(signed, salt=salt, max_age=_DAY)
    except signing.BadSignature as error:
        raise TicketError(_("This form is too old or incomplete.")) from error
    if content["study"] != study.pk:
        raise TicketError(_("This form belongs to another study."))
    return content
