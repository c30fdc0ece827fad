"""Saving answers: complete ones as judgments, partial ones as drafts."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import Count, Q, prefetch_related_objects

from annotation.answering.services.assignments import answering
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, InvalidAnswerError, TooManyError
from annotation.basics.sentences import sentence as _
from annotation.core.queries.statements import Statement
from annotation.kinds.answer import NO_ANSWER, Answer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Assignment, Draft, Judgment, Member, Question

COMMENT_LIMIT = 2000
# Time-outs are counted in minutes: to write down each second of activity would help nobody.
_TOUCH_EVERY = timedelta(minutes=1)
# The answer that stands, the one that came with the same key, and beside each the draft; one row
# even where there is none of them.
_STORED = Statement(
    """
    SELECT {judgment}, {draft}
    FROM (SELECT 1 AS one) AS always
    LEFT JOIN annotation_judgment AS judgment
        ON judgment.assignment_id = %s AND (
            judgment.question_id = %s
            AND judgment.superseded_at IS NULL AND judgment.withdrawn_at IS NULL
            OR judgment.idempotency_key = %s
        )
    LEFT JOIN annotation_draft AS draft
        ON draft.assignment_id = %s AND draft.question_id = %s
    ORDER BY judgment.id
    """,
    judgment=Judgment,
    draft=Draft,
)


@dataclass(frozen=True)
class CurrentAnswer:
    """The answer that stands for a question: a draft stands before the judgment it changes.

    The key is that of what was sent; `NO_ANSWER` if no answer stands.
    """

    key: str
    answer: Answer

    @classmethod
    def of(cls, row: Judgment | Draft | None, kind: type[Answer]) -> "CurrentAnswer":
        """`kind`: that of the question."""
        if row is None:
            return cls(NO_ANSWER, kind())
        choice = (
            kind.of_judgment(row) if isinstance(row, Judgment) else kind.of_payload(row.payload)
        )
        return cls(str(row.idempotency_key), choice)


class AnsweredElsewhereError(AnnotationError):
    """Another answer stands than those the page has seen: it is shown, not overwritten."""

    status = 409

    def __init__(self, standing: CurrentAnswer) -> None:
        super().__init__(_("This question was answered in another tab or on another device."))
        self.standing = standing

    @property
    def details(self) -> dict[str, Any]:
        return {"key": self.standing.key, "answer": self.standing.answer.as_json}


@dataclass(frozen=True)
class SavedAnswer:
    """What was stored of what was sent, and what stands now: another answer, after a resend."""

    row: Judgment | Draft
    standing: CurrentAnswer

    @property
    def is_complete(self) -> bool:
        return isinstance(self.row, Judgment)


def save(
    *,
    assignment: int,
    annotator: int,
    question: int,
    answer: Answer,
    shown: PresentedQuestion,
    idempotency_key: UUID,
    key_is_derived: bool = False,
    base: Collection[str] | None = None,
    sequence: int = 0,
    visit: int | None = None,
) -> SavedAnswer:
    """Save one answer. A complete one stands as a judgment, and the earlier stays as a revision.

    `base`: the keys of the answers that the page has shown or sent. Where another one stands that
    says something else, nothing is overwritten and AnsweredElsewhereError is raised. A page that
    names no base is believed to have seen everything.

    `key_is_derived`: a form without JavaScript has no key of its own, so one is derived from what
    it says. There, saying again what was said before a change is a new change, not a resend.

    `visit`: the sitting on a platform whose key was used.

    Raises InvalidAnswerError, AssignmentClosedError once nothing more is accepted, and
    Assignment.DoesNotExist where the annotator has no such assignment.
    """
    saving = _AnswerToSave(
        question, answer, shown, idempotency_key, key_is_derived, base, sequence
    )
    return answering(
        saving.store,
        assignment=assignment,
        annotator=annotator,
        stored=saving.resent,
        shown_in=shown.run,
        visit=visit,
    )


def record(
    *,
    assignment: Assignment,
    question: Question,
    answer: Answer,
    shown: PresentedQuestion,
    idempotency_key: UUID,
    key_is_derived: bool = False,
    base: Collection[str] | None = None,
) -> Judgment:
    """Save one complete answer."""
    if not answer.is_complete:
        raise ValueError(f"a judgment is complete; without {answer.missing[0]} it is a draft")
    saved = save(
        assignment=assignment.pk,
        annotator=assignment.annotator_id,
        question=question.pk,
        answer=answer,
        shown=shown,
        idempotency_key=idempotency_key,
        key_is_derived=key_is_derived,
        base=base,
    )
    assert isinstance(saved.row, Judgment)
    return saved.row


@dataclass
class _AnswerToSave:
    question: int
    answer: Answer
    shown: PresentedQuestion
    key: UUID
    key_is_derived: bool
    base: Collection[str] | None
    sequence: int
    # What was stored before, read once the assignment is held.
    draft: Draft | None = field(init=False, default=None)
    current: Judgment | None = field(init=False, default=None)
    earlier: Judgment | None = field(init=False, default=None)

    def _standing(self, row: Judgment | Draft | None) -> CurrentAnswer:
        return CurrentAnswer.of(row, type(self.answer))

    def resent(self, held: Assignment) -> SavedAnswer | None:
        """The stored answer to a resend, which may arrive after the submission."""
        # Read only now that the assignment is held: a double click sends two requests at once.
        stored = _STORED.rows(held.pk, self.question, self.key, held.pk, self.question)
        rows: list[Judgment] = [judgment for judgment, _draft in stored if judgment]
        prefetch_related_objects(rows, *self.answer.ROWS)
        self.draft = stored[0][1]
        for row in rows:
            row.assignment = held
        if self.draft:
            self.draft.assignment = held
        self.current = next((row for row in rows if self._is_current(row)), None)
        self.earlier = next((row for row in rows if row.idempotency_key == self.key), None)
        if self.key_is_derived:
            return None
        if self.earlier is None:
            return self._acknowledged(held)
        if self.earlier.question_id != self.question:
            raise InvalidAnswerError(_("This answer was sent with the key of a different answer."))
        return SavedAnswer(self.earlier, self._standing(self.draft or self.current))

    def _acknowledged(self, held: Assignment) -> SavedAnswer | None:
        """What an answer whose key is unknown was answered with, should this be a resend of it.

        One that said the same as the current judgment was acknowledged and left no row. A page
        that missed that reply asks again, maybe when nothing more is accepted; nothing is stored.
        """
        is_open = held.is_open and held.annotator.study.takes_answers
        if is_open or self.draft or not self.current or not self.answer.is_complete:
            return None
        standing = self._standing(self.current)
        return (
            SavedAnswer(self.current, standing)
            if self.answer.says_the_same(standing.answer)
            else None
        )

    def _is_current(self, row: Judgment) -> bool:
        return (
            row.question_id == self.question
            and row.superseded_at is None
            and row.withdrawn_at is None
        )

    def store(self, held: Assignment) -> SavedAnswer:
        check(self.answer, self.shown)
        before = self.draft or self.current
        standing = self._standing(before)
        if before and not self._knows(standing):
            if self.key_is_derived and self._is_untouched(held):
                return SavedAnswer(before, standing)
            raise AnsweredElsewhereError(standing)
        row = self._judgment(held) if self.answer.is_complete else self._draft(held)
        _touch(held)
        return SavedAnswer(row, self._standing(row))

    def _knows(self, standing: CurrentAnswer) -> bool:
        """Whether the page has seen what stands, or says the same without having seen it."""
        is_seen = self.base is None or standing.key in self.base
        return is_seen or self.answer.says_the_same(standing.answer)

    def _is_untouched(self, held: Assignment) -> bool:
        """Whether the form says what its page showed: then nothing was chosen there."""
        shown = held.judgments.filter(
            question=self.question, idempotency_key__in=filter(_is_key, self.base or [])
        ).prefetch_related(*self.answer.ROWS)
        return any(self.answer.says_the_same(self._standing(row).answer) for row in shown)

    def _judgment(self, held: Assignment) -> Judgment:
        if self.draft:
            self.draft.delete()
        current = self.current
        if current and (
            self.earlier == current or self.answer.says_the_same(self._standing(current).answer)
        ):
            return current
        now = clock.now()
        if current:
            _refuse_many_changes(held, self.question, now)
            current.superseded_at = now
            current.save(update_fields=["superseded_at"])
        judgment = Judgment.objects.create(
            assignment=held,
            question_id=self.question,
            kind=self.answer.KIND,
            **self.answer.columns,
            comment=self.answer.comment,
            **self.answer.counts,
            shown_order=list(self.shown.order) or None,
            shown_at=self.shown.at,
            answered_at=now,
            idempotency_key=uuid4() if self.earlier else self.key,
        )
        if rows := self.answer.rows(judgment):
            type(rows[0])._default_manager.bulk_create(rows)
        return judgment

    def _draft(self, held: Assignment) -> Draft:
        draft = self.draft or Draft(assignment=held, question_id=self.question)
        if draft.pk and self._draft_stays(draft):
            return draft
        draft.payload = self.answer.payload
        draft.idempotency_key = self.key
        draft.page, draft.sequence = self.shown.page, self.sequence
        draft.save()
        return draft

    def _draft_stays(self, draft: Draft) -> bool:
        if self.base is None:
            # Without a base the number tells: from one page a later draft wins.
            return draft.page == self.shown.page and draft.sequence >= self.sequence
        # The same choices, sent again or from elsewhere: the key that other pages know stays.
        return self.answer.says_the_same(self._standing(draft).answer)


def _refuse_many_changes(held: Assignment, question: int, now: datetime) -> None:
    """Keep a program from storing changes without end; nobody changes their mind so often."""
    changes = Judgment.objects.filter(assignment=held).aggregate(
        of_question=Count("pk", filter=Q(question=question)),
        lately=Count("pk", filter=Q(answered_at__gt=now - timedelta(minutes=1))),
    )
    if changes["of_question"] > settings.REVISIONS_PER_QUESTION:
        raise InvalidAnswerError(
            _("You have changed this answer %(n)s times and cannot change it again. Please go on.")
            % {"n": settings.REVISIONS_PER_QUESTION}
        )
    if changes["lately"] >= settings.ANSWERS_PER_MINUTE:
        raise TooManyError(
            _("You have sent more than we can store in a minute. Please wait and send it again."),
            retry_after=60,
        )


def _is_key(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _touch(held: Assignment) -> None:
    now = clock.now()
    is_waiting = held.state == held.State.WAITING
    if is_waiting or now - held.last_active_at >= _TOUCH_EVERY:
        # The first answer of a later phase begins it.
        held.state = held.State.ACTIVE
        held.last_active_at = now
        held.save(update_fields=["state", "last_active_at"] if is_waiting else ["last_active_at"])


def members(question: Question) -> list[int]:
    """The primary keys of the items a best-worst question shows, in stored order."""
    return list(
        Member.objects.filter(tuple=question.tuple_id)
        .order_by("position")
        .values_list("item_id", flat=True)
    )


def check(answer: Answer, shown: PresentedQuestion) -> None:
    """Refuse what does not fit what was shown, and comments that cannot be stored."""
    answer.check(shown)
    if len(answer.comment) > COMMENT_LIMIT:
        raise InvalidAnswerError(
            _("Please keep the comment under %(n)s characters.") % {"n": COMMENT_LIMIT}
        )
    if "\x00" in answer.comment:
        raise InvalidAnswerError(
            _("The comment contains a character that cannot be stored (NUL).")
        )
