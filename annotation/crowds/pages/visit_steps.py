"""What a researcher does about one visit, on its page: each step, its form, its sentence."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.forms import Form

from annotation.basics.sentences import sentence as _
from annotation.core.pages.navigation import Text
from annotation.crowds.forms.decisions import BonusForm, CompensationForm, NoteForm
from annotation.crowds.pages import messages as message_part
from annotation.crowds.services import decisions
from annotation.models import Listing, Visit


def forms(listing: Listing) -> dict[str, tuple[Callable[..., Form], dict[str, str]]]:
    currency = {"currency": listing.currency}
    return {
        "bonus": (BonusForm, currency),
        "compensation": (CompensationForm, currency),
        "message": (message_part.MessageForm, {}),
        "note": (NoteForm, {}),
    }


def overturn(row: Visit, by: User, **chosen: bool) -> Text:
    """Take a rejection back."""
    decisions.overturn(visit=row, by=by, **chosen)
    return _("The rejection is being undone.")


def _settle_doubt(row: Visit, by: User) -> Text:
    decisions.settle_doubt(visit=row, by=by)
    return _("Marked as checked.")


def _forget_key(row: Visit, by: User) -> Text:
    decisions.forget_key(visit=row, by=by)
    if row.submission_id:
        return _("Ended this session. The next person with this id can start again.")
    return _("The old link and code no longer work. Ask the person to open the panel's link.")


def _vouch(row: Visit, by: User) -> Text:
    decisions.vouch(visit=row, by=by)
    return _("The answers of this visit count now.")


def _bonus(row: Visit, by: User, given: dict[str, Any]) -> Text:
    decisions.bonus(visit=row, by=by, **given)
    return _("A bonus of %(amount)s is on its way.") % {"amount": given["amount"]}


def _compensation(row: Visit, by: User, given: dict[str, Any]) -> Text:
    decisions.compensate(visit=row, by=by, **given)
    return _("A compensation of %(amount)s is on its way.") % {"amount": given["amount"]}


def _note(row: Visit, by: User, given: dict[str, Any]) -> Text:
    decisions.note(visit=row, by=by, **given)
    return _("Saved the note.")


STEPS: dict[str, Callable[[Visit, User], Text]] = {
    "overturn": overturn,
    "settle_doubt": _settle_doubt,
    "vouch": _vouch,
    "forget_key": _forget_key,
}
ACTS: dict[str, Callable[[Visit, User, dict[str, Any]], Text]] = {
    "bonus": _bonus,
    "compensation": _compensation,
    "message": message_part.send,
    "note": _note,
}
