"""What is stored about one person, for that person: never anything of somebody else.

The key of a sitting on a platform leads to that sitting alone. A person who came by an unsigned
address may have named somebody else there, so what belongs to the person and not to the sitting is
shown only once the platform has vouched for it, or if there is no other sitting.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q, QuerySet

from annotation.kinds.registry import kind_of
from annotation.models import (
    Annotator,
    Consent,
    ConsentRefusal,
    Draft,
    Exclusion,
    Intent,
    Item,
    Judgment,
    PhaseRun,
    Study,
    Visit,
)
from annotation.models.judgments import JudgmentQuerySet
from annotation.questionnaires.queries import answers_in_words
from annotation.questionnaires.queries.answers_in_words import AnswerInWords

CHUNK = 300


@dataclass(frozen=True)
class StoredAboutPerson:
    """What is stored beside the answers themselves."""

    study: Study
    pseudonym: str
    joined_at: datetime | None
    withdrawn_at: datetime | None
    platform: str = ""
    platform_id: str = ""
    name: str = ""
    email: str = ""
    consents: list[Consent] = field(default_factory=list)
    refusals: list[ConsentRefusal] = field(default_factory=list)
    runs: list[PhaseRun] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    payments: list[Intent] = field(default_factory=list)
    exclusions: list[Exclusion] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    about_you: list[AnswerInWords] = field(default_factory=list)
    n_answers: int = 0

    @property
    def reminders(self) -> list[str]:
        return [run.reminder_email for run in self.runs if run.reminder_email]


@dataclass(frozen=True)
class StoredAnswer:
    """One answer as it was given: what was asked of what, and what was said."""

    phase: int
    screen: int
    kind: str
    # The texts, as the screen showed them in this order.
    shown: list[str]
    # How many of them, from the first on, the others were compared with.
    n_targets: int
    # (what was asked, what was answered)
    answers: list[tuple[str, str]]
    comment: str
    shown_at: datetime | None
    answered_at: datetime | None
    active_ms: int | None
    n_away: int | None
    n_pasted: int | None
    # When another answer to the same question took its place.
    replaced_at: datetime | None
    emptied_at: datetime | None

    @property
    def targets(self) -> list[str]:
        return self.shown[: self.n_targets]

    @property
    def others(self) -> list[str]:
        return self.shown[self.n_targets :]


def stored(annotator: Annotator, visit: Visit | None) -> StoredAboutPerson:
    """Of a sitting `visit`, else of all that an annotator did in the study."""
    study = annotator.study
    knows = knows_person(annotator, visit)
    person = visit.person if visit else annotator.person
    runs = PhaseRun.objects.filter(assignment__annotator=annotator) if annotator.pk else None
    if runs is not None and visit:
        runs = runs.filter(visits=visit)
    consents = Consent.objects.filter(annotator__pk=annotator.pk)
    refusals = ConsentRefusal.objects.filter(annotator__pk=annotator.pk)
    if visit and not knows:
        consents = consents.filter(given_at__gte=visit.created_at)
        refusals = refusals.filter(at__gte=visit.created_at)
    visits = [visit] if visit else list(_visits(annotator))
    paid = Intent.objects.standing().filter(visit__in=[visit.pk for visit in visits], pays__gt=0)
    exclusions = Exclusion.objects.filter(
        Q(annotator=annotator.pk) | Q(assignment__annotator=annotator.pk)
    )
    judgments = answers_of(annotator, visit)
    return StoredAboutPerson(
        study=study,
        pseudonym=annotator.pseudonym if annotator.pk and knows else "",
        joined_at=annotator.created_at if annotator.pk and knows else None,
        withdrawn_at=annotator.withdrawn_at if annotator.pk else None,
        platform=person.platform if person else "",
        platform_id=person.platform_id if person else "",
        name=person.name if person else "",
        email=person.email if person else "",
        consents=list(consents.select_related("text").order_by("given_at")),
        refusals=list(refusals.select_related("text").order_by("at")),
        runs=list(
            runs.select_related("assignment__booklet", "phase").order_by(
                "assignment_id", "phase__number"
            )
        )
        if runs is not None
        else [],
        visits=visits,
        payments=list(paid.order_by("planned_at")),
        exclusions=list(exclusions.order_by("at")) if annotator.pk and knows else [],
        drafts=list(_drafts(annotator, visit)),
        about_you=list(answers_in_words.of_person(annotator)) if annotator.pk and knows else [],
        n_answers=judgments.count(),
    )


def knows_person(annotator: Annotator, visit: Visit | None) -> bool:
    """Whether whoever has this key may see what belongs to the person, and not to the sitting."""
    if visit is None or visit.verified_at:
        return True
    return annotator.pk is None or not _visits(annotator).exclude(pk=visit.pk).exists()


def _visits(annotator: Annotator) -> QuerySet[Visit]:
    return Visit.objects.filter(run__assignment__annotator=annotator).order_by("created_at")


def _drafts(annotator: Annotator, visit: Visit | None) -> QuerySet[Draft]:
    drafts = Draft.objects.filter(assignment__annotator=annotator.pk)
    if visit:
        drafts = drafts.filter(_of_sitting(visit))
    return drafts.select_related("question").order_by("question__screen", "question__position")


def answers_of(annotator: Annotator, visit: Visit | None) -> JudgmentQuerySet:
    """All of them: also those that another one replaced, and what a withdrawal left."""
    judgments = Judgment.objects.filter(assignment__annotator=annotator.pk)
    if visit:
        judgments = judgments.filter(
            _of_sitting(visit),
            Q(superseded_at=None) | Q(answered_at__gte=visit.created_at),
        )
    return judgments.order_by(
        "assignment_id",
        "question__block__phase__number",
        "question__screen",
        "question__position",
        "pk",
    )


def read(rows: list[Judgment], study: Study) -> list[StoredAnswer]:
    """Some answers with their texts, in a number of queries that does not grow."""
    answer_type = kind_of(study).answering.answer
    pks = [pk for row in rows for pk in row.shown_order or []]
    pks += [pk for row in rows for pk in answer_type.of_judgment(row).items]
    items = {
        item.pk: item
        for item in Item.objects.filter(pk__in=set(pks)).select_related(
            "target_turn", "candidate_turn"
        )
    }
    return [_read(row, study, items) for row in rows]


def ready(judgments: JudgmentQuerySet, study: Study) -> JudgmentQuerySet:
    """With everything that `read` looks at."""
    return judgments.select_related(
        "question__block__phase",
        "question__item__target_turn",
        "question__item__candidate_turn",
        "question__turn",
    ).prefetch_related(*kind_of(study).answering.own_data_relations)


def in_chunks(annotator: Annotator, visit: Visit | None) -> Iterator[StoredAnswer]:
    """All answers, without holding them all."""
    held: list[Judgment] = []
    for row in ready(answers_of(annotator, visit), annotator.study).iterator(chunk_size=CHUNK):
        held.append(row)
        if len(held) == CHUNK:
            yield from read(held, annotator.study)
            held = []
    yield from read(held, annotator.study)


def _of_sitting(visit: Visit) -> Q:
    """Of an assignment, the phase that a sitting is for; nothing was claimed: nothing."""
    if visit.run is None:
        return Q(pk=None)
    return Q(assignment=visit.run.assignment_id, question__block__phase=visit.run.phase_id)


def _read(row: Judgment, study: Study, items: dict[int, Item]) -> StoredAnswer:
    question = row.question
    shown: list[str] = []
    n_targets = 0
    answers: list[tuple[str, str]] = []
    if question.item:
        shown = [text for text in (question.item.target, question.item.candidate) if text]
    elif question.turn:
        shown = [question.turn.text]
    elif options := [items[pk] for pk in row.shown_order or [] if pk in items]:
        targets = list(dict.fromkeys(option.target for option in options if option.target))
        n_targets = len(targets)
        shown = [*targets, *(option.candidate for option in options)]
    if row.withdrawn_at is None:
        answers = kind_of(study).answering.said(row, study, items)
    return StoredAnswer(
        phase=question.block.phase.number,
        screen=question.screen,
        kind=row.kind,
        shown=shown,
        n_targets=n_targets,
        answers=answers,
        comment=row.comment,
        shown_at=row.shown_at,
        answered_at=row.answered_at,
        active_ms=row.active_ms,
        n_away=row.n_away,
        n_pasted=row.n_pasted,
        replaced_at=row.superseded_at,
        emptied_at=row.withdrawn_at,
    )
