"""Rated studies for the tests, their rows made directly: the design, the people, the ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from annotation.models import (
    Annotator,
    Assignment,
    Block,
    Booklet,
    Context,
    Item,
    Judgment,
    Person,
    Phase,
    PhaseRun,
    Place,
    Pool,
    Question,
    Study,
    Turn,
)
from annotation.models.kinds import QuestionKind, Source
from annotation.studies.services import studies
from tests.support.factories import make_user

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
FREE, DEPENDENT = Phase.Condition.FREE.value, Phase.Condition.DEPENDENT.value
SCALE = {"low": "0", "high": "6", "step": "1", "labels": {"0": "unrelated", "6": "the same"}}
# What somebody says of each item, by its key, in one phase.
Said = Mapping[str, float]


@dataclass
class Rated:
    """A rated study: its items by key, its booklet and its phases' blocks by purpose."""

    study: Study
    items: dict[str, Item]
    booklet: Booklet
    phases: list[Phase]
    blocks: list[dict[str, Block]]
    # By phase: the question of each (purpose, key).
    questions: list[dict[tuple[str, str], Question]]
    n_places: int = 0
    people: list[Annotator] = field(default_factory=list)

    def answer(
        self,
        *phases: Said,
        calibration: Sequence[Said] = (),
        repeats: Sequence[Said] = (),
        source: Source = Source.REAL,
        is_counted: bool = True,
        is_complete: bool = True,
        person: Person | None = None,
        gap_hours: float = 72.0,
        seconds: int = 10,
    ) -> Assignment:
        """One person's answers, phase by phase, question after question."""
        self.n_places += 1
        place = Place.objects.create(booklet=self.booklet, number=self.n_places, source=source)
        annotator = Annotator.objects.create(
            study=self.study,
            pseudonym=f"P{self.study.pk}x{self.n_places:03}",
            source=source,
            person=person,
        )
        self.people.append(annotator)
        assignment = Assignment.objects.create(
            annotator=annotator,
            booklet=self.booklet,
            place=place,
            state=Assignment.State.SUBMITTED if is_complete else Assignment.State.ACTIVE,
            is_surplus=is_complete and not is_counted,
            n_own_screens=max((len(one) for one in repeats), default=0),
            last_active_at=MONDAY,
        )
        at = MONDAY
        for number, said in enumerate(phases):
            opens_at = at
            if number:
                at += timedelta(hours=gap_hours)
                opens_at = min(opens_at + timedelta(hours=72), at)
            asked = self.questions[number]
            given = [
                (asked["calibration", key], value)
                for key, value in (
                    calibration[number] if number < len(calibration) else {}
                ).items()
            ]
            given += [(asked["main", key], value) for key, value in said.items()]
            again = repeats[number] if number < len(repeats) else {}
            for n, (key, value) in enumerate(again.items(), start=1):
                question = Question.objects.create(
                    block=self.blocks[number]["repeat"],
                    assignment=assignment,
                    screen=self.booklet.n_screens + n,
                    position=1,
                    kind=QuestionKind.RATING,
                    item=self.items[key],
                )
                given.append((question, value))
            for question, value in given:
                rate(assignment, question, value, at=at, seconds=seconds)
                at += timedelta(seconds=seconds)
            PhaseRun.objects.create(
                assignment=assignment,
                phase=self.phases[number],
                opens_at=opens_at,
                completed_at=at if is_complete else None,
                place=place if is_complete else None,
                is_counted=is_complete and is_counted,
            )
        return assignment


def rate(
    assignment: Assignment,
    question: Question,
    value: float,
    *,
    at: datetime = MONDAY,
    seconds: int = 10,
    **columns: Any,
) -> Judgment:
    """One rating: shown at `at`, answered so many seconds later."""
    return Judgment.objects.create(
        assignment=assignment,
        question=question,
        kind=QuestionKind.RATING,
        rating=Decimal(str(value)),
        shown_at=at,
        answered_at=at + timedelta(seconds=seconds),
        active_ms=1000 * seconds,
        idempotency_key=uuid4(),
        **columns,
    )


def make_rated(
    items: Sequence[str | Mapping[str, Any]] = ("a", "b", "c", "d"),
    *,
    conditions: Sequence[str] = (FREE, DEPENDENT),
    calibration: Mapping[str, float] | None = None,
    with_repeats: bool = False,
    scale: Mapping[str, Any] | None = None,
    **columns: Any,
) -> Rated:
    """An open study of one booklet that asks for all items in every phase, without answers.

    An item is a key, or the columns of a row with a `key`. It has the owner of its earlier round.
    """
    before = columns.get("earlier_round")
    owner = before.owner if before else make_user()
    study = studies.create(owner=owner, title="Rated pairs", seed=1)
    columns = {
        "kind": QuestionKind.RATING,
        "scale": dict(scale or SCALE),
        "rating_question": "How alike are the two texts?",
        "state": Study.State.OPEN,
        "opened_at": MONDAY,
        **columns,
    }
    for name, value in columns.items():
        setattr(study, name, value)
    study.save()
    pool = Pool.objects.create(study=study, key="all", number=1)
    calibration = calibration or {}
    rows: list[dict[str, Any]] = [
        {"key": k, "expected": Decimal(str(v))} for k, v in calibration.items()
    ]
    rows += [{"key": one} if isinstance(one, str) else dict(one) for one in items]
    made = {
        row["key"]: Item.objects.create(
            study=study,
            pool=pool,
            number=number,
            **{
                "target_text": None if "target_turn" in row else f"Target of {row['key']}.",
                "candidate_text": (
                    None if "candidate_turn" in row else f"Candidate of {row['key']}."
                ),
                **row,
            },
        )
        for number, row in enumerate(rows, start=1)
    }
    design = study.design
    design.parameters = {"ratings_per_item": 9}
    design.made_at = design.frozen_at = MONDAY
    design.save()
    asked = [("calibration", key) for key in calibration]
    asked += [("main", key) for key in made if key not in calibration]
    booklet = Booklet.objects.create(design=design, number=1, n_screens=len(asked))
    phases, blocks, questions = [], [], []
    for number, condition in enumerate(conditions, start=1):
        phase = Phase.objects.create(
            design=design,
            number=number,
            condition=condition,
            delay=timedelta(hours=72) if number > 1 else None,
        )
        purposes = ["calibration"] * bool(calibration) + ["main"] + ["repeat"] * with_repeats
        of_phase = {
            purpose: Block.objects.create(phase=phase, number=n, purpose=purpose)
            for n, purpose in enumerate(purposes, start=1)
        }
        questions.append(
            {
                (purpose, key): Question.objects.create(
                    block=of_phase[purpose],
                    booklet=booklet,
                    screen=screen,
                    position=1,
                    kind=QuestionKind.RATING,
                    item=made[key],
                )
                for screen, (purpose, key) in enumerate(asked, start=1)
            }
        )
        phases.append(phase)
        blocks.append(of_phase)
    return Rated(study, made, booklet, phases, blocks, questions)


def add_context(study: Study, key: str, texts: Sequence[str], **columns: Any) -> list[Turn]:
    """A document of some sentences; its turns."""
    context = Context.objects.create(study=study, key=key, n_turns=len(texts), **columns)
    return [
        Turn.objects.create(context=context, position=n, text=text)
        for n, text in enumerate(texts, start=1)
    ]
