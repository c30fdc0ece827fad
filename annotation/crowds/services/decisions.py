"""What a person decides about one visit: pay, pay but leave out, reject, pay more, write.

Each is one call for one visit, with the person who asked for it. Nothing is said to the platform
here: the decision and its intent are one transaction, and a worker asks afterwards (`intents`).

What the platform is told of a visit are the ids that it gave itself: whom it pays is never what a
launch said and nobody has vouched for.
"""

import hashlib
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from annotation.answering.services import visits
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents
from annotation.crowds.services.decision_intents import (
    NOT_SHOWN,
    ask_what_follows,
    capabilities_of,
    exclude_from_scores,
    give_up_undone_rejection,
    is_planned,
    locked_visit,
    plan_intent,
    plan_payment,
    refuse_compensated,
    refuse_overspent,
    refuse_unless_submitted,
    required_text,
    reward_of,
    unforeseen_cost,
)
from annotation.models import Intent, Visit

_KIND, _REMOTE = Intent.Kind, Visit.Remote
_MAX_CODE_LENGTH = 60

_DECIDED_NO = _("A rejection of this submission has already been requested.")
_DECIDED_YES = _("An approval of this submission has already been requested.")
_APPROVED_BEFORE = _(
    "An approval of this submission has already been requested, so its reward is paid. To pay "
    "more, pay a bonus."
)
_BEING_ASKED = _(
    "They are being asked to return this submission. Wait until the ledger shows the result."
)


@transaction.atomic
def approve(
    *, visit: Visit, by: User | None, exclude: str = "", although_compensated: bool = False
) -> Intent | None:
    """Pay for a visit; with a reason in `exclude` its answers are left out of the data.

    Somebody who was compensated for it is paid the reward as well only if that is said. Returns
    None if the platform has approved it by itself, and it is only left out.
    """
    visit = locked_visit(visit)
    if visit.remote_state == _REMOTE.APPROVED and exclude.strip():
        exclude_from_scores(visit, exclude, by)
        return None
    refuse_unless_submitted(visit)
    refuse_overspent(visit)
    give_up_undone_rejection(visit)
    if is_planned(visit, _KIND.REJECT):
        raise StateError(_DECIDED_NO)
    if Intent.objects.unsettled().filter(visit=visit, kind=_KIND.ASK_RETURN).exists():
        raise StateError(_BEING_ASKED)
    if not although_compensated:
        refuse_compensated(visit)
    if exclude.strip():
        exclude_from_scores(visit, exclude, by)
    return plan_intent(
        visit,
        _KIND.APPROVE,
        payload={"overturn": False},
        commits=unforeseen_cost(visit, reason_code=""),
        pays=reward_of(visit),
        by=by,
    )


@transaction.atomic
def reject(*, visit: Visit, reason: str, category: str = "", by: User) -> Intent:
    """Refuse to pay, with a reason that the person reads; only ever by somebody's decision."""
    visit = locked_visit(visit)
    can = capabilities_of(visit)
    if not can.can_reject:
        raise StateError(_("You cannot reject work on this platform."))
    if by is None:
        raise AnnotationError(_("Only a person may reject somebody's work."))
    refuse_unless_submitted(visit)
    give_up_undone_rejection(visit)
    if is_planned(visit, _KIND.APPROVE):
        raise StateError(_DECIDED_YES)
    reason = required_text(reason, _("Give a reason. The person reads it."))
    if len(reason) < can.reason_length:
        raise AnnotationError(
            _("The platform requires a reason of at least %(least)s characters; yours has %(n)s.")
            % {"least": can.reason_length, "n": len(reason)}
        )
    if can.rejection_categories and category not in can.rejection_categories:
        raise AnnotationError(
            _("Choose the kind of reason: %(known)s.")
            % {"known": ", ".join(can.rejection_categories)}
        )
    return plan_intent(
        visit, _KIND.REJECT, payload={"message": reason, "category": category}, by=by
    )


@transaction.atomic
def overturn(*, visit: Visit, by: User, although_compensated: bool = False) -> Intent:
    """Take a rejection back, and pay; see `approve` for who was compensated meanwhile."""
    visit = locked_visit(visit)
    if not capabilities_of(visit).can_overturn:
        raise StateError(_("This platform cannot undo a rejection. Pay a bonus instead."))
    if visit.remote_state != _REMOTE.REJECTED:
        raise StateError(_("Only a rejected submission can be approved later."))
    if not although_compensated:
        refuse_compensated(visit)
    return plan_intent(
        visit,
        _KIND.APPROVE,
        reason_code=Intent.OVERTURN,
        payload={"overturn": True},
        commits=unforeseen_cost(visit, reason_code=Intent.OVERTURN),
        pays=reward_of(visit),
        by=by,
    )


@transaction.atomic
def ask_return(*, visit: Visit, message: str, by: User) -> Intent:
    """Ask somebody to give the submission back of their own accord."""
    visit = locked_visit(visit)
    if not capabilities_of(visit).can_ask_return:
        raise StateError(_("This platform cannot ask anybody to return a submission."))
    if visit.remote_state not in {_REMOTE.ACTIVE, _REMOTE.SUBMITTED}:
        raise StateError(_("A submission can be returned only before it is decided."))
    if is_planned(visit, _KIND.APPROVE):
        raise StateError(_DECIDED_YES)
    if is_planned(visit, _KIND.REJECT):
        raise StateError(_DECIDED_NO)
    message = required_text(message, _("Give a reason. The person reads it."))
    return plan_intent(visit, _KIND.ASK_RETURN, payload={"message": message}, by=by)


@transaction.atomic
def bonus(*, visit: Visit, amount: Decimal, reason_code: str, message: str, by: User) -> Intent:
    """Pay somebody more, once for each reason."""
    visit = locked_visit(visit)
    if not capabilities_of(visit).is_paid:
        raise StateError(_("Likeness does not pay through this platform."))
    if visit.remote_state == _REMOTE.UNSEEN:
        raise StateError(NOT_SHOWN)
    if visit.verified_at is None:
        raise StateError(
            _("The platform has not confirmed who this was. Check the visit before you pay.")
        )
    code = required_text(
        reason_code,
        _("Name the purpose of the bonus. Nobody gets two bonuses for the same purpose."),
    )
    if len(code) > _MAX_CODE_LENGTH:
        raise AnnotationError(
            _("Name the purpose of the bonus in at most %(n)s characters.")
            % {"n": _MAX_CODE_LENGTH}
        )
    return plan_payment(visit, _KIND.BONUS, amount, code, message, by=by)


@transaction.atomic
def compensate(*, visit: Visit, amount: Decimal, message: str, by: User) -> Intent:
    """Pay somebody who did the work and could not hand it in, once, by a way of their own."""
    visit = locked_visit(visit)
    if not capabilities_of(visit).can_compensate:
        raise StateError(_("You cannot pay a compensation on this platform. Pay a bonus instead."))
    if visit.remote_state in {_REMOTE.SUBMITTED, _REMOTE.APPROVED}:
        raise StateError(_("The person has submitted this work: approve it instead."))
    if is_planned(visit, _KIND.APPROVE):
        raise StateError(_APPROVED_BEFORE)
    return plan_payment(visit, _KIND.COMPENSATE, amount, "", message, by=by)


@transaction.atomic
def message(*, visit: Visit, text: str, by: User | None) -> Intent:
    """Write to somebody by the platform; the same words once."""
    visit = locked_visit(visit)
    if not capabilities_of(visit).can_message:
        raise StateError(_("This platform does not deliver messages."))
    if visit.remote_state == _REMOTE.UNSEEN and visit.verified_at is None:
        raise StateError(NOT_SHOWN)
    text = required_text(text, _("The message is empty."))
    code = hashlib.sha256(text.encode()).hexdigest()[:12]
    return plan_intent(visit, _KIND.MESSAGE, reason_code=code, payload={"message": text}, by=by)


@transaction.atomic
def note(*, visit: Visit, text: str, by: User) -> Visit:
    """Keep a word about a visit, with who wrote it and when; nobody outside reads it."""
    visit = locked_visit(visit)
    word = required_text(text, _("The note is empty."))
    line = f"{clock.now():%Y-%m-%d %H:%M} {by.get_username()}: {word}"
    visit.note = f"{visit.note}\n{line}".lstrip()
    visit.save(update_fields=["note"])
    return visit


@transaction.atomic
def settle_doubt(*, visit: Visit, by: User) -> Visit:
    """A person has looked at what was in doubt; a note says so."""
    visit = locked_visit(visit)
    if not visit.doubt:
        raise StateError(_("This visit is not doubtful."))
    visit.doubt = ""
    line = f"{clock.now():%Y-%m-%d %H:%M} {by.get_username()}: ✓"
    visit.note = f"{visit.note}\n{line}".lstrip()
    visit.save(update_fields=["doubt", "note"])
    return visit


def is_open_to_next(visit: Visit) -> bool:
    """Whether nobody vouches for who it was, so that a person may decide who goes on with it."""
    return not visit.submission_id or (
        visit.state == Visit.State.WORKING and visit.verified_at is None
    )


@transaction.atomic
def forget_key(*, visit: Visit, by: User) -> Visit:
    """Let the next person under the same id go on with this visit, by a new link and code.

    For somebody who lost theirs, or whose id a stranger used first; a note says so. Where the
    address names the sitting, their next one takes the place of this one.
    """
    visit = locked_visit(visit)
    if not is_open_to_next(visit):
        raise StateError(
            _("This person returns through the platform, so there is no code to replace.")
        )
    visit.key_hash = None
    what = str(_("session ended") if visit.submission_id else _("new code"))
    line = f"{clock.now():%Y-%m-%d %H:%M} {by.get_username()}: {what}"
    visit.note = f"{visit.note}\n{line}".lstrip()
    visit.save(update_fields=["key_hash", "note"])
    return visit


@transaction.atomic
def vouch(*, visit: Visit, by: User) -> Visit:
    """A person takes it for the work of whom the platform shows, without its proof: it counts."""
    visit = locked_visit(visit)
    if visit.verified_at:
        raise StateError(_("The platform has already confirmed this visit."))
    if visit.remote_state not in {_REMOTE.SUBMITTED, _REMOTE.APPROVED}:
        raise StateError(NOT_SHOWN)
    if visit.run is None or visit.outcome not in visits.DONE:
        raise StateError(_("This visit has no finished answers to count."))
    visits.verify(visit=visit, at=clock.now())
    visit.refresh_from_db()
    ask_what_follows(visit)
    visit.doubt = ""
    line = f"{clock.now():%Y-%m-%d %H:%M} {by.get_username()}: ✓✓"
    visit.note = f"{visit.note}\n{line}".lstrip()
    visit.save(update_fields=["doubt", "note"])
    return visit


@transaction.atomic
def ask_again(*, intent: Intent, by: User) -> Intent:
    """Ask once more for what was refused or given up, where that may be decided today.

    Meanwhile the visit may have been paid in another way, and its place by somebody else's work.
    """
    lock_study(intent.listing.study_id)
    intent = intents.read(intent.pk)
    intents.refuse_unless_over(intent)
    if intent.kind == _KIND.PUBLISH:
        raise StateError(
            _(
                "Publish the listing again, or add places. Likeness then checks its "
                "reward, free places and cost again."
            )
        )
    again = _decided_again(intent, by)
    if again is None:
        return intents.plan_again(intent=intent, by=by)
    intents.write_again(intent, by)
    return again


def _decided_again(intent: Intent, by: User) -> Intent | None:
    """The same decision under the rules of each; None if it was none about a visit."""
    visit, payload = intent.visit, intent.payload
    if visit is None:
        return None
    words = payload.get("message", "")
    match intent.kind:
        case _KIND.APPROVE if intent.reason_code == Intent.OVERTURN:
            return overturn(visit=visit, by=by)
        case _KIND.APPROVE:
            return approve(visit=visit, by=by)
        case _KIND.REJECT:
            return reject(visit=visit, reason=words, category=payload.get("category", ""), by=by)
        case _KIND.ASK_RETURN:
            return ask_return(visit=visit, message=words, by=by)
        case _KIND.BONUS:
            return bonus(
                visit=visit,
                amount=intent.pays,
                reason_code=intent.reason_code,
                message=words,
                by=by,
            )
        case _KIND.COMPENSATE:
            return compensate(visit=visit, amount=intent.pays, message=words, by=by)
    return None
