"""What a person decides about one visit: pay, pay but leave out, reject, pay more, write.

Each is one call for one visit, with whoever asked for it. Nothing is said to the platform here:
the decision and its intent are one transaction, and a worker asks afterwards (`intents`).

What the platform is told of a visit are the ids that it gave itself: whom it pays is never what a
launch said and nobody has vouched for.
"""

import hashlib
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotation.answering.services import visits
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Capabilities, Planned
from annotation.core.queries import commitments
from annotation.core.services.locks import lock_study
from annotation.crowds.services import intents, spending
from annotation.models import Exclusion, Intent, Listing, Visit

_KIND, _REMOTE = Intent.Kind, Visit.Remote
_LONGEST_CODE = 60

_NOT_SHOWN = _("The platform has not shown this submission yet. Wait until it does.")
_DECIDED_NO = _("A rejection of this submission was asked for before.")
_DECIDED_YES = _("An approval of this submission was asked for before.")
_APPROVED_BEFORE = _(
    "An approval of this submission was asked for before, so its reward is paid. To pay more, pay"
    " a bonus."
)


_BEING_ASKED = _(
    "They are being asked to return this submission. Wait until that is settled: the ledger says"
    " when."
)


@transaction.atomic
def approve(
    *, visit: Visit, by: User, exclude: str = "", although_compensated: bool = False
) -> Intent | None:
    """Pay for a visit; with a reason in `exclude` its answers are left out of the data.

    Somebody who was compensated for it is paid the reward as well only where that is said. Returns
    None where the platform has approved it by itself, and it is only left out.
    """
    visit = _hold(visit)
    if visit.remote_state == _REMOTE.APPROVED and exclude.strip():
        _exclude(visit, exclude, by)
        return None
    _refuse_unless_submitted(visit)
    if _stands(visit, _KIND.REJECT):
        raise StateError(_DECIDED_NO)
    if Intent.objects.unsettled().filter(visit=visit, kind=_KIND.ASK_RETURN).exists():
        raise StateError(_BEING_ASKED)
    if not although_compensated:
        _refuse_compensated(visit)
    if exclude.strip():
        _exclude(visit, exclude, by)
    return _plan(
        visit,
        _KIND.APPROVE,
        payload={"overturn": False},
        commits=_unforeseen(visit, reason_code=""),
        pays=_reward(visit),
        by=by,
    )


@transaction.atomic
def reject(*, visit: Visit, reason: str, category: str = "", by: User) -> Intent:
    """Refuse to pay, with a reason that the person reads; only ever by somebody's decision."""
    visit = _hold(visit)
    can = _capabilities(visit)
    if not can.can_reject:
        raise StateError(_("This platform knows no rejection."))
    if by is None:
        raise AnnotationError(_("Only a person rejects somebody's work."))
    _refuse_unless_submitted(visit)
    if _stands(visit, _KIND.APPROVE):
        raise StateError(_DECIDED_YES)
    reason = _text(reason, _("Say why: the person who did the work reads it."))
    if len(reason) < can.reason_length:
        raise AnnotationError(
            _(
                "The platform asks for a reason of at least %(least)s characters; the one given"
                " has %(n)s."
            )
            % {"least": can.reason_length, "n": len(reason)}
        )
    if can.rejection_categories and category not in can.rejection_categories:
        raise AnnotationError(
            _("Choose what kind of reason it is: %(known)s.")
            % {"known": ", ".join(can.rejection_categories)}
        )
    return _plan(visit, _KIND.REJECT, payload={"message": reason, "category": category}, by=by)


@transaction.atomic
def overturn(*, visit: Visit, by: User, although_compensated: bool = False) -> Intent:
    """Take a rejection back, and pay; see `approve` for who was compensated meanwhile."""
    visit = _hold(visit)
    if not _capabilities(visit).can_overturn:
        raise StateError(_("This platform takes no rejection back. Pay by a bonus instead."))
    if visit.remote_state != _REMOTE.REJECTED:
        raise StateError(_("Only a rejected submission can be approved after all."))
    if not although_compensated:
        _refuse_compensated(visit)
    return _plan(
        visit,
        _KIND.APPROVE,
        reason_code=Intent.OVERTURN,
        payload={"overturn": True},
        commits=_unforeseen(visit, reason_code=Intent.OVERTURN),
        pays=_reward(visit),
        by=by,
    )


@transaction.atomic
def ask_return(*, visit: Visit, message: str, by: User) -> Intent:
    """Ask somebody to give the submission back of their own accord."""
    visit = _hold(visit)
    if not _capabilities(visit).can_ask_return:
        raise StateError(_("This platform cannot ask anybody to return a submission."))
    if visit.remote_state not in {_REMOTE.ACTIVE, _REMOTE.SUBMITTED}:
        raise StateError(_("Only what was begun or handed in, and not decided, can be returned."))
    if _stands(visit, _KIND.APPROVE):
        raise StateError(_DECIDED_YES)
    if _stands(visit, _KIND.REJECT):
        raise StateError(_DECIDED_NO)
    message = _text(message, _("Say why: the person who is asked reads it."))
    return _plan(visit, _KIND.ASK_RETURN, payload={"message": message}, by=by)


@transaction.atomic
def bonus(*, visit: Visit, amount: Decimal, reason_code: str, message: str, by: User) -> Intent:
    """Pay somebody more, once for each reason."""
    visit = _hold(visit)
    if not _capabilities(visit).is_paid:
        raise StateError(_("Nothing is paid through this platform."))
    if visit.remote_state == _REMOTE.UNSEEN:
        raise StateError(_NOT_SHOWN)
    if visit.verified_at is None:
        raise StateError(
            _("Nobody has vouched yet for who this was. Look at the visit before you pay.")
        )
    code = _text(reason_code, _("Name what the bonus is for: nobody gets it twice for the same."))
    if len(code) > _LONGEST_CODE:
        raise AnnotationError(
            _("Name what the bonus is for in at most %(n)s characters.") % {"n": _LONGEST_CODE}
        )
    return _pay(visit, _KIND.BONUS, amount, code, message, by=by)


@transaction.atomic
def compensate(*, visit: Visit, amount: Decimal, message: str, by: User) -> Intent:
    """Pay somebody who did the work and could not hand it in, once, by a way of their own."""
    visit = _hold(visit)
    if not _capabilities(visit).can_compensate:
        raise StateError(_("This platform has no other way to pay. Pay by a bonus instead."))
    if visit.remote_state in {_REMOTE.SUBMITTED, _REMOTE.APPROVED}:
        raise StateError(_("This submission was handed in: approve it instead."))
    if _stands(visit, _KIND.APPROVE):
        raise StateError(_APPROVED_BEFORE)
    return _pay(visit, _KIND.COMPENSATE, amount, "", message, by=by)


@transaction.atomic
def message(*, visit: Visit, text: str, by: User | None) -> Intent:
    """Write to somebody by the platform; the same words once."""
    visit = _hold(visit)
    if not _capabilities(visit).can_message:
        raise StateError(_("This platform carries no messages."))
    if visit.remote_state == _REMOTE.UNSEEN and visit.verified_at is None:
        raise StateError(_NOT_SHOWN)
    text = _text(text, _("Write something: an empty message is not sent."))
    code = hashlib.sha256(text.encode()).hexdigest()[:12]
    return _plan(visit, _KIND.MESSAGE, reason_code=code, payload={"message": text}, by=by)


@transaction.atomic
def note(*, visit: Visit, text: str, by: User) -> Visit:
    """Keep a word about a visit, with who wrote it and when; nobody outside reads it."""
    visit = _hold(visit)
    word = _text(text, _("Write something: an empty note is not kept."))
    line = f"{clock.now():%Y-%m-%d %H:%M} {by.get_username()}: {word}"
    visit.note = f"{visit.note}\n{line}".lstrip()
    visit.save(update_fields=["note"])
    return visit


@transaction.atomic
def settle_doubt(*, visit: Visit, by: User) -> Visit:
    """A person has looked at what was in doubt; a note says so."""
    visit = _hold(visit)
    if not visit.doubt:
        raise StateError(_("Nothing is in doubt about this visit."))
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
    """Let whoever comes next under the person's id go on with this visit, by a new link and code.

    For somebody who lost theirs, or whose id a stranger used first; a note says so. Where the
    address names the sitting, their next one takes the place of this one.
    """
    visit = _hold(visit)
    if not is_open_to_next(visit):
        raise StateError(
            _("This person comes back through the platform, so there is no code to renew.")
        )
    visit.key_hash = None
    line = f"{clock.now():%Y-%m-%d %H:%M} {by.get_username()}: " + str(_("new code"))
    visit.note = f"{visit.note}\n{line}".lstrip()
    visit.save(update_fields=["key_hash", "note"])
    return visit


@transaction.atomic
def vouch(*, visit: Visit, by: User) -> Visit:
    """A person takes it for the work of whom the platform shows, without its proof: it counts."""
    visit = _hold(visit)
    if visit.verified_at:
        raise StateError(_("The platform has vouched for this visit already."))
    if visit.remote_state not in {_REMOTE.SUBMITTED, _REMOTE.APPROVED}:
        raise StateError(_NOT_SHOWN)
    if visit.run is None or visit.outcome not in visits.DONE:
        raise StateError(_("This visit has no finished answers that could be counted."))
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
    again = _decided_again(intent, by)
    if again is None:
        return intents.plan_again(intent=intent, by=by)
    intents.write_again(intent, by)
    return again


def _decided_again(intent: Intent, by: User) -> Intent | None:
    """The same decision under the rules of each; None where it was none about a visit."""
    visit, told = intent.visit, intent.payload
    if visit is None:
        return None
    words = told.get("message", "")
    match intent.kind:
        case _KIND.APPROVE if intent.reason_code == Intent.OVERTURN:
            return overturn(visit=visit, by=by)
        case _KIND.APPROVE:
            return approve(visit=visit, by=by)
        case _KIND.REJECT:
            return reject(visit=visit, reason=words, category=told.get("category", ""), by=by)
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


# -- what they share ------------------------------------------------------------------------------


def _hold(visit: Visit) -> Visit:
    """The visit as it is now; the study's lock keeps two decisions about it apart."""
    if visit.listing_id is None:
        raise StateError(_("This visit is of no listing; nothing is decided about it here."))
    lock_study(Listing.objects.values_list("study", flat=True).get(pk=visit.listing_id))
    return Visit.objects.select_related(
        "listing__study", "person", "ticket", "run__assignment"
    ).get(pk=visit.pk)


def _listing(visit: Visit) -> Listing:
    assert visit.listing is not None  # `_hold` refuses others
    return visit.listing


def _capabilities(visit: Visit) -> Capabilities:
    return platform_of(visit.platform).capabilities


def _refuse_unless_submitted(visit: Visit) -> None:
    if visit.remote_state == _REMOTE.SUBMITTED:
        return
    if visit.remote_state in {_REMOTE.UNSEEN, _REMOTE.ACTIVE}:
        raise StateError(_NOT_SHOWN)
    raise StateError(
        _("The platform says that this submission is decided: %(state)s.")
        % {"state": _REMOTE(visit.remote_state).label}
    )


def _stands(visit: Visit, kind: Intent.Kind) -> bool:
    return Intent.objects.standing().filter(visit=visit, kind=kind).exists()


def _refuse_compensated(visit: Visit) -> None:
    """The platform may show late what somebody was compensated for: it would be paid twice."""
    paid = Intent.objects.standing().filter(visit=visit, kind=_KIND.COMPENSATE).first()
    if paid:
        raise StateError(
            _(
                "They were compensated for this visit with %(amount)s %(currency)s already. If the"
                " reward shall be paid as well, tick that before you confirm."
            )
            % {"amount": paid.pays, "currency": paid.currency}
        )


def _exclude(visit: Visit, reason: str, by: User) -> None:
    if visit.run is None:
        raise StateError(_("This visit has no answers that could be left out."))
    reason = _text(reason, _("Say why: the reason is kept with the exclusion."))
    assignment = visit.run.assignment
    if not assignment.exclusions.in_force().exists():
        Exclusion.objects.create(assignment=assignment, reason=reason, by=by)


def _reward(visit: Visit) -> Decimal:
    return _listing(visit).reward


def _unforeseen(visit: Visit, *, reason_code: str) -> Decimal:
    """What paying for it costs beyond the places that were asked for, and foreseen with them.

    A platform may show more submissions than places; each of those must fit below the cap.
    """
    asked = Intent.objects.standing().filter(kind=_KIND.APPROVE)
    if before := asked.filter(visit=visit, reason_code=reason_code).first():
        return before.commits
    listing = _listing(visit)
    paid = Q(remote_state=_REMOTE.APPROVED) | Q(Exists(asked.filter(visit=OuterRef("pk"))))
    if listing.visits.filter(paid).exclude(pk=visit.pk).count() < listing.n_places:
        return commitments.NOTHING
    fee = platform_of(visit.platform).fee(listing, listing.reward, is_bonus=False)
    return listing.reward + fee


def _text(written: str, empty: Said) -> str:
    if not written.strip():
        raise AnnotationError(empty)
    if "\x00" in written:
        raise AnnotationError(_("This text has a character that cannot be stored (NUL)."))
    return written.strip()


def _pay(
    visit: Visit, kind: Intent.Kind, amount: Decimal, code: str, message: str, *, by: User
) -> Intent:
    amount = spending.in_cents(amount)
    if amount <= 0:
        raise AnnotationError(_("Pay more than nothing."))
    words = _text(message, _("Say what it is for: the person who is paid reads it."))
    fee = platform_of(visit.platform).fee(_listing(visit), amount, is_bonus=True)
    return _plan(
        visit,
        kind,
        reason_code=code,
        payload={"amount": str(amount), "message": words},
        commits=amount + fee,
        pays=amount,
        fee=fee,
        by=by,
    )


def _plan(
    visit: Visit,
    kind: Intent.Kind,
    *,
    payload: dict[str, Any],
    by: User | None,
    reason_code: str = "",
    commits: Decimal = commitments.NOTHING,
    pays: Decimal = commitments.NOTHING,
    fee: Decimal | None = None,
) -> Intent:
    if fee is None:
        platform, listing = platform_of(visit.platform), _listing(visit)
        fee = platform.fee(listing, pays, is_bonus=False) if pays else commitments.NOTHING
    return intents.plan(
        listing=_listing(visit),
        planned=Planned(
            kind, reason_code=reason_code, payload={**ids_of(visit), **payload}, commits=commits
        ),
        visit=visit,
        pays=pays,
        fee=fee,
        by=by,
    )


def ask_what_follows(visit: Visit) -> None:
    """What a platform is asked for once work is vouched for, such as no further task for them."""
    listing = visit.listing
    if listing is None or visit.person is None or listing.study.dry_run:
        return
    for step in platform_of(visit.platform).plan_verified(visit):
        told = replace(step, payload={**ids_of(visit), **step.payload})
        intents.plan(listing=listing, visit=visit, planned=told)


def ids_of(visit: Visit) -> dict[str, str]:
    """By which the platform knows a visit."""
    if visit.person is None:
        raise StateError(_("Who this was is not known any more; nothing can be asked for them."))
    return {
        "submission_id": visit.submission_id,
        "person_id": visit.person.platform_id,
        "ticket_id": visit.ticket.remote_id if visit.ticket else "",
    }
