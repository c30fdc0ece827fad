"""The people of the Czech study: a seeded model of what they say, and their answers in bulk.

Places are claimed and booklets sent by the services, as pages do it. The answers themselves are
written as rows; of the first people each one goes through the service that saves what pages send.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from uuid import UUID

from django.db import transaction

from annotation.answering.services import assignments, judgments, phases
from annotation.basics.errors import NothingLeftError
from annotation.basics.scale import Scale
from annotation.kinds.answer import Answer
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.selection.answer import ROLES, SelectionAnswer
from annotation.kinds.selection.queries.layouts import SUMMARY
from annotation.kinds.shown import Shown
from annotation.models import (
    Annotator,
    Assignment,
    Judgment,
    Phase,
    PhaseRun,
    Pick,
    Question,
    Study,
    Turn,
)
from annotation.studies.services import studies
from benchmarks.papers import clock
from benchmarks.papers.czech_texts import known_likeness, shared

N_BY_SERVICES = 2
_BATCH = 2000
# Standard deviations on the scale from 0 to 6: of people's levels, of what one person thinks of
# one pair, and of what they say when asked again; mean and deviation of the effect of context.
_LEVEL, _OPINION, _SLIP = 0.3, 0.5, 0.6
_GAIN, _GAIN_SD = 0.25, 0.5


@dataclass(frozen=True)
class Reply:
    """What somebody says, and how long they think."""

    answer: Answer
    seconds: float


class Minds:
    """What each person thinks of two sentences; the same seed, the same thoughts."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def _drawn(self, *names: object) -> random.Random:
        return random.Random(f"{self._seed}/{'/'.join(map(str, names))}")

    def rating(
        self, person: str, texts: tuple[str, str], condition: str, occasion: object
    ) -> tuple[Decimal, float]:
        """A rating and the seconds that it takes: whoever hurries errs more."""
        likeness = known_likeness(*texts) + self._drawn(person).gauss(0, _LEVEL)
        likeness += self._drawn(person, *texts).gauss(0, _OPINION)
        if condition == Phase.Condition.DEPENDENT:
            likeness += self._drawn("context", *texts).gauss(_GAIN, _GAIN_SD)
        moment = self._drawn(person, *texts, condition, occasion)
        seconds = moment.lognormvariate(1.9, 0.6)
        likeness += moment.gauss(0, _SLIP * (2 if seconds < 3 else 1))
        return Decimal(min(max(round(likeness), 0), 6)), seconds

    def selection(self, person: str, sentence: str, options: Sequence[tuple[int, str]]) -> Reply:
        """The closest sentence, the farthest, and the one that is nearest to half of the way."""
        moment = self._drawn(person, sentence)
        seen = [(shared(sentence, text) + moment.gauss(0, 0.05), pk) for pk, text in options]
        seen.sort(reverse=True)
        half = (seen[0][0] + seen[-1][0]) / 2
        _distance, middle = min((abs(share - half), pk) for share, pk in seen[1:-1])
        chosen = (seen[0][1], middle, seen[-1][1])
        texts = dict(options)
        rated = [
            self.rating(person, (sentence, texts[pk]), Phase.Condition.FREE, role)
            for role, pk in zip(ROLES, chosen, strict=True)
        ]
        return Reply(
            SelectionAnswer(*chosen, *(rating for rating, _seconds in rated)),
            sum(seconds for _rating, seconds in rated),
        )


class Crowd:
    """Everybody on a study's roster."""

    def __init__(self, study: Study, minds: Minds) -> None:
        self.study = study
        self.minds = minds
        self.scale = Scale.of(study.scale)

    def answer(self, *, since: datetime) -> int:
        """Let everybody answer all phases, from `since` on, and return how many took part."""
        people = self.study.annotators.filter(person__platform="roster", withdrawn_at=None)
        n_people = 0
        with clock.moved_clock(since):
            for number, annotator in enumerate(people.select_related("person").order_by("pk")):
                if not self._answer_booklet(annotator, number, since):
                    break
                n_people += 1
        return n_people

    def _answer_booklet(self, annotator: Annotator, number: int, since: datetime) -> bool:
        """False where no place is left."""
        delays = random.Random(f"delays/{number}")
        clock.move_to(since + timedelta(hours=delays.uniform(0, 72)))
        try:
            consent = studies.current_consent(self.study)
            assignment = assignments.start(annotator=annotator, consent=consent)
        except NothingLeftError:
            return False
        if annotator.instructed_at is None:
            Annotator.objects.filter(pk=annotator.pk).update(instructed_at=clock.now())
        while assignment.state != Assignment.State.SUBMITTED:
            run = phases.latest(assignment)
            hours = 0.1 + min(delays.lognormvariate(2.5, 1.2), 300)
            clock.move_to(max(run.opens_at + timedelta(hours=hours), clock.now()))
            with transaction.atomic():
                if number < N_BY_SERVICES:
                    self._answer_by_services(annotator, run)
                else:
                    self._answer_in_bulk(annotator, run)
            assignment = assignments.submit(assignment=assignment, run=run.pk)
        return True

    def _open_questions(self, run: PhaseRun) -> list[Question]:
        questions = assignments.open_questions(run).select_related(
            "turn__context", "item__target_turn", "item__candidate_turn"
        )
        return list(questions.order_by("screen", "position"))

    def _reply(self, annotator: Annotator, run: PhaseRun, question: Question) -> Reply:
        assert annotator.person is not None  # everybody on a roster is somebody
        person = annotator.person.platform_id
        if question.turn is not None:
            options = self._options[question.turn.context.group_id or 0]
            reply = self.minds.selection(person, question.turn.text, options)
        else:
            assert question.item is not None  # constraint question_rating_or_label_has_item
            texts = (question.item.target, question.item.candidate)
            occasion = f"{self.study.slug}/{question.block_id}"
            rating, seconds = self.minds.rating(person, texts, run.phase.condition, occasion)
            reply = Reply(RatingAnswer(rating), seconds)
        milliseconds = int(1000 * reply.seconds)
        return Reply(replace(reply.answer, active_ms=milliseconds), reply.seconds)

    @cached_property
    def _options(self) -> dict[int, list[tuple[int, str]]]:
        """The sentences of the reports of each incident."""
        found: dict[int, list[tuple[int, str]]] = {}
        turns = Turn.objects.filter(context__study=self.study, context__group__isnull=False)
        rows = turns.exclude(context__key__endswith=SUMMARY).order_by("pk")
        for pk, text, group in rows.values_list("pk", "text", "context__group_id"):
            found.setdefault(group or 0, []).append((pk, text))
        return found

    def _answer_by_services(self, annotator: Annotator, run: PhaseRun) -> None:
        for question in self._open_questions(run):
            reply = self._reply(annotator, run, question)
            group = question.turn.context.group_id if question.turn else None
            order = [pk for pk, _text in self._options[group]] if group else []
            shown_at = clock.now()
            clock.move_to(shown_at + timedelta(seconds=reply.seconds))
            judgments.record(
                assignment=run.assignment,
                question=question,
                answer=reply.answer,
                shown=Shown(order, shown_at, "benchmark", self.scale, run.pk),
                idempotency_key=_key(run, question),
            )

    def _answer_in_bulk(self, annotator: Annotator, run: PhaseRun) -> None:
        replies: list[Reply] = []
        rows: list[Judgment] = []
        moment = clock.now()
        for question in self._open_questions(run):
            reply = self._reply(annotator, run, question)
            answered_at = moment + timedelta(seconds=reply.seconds)
            rows.append(
                Judgment(
                    assignment=run.assignment,
                    question=question,
                    kind=question.kind,
                    shown_at=moment,
                    answered_at=answered_at,
                    active_ms=reply.answer.active_ms,
                    idempotency_key=_key(run, question),
                    **reply.answer.columns,
                )
            )
            replies.append(reply)
            moment = answered_at
        stored = Judgment.objects.bulk_create(rows, batch_size=_BATCH)
        Pick.objects.bulk_create(_picks(stored, replies), batch_size=_BATCH)
        clock.move_to(moment)


def _picks(stored: Sequence[Judgment], replies: Sequence[Reply]) -> Iterator[Pick]:
    for judgment, reply in zip(stored, replies, strict=True):
        if isinstance(reply.answer, SelectionAnswer):
            yield from reply.answer.rows(judgment)


def _key(run: PhaseRun, question: Question) -> UUID:
    return UUID(int=run.pk << 64 | question.pk)
