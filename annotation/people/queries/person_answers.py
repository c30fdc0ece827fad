"""One annotator's answers beside those of the others, in the order in which they were asked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from annotation.core.queries.counted_answers import Population, counted_judgments
from annotation.models import Annotator, Block, Judgment
from annotation.models.kinds import QuestionKind, Source

# Of a phase, the tuple or the item or the turn that was asked about.
Asked = tuple[int, int | None, int | None, int | None]


@dataclass(frozen=True)
class Own:
    """One answer of the person, as little of it as all figures need."""

    pk: int
    asked: Asked
    assignment: int
    # Booklet, phase, screen, position: where it stood.
    booklet: int
    phase: int
    condition: str
    place: tuple[int, int]
    is_repeat: bool
    seconds: float | None
    best: int | None
    worst: int | None
    rating: float | None
    # Where the picks stood on the screen; of imported answers nobody knows.
    positions: tuple[int, int] | None
    shown_order: tuple[int, ...]
    # In words of one code: what makes two answers equal.
    chosen: tuple[str, ...] = ()
    # By role, the turn that was picked for it, and its rating.
    selection: Mapping[str, tuple[int, float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Others:
    """What the others, who count, answered to the same."""

    seconds: dict[Asked, list[float]] = field(default_factory=lambda: defaultdict(list))
    ratings: dict[Asked, list[float]] = field(default_factory=lambda: defaultdict(list))
    picks: dict[Asked, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    chosen: dict[Asked, list[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(list))
    # By role, the turn that was picked for it.
    selections: dict[Asked, list[dict[str, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def usual_seconds(self, asked: Asked) -> float | None:
        times = self.seconds.get(asked)
        return median(times) if times else None


def population_of(person: Annotator) -> Population:
    return "simulated" if person.source == Source.SIMULATED else "people"


def own_answers(person: Annotator) -> list[Own]:
    """Current answers but to checks, of every booklet, in the order of the screens."""
    rows = (
        Judgment.objects.current()
        .filter(assignment__annotator=person)
        .exclude(question__block__purpose=Block.Purpose.CHECK)
        .select_related("question__block__phase", "assignment__booklet")
        .prefetch_related("choices", "picks")
        .order_by(
            "assignment", "question__block__phase__number", "question__screen",
            "question__position", "pk",
        )
    )  # fmt: skip
    return [_own(row) for row in rows]


def _own(row: Judgment) -> Own:
    order = tuple(row.shown_order or ())
    positions = None
    if row.best_id in order and row.worst_id in order:
        positions = order.index(row.best_id), order.index(row.worst_id)
    question = row.question
    return Own(
        pk=row.pk,
        asked=_asked(row),
        assignment=row.assignment_id,
        booklet=row.assignment.booklet.number,
        phase=question.block.phase.number,
        condition=question.block.phase.condition,
        place=(question.screen, question.position),
        is_repeat=question.block.purpose == Block.Purpose.REPEAT,
        seconds=None if row.active_ms is None else row.active_ms / 1000,
        best=row.best_id,
        worst=row.worst_id,
        rating=None if row.rating is None else float(row.rating),
        positions=positions,
        shown_order=order,
        chosen=tuple(sorted(choice.category for choice in row.choices.all())),
        selection={
            pick.role: (pick.turn_id, None if pick.rating is None else float(pick.rating))
            for pick in row.picks.all()
        },
    )


def _asked(row: Judgment) -> Asked:
    question = row.question
    return (question.block.phase_id, question.tuple_id, question.item_id, question.turn_id)


def others_of(person: Annotator, own: Iterable[Own]) -> Others:
    """Of the same tuples, items and turns, in the same phase: what each said first."""
    asked = {one.asked for one in own}
    found = Others()
    if not asked:
        return found
    rows = (
        counted_judgments(person.study, population_of(person))
        .exclude(assignment__annotator=person)
        .exclude(question__block__purpose=Block.Purpose.REPEAT)
        .select_related("question__block")
        .order_by()
    )
    tuples, items, turns = ({one[n] for one in asked} - {None} for n in (1, 2, 3))
    for column, wanted in (("tuple", tuples), ("item", items), ("turn", turns)):
        if not wanted:
            continue
        part = rows.filter(**{f"question__{column}__in": wanted})
        if person.study.kind == QuestionKind.LABEL:
            part = part.prefetch_related("choices")
        if person.study.kind == QuestionKind.SELECTION:
            part = part.prefetch_related("picks")
        for row in part:
            key = _asked(row)
            if key not in asked:
                continue
            if row.active_ms is not None:
                found.seconds[key].append(row.active_ms / 1000)
            if row.rating is not None:
                found.ratings[key].append(float(row.rating))
            if row.best_id is not None and row.worst_id is not None:
                found.picks[key].append((row.best_id, row.worst_id))
            if row.kind == QuestionKind.LABEL:
                said = tuple(sorted(choice.category for choice in row.choices.all()))
                found.chosen[key].append(said)
            if row.kind == QuestionKind.SELECTION:
                found.selections[key].append({pick.role: pick.turn_id for pick in row.picks.all()})
    return found


@dataclass(frozen=True)
class Comment:
    booklet: int
    screen: int
    text: str
    at: datetime | None
    # The answer beside which it stands.
    judgment: int


def comments_of(person: Annotator) -> list[Comment]:
    rows = (
        Judgment.objects.current()
        .filter(assignment__annotator=person)
        .exclude(comment="")
        .select_related("question", "assignment__booklet")
        .order_by("assignment", "question__screen", "pk")
    )
    return [
        Comment(
            row.assignment.booklet.number,
            row.question.screen,
            row.comment,
            row.answered_at,
            row.pk,
        )
        for row in rows
    ]
