"""Carrying out an intent on Mechanical Turk, in one attempt.

What comes before the one call that counts (an own qualification, a HIT type) can be done again
without harm, so that a doubt there is none.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.platforms.base import NewTicket, Sent
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms.mturk import (
    errors as mturk_errors,
)
from annotation.crowds.platforms.mturk import (
    qualifications as mturk_qualifications,
)
from annotation.crowds.platforms.mturk.fees import in_cents
from annotation.crowds.platforms.mturk.options import CONTROL, DAY, HOUR
from annotation.crowds.platforms.mturk.questions import html_question
from annotation.crowds.platforms.mturk.requester import Answer, Requester, part, plain
from annotation.models import Intent, Ticket

# A time that is over: a HIT that expires then expires at once.
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_FEEDBACK_LENGTH, _MAX_REASON_LENGTH, _MAX_SUBJECT_LENGTH, _MAX_MESSAGE_LENGTH = (
    1_024,
    4_096,
    200,
    4_096,
)
_COMPENSATION_LIFE = 30 * DAY
_NO_WAY = _("Mechanical Turk offers no way to do this.")
_NOBODY = _("The worker's id is no longer stored, so Likeness cannot request anything for them.")
_ONLY_ONE_SITTING = _("This does not belong to an assignment on Mechanical Turk.")


class IntentSender:
    """One intent and the client of its environment."""

    def __init__(self, requester: Requester, intent: Intent) -> None:
        self._requester = requester
        self._intent = intent
        self._payload: dict[str, Any] = intent.payload

    def send(self) -> Sent:
        kind = Intent.Kind
        doing: dict[str, Callable[[], Sent]] = {
            kind.PUBLISH: self._publish,
            kind.CLOSE: self._close,
            kind.APPROVE: self._approve,
            kind.REJECT: self._reject,
            kind.BONUS: self._bonus,
            kind.GRANT: self._grant,
            kind.REVOKE: self._revoke,
            kind.MESSAGE: self._message,
            kind.COMPENSATE: self._compensate,
        }
        if self._intent.kind not in doing:
            raise RefusedError(_NO_WAY)
        return doing[self._intent.kind]()

    # -- HITs --------------------------------------------------------------------------------
    def _publish(self) -> Sent:
        types = {
            qualification["name"]: self._type_id(qualification["name"])
            for qualification in self._payload["own"]
        }
        own = [
            mturk_qualifications.of_own(types[qualification["name"]], qualification["comparator"])
            for qualification in self._payload["own"]
        ]
        wanted = dict(self._payload["type"])
        wanted["QualificationRequirements"] = [*wanted["QualificationRequirements"], *own]
        # The same values make the same type, and no second one.
        answer = self._before("create_hit_type", **wanted)
        try:
            type_id = part(answer, "HITTypeId")
        except DoubtfulError as error:
            raise mturk_errors.cannot_ask(error) from error
        answer = self._requester.ask(
            "create_hit_with_hit_type",
            HITTypeId=type_id,
            **self._payload["hit"],
            RequesterAnnotation=annotation_of(self._intent),
            UniqueRequestToken=self._intent.token,
        )
        return published(part(answer, "HIT"), qualifications=types)

    def _close(self) -> Sent:
        own_ticket = self._intent.ticket
        tickets = [own_ticket] if own_ticket else list(self._intent.listing.tickets.order_by("pk"))
        for ticket in tickets:
            self._requester.ask(
                "update_expiration_for_hit", HITId=ticket.remote_id, ExpireAt=LONG_AGO
            )
        return Sent(remote_id=own_ticket.remote_id if own_ticket else "")

    # -- what was handed in ------------------------------------------------------------------
    def _approve(self) -> Sent:
        values: dict[str, Any] = {}
        if feedback := self._text("message", _MAX_FEEDBACK_LENGTH):
            values["RequesterFeedback"] = feedback
        if self._payload.get("overturn"):
            values["OverrideRejection"] = True
        return self._review("approve_assignment", "Approved", **values)

    def _reject(self) -> Sent:
        feedback = self._text("reason", _MAX_FEEDBACK_LENGTH) or self._text(
            "message", _MAX_FEEDBACK_LENGTH
        )
        if not feedback:
            raise RefusedError(_("Write a reason: the worker reads it."))
        return self._review("reject_assignment", "Rejected", RequesterFeedback=feedback)

    def _review(self, operation: str, wanted: str, **values: Any) -> Sent:
        assignment_id = submission_of(self._intent)
        try:
            answer = self._requester.ask(operation, AssignmentId=assignment_id, **values)
        except mturk_errors.StateError:
            # Perhaps it is as it should be: approved by the clock, or by an earlier attempt.
            current = self._requester.look("get_assignment", AssignmentId=assignment_id)
            if current.get("Assignment", {}).get("AssignmentStatus") != wanted:
                raise
            return Sent(remote_id=assignment_id, answer=plain(_without_answer(current)))
        return Sent(remote_id=assignment_id, answer=plain(answer))

    def _bonus(self) -> Sent:
        assignment_id, mark = submission_of(self._intent), reference_of(self._intent)
        reason = self._text("message", _MAX_REASON_LENGTH - len(mark) - 1)
        answer = self._requester.ask(
            "send_bonus",
            WorkerId=self._worker_id,
            AssignmentId=assignment_id,
            BonusAmount=self._amount(self._intent.pays),
            Reason=f"{reason} {mark}".strip(),
            UniqueRequestToken=self._intent.token,
        )
        return Sent(remote_id=assignment_id, answer=plain(answer))

    # -- people ------------------------------------------------------------------------------
    def _grant(self) -> Sent:
        worker_id = self._worker_id
        type_id = self._type_id(qualification_of(self._intent))
        return self._associate(type_id, worker_id)

    def _associate(self, type_id: str, worker_id: str) -> Sent:
        whose = {"QualificationTypeId": type_id, "WorkerId": worker_id}
        try:
            # Without a value the service has complained, though its model does not ask for one.
            self._requester.ask(
                "associate_qualification_with_worker",
                **whose,
                IntegerValue=1,
                SendNotification=False,
            )
        except mturk_errors.DuplicateError:
            if not is_granted(self._requester, type_id, worker_id):
                raise
        return Sent(remote_id=type_id)

    def _revoke(self) -> Sent:
        worker_id = self._worker_id
        type_id = known_type(self._requester, self._intent, qualification_of(self._intent))
        if not type_id:
            return Sent()
        try:
            self._requester.ask(
                "disassociate_qualification_from_worker",
                QualificationTypeId=type_id,
                WorkerId=worker_id,
            )
        except (mturk_errors.MissingError, mturk_errors.StateError):
            if is_granted(self._requester, type_id, worker_id):
                raise
        return Sent(remote_id=type_id)

    def _message(self) -> Sent:
        text = self._text("message", _MAX_MESSAGE_LENGTH)
        subject = self._text("subject", _MAX_SUBJECT_LENGTH) or self._intent.listing.study.title
        if not text:
            raise RefusedError(_("The message is empty."))
        answer = self._requester.ask(
            "notify_workers",
            Subject=subject[:_MAX_SUBJECT_LENGTH],
            MessageText=text,
            WorkerIds=[self._worker_id],
        )
        # AWS's page says that the answer is empty, its model that it names who was not reached.
        for failure in answer.get("NotifyWorkersFailureStatuses") or []:
            sentence = _("Mechanical Turk did not deliver the message: %(answer)s") % {
                "answer": failure.get("NotifyWorkersFailureMessage", "")
            }
            is_soft = failure.get("NotifyWorkersFailureCode") == "SoftFailure"
            raise (UnavailableError if is_soft else RefusedError)(sentence)
        return Sent(answer=plain(answer))

    def _compensate(self) -> Sent:
        """A HIT that one worker alone sees, for whom a real one could not be handed in."""
        text = self._text("message", 20_000)
        title = self._text("subject", 100) or self._intent.listing.study.title[:100]
        worker_id, reward = self._worker_id, self._amount(self._intent.pays)
        type_id = self._type_id(compensation_name(self._intent))
        try:
            self._associate(type_id, worker_id)
        except DoubtfulError as error:
            raise mturk_errors.cannot_ask(error) from error
        answer = self._requester.ask(
            "create_hit",
            Title=title,
            Description=title,
            Reward=reward,
            MaxAssignments=1,
            LifetimeInSeconds=_COMPENSATION_LIFE,
            AssignmentDurationInSeconds=HOUR,
            # A person who presses the button has done all there is to do.
            AutoApprovalDelayInSeconds=0,
            QualificationRequirements=[mturk_qualifications.of_own(type_id, "Exists")],
            Question=html_question(title=title, text=text, button="OK"),
            RequesterAnnotation=annotation_of(self._intent),
            UniqueRequestToken=self._intent.token,
        )
        return compensated(part(answer, "HIT"))

    # -- parts -------------------------------------------------------------------------------
    @property
    def _worker_id(self) -> str:
        return worker_of(self._intent)

    def _text(self, key: str, most: int) -> str:
        text = str(self._payload.get(key, "")).strip()
        if len(text) > most:
            raise RefusedError(
                _("The text has %(n)s characters; Mechanical Turk allows %(most)s. Shorten it.")
                % {"n": len(text), "most": most}
            )
        if CONTROL.search(text):
            raise RefusedError(_("The text contains a control character; type it again."))
        return text

    def _amount(self, amount: Decimal) -> str:
        if amount <= 0:
            raise RefusedError(_("The amount must be above 0."))
        return in_cents(amount)

    def _before(self, operation: str, **values: Any) -> Answer:
        """A step that leads to the call that counts, and can be done again."""
        try:
            return self._requester.ask(operation, **values)
        except mturk_errors.DuplicateError:
            raise
        except DoubtfulError as error:
            raise mturk_errors.cannot_ask(error) from error

    def _type_id(self, name: str) -> str:
        """Of an own qualification, which is made if there is none."""
        if type_id := known_type(self._requester, self._intent, name):
            return type_id
        try:
            answer = self._before(
                "create_qualification_type",
                Name=name,
                Description=f"Given by the requester: {name}",
                QualificationTypeStatus="Active",
            )
            return str(part(answer, "QualificationType", "QualificationTypeId"))
        except DoubtfulError as error:
            # There is one, and it is not listed yet; or the answer was cut off.
            raise mturk_errors.cannot_ask(error) from error


# In the annotation of a HIT, and in the reason of a bonus.
MARKED = frozenset({Intent.Kind.PUBLISH, Intent.Kind.COMPENSATE, Intent.Kind.BONUS})


def annotation_of(intent: Intent) -> str:
    """Of a HIT, for its requester alone: what it was made for."""
    return f"intent:{intent.token}"


def reference_of(intent: Intent) -> str:
    """At the end of the reason of a bonus, where the payment is found again by it."""
    return f"[ref {intent.reference}]"


def compensation_name(intent: Intent) -> str:
    return f"compensation {intent.token}"


def qualification_of(intent: Intent) -> str:
    """The name of what is granted or revoked: by default the entrance of the listing's phase."""
    listing = intent.listing
    entrance = mturk_qualifications.entrance_name(listing.study, listing.phase_number)
    return str(intent.payload.get("qualification") or entrance)


def submission_of(intent: Intent) -> str:
    """The assignment that it is about, as it was when the intent was written down."""
    planned_id = intent.payload.get("submission_id")
    submission_id = planned_id or (intent.visit.submission_id if intent.visit else "")
    if not submission_id:
        raise RefusedError(_ONLY_ONE_SITTING)
    return str(submission_id)


def worker_of(intent: Intent) -> str:
    """Whom it is about; by what was written down, for their name may be withdrawn since."""
    person = intent.visit.person if intent.visit else None
    worker_id = intent.payload.get("person_id") or (person.platform_id if person else "")
    if not worker_id:
        raise RefusedError(_NOBODY)
    return str(worker_id)


def known_type(requester: Requester, intent: Intent, name: str) -> str:
    """The id of an own qualification in this environment; empty: there is none, or not yet."""
    listing = intent.listing
    for details in Ticket.objects.filter(
        listing__study=listing.study_id,
        platform=listing.platform,
        environment=listing.environment,
    ).values_list("details", flat=True):
        if type_id := details.get("qualifications", {}).get(name):
            return str(type_id)
    rows = requester.pages(
        "list_qualification_types",
        "QualificationTypes",
        Query=name,
        MustBeRequestable=False,
        MustBeOwnedByCaller=True,
    )
    return next((row["QualificationTypeId"] for row in rows if row.get("Name") == name), "")


def is_granted(requester: Requester, type_id: str, worker_id: str) -> bool:
    try:
        answer = requester.look(
            "get_qualification_score", QualificationTypeId=type_id, WorkerId=worker_id
        )
    except (mturk_errors.MissingError, mturk_errors.StateError):
        return False
    return bool(answer.get("Qualification", {}).get("Status") == "Granted")


def published(hit: Answer, *, qualifications: dict[str, str]) -> Sent:
    """A HIT as a ticket. Its question is known here, and long."""
    hit_fields = plain({key: value for key, value in hit.items() if key != "Question"})
    return Sent(
        remote_id=part(hit, "HITId"),
        ticket=NewTicket(
            remote_id=part(hit, "HITId"),
            n_places=part(hit, "MaxAssignments"),
            group_id=part(hit, "HITTypeId"),
            expires_at=part(hit, "Expiration"),
            details={**hit_fields, "qualifications": qualifications},
        ),
        answer=hit_fields,
    )


def compensated(hit: Answer) -> Sent:
    """No ticket: nobody comes to us by it."""
    hit_fields = {key: value for key, value in hit.items() if key != "Question"}
    return Sent(remote_id=part(hit, "HITId"), answer=plain(hit_fields))


def has_expired(hit: Answer, now: datetime) -> bool:
    # The service's clock may be a little ahead of ours.
    expiration = hit.get("Expiration")
    return isinstance(expiration, datetime) and expiration <= now + timedelta(minutes=5)


def _without_answer(answer: Answer) -> Answer:
    assignment = answer.get("Assignment", {})
    return {key: value for key, value in assignment.items() if key != "Answer"}
