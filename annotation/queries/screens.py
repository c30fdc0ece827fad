"""What an annotator's page shows, read with a number of queries that does not grow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import Assignment, Booklet, Study, Turn
from annotation.queries import screen_rows
from annotation.queries.orders import shown_order
from annotation.queries.screen_rows import QuestionRows
from annotation.services.judgments import NOTHING

BEST_KEYS = "12345678"
WORST_KEYS = "qwertyui"

# A dialogue of more turns than this is folded: its last turns are shown, the rest on demand.
LONGEST_UNFOLDED = 6
LAST_TURNS = 4

# What is left is estimated from the latest answers, once there are enough of them.
PACE_FROM = 5


@dataclass(frozen=True)
class Answer:
    """What is chosen so far; None where nothing is."""

    best: int | None = None
    worst: int | None = None
    comment: str = ""
    active_ms: int = 0

    @property
    def is_complete(self) -> bool:
        return self.best is not None and self.worst is not None

    @property
    def is_empty(self) -> bool:
        return self.best is None and self.worst is None and not self.comment

    @property
    def comment_in_form(self) -> str:
        # A browser drops the first line break of a <textarea>: it must not be the comment's own.
        return f"\n{self.comment}"


@dataclass(frozen=True)
class ShownTurn:
    speaker: str
    text: str
    # "a" or "b": who speaks first stands at the start of the line, who answers is set in.
    side: str
    is_target: bool


@dataclass(frozen=True)
class ShownOption:
    item: int
    number: int
    text: str
    # What the text is compared with, where every option has a target of its own.
    target: str
    best_key: str
    worst_key: str


@dataclass(frozen=True)
class ShownQuestion:
    """One best-worst question as the template shows it."""

    pk: int
    number: int
    turns: list[ShownTurn]
    # What all options are compared with, where that is not a turn of the dialogue.
    target: str
    options: list[ShownOption]
    asks_similarity: bool
    answer: Answer = field(default_factory=Answer)
    was_answered: bool = False
    shown: str = ""
    # The key of that answer, and what was sent from here instead, but stands not.
    base: str = NOTHING
    here: Answer | None = None
    # What the form said wrongly, and which choices are missing.
    error: str = ""
    missing: tuple[str, ...] = ()

    @property
    def n_folded(self) -> int:
        """How many of the first turns a long dialogue hides; the target is never among them."""
        n_turns = len(self.turns)
        if n_turns <= LONGEST_UNFOLDED:
            return 0
        target = next((n for n, turn in enumerate(self.turns) if turn.is_target), n_turns)
        n_folded = min(n_turns - LAST_TURNS, target - 1)
        return n_folded if n_folded > 1 else 0

    @property
    def earlier_turns(self) -> list[ShownTurn]:
        return self.turns[: self.n_folded]

    @property
    def last_turns(self) -> list[ShownTurn]:
        return self.turns[self.n_folded :]

    @property
    def order(self) -> list[int]:
        return [option.item for option in self.options]

    @property
    def has_problem(self) -> bool:
        return bool(self.error or self.missing)

    @property
    def chosen_here(self) -> Answer:
        return self.here or Answer()

    @property
    def must_be_seen(self) -> bool:
        """Whether something was not stored as it was sent."""
        return bool(self.error or self.here)


@dataclass(frozen=True)
class Progress:
    n_questions: int
    n_answered: int

    @property
    def percent(self) -> int:
        return 100 * self.n_answered // self.n_questions if self.n_questions else 100


@dataclass(frozen=True)
class ScreenState:
    """One line of the overview."""

    number: int
    n_questions: int
    n_answered: int
    n_comments: int

    @property
    def is_complete(self) -> bool:
        return self.n_answered == self.n_questions

    @property
    def n_open(self) -> int:
        return self.n_questions - self.n_answered


def screen_questions(booklet: Booklet, number: int) -> list[QuestionRows]:
    """The questions of one screen with everything they show: three queries."""
    return screen_rows.screen_questions(booklet.pk, number)


def shown_questions(
    questions: Iterable[QuestionRows], *, seed: int, pseudonym: str
) -> list[ShownQuestion]:
    """The questions in the order and with the options as this person sees them; no query."""
    return [
        _shown(question, number, seed=seed, pseudonym=pseudonym)
        for number, question in enumerate(questions, start=1)
    ]


def _shown(rows: QuestionRows, number: int, *, seed: int, pseudonym: str) -> ShownQuestion:
    items = shown_order(
        [(option.key, option) for option in rows.options],
        seed=seed,
        pseudonym=pseudonym,
        tuple_number=rows.tuple_number,
    )
    target_turns = {item.target_turn for item in items}
    marked = target_turns.pop() if len(target_turns) == 1 else None
    shown_turns = _turns(rows.turns, marked)
    is_marked = any(turn.is_target for turn in shown_turns)
    targets = {item.target for item in items}
    has_one_target = len(targets) == 1
    return ShownQuestion(
        pk=rows.question.pk,
        number=number,
        turns=shown_turns,
        target=items[0].target if has_one_target and not is_marked else "",
        options=[
            ShownOption(
                item=item.pk,
                number=place + 1,
                text=item.text,
                target="" if has_one_target else item.target,
                best_key=BEST_KEYS[place],
                worst_key=WORST_KEYS[place],
            )
            for place, item in enumerate(items)
        ],
        asks_similarity=targets != {""},
    )


def _turns(turns: Sequence[Turn], marked: int | None) -> list[ShownTurn]:
    sides: dict[str, str] = {}
    for turn in turns:
        sides.setdefault(turn.speaker, "ab"[len(sides) % 2])
    return [
        ShownTurn(turn.speaker, turn.text, sides[turn.speaker], turn.pk == marked)
        for turn in turns
    ]


def with_answers(shown: Iterable[ShownQuestion], assignment: Assignment) -> list[ShownQuestion]:
    """The same questions with what is stored: a draft stands before the judgment it changes."""
    shown = list(shown)
    pks = [question.pk for question in shown]
    stored: dict[int, Answer] = {}
    bases: dict[int, str] = {}
    for judgment in screen_rows.current_judgments(assignment, pks):
        stored[judgment.question_id] = Answer(
            judgment.best_id, judgment.worst_id, judgment.comment
        )
        bases[judgment.question_id] = str(judgment.idempotency_key)
    answered = set(stored)
    for draft in screen_rows.drafts(assignment, pks):
        stored[draft.question_id] = Answer(
            draft.payload.get("best"),
            draft.payload.get("worst"),
            draft.payload.get("comment", ""),
            draft.payload.get("active_ms") or 0,
        )
        bases[draft.question_id] = str(draft.idempotency_key)
    return [
        replace(
            question,
            answer=stored.get(question.pk, Answer()),
            was_answered=question.pk in answered,
            base=bases.get(question.pk, NOTHING),
        )
        for question in shown
    ]


def progress(assignment: Assignment) -> Progress:
    """How many questions of the booklet have a complete answer that is not being changed."""
    n_questions, n_answered = screen_rows.counts(assignment)
    return Progress(n_questions, n_answered)


def minutes_left(assignment: Assignment, progress: Progress) -> float | None:
    """How long the rest will take at the pace of the latest answers; None while nobody knows.

    One query of a few rows. The mean adds up to what is left, unlike the median; but one answer
    that took very long must not count for more than three usual ones.
    """
    n_open = progress.n_questions - progress.n_answered
    if progress.n_answered < PACE_FROM or not n_open:
        return None
    spent = screen_rows.latest_active_ms(assignment)
    if len(spent) < PACE_FROM:
        return None
    longest = 3 * median(spent)
    return n_open * fmean(min(ms, longest) for ms in spent) / 60_000


def first_open_screen(assignment: Assignment) -> int | None:
    return (
        assignment.booklet.questions.exclude(_answered_by(assignment))
        .order_by("screen")
        .values_list("screen", flat=True)
        .first()
    )


def screen_states(assignment: Assignment) -> list[ScreenState]:
    """Every screen of the booklet, for the overview: one query."""
    commented = Q(
        Exists(assignment.judgments.current().filter(question=OuterRef("pk")).exclude(comment=""))
    )
    rows = (
        assignment.booklet.questions.values("screen")
        .annotate(
            n_questions=Count("pk"),
            n_answered=Count("pk", filter=_answered_by(assignment)),
            n_comments=Count("pk", filter=commented),
        )
        .order_by("screen")
    )
    return [
        ScreenState(row["screen"], row["n_questions"], row["n_answered"], row["n_comments"])
        for row in rows
    ]


def _answered_by(assignment: Assignment) -> Q:
    """The same rule as `services.assignments.open_questions`, as a condition to count by."""
    judged = assignment.judgments.current().filter(question=OuterRef("pk"))
    drafted = assignment.drafts.filter(question=OuterRef("pk"))
    return Q(Exists(judged)) & ~Q(Exists(drafted))


@dataclass(frozen=True)
class ExampleOption:
    number: int
    text: str
    is_best: bool
    is_worst: bool


@dataclass(frozen=True)
class WorkedExample:
    """The study's example with its right answers; only the last turn is compared with."""

    turns: list[ShownTurn]
    options: list[ExampleOption]
    explanation: str


def worked_example(study: Study) -> WorkedExample | None:
    if not (example := study.example):
        return None
    turns = example.get("turns", [])
    return WorkedExample(
        turns=_turns(
            [
                Turn(pk=n, speaker=t.get("speaker", ""), text=t["text"])
                for n, t in enumerate(turns)
            ],
            len(turns) - 1,
        ),
        options=[
            ExampleOption(n, text, n == example.get("best"), n == example.get("worst"))
            for n, text in enumerate(example.get("candidates", []), start=1)
        ],
        explanation=example.get("explanation", ""),
    )


def preview_screen(
    study: Study,
    screen_number: int,
    booklet_number: int = 1,
    *,
    url_of: Callable[[int], str] = lambda number: f"?screen={number}",
) -> dict[str, Any]:
    """The context of `annotator/screen.html` for a researcher's walk-through.

    Nothing of it can be saved: there is no assignment, no key and no signed note. `url_of` gives
    the address of another screen. Raises LookupError where there is no such screen.
    """
    booklet = study.design.booklets.filter(number=booklet_number).first()
    if booklet is None or not 1 <= screen_number <= booklet.n_screens:
        raise LookupError(f"booklet {booklet_number} has no screen {screen_number}")
    shown = shown_questions(
        screen_questions(booklet, screen_number), seed=booklet.design.seed, pseudonym="preview"
    )
    return {
        "preview": True,
        "study": study,
        "visitor": None,
        "page_language": "en",
        "questions": shown,
        "number": screen_number,
        "n_screens": booklet.n_screens,
        "progress": Progress(booklet.n_screens, screen_number - 1),
        "example": worked_example(study),
        "urls": {
            "back": url_of(screen_number - 1) if screen_number > 1 else "",
            "next": url_of(screen_number + 1) if screen_number < booklet.n_screens else "",
        },
    }
